// An address as a sum: values times numbers, and a number of bytes. Two addresses with the same values are as many bytes apart
// as their numbers, in every work-item.
//
// Sums of 32 bits are taken apart as if they did not wrap. That is safe for signed ones: a wrap is undefined in OpenCL C, and
// would lead more than 2^31 elements away. An address with unsigned ones is not certain; a kernel can compare.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "compiler/analysis/divergence.h"
#include "compiler/ir/module.h"

namespace manyrt::compiler::analysis {

class AffineAddress {
 public:
  explicit AffineAddress(const ir::Value& pointer) { add(pointer, 1, Width::kOwn); }

  int64_t bytes() const { return static_cast<int64_t>(bytes_); }
  bool isCertain() const { return is_certain_; }
  bool hasTermsOf(const AffineAddress& other) const { return terms_ == other.terms_; }
  bool operator<(const AffineAddress& other) const { return terms_ < other.terms_; }  // an order of their terms alone
  // The step from one neighbour to the next, in bytes; nothing: they have none, or one so long that a row wraps.
  std::optional<int64_t> stride(const Divergence& divergence) const;
  // Whether it lies in memory that work-items share: a slot may lie elsewhere for each lane.
  bool isShared() const { return is_shared_; }

 private:
  enum class Width : uint8_t { kOwn, kSigned, kUnsigned };  // of 64 bits; of 32 that are made wider
  static constexpr uint32_t kMostParts = 64;

  void add(const ir::Value& value, uint64_t factor, Width width);

  std::map<std::pair<const ir::Value*, Width>, uint64_t> terms_;
  uint64_t bytes_ = 0;
  uint32_t parts_ = 0;
  bool is_certain_ = true, is_shared_ = true;
};

}  // namespace manyrt::compiler::analysis
