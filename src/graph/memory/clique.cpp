// The heaviest clique by a greatest flow (Dinic's algorithm). By Dilworth's theorem with weights, the heaviest set without
// order among its members weighs all bytes less the greatest flow from vertices to their predecessors. Each vertex sends as
// many bytes as it has, and takes as many; the set is what a least cut leaves on both sides.
#include "graph/memory/clique.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace manyrt::graph {
namespace {

constexpr uint64_t kFlowWork = 200'000'000;  // words of bits, and senders of bytes, that the search looks at

// A vertex is in the network twice: as a sender and as a taker. Edges lead from a sender to the takers of its predecessors:
// a row of bits, of which a word is looked at in one step.
class Flow {
 public:
  explicit Flow(const InterferenceGraph& graph)
      : graph_(graph),
        count_(graph.count()),
        words_(graph.predecessors.words()),
        unsent_(graph.size),
        room_(graph.size),
        taken_(count_),
        sender_depth_(count_),
        next_word_(count_),
        next_taken_(count_),
        order_(count_) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return graph.first[a] < graph.first[b]; });
  }

  // False: there is more to send, but it takes too long.
  bool run() {
    sendGreedily();
    while (findDepths()) {  // one blocking flow for each
      for (uint32_t from : order_) {
        if (sender_depth_[from] != 0) continue;
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

  // After run(): its last depths are the side of the source in a least cut.
  std::vector<uint32_t> heaviest() const {
    std::vector<uint32_t> result;
    for (uint32_t i = 0; i < count_; ++i) {
      if (sender_depth_[i] != kFar && (far_[i / 64] >> (i % 64) & 1) != 0) result.push_back(i);
    }
    return result;
  }

 private:
  static constexpr uint32_t kFar = UINT32_MAX;
  struct Sent {
    uint32_t from;
    uint64_t bytes;
  };

  // Each sender, the first to begin first, to the takers that ended last before it: these have the fewest other senders. In a
  // chain that is a greatest flow, and elsewhere most of one.
  void sendGreedily() {
    std::vector<uint32_t> ending(order_);
    std::stable_sort(ending.begin(), ending.end(), [&](uint32_t a, uint32_t b) { return graph_.last[a] < graph_.last[b]; });
    std::vector<uint32_t> next(count_ + 1, count_);  // a list of takers with room, the last to end first; its head is the last
    auto ended = ending.begin();
    for (uint32_t from : order_) {
      for (; graph_.last[*ended] < graph_.first[from]; ++ended) next[*ended] = std::exchange(next[count_], *ended);
      const uint64_t* row = graph_.predecessors.row(from);
      for (uint32_t before = count_; next[before] != count_ && unsent_[from] != 0;) {
        const uint32_t to = next[before];
        ++work_;
        if ((row[to / 64] >> (to % 64) & 1) == 0) {
          before = to;
          continue;
        }
        const uint64_t bytes = std::min(unsent_[from], room_[to]);
        unsent_[from] -= bytes;
        room_[to] -= bytes;
        taken_[to].push_back({from, bytes});
        if (room_[to] == 0) next[before] = next[to];
      }
    }
  }

  // Breadth first from all senders with unsent bytes, along edges and back along those that carry bytes. True: a taker that was
  // reached has room; then it goes no deeper.
  bool findDepths() {
    std::fill(sender_depth_.begin(), sender_depth_.end(), kFar);
    std::fill(next_word_.begin(), next_word_.end(), 0);
    std::fill(next_taken_.begin(), next_taken_.end(), 0);
    far_.assign(words_, ~uint64_t{0});
    takers_.clear();
    std::vector<uint32_t> open, deeper;
    for (uint32_t i = 0; i < count_; ++i) {
      if (unsent_[i] == 0) continue;
      sender_depth_[i] = 0;
      open.push_back(i);
    }
    bool found = false;
    for (uint32_t depth = 0; !open.empty() && !found; ++depth) {
      takers_.emplace_back(words_);
      deeper.clear();
      for (uint32_t from : open) {
        const uint64_t* row = graph_.predecessors.row(from);
        work_ += words_;
        for (size_t w = 0; w < words_; ++w) {
          const uint64_t fresh = row[w] & far_[w];
          if (fresh == 0) continue;
          far_[w] &= ~fresh;
          takers_[depth][w] |= fresh;
          forEachBit(fresh, [&](uint32_t bit) {
            const size_t to = w * 64 + bit;
            found = found || room_[to] != 0;
            work_ += taken_[to].size();
            for (const Sent& sent : taken_[to]) {
              if (sent.bytes == 0 || sender_depth_[sent.from] != kFar) continue;
              sender_depth_[sent.from] = depth + 1;
              deeper.push_back(sent.from);
            }
          });
        }
      }
      std::swap(open, deeper);
    }
    return found;
  }

  // One depth after another, depth first. A taker that led nowhere is taken out of its depth, so that it is tried once.
  uint64_t send(uint32_t from, uint64_t most) {
    const uint32_t depth = sender_depth_[from];
    if (depth >= takers_.size()) return 0;
    std::vector<uint64_t>& takers = takers_[depth];
    const uint64_t* row = graph_.predecessors.row(from);
    for (uint32_t& w = next_word_[from]; w < words_; ++w) {
      ++work_;
      while (const uint64_t open = row[w] & takers[w]) {
        const auto bit = static_cast<uint32_t>(std::countr_zero(open));
        const uint32_t to = w * 64 + bit;
        uint64_t bytes = std::min(most, room_[to]);
        if (bytes != 0) {
          room_[to] -= bytes;
        } else {
          bytes = redirect(to, most, depth);
        }
        if (bytes != 0) {
          note(to, from, bytes);
          return bytes;
        }
        takers[w] &= ~(uint64_t{1} << bit);
      }
    }
    return 0;
  }
  // Makes room at a full taker: bytes that another sender has sent there go another way.
  uint64_t redirect(uint32_t to, uint64_t most, uint32_t depth) {
    for (uint32_t& i = next_taken_[to]; i < taken_[to].size(); ++i) {
      ++work_;
      const Sent one = taken_[to][i];
      if (one.bytes == 0 || sender_depth_[one.from] != depth + 1) continue;
      const uint64_t bytes = send(one.from, std::min(most, one.bytes));
      if (bytes == 0) continue;
      taken_[to][i].bytes -= bytes;
      return bytes;
    }
    return 0;
  }
  void note(uint32_t to, uint32_t from, uint64_t bytes) {
    for (Sent& sent : taken_[to]) {
      ++work_;
      if (sent.from == from || sent.bytes == 0) {
        sent.from = from;
        sent.bytes += bytes;
        return;
      }
    }
    taken_[to].push_back({from, bytes});
  }

  const InterferenceGraph& graph_;
  const uint32_t count_;
  const size_t words_;                            // of a row
  std::vector<uint64_t> unsent_, room_;           // of senders and of takers
  std::vector<std::vector<Sent>> taken_;          // by taker
  std::vector<uint32_t> sender_depth_;            // in steps from the senders with unsent bytes
  std::vector<std::vector<uint64_t>> takers_;     // bits, by the depth of the senders that reach them first
  std::vector<uint64_t> far_;                     // bits of the takers that were not reached
  std::vector<uint32_t> next_word_, next_taken_;  // what comes before led nowhere
  std::vector<uint32_t> order_;                   // of senders: those that begin first have the fewest predecessors
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
  std::vector<uint32_t> clique;
  std::vector<uint64_t> fits(graph.conflicts.words(), ~uint64_t{0});  // bits of those that conflict with all members
  for (uint32_t i : graph.byConflicts()) {
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
