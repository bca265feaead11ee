// Temporaries that may be live at once. Two of them share bytes only if every user of one comes before every user of the
// other; those of which no two may are a crowd, and a plan needs at least the bytes of the heaviest crowd. Made by planMemory
// for one plan; knows nothing of places.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/memory/memory_plan.h"

namespace manyrt::graph {

// A square of bits.
class BitRows {
 public:
  explicit BitRows(size_t count) : words_((count + 63) / 64), bits_(words_ * count) {}
  void set(size_t row, size_t column) { bits_[row * words_ + column / 64] |= uint64_t{1} << (column % 64); }
  bool test(size_t row, size_t column) const { return (bits_[row * words_ + column / 64] >> (column % 64) & 1) != 0; }
  size_t words() const { return words_; }
  const uint64_t* row(size_t row) const { return &bits_[row * words_]; }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

template <class Visit>
void forEachBit(const uint64_t* bits, size_t words, Visit visit) {
  for (size_t w = 0; w < words; ++w) {
    for (uint64_t left = bits[w]; left != 0; left &= left - 1) visit(static_cast<uint32_t>(w * 64 + std::countr_zero(left)));
  }
}

// Temporaries with users, the largest first: so the first bit of a set is its heaviest member.
class Tenants {
 public:
  Tenants(const std::vector<Temporary>& temporaries, const Ancestors& ancestors);
  uint32_t count() const { return static_cast<uint32_t>(size.size()); }
  uint32_t conflictsOf(uint32_t tenant) const;  // how many
  uint64_t sumOf(const std::vector<uint32_t>& crowd) const;

  std::vector<uint32_t> number;  // of each, among all temporaries
  std::vector<uint64_t> size;    // bytes, as places are given
  BitRows apart;                 // those that must not share a byte
  BitRows later;                 // those that begin when this one is over

 private:
  explicit Tenants(std::vector<uint32_t> numbers) : number(std::move(numbers)), apart(number.size()), later(number.size()) {}
};

using Crowds = std::vector<std::vector<uint32_t>>;  // members in ascending order

// With the heaviest that fits, again and again, until nobody else does; without repetitions.
Crowds filledUp(Crowds crowds, const Tenants& tenants);

// The heaviest there is, whatever the order in which steps without an order run. Empty: that would take too long.
std::vector<uint32_t> heaviestCrowd(const Tenants& tenants);

}  // namespace manyrt::graph
