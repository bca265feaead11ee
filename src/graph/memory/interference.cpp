// Building the graph from what is over when each temporary begins, of some hundred temporaries at a time.
#include "graph/memory/interference.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/memory/lifetimes.h"

namespace manyrt::graph {
namespace {

std::vector<uint32_t> largestFirst(const std::vector<Temporary>& temporaries) {
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < temporaries.size(); ++i) {
    if (!temporaries[i].users.empty()) result.push_back(i);
  }
  std::stable_sort(result.begin(), result.end(),
                   [&](uint32_t a, uint32_t b) { return rounded(temporaries[a].size) > rounded(temporaries[b].size); });
  return result;
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

// A temporary is over before another one begins if all its users come before all users of the other.
void InterferenceGraph::findPredecessors(const std::vector<Temporary>& temporaries, const Before& before) {
  LifetimeFinder finder(before);
  std::vector<Lifetime> lifetimes;
  for (uint32_t each : number) lifetimes.push_back(finder.find(temporaries[each].users));
  // Those that end at about the same time share a round: most steps are before or after all of them.
  std::vector<uint32_t> order(count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) { return last[a] < last[b]; });
  BitMatrix successors(count());
  std::vector<bool> has_row(count());
  const size_t words = successors.words();
  OverFinder(before, std::move(lifetimes))
      .run(order, [&](const std::vector<uint32_t>& items, const std::vector<OverBits>& over) {
        for (size_t top = 0; top < words; ++top) {
          for (size_t w = 0; w * 64 < items.size(); ++w) {
            uint64_t square[64] = {};
            for (size_t i = 0; i < 64 && top * 64 + i < count(); ++i) square[i] = over[top * 64 + i][w];
            transpose(square);
            for (size_t i = 0; i < 64 && w * 64 + i < items.size(); ++i) {
              const uint32_t vertex = items[w * 64 + i];
              uint64_t& word = successors.row(vertex)[top];
              word = has_row[vertex] ? word & square[i] : square[i];  // a share of the last users of the vertex
            }
          }
        }
        for (uint32_t vertex : items) has_row[vertex] = true;
      });
  predecessors = successors.transposed();
  conflicts = std::move(successors);  // an edge joins all that are left, but no vertex to itself
  for (uint32_t vertex = 0; vertex < count(); ++vertex) {
    uint64_t* row = conflicts.row(vertex);
    for (size_t w = 0; w < words; ++w) row[w] = ~(row[w] | predecessors.row(vertex)[w]);
    row[vertex / 64] &= ~(uint64_t{1} << (vertex % 64));
    if (count() % 64 != 0) row[words - 1] &= (uint64_t{1} << (count() % 64)) - 1;
  }
}

InterferenceGraph::InterferenceGraph(const std::vector<Temporary>& temporaries, const Before& before)
    : number(largestFirst(temporaries)), conflicts(0), predecessors(0) {
  for (uint32_t i : number) {
    const std::vector<uint32_t>& users = temporaries[i].users;
    size.push_back(rounded(temporaries[i].size));
    first.push_back(*std::min_element(users.begin(), users.end()));
    last.push_back(*std::max_element(users.begin(), users.end()));
  }
  if (count() != 0) findPredecessors(temporaries, before);
}

InterferenceGraph::InterferenceGraph(const InterferenceGraph& whole, const std::vector<uint32_t>& vertices)
    : conflicts(vertices.size()), predecessors(vertices.size()) {
  for (uint32_t i = 0; i < vertices.size(); ++i) {
    const uint32_t vertex = vertices[i];
    number.push_back(whole.number[vertex]);
    size.push_back(whole.size[vertex]);
    first.push_back(whole.first[vertex]);
    last.push_back(whole.last[vertex]);
    for (uint32_t k = 0; k < vertices.size(); ++k) {
      const uint64_t bit = uint64_t{1} << (k % 64);
      if (whole.conflicts.test(vertex, vertices[k])) conflicts.row(i)[k / 64] |= bit;
      if (whole.predecessors.test(vertex, vertices[k])) predecessors.row(i)[k / 64] |= bit;
    }
  }
}

std::vector<std::vector<uint32_t>> InterferenceGraph::components() const {
  std::vector<std::vector<uint32_t>> result;
  std::vector<uint64_t> left(conflicts.words(), ~uint64_t{0});  // bits of vertices in no list
  for (uint32_t vertex = 0; vertex < count(); ++vertex) {
    if ((left[vertex / 64] >> (vertex % 64) & 1) == 0) continue;
    left[vertex / 64] &= ~(uint64_t{1} << (vertex % 64));
    std::vector<uint32_t> list{vertex};
    for (size_t at = 0; at < list.size(); ++at) {
      const uint64_t* row = conflicts.row(list[at]);
      for (size_t w = 0; w < left.size(); ++w) {
        uint64_t fresh = left[w] & ~row[w];
        if (w + 1 == left.size() && count() % 64 != 0) fresh &= (uint64_t{1} << (count() % 64)) - 1;
        left[w] &= ~fresh;
        forEachBit(fresh, [&](uint32_t bit) { list.push_back(static_cast<uint32_t>(w * 64) + bit); });
      }
    }
    std::sort(list.begin(), list.end());
    result.push_back(std::move(list));
  }
  return result;
}

std::vector<uint32_t> InterferenceGraph::byConflicts() const {
  std::vector<double> key;
  for (uint32_t i = 0; i < count(); ++i) key.push_back(static_cast<double>(size[i]) * conflicts.countRow(i));
  std::vector<uint32_t> order(count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key[a] > key[b]; });
  return order;
}

uint64_t InterferenceGraph::sumOf(const std::vector<uint32_t>& vertices) const {
  return std::accumulate(vertices.begin(), vertices.end(), uint64_t{0},
                         [this](uint64_t sum, uint32_t vertex) { return sum + size[vertex]; });
}

}  // namespace manyrt::graph
