// The heaviest clique by a greatest flow (Dinic's algorithm). By Dilworth's theorem with weights, the heaviest set without
// order among its members weighs all bytes less the greatest flow from vertices to their predecessors. Each vertex sends as
// many bytes as it has, and takes as many; the set is what a least cut leaves on both sides.
#include "graph/memory/clique.h"

#include <algorithm>
#include <numeric>

namespace manyrt::graph {
namespace {

constexpr uint64_t kFlowWork = 20'000'000;  // edges that the search looks at

// A vertex is in the network twice: as a sender and as a taker. Edges lead from a sender to the takers of its predecessors.
class Flow {
 public:
  explicit Flow(const InterferenceGraph& graph)
      : graph_(graph), count_(graph.count()), unsent_(graph.size), room_(graph.size), taken_(count_) {}

  // False: there is more to send, but it takes too long.
  bool run() {
    while (findLevels()) {  // one blocking flow for each
      std::fill(next_.begin(), next_.end(), 0);
      for (uint32_t from = 0; from < count_; ++from) {
        while (unsent_[from] != 0) {
          if (work_ > kFlowWork) return false;
          const uint64_t bytes = send(from, unsent_[from]);
          if (bytes == 0) break;
          unsent_[from] -= bytes;
        }
      }
    }
    return true;
  }

  // After run(): its last levels are the side of the source in a least cut.
  std::vector<uint32_t> heaviest() const {
    std::vector<uint32_t> result;
    for (uint32_t i = 0; i < count_; ++i) {
      if (sender_level_[i] != kFar && taker_level_[i] == kFar) result.push_back(i);
    }
    return result;
  }

 private:
  static constexpr uint32_t kFar = UINT32_MAX;
  struct Sent {
    uint32_t from;
    uint64_t bytes;
  };

  template <class Visit>
  void forEachPredecessor(uint32_t vertex, Visit visit) const {
    for (size_t w = 0; w < graph_.predecessors.words(); ++w) {
      forEachBit(graph_.predecessors.row(vertex)[w], [&](uint32_t bit) { visit(static_cast<uint32_t>(w * 64 + bit)); });
    }
  }

  // Breadth first from all senders with unsent bytes, along edges and back along those that carry bytes. True: a taker that was
  // reached has room.
  bool findLevels() {
    sender_level_.assign(count_, kFar);
    taker_level_.assign(count_, kFar);
    next_.resize(count_);
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < count_; ++i) {
      if (unsent_[i] == 0) continue;
      sender_level_[i] = 0;
      open.push_back(i);
    }
    bool found = false;
    for (size_t at = 0; at < open.size(); ++at) {
      const uint32_t from = open[at];
      forEachPredecessor(from, [&](uint32_t to) {
        ++work_;
        if (taker_level_[to] != kFar) return;
        taker_level_[to] = sender_level_[from] + 1;
        found = found || room_[to] != 0;
        for (const Sent& sent : taken_[to]) {
          if (sent.bytes == 0 || sender_level_[sent.from] != kFar) continue;
          sender_level_[sent.from] = taker_level_[to] + 1;
          open.push_back(sent.from);
        }
      });
    }
    return found;
  }

  // Along levels, depth first. next_ passes over edges that led nowhere, so that each is tried once for all levels.
  uint64_t send(uint32_t from, uint64_t most) {
    for (uint32_t& to = next_[from]; to < count_; ++to) {
      ++work_;
      if (!graph_.predecessors.test(from, to) || taker_level_[to] != sender_level_[from] + 1) continue;
      uint64_t bytes = std::min(most, room_[to]);
      if (bytes != 0) {
        room_[to] -= bytes;
      } else {
        bytes = redirect(to, most);
      }
      if (bytes == 0) continue;
      note(to, from, bytes);
      return bytes;
    }
    return 0;
  }
  // Makes room at a full taker: bytes that another sender has sent there go another way.
  uint64_t redirect(uint32_t to, uint64_t most) {
    for (size_t i = 0; i < taken_[to].size(); ++i) {
      const Sent one = taken_[to][i];
      if (one.bytes == 0 || sender_level_[one.from] != taker_level_[to] + 1) continue;
      const uint64_t bytes = send(one.from, std::min(most, one.bytes));
      if (bytes == 0) continue;
      taken_[to][i].bytes -= bytes;
      return bytes;
    }
    return 0;
  }
  void note(uint32_t to, uint32_t from, uint64_t bytes) {
    for (Sent& sent : taken_[to]) {
      if (sent.from == from) {
        sent.bytes += bytes;
        return;
      }
    }
    taken_[to].push_back({from, bytes});
  }

  const InterferenceGraph& graph_;
  const uint32_t count_;
  std::vector<uint64_t> unsent_, room_;   // of senders and of takers
  std::vector<std::vector<Sent>> taken_;  // by taker
  std::vector<uint32_t> sender_level_, taker_level_, next_;
  uint64_t work_ = 0;
};

}  // namespace

uint64_t mostLiveInSequence(const InterferenceGraph& graph) {
  struct Change {
    uint32_t step;
    bool ends;
    uint64_t bytes;
  };
  std::vector<Change> changes;
  for (uint32_t i = 0; i < graph.count(); ++i) {
    changes.push_back({graph.first[i], false, graph.size[i]});
    changes.push_back({graph.last[i], true, graph.size[i]});
  }
  // At one step all beginnings come before all ends: what a step reads lives beside what it writes.
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.step != b.step ? a.step < b.step : a.ends < b.ends; });
  uint64_t live = 0, most = 0;
  for (const Change& change : changes) {
    live = change.ends ? live - change.bytes : live + change.bytes;
    most = std::max(most, live);
  }
  return most;
}

std::vector<uint32_t> greedyClique(const InterferenceGraph& graph) {
  std::vector<double> key;
  for (uint32_t i = 0; i < graph.count(); ++i) key.push_back(static_cast<double>(graph.size[i]) * graph.conflicts.countRow(i));
  std::vector<uint32_t> order(graph.count()), clique;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key[a] > key[b]; });
  std::vector<uint64_t> fits(graph.conflicts.words(), ~uint64_t{0});  // bits of those that conflict with all members
  for (uint32_t i : order) {
    if ((fits[i / 64] >> (i % 64) & 1) == 0) continue;
    clique.push_back(i);
    for (size_t w = 0; w < fits.size(); ++w) fits[w] &= graph.conflicts.row(i)[w];
  }
  return clique;
}

std::vector<uint32_t> heaviestClique(const InterferenceGraph& graph) {
  Flow flow(graph);
  return flow.run() ? flow.heaviest() : greedyClique(graph);
}

}  // namespace manyrt::graph
