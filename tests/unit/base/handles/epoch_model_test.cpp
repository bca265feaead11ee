// The protocol of the epoch guard as the product has it, which ThreadSanitizer cannot see. It is a model with store buffers
// (TSO) and membarrier, all of whose interleavings are looked at. One thread makes calls: it enters its guard, looks the object
// up, uses it, and leaves. Another one unlinks the object, retires it, and collects. To use what was reclaimed is the error
// that is looked for. The same model with a step left out has to find it, or it would prove nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace manyrt {
namespace {

enum Variable : uint8_t { kActive, kCurrent, kObject, kAsymmetric, kFenced, kVariables };

struct Store {
  uint8_t variable, value;
  auto operator<=>(const Store&) const = default;
};

// The actions of the two sides. The product: a compiler fence and membarrier; after a refusal, fences and acknowledgements.
struct Protocol {
  bool light_fence = false;  // the guard has a fence of its own from the start
  bool membarrier = true;    // heavy() works
  bool refused = false;      // membarrier fails at the first heavy(): the flag is cleared, guards see it some time
  bool acknowledged = true;  // then a thread that has not said that its guards are fences counts as in a call
};

struct State {
  std::array<uint8_t, kVariables> memory{0, 1, 1, 1, 0};  // asymmetric: 1; the object is linked
  std::vector<Store> buffer;                              // of the caller: oldest first
  uint8_t caller = 0, collector = 0;                      // places in the programs below
  uint8_t epoch = 0, saw = 0, calls = 0;                  // of the caller: what it loaded
  bool fences = false;
  uint8_t stamp = 0, target = 0, oldest = 0;  // of the collector
  bool reclaimed = false, counted = false, ordered = false;
  auto operator<=>(const State&) const = default;
};

class Explorer {
 public:
  explicit Explorer(const Protocol& protocol) : protocol_(protocol) {}

  // Whether some interleaving uses what was reclaimed.
  bool findsError() {
    open_ = {State()};
    seen_.insert(open_.front());
    while (!open_.empty() && !error_) {
      const State state = open_.back();
      open_.pop_back();
      if (!state.buffer.empty()) {
        State next = state;
        drainOne(next);
        visit(next);
      }
      if (State next = state; stepCaller(next)) visit(next);
      if (State next = state; stepCollector(next)) visit(next);
    }
    return error_;
  }
  size_t states() const { return seen_.size(); }
  bool reclaims() const { return reclaims_; }  // else no error proves nothing

 private:
  static constexpr uint8_t kCalls = 2;

  void visit(const State& state) {
    reclaims_ = reclaims_ || state.reclaimed;
    if (seen_.insert(state).second) open_.push_back(state);
  }
  static void drainOne(State& state) {
    state.memory[state.buffer.front().variable] = state.buffer.front().value;
    state.buffer.erase(state.buffer.begin());
  }
  static void drain(State& state) {
    while (!state.buffer.empty()) drainOne(state);
  }
  // The caller's loads see its own stores first.
  static uint8_t load(const State& state, Variable variable) {
    for (size_t i = state.buffer.size(); i-- > 0;) {
      if (state.buffer[i].variable == variable) return state.buffer[i].value;
    }
    return state.memory[variable];
  }

  bool stepCaller(State& state) {
    switch (state.caller++) {
      case 0:
        state.epoch = load(state, kCurrent);
        return true;
      case 1:
        state.buffer.push_back({kActive, state.epoch});
        return true;
      case 2:  // light(): the look at the flag ...
        state.fences = protocol_.light_fence || load(state, kAsymmetric) == 0;
        return true;
      case 3:  // ... and the fence, as a step of its own
        if (state.fences) drain(state);
        return true;
      case 4:
        if (state.fences) state.buffer.push_back({kFenced, 1});
        return true;
      case 5:
        state.saw = load(state, kObject);
        return true;
      case 6:  // it uses what it saw
        error_ = error_ || (state.saw == 1 && state.reclaimed);
        return true;
      case 7:
        state.buffer.push_back({kActive, 0});
        if (++state.calls < kCalls) state.caller = 0;
        return true;
      default:
        return false;
    }
  }

  // Its stores are sequentially consistent: they do not wait in a buffer.
  bool stepCollector(State& state) {
    switch (state.collector++) {
      case 0:
        state.memory[kObject] = 0;
        return true;
      case 1:
        state.stamp = state.memory[kCurrent];
        return true;
      case 2:
        state.target = ++state.memory[kCurrent];
        return true;
      case 3:  // heavy()
        if (protocol_.membarrier && !protocol_.refused) drain(state);
        state.ordered = !protocol_.refused;
        if (protocol_.refused) state.memory[kAsymmetric] = 0;
        return true;
      case 4:
        state.counted = !state.ordered && protocol_.acknowledged && state.memory[kFenced] == 0;
        return true;
      case 5:
        state.oldest = state.target;
        if (state.memory[kActive] != 0 && state.memory[kActive] < state.oldest) state.oldest = state.memory[kActive];
        if (state.counted) state.oldest = 0;
        return true;
      case 6:
        state.reclaimed = state.stamp < state.oldest;
        if (!state.reclaimed && state.memory[kCurrent] < 5) state.collector = 2;  // the next collection
        return true;
      default:
        return false;
    }
  }

  const Protocol protocol_;
  std::vector<State> open_;
  std::set<State> seen_;
  bool error_ = false, reclaims_ = false;
};

TEST(EpochModelTest, MembarrierOrdersGuardsWithoutFences) {
  Explorer explorer(Protocol{});
  EXPECT_FALSE(explorer.findsError());
  EXPECT_TRUE(explorer.reclaims());
  EXPECT_GT(explorer.states(), 500u);
}

TEST(EpochModelTest, FencesOnBothSidesDoWithoutMembarrier) {
  Explorer explorer({.light_fence = true, .membarrier = false});
  EXPECT_FALSE(explorer.findsError());
  EXPECT_TRUE(explorer.reclaims());
}

TEST(EpochModelTest, AfterARefusalAcknowledgedFencesOrder) {
  Explorer explorer({.membarrier = false, .refused = true});
  EXPECT_FALSE(explorer.findsError());
  EXPECT_TRUE(explorer.reclaims());
}

TEST(EpochModelTest, ThePlantedErrorsAreFound) {
  EXPECT_TRUE(Explorer({.membarrier = false}).findsError()) << "neither a fence nor a barrier";
  EXPECT_TRUE(Explorer({.membarrier = false, .refused = true, .acknowledged = false}).findsError())
      << "a thread in the middle of the old guard when the flag is cleared";
}

}  // namespace
}  // namespace manyrt
