// Who conflicts with whom, and the heaviest set of those that do. By Dilworth's theorem, with weights, it weighs all bytes less
// the greatest flow from those that are over to those that begin; what a cut of that flow leaves on both sides is the set.
#include "graph/memory/crowds.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace manyrt::graph {
namespace {

constexpr uint64_t kAlignment = 256;
constexpr uint64_t kFlowWork = 20'000'000;   // edges that are looked at
constexpr uint64_t kFillWork = 100'000'000;  // words of rows; beyond it a crowd is filled for those alone that are in none yet

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

bool allBefore(const Temporary& one, const Temporary& other, const Ancestors& ancestors) {
  for (uint32_t a : one.users) {
    for (uint32_t b : other.users) {
      if (!ancestors.comesBefore(a, b)) return false;
    }
  }
  return true;
}

// Bytes of each tenant flow to those that begin when it is over, each of which takes as many as it has.
class Flow {
 public:
  explicit Flow(const Tenants& tenants)
      : tenants_(tenants), count_(tenants.count()), left_(tenants.size), room_(tenants.size), back_(count_) {}

  // False: there is more to flow, but it takes too long.
  bool run() {
    while (reach()) {
      std::fill(next_.begin(), next_.end(), 0);
      for (uint32_t from = 0; from < count_; ++from) {
        while (left_[from] != 0) {
          if (work_ > kFlowWork) return false;
          const uint64_t sent = push(from, left_[from]);
          if (sent == 0) break;
          left_[from] -= sent;
        }
      }
    }
    return true;
  }

  // After run().
  std::vector<uint32_t> heaviest() const {
    std::vector<uint32_t> result;
    for (uint32_t i = 0; i < count_; ++i) {
      if (over_level_[i] != kFar && begin_level_[i] == kFar) result.push_back(i);
    }
    return result;
  }

 private:
  static constexpr uint32_t kFar = UINT32_MAX;
  struct Sent {
    uint32_t from;
    uint64_t bytes;
  };

  // Levels of those that are over (from which bytes may flow) and of those that begin. True: one of these has room.
  bool reach() {
    over_level_.assign(count_, kFar);
    begin_level_.assign(count_, kFar);
    next_.resize(count_);
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < count_; ++i) {
      if (left_[i] == 0) continue;
      over_level_[i] = 0;
      open.push_back(i);
    }
    bool found = false;
    for (size_t at = 0; at < open.size(); ++at) {
      const uint32_t from = open[at];
      forEachBit(tenants_.later.row(from), tenants_.later.words(), [&](uint32_t to) {
        ++work_;
        if (begin_level_[to] != kFar) return;
        begin_level_[to] = over_level_[from] + 1;
        found = found || room_[to] != 0;
        for (const Sent& sent : back_[to]) {
          if (sent.bytes == 0 || over_level_[sent.from] != kFar) continue;
          over_level_[sent.from] = begin_level_[to] + 1;
          open.push_back(sent.from);
        }
      });
    }
    return found;
  }

  // Along levels, depth first; what led nowhere is not tried again.
  uint64_t push(uint32_t from, uint64_t most) {
    for (uint32_t& to = next_[from]; to < count_; ++to) {
      ++work_;
      if (!tenants_.later.test(from, to) || begin_level_[to] != over_level_[from] + 1) continue;
      uint64_t sent = std::min(most, room_[to]);
      if (sent != 0) {
        room_[to] -= sent;
      } else {
        sent = pushBack(to, most);
      }
      if (sent == 0) continue;
      note(to, from, sent);
      return sent;
    }
    return 0;
  }
  // Somebody else's bytes that came here go another way.
  uint64_t pushBack(uint32_t to, uint64_t most) {
    for (size_t i = 0; i < back_[to].size(); ++i) {
      const Sent one = back_[to][i];
      if (one.bytes == 0 || over_level_[one.from] != begin_level_[to] + 1) continue;
      const uint64_t sent = push(one.from, std::min(most, one.bytes));
      if (sent == 0) continue;
      back_[to][i].bytes -= sent;
      return sent;
    }
    return 0;
  }
  void note(uint32_t to, uint32_t from, uint64_t bytes) {
    for (Sent& sent : back_[to]) {
      if (sent.from == from) {
        sent.bytes += bytes;
        return;
      }
    }
    back_[to].push_back({from, bytes});
  }

  const Tenants& tenants_;
  const uint32_t count_;
  std::vector<uint64_t> left_, room_;
  std::vector<std::vector<Sent>> back_;  // by who begins
  std::vector<uint32_t> over_level_, begin_level_, next_;
  uint64_t work_ = 0;
};

}  // namespace

Tenants::Tenants(const std::vector<Temporary>& temporaries, const Ancestors& ancestors) : Tenants(largestFirst(temporaries)) {
  for (uint32_t i : number) size.push_back(rounded(temporaries[i].size));
  for (uint32_t a = 0; a < count(); ++a) {
    for (uint32_t b = a + 1; b < count(); ++b) {
      const Temporary &one = temporaries[number[a]], &other = temporaries[number[b]];
      if (allBefore(one, other, ancestors)) {
        later.set(a, b);
      } else if (allBefore(other, one, ancestors)) {
        later.set(b, a);
      } else {
        apart.set(a, b);
        apart.set(b, a);
      }
    }
  }
}

uint32_t Tenants::conflictsOf(uint32_t tenant) const {
  uint32_t result = 0;
  for (size_t w = 0; w < apart.words(); ++w) result += static_cast<uint32_t>(std::popcount(apart.row(tenant)[w]));
  return result;
}

uint64_t Tenants::sumOf(const std::vector<uint32_t>& crowd) const {
  return std::accumulate(crowd.begin(), crowd.end(), uint64_t{0}, [this](uint64_t sum, uint32_t i) { return sum + size[i]; });
}

Crowds filledUp(Crowds crowds, const Tenants& tenants) {
  const size_t words = tenants.apart.words();
  std::vector<uint64_t> fits;
  std::vector<bool> has_crowd(tenants.count());
  uint64_t work = 0;
  std::sort(crowds.begin(), crowds.end());
  crowds.erase(std::unique(crowds.begin(), crowds.end()), crowds.end());
  for (std::vector<uint32_t>& crowd : crowds) {
    if (work > kFillWork && std::all_of(crowd.begin(), crowd.end(), [&](uint32_t member) { return has_crowd[member]; })) {
      crowd.clear();
      continue;
    }
    fits.assign(words, ~uint64_t{0});
    const auto keep = [&](uint32_t member) {
      for (size_t w = 0; w < words; ++w) fits[w] &= tenants.apart.row(member)[w];
    };
    for (uint32_t member : crowd) keep(member);
    for (size_t w = 0; w < words; ++w) {
      while (fits[w] != 0) {
        crowd.push_back(static_cast<uint32_t>(w * 64 + std::countr_zero(fits[w])));
        keep(crowd.back());
      }
    }
    std::sort(crowd.begin(), crowd.end());
    for (uint32_t member : crowd) has_crowd[member] = true;
    work += words * crowd.size();
  }
  std::erase_if(crowds, [](const std::vector<uint32_t>& crowd) { return crowd.empty(); });
  std::sort(crowds.begin(), crowds.end());
  crowds.erase(std::unique(crowds.begin(), crowds.end()), crowds.end());
  return crowds;
}

std::vector<uint32_t> heaviestCrowd(const Tenants& tenants) {
  Flow flow(tenants);
  if (!flow.run()) return {};
  return flow.heaviest();
}

}  // namespace manyrt::graph
