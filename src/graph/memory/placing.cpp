// Placing temporaries in an order, each at the lowest gap that it fills best, and looking for a better order by moving one.
#include "graph/memory/placing.h"

#include <algorithm>
#include <numeric>

namespace manyrt::graph {
namespace {

constexpr uint64_t kSearchWork = 2'000'000;  // conflicts that are looked at
constexpr uint64_t kAllowance = 25;          // how far, as a part of the best, an order may be worse at first

struct Span {
  uint64_t begin, end;
};

class Placing {
 public:
  explicit Placing(const Tenants& tenants) : tenants_(tenants), down_(tenants.apart.words()) {}

  // From the turn `first` on; those before keep their places in `at`. Returns the bytes of all, or UINT64_MAX as soon as they
  // are more than `most`.
  uint64_t place(const PlacingOrder& order, size_t first, uint64_t most, std::vector<uint64_t>* at) {
    std::fill(down_.begin(), down_.end(), 0);
    uint64_t total = 0;
    for (size_t turn = 0; turn < order.size(); ++turn) {
      const uint32_t each = order[turn];
      if (turn >= first) (*at)[each] = tightest(each, *at);
      down_[each / 64] |= uint64_t{1} << (each % 64);
      total = std::max(total, (*at)[each] + tenants_.size[each]);
      if (total > most) return UINT64_MAX;
    }
    return total;
  }

 private:
  uint64_t tightest(uint32_t each, const std::vector<uint64_t>& places) {
    taken_.clear();
    for (size_t w = 0; w < down_.size(); ++w) {
      const uint64_t both = down_[w] & tenants_.apart.row(each)[w];
      forEachBit(&both, 1, [&](uint32_t bit) {
        const size_t other = w * 64 + bit;
        taken_.push_back({places[other], places[other] + tenants_.size[other]});
      });
    }
    std::sort(taken_.begin(), taken_.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    const uint64_t size = tenants_.size[each];
    uint64_t at = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
    for (const Span& one : taken_) {
      if (one.begin >= at + size && one.begin - at < best_gap) {
        best = at;
        best_gap = one.begin - at;
      }
      at = std::max(at, one.end);
    }
    return best != UINT64_MAX ? best : at;
  }

  const Tenants& tenants_;
  std::vector<uint64_t> down_;  // bits of those that have their place
  std::vector<Span> taken_;
};

// Numbers that are the same everywhere: a plan is a function of the graph.
class Sequence {
 public:
  uint32_t below(size_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 16) % limit);
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace

std::vector<PlacingOrder> placingOrders(const Tenants& tenants, const std::vector<Temporary>& temporaries) {
  std::vector<uint32_t> first, last;
  for (uint32_t number : tenants.number) {
    const auto [low, high] = std::minmax_element(temporaries[number].users.begin(), temporaries[number].users.end());
    first.push_back(*low);
    last.push_back(*high);
  }
  PlacingOrder by_size(tenants.count());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::vector<PlacingOrder> orders(5, by_size);
  const auto sort = [](PlacingOrder& order, auto key) {
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  };
  sort(orders[1], [&](uint32_t i) { return first[i]; });
  sort(orders[2], [&](uint32_t i) { return UINT32_MAX - (last[i] - first[i]); });
  sort(orders[3], [&](uint32_t i) { return -static_cast<double>(tenants.size[i]) * (1.0 + last[i] - first[i]); });
  sort(orders[4], [&](uint32_t i) { return last[i]; });
  return orders;
}

const PlacingOrder& placeInOrder(Places* best, const std::vector<PlacingOrder>& orders, const Tenants& tenants) {
  Placing placing(tenants);
  const PlacingOrder* chosen = &orders.front();
  std::vector<uint64_t> at(tenants.count());
  for (const PlacingOrder& order : orders) {
    const uint64_t bytes = placing.place(order, 0, UINT64_MAX, &at);
    if (bytes >= best->bytes) continue;
    *best = {at, bytes};
    chosen = &order;
  }
  return *chosen;
}

// One of those that reach the end, or any other, is moved, and the order stays where that costs little, at first more than
// later.
void improveOrder(Places* best, PlacingOrder order, uint64_t least, const Tenants& tenants) {
  Placing placing(tenants);
  uint64_t work = order.size();
  for (uint32_t each : order) work += tenants.conflictsOf(each);
  std::vector<uint64_t> at(tenants.count());
  uint64_t bytes = placing.place(order, 0, UINT64_MAX, &at);
  std::vector<uint64_t> tried = at;
  Sequence random;
  std::vector<uint32_t> highest;
  for (uint64_t left = kSearchWork; order.size() > 2 && best->bytes > least && left >= work; left -= work) {
    highest.clear();
    for (uint32_t i = 1; i < order.size(); ++i) {
      if (at[order[i]] + tenants.size[order[i]] == bytes) highest.push_back(i);
    }
    const bool any = highest.empty() || random.below(4) == 0;
    const uint32_t from = any ? 1 + random.below(order.size() - 1) : highest[random.below(highest.size())];
    const uint32_t to = random.below(from);
    std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
    const auto allowed = static_cast<uint64_t>(static_cast<double>(best->bytes) / kAllowance * left / kSearchWork);
    const uint64_t reached = placing.place(order, to, std::max(best->bytes + allowed, bytes), &tried);
    if (reached == UINT64_MAX) {
      std::rotate(order.begin() + to, order.begin() + to + 1, order.begin() + from + 1);
      tried = at;
      continue;
    }
    bytes = reached;
    at = tried;
    if (bytes < best->bytes) *best = {at, bytes};
  }
}

}  // namespace manyrt::graph
