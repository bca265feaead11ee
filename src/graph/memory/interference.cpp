// Building the graph by sweeps down the steps, which know of some hundred temporaries at a time whether they are over.
#include "graph/memory/interference.h"

#include <algorithm>
#include <numeric>
#include <span>
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

// The users that may be the first and the last ones: no other user comes directly before or behind them. All users of another
// temporary come before those in `begin` alone exactly if they come before all users; the same with `end`. Ascending.
struct Ends {
  std::vector<uint32_t> begin, end;
};

class EndFinder {
 public:
  explicit EndFinder(const Before& before) : before_(before), user_(before.size()), followed_(before.size()) {}
  Ends find(std::vector<uint32_t> users) {
    std::sort(users.begin(), users.end());
    users.erase(std::unique(users.begin(), users.end()), users.end());
    ++turn_;
    Ends ends;
    for (uint32_t user : users) {  // a step comes only before larger ones
      bool begins = true;
      for (uint32_t first : before_[user]) {
        if (user_[first] != turn_) continue;
        begins = false;
        followed_[first] = turn_;
      }
      user_[user] = turn_;
      if (begins) ends.begin.push_back(user);
    }
    for (uint32_t user : users) {
      if (followed_[user] != turn_) ends.end.push_back(user);
    }
    return ends;
  }

 private:
  const Before& before_;
  uint32_t turn_ = 0;
  std::vector<uint32_t> user_, followed_;  // the turn in which the step was a user, and was followed by one
};

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

namespace {

using Few = Sweep<8>;

// A temporary, or with many last users a share of these. It is over behind all of `ends`.
struct Part {
  uint32_t vertex;
  std::span<uint32_t> ends;
};

// One sweep down the steps, with a bit for each of some parts: it is over. A part with several ends has a bit for each end too,
// counted from the last bit down; once a step has all of these it gets the bit of the part.
class Round {
 public:
  explicit Round(size_t steps) : over_by_(steps, kNone), bit_of_(steps, kNone) {}

  // False: there is no room left for the part.
  bool add(const Part& part) {
    const bool several = part.ends.size() > 1;
    uint32_t fresh = 0;
    for (uint32_t end : part.ends) fresh += several && bit_of_[end] == kNone ? 1 : 0;
    if (parts_.size() + 1 + fresh > end_bits_) return false;
    const auto bit = static_cast<uint32_t>(parts_.size());
    Few::set(&all_, bit);
    for (uint32_t end : part.ends) {
      first_ = std::min(first_, end);
      if (!several || bit_of_[end] != kNone) continue;
      bit_of_[end] = --end_bits_;
      Few::set(&all_, end_bits_);
      ends_.push_back(end);
    }
    if (several) {
      several_.push_back(bit);
      next_.push_back(kNone);
    } else {  // parts with the same end form a list
      next_.push_back(over_by_[part.ends[0]]);
      over_by_[part.ends[0]] = bit;
    }
    parts_.push_back(part);
    return true;
  }

  // Visits all steps from the first end up to `end` that come behind an end: visit(step, bits of those that are over).
  template <class Visit>
  void run(Few* sweep, const Before& before, uint32_t end, const std::vector<bool>& asked, Visit visit) {
    sweep->run(first_, end, all_, [&](uint32_t step, Few::Bits* bits) {
      const std::vector<uint32_t>& list = before[step];
      bool fresh = false;
      for (size_t k = list.size(); k-- > 0 && list[k] >= first_;) {
        for (uint32_t bit = over_by_[list[k]]; bit != kNone; bit = next_[bit]) Few::set(bits, bit);
        if (bit_of_[list[k]] == kNone) continue;
        Few::set(bits, bit_of_[list[k]]);
        fresh = true;
      }
      if (fresh || asked[step]) {
        for (uint32_t bit : several_) {
          if (!Few::test(*bits, bit) && behindAll(parts_[bit].ends, *bits)) Few::set(bits, bit);
        }
      }
      if (asked[step]) visit(step, *bits);
    });
  }

  const std::vector<Part>& parts() const { return parts_; }
  void clear() {
    for (const Part& part : parts_) over_by_[part.ends[0]] = kNone;
    for (uint32_t end : ends_) bit_of_[end] = kNone;
    parts_.clear(), several_.clear(), ends_.clear(), next_.clear();
    all_ = {};
    end_bits_ = Few::kBits;
    first_ = UINT32_MAX;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The end that is missing comes first the next time: it is mostly missing there too.
  bool behindAll(std::span<uint32_t> ends, const Few::Bits& bits) const {
    for (uint32_t& end : ends) {
      if (Few::test(bits, bit_of_[end])) continue;
      std::swap(end, ends.front());
      return false;
    }
    return true;
  }

  std::vector<Part> parts_;                 // the place of a part is its bit
  std::vector<uint32_t> next_;              // of a part with one end, the next one with the same
  std::vector<uint32_t> several_, ends_;    // parts with several ends, and these ends
  std::vector<uint32_t> over_by_, bit_of_;  // of a step: the first part with this end alone, and the bit of the end
  Few::Bits all_{};
  uint32_t end_bits_ = Few::kBits, first_ = UINT32_MAX;
};

}  // namespace

// A temporary is over before another one begins if all its users come before all users of the other. Sweeps find for each step
// what is over; what is over for another temporary is over for all of its first users.
void InterferenceGraph::findPredecessors(const std::vector<Temporary>& temporaries, const Before& before) {
  constexpr size_t kMostEnds = Few::kBits / 2;  // of a part
  std::vector<Ends> ends;
  EndFinder finder(before);
  std::vector<bool> begins(before.size());
  std::vector<std::vector<uint32_t>> beginning(before.size());  // vertices, by step
  uint32_t end = 0;
  for (uint32_t vertex = 0; vertex < count(); ++vertex) {
    ends.push_back(finder.find(temporaries[number[vertex]].users));
    for (uint32_t step : ends.back().begin) {
      begins[step] = true;
      beginning[step].push_back(vertex);
      end = std::max(end, step + 1);
    }
  }
  std::vector<Part> parts;
  for (uint32_t vertex = 0; vertex < count(); ++vertex) {
    const std::span<uint32_t> all(ends[vertex].end);
    for (size_t at = 0; at < all.size(); at += kMostEnds) {
      parts.push_back({vertex, all.subspan(at, std::min(kMostEnds, all.size() - at))});
    }
  }
  // Parts that end at about the same time share a sweep: most steps are before or behind all of them.
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.ends.back() < b.ends.back(); });
  BitMatrix successors(count());
  std::vector<bool> has_row(count());
  const size_t words = successors.words();
  std::vector<Few::Bits> over(words * 64);  // by vertex, what is over when it begins
  std::vector<uint32_t> visits(count());    // of its first users
  Few sweep(before);
  Round round(before.size());
  const auto runRound = [&] {
    for (Few::Bits& bits : over) bits.fill(~uint64_t{0});
    std::fill(visits.begin(), visits.end(), 0);
    round.run(&sweep, before, end, begins, [&](uint32_t step, const Few::Bits& bits) {
      for (uint32_t vertex : beginning[step]) {
        ++visits[vertex];
        for (size_t w = 0; w < bits.size(); ++w) over[vertex][w] &= bits[w];
      }
    });
    for (uint32_t vertex = 0; vertex < count(); ++vertex) {
      if (visits[vertex] != ends[vertex].begin.size()) over[vertex] = {};  // a first user comes behind none of them
    }
    const size_t used = (round.parts().size() + 63) / 64;
    for (size_t top = 0; top < words; ++top) {
      for (size_t w = 0; w < used; ++w) {
        uint64_t square[64];
        for (size_t i = 0; i < 64; ++i) square[i] = over[top * 64 + i][w];
        transpose(square);
        for (size_t i = 0; i < 64 && w * 64 + i < round.parts().size(); ++i) {
          const uint32_t vertex = round.parts()[w * 64 + i].vertex;
          uint64_t& word = successors.row(vertex)[top];
          word = has_row[vertex] ? word & square[i] : square[i];
        }
      }
    }
    for (const Part& part : round.parts()) has_row[part.vertex] = true;
    round.clear();
  };
  for (const Part& part : parts) {
    if (round.add(part)) continue;
    runRound();
    (void)round.add(part);
  }
  runRound();
  if (count() % 64 != 0) {
    for (uint32_t vertex = 0; vertex < count(); ++vertex) {
      successors.row(vertex)[words - 1] &= (uint64_t{1} << (count() % 64)) - 1;
    }
  }
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
