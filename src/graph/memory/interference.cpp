// Building the graph: every pair of temporaries is compared once, by the users at their ends alone.
#include "graph/memory/interference.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace manyrt::graph {
namespace {

constexpr uint64_t kAlignment = 256;

uint64_t rounded(uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

std::vector<uint32_t> largestFirst(const std::vector<Temporary>& temporaries) {
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < temporaries.size(); ++i) {
    if (!temporaries[i].users.empty()) result.push_back(i);
  }
  std::stable_sort(result.begin(), result.end(),
                   [&](uint32_t a, uint32_t b) { return rounded(temporaries[a].size) > rounded(temporaries[b].size); });
  return result;
}

// The users that no other user comes before, and those that come before no other user.
struct Ends {
  std::vector<uint32_t> begin, end;
};

Ends endsOf(std::vector<uint32_t> users, const Ancestors& ancestors) {
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  Ends ends;
  // A step comes only before larger ones, and the relation is transitive: comparing with the ends so far is enough.
  for (uint32_t user : users) {
    const auto earlier = [&](uint32_t other) { return ancestors.comesBefore(other, user); };
    if (std::none_of(ends.begin.begin(), ends.begin.end(), earlier)) ends.begin.push_back(user);
  }
  for (auto user = users.rbegin(); user != users.rend(); ++user) {
    const auto later = [&](uint32_t other) { return ancestors.comesBefore(*user, other); };
    if (std::none_of(ends.end.begin(), ends.end.end(), later)) ends.end.push_back(*user);
  }
  return ends;
}

// The 64 rows of a square of bits become its columns: ever smaller squares off the diagonal change places.
void transpose(uint64_t (&rows)[64]) {
  uint64_t mask = 0x00000000FFFFFFFF;
  for (uint32_t width = 32; width != 0; width /= 2, mask ^= mask << width) {
    for (uint32_t i = 0; i < 64; i = (i + width + 1) & ~width) {  // rows whose bit `width` is 0
      const uint64_t change = (rows[i] >> width ^ rows[i + width]) & mask;
      rows[i] ^= change << width;
      rows[i + width] ^= change;
    }
  }
}

}  // namespace

uint32_t BitMatrix::countRow(size_t row) const {
  uint32_t result = 0;
  for (size_t w = 0; w < words_; ++w) result += static_cast<uint32_t>(std::popcount(bits_[row * words_ + w]));
  return result;
}

BitMatrix BitMatrix::transposed() const {
  const size_t count = words_ == 0 ? 0 : bits_.size() / words_;
  BitMatrix result(count);
  for (size_t top = 0; top < count; top += 64) {
    for (size_t w = 0; w < words_; ++w) {
      uint64_t square[64] = {};
      for (size_t i = 0; i < 64 && top + i < count; ++i) square[i] = bits_[(top + i) * words_ + w];
      transpose(square);
      for (size_t i = 0; i < 64 && w * 64 + i < count; ++i) result.bits_[(w * 64 + i) * words_ + top / 64] = square[i];
    }
  }
  return result;
}

// A temporary is over before another one begins if all its users come before all users of the other. That is so if its last
// users are common ancestors of the first users of the other. The common ancestors of one temporary are one row of bits, which
// stays in the cache while all others are looked up in it.
InterferenceGraph::InterferenceGraph(const std::vector<Temporary>& temporaries, const Ancestors& ancestors)
    : InterferenceGraph(largestFirst(temporaries)) {
  std::vector<Ends> ends;
  std::vector<uint32_t> with_many;  // vertices with several last users
  for (uint32_t i : number) {
    const std::vector<uint32_t>& users = temporaries[i].users;
    size.push_back(rounded(temporaries[i].size));
    first.push_back(*std::min_element(users.begin(), users.end()));
    last.push_back(*std::max_element(users.begin(), users.end()));
    ends.push_back(endsOf(users, ancestors));
    if (ends.back().end.size() > 1) with_many.push_back(static_cast<uint32_t>(ends.size() - 1));
  }
  std::vector<uint64_t> common;
  for (uint32_t vertex = 0; vertex < count(); ++vertex) {
    common.assign(ancestors.words(), ~uint64_t{0});
    for (uint32_t user : ends[vertex].begin) {
      for (size_t w = 0; w < common.size(); ++w) common[w] &= ancestors.of(user)[w];
    }
    uint64_t* row = predecessors.row(vertex);
    for (uint32_t other = 0; other < count(); ++other) {
      const uint32_t step = last[other];  // one of its last users, and with most temporaries the only one
      row[other / 64] |= (common[step / 64] >> (step % 64) & 1) << (other % 64);
    }
    for (uint32_t other : with_many) {
      for (uint32_t step : ends[other].end) {
        if ((common[step / 64] >> (step % 64) & 1) == 0) row[other / 64] &= ~(uint64_t{1} << (other % 64));
      }
    }
  }
  // An edge joins all that are left, but no vertex to itself.
  const BitMatrix successors = predecessors.transposed();
  for (uint32_t vertex = 0; vertex < count(); ++vertex) {
    uint64_t* row = conflicts.row(vertex);
    for (size_t w = 0; w < conflicts.words(); ++w) row[w] = ~(predecessors.row(vertex)[w] | successors.row(vertex)[w]);
    row[vertex / 64] &= ~(uint64_t{1} << (vertex % 64));
    if (count() % 64 != 0) row[conflicts.words() - 1] &= (uint64_t{1} << (count() % 64)) - 1;
  }
}

uint64_t InterferenceGraph::sumOf(const std::vector<uint32_t>& vertices) const {
  return std::accumulate(vertices.begin(), vertices.end(), uint64_t{0},
                         [this](uint64_t sum, uint32_t vertex) { return sum + size[vertex]; });
}

}  // namespace manyrt::graph
