// Inferred dependencies against the rule itself, which looks at every earlier node: random graphs, changed while they grow, get
// the very same dependencies.
#include "graph/model/inference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "graph/model/graph.h"
#include "support/repeats.h"

namespace manyrt::graph {
namespace {

// --- The rule ------------------------------------------------------------------------------------------------------------

bool overlap(const Access& one, const Access& other, const Graph& graph) {
  const uint32_t a = one.memory->buffer, b = other.memory->buffer;
  if ((a == kNone) != (b == kNone)) {  // a buffer may be bound to any address, but a temporary
    return graph.buffers()[a == kNone ? b : a].role != RT_GRAPH_BUFFER_TEMPORARY;
  }
  if (a != b) return false;
  const auto begin = [](const Access& access) {
    return access.memory->buffer == kNone ? reinterpret_cast<uintptr_t>(access.memory->pointer) : access.memory->offset;
  };
  const auto end = [&](const Access& access) {
    if (access.bytes != 0) return begin(access) + access.bytes;
    return access.memory->buffer == kNone ? UINT64_MAX : graph.buffers()[access.memory->buffer].size;
  };
  return begin(one) < end(other) && begin(other) < end(one);
}

bool conflict(const Work& one, const Work& other, const Graph& graph) {
  const Accesses mine = accessesOf(one), theirs = accessesOf(other);
  if (mine.opaque || theirs.opaque) return true;
  for (const Access& a : mine.memory) {
    for (const Access& b : theirs.memory) {
      if (((a.access | b.access) & RT_GRAPH_WRITE) != 0 && overlap(a, b, graph)) return true;
    }
  }
  return false;
}

// The latest first; what comes before one of them is left out.
std::vector<uint32_t> ruleFor(uint32_t node, const Graph& graph) {
  const std::vector<Node>& nodes = graph.nodes();
  std::vector<uint32_t> result, open;
  std::vector<bool> covered(nodes.size());
  for (uint32_t i = node; i-- > 0;) {
    if (covered[i] || !conflict(nodes[node].work, nodes[i].work, graph)) continue;
    result.push_back(i);
    open.push_back(i);
    while (!open.empty()) {
      const uint32_t last = open.back();
      open.pop_back();
      covered[last] = true;
      for (uint32_t before : nodes[last].before) {
        if (!covered[before]) open.push_back(before);
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

// --- Random graphs -------------------------------------------------------------------------------------------------------

void noFunction(void*, rtStatus_t) {}

class RandomGraph {
 public:
  RandomGraph(uint32_t seed, uint32_t nodes) : random_(seed), nodes_(nodes) {
    // The kind of a graph is drawn, too: where everything may happen in each of them, all are alike.
    buffer_share_ = below(5) * 0.25;
    write_share_ = below(2) == 0 ? 0.1 : 0.5;
    opaque_share_ = below(3) == 0 ? 0.1 : 0;
    given_share_ = below(3) * 0.25;
    change_share_ = below(2) * 0.2;
    wide_ = below(2) == 0;
    for (uint64_t left = below(6); left > 0; --left) addBuffer();
  }

  // Where a node is added that does not wait for what the rule says, its number; kNone: there is none.
  uint32_t grow() {
    for (uint32_t node = 0; node < nodes_; ++node) {
      Graph::Dependencies dependencies;
      dependencies.inferred = !chance(given_share_);
      for (uint64_t left = dependencies.inferred || node == 0 ? 0 : below(4); left > 0; --left) {
        dependencies.nodes.push_back(number(node));
      }
      expectOk(graph_->add(nullptr, nullptr, randomWork(), dependencies));
      if (dependencies.inferred && graph_->nodes()[node].before != ruleFor(node, *graph_)) return node;
      if (chance(change_share_)) change(node + 1);
      if (chance(0.02)) addBuffer();
    }
    return kNone;
  }
  const Graph& graph() const { return *graph_; }

 private:
  static void expectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }
  uint64_t below(uint64_t end) { return random_() % end; }
  uint32_t number(uint32_t end) { return static_cast<uint32_t>(below(end)); }
  bool chance(double share) { return below(1'000'000) < share * 1'000'000; }

  void addBuffer() {
    Buffer buffer;
    buffer.size = 1 + below(64);
    buffer.role = below(2) == 0 ? RT_GRAPH_BUFFER_TEMPORARY : RT_GRAPH_BUFFER_INPUT;
    expectOk(graph_->addBuffer(nullptr, buffer));
  }

  Operand randomOperand(uint64_t* bytes) {
    Operand operand;
    const size_t buffers = graph_->buffers().size();
    uint64_t size = wide_ ? 4096 : 64;
    if (buffers != 0 && chance(buffer_share_)) {
      operand.buffer = static_cast<uint32_t>(below(buffers));
      size = graph_->buffers()[operand.buffer].size;
      operand.offset = below(size + 1);
    } else {
      operand.pointer = reinterpret_cast<void*>(0x10000 + below(size));
    }
    const uint64_t most = size - operand.offset;
    *bytes = most == 0 || chance(0.1) ? 0 : 1 + below(most < 16 || !wide_ ? most : 16);
    return operand;
  }

  Work randomWork() {
    if (chance(opaque_share_)) return HostNode{noFunction, std::make_shared<UserData>(nullptr, nullptr)};
    if (chance(0.05)) return EmptyNode();
    if (chance(0.2)) {
      FillNode fill;
      fill.dst = randomOperand(&fill.count);
      if (fill.count != 0 && fill.dst.buffer != kNone) return fill;  // addresses here are no memory of the library
    }
    KernelNode kernel;
    kernel.name = "named";
    for (uint64_t left = 1 + below(4); left > 0; --left) {
      KernelArgument argument;
      argument.kind = RT_ARG_POINTER;
      argument.size = sizeof(void*);
      argument.memory = randomOperand(&argument.bytes);
      argument.access = !chance(write_share_) ? RT_GRAPH_READ : below(2) == 0 ? RT_GRAPH_WRITE : RT_GRAPH_READ | RT_GRAPH_WRITE;
      kernel.arguments.push_back(argument);
    }
    return kernel;
  }

  void change(uint32_t nodes) {
    const uint32_t first = number(nodes), second = number(nodes);
    const std::vector<uint32_t>& before = graph_->nodes()[second].before;
    switch (below(3)) {
      case 0:  // also from a later node to an earlier one; a circle is refused
        (void)graph_->addDependencies({first}, {second});
        return;
      case 1:
        if (!before.empty()) expectOk(graph_->removeDependencies({before[below(before.size())]}, {second}));
        return;
      default:
        Work work = randomWork();
        if (graph_->checkReplacement(first, work).ok()) graph_->replace(first, std::move(work));
    }
  }

  std::mt19937_64 random_;
  const uint32_t nodes_;
  double buffer_share_, write_share_, opaque_share_, given_share_, change_share_;
  bool wide_;  // memory that nodes seldom share
  Ref<Graph> graph_ = Ref<Graph>::adopt(new Graph);
};

std::string listOf(const std::vector<uint32_t>& numbers) {
  std::string result;
  for (uint32_t number : numbers) result += std::to_string(number) + ' ';
  return result;
}

TEST(InferenceTest, RandomGraphsWaitForWhatTheRuleSays) {
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(rttest::repeats(4000)); ++seed) {
    RandomGraph random(seed, 1 + seed % 60);
    const uint32_t wrong = random.grow();
    if (wrong == kNone) continue;
    FAIL() << "graph " << seed << ", node " << wrong << " waits for " << listOf(random.graph().nodes()[wrong].before)
           << "instead of " << listOf(ruleFor(wrong, random.graph()));
  }
}

TEST(InferenceTest, LargeRandomGraphsWaitForWhatTheRuleSays) {  // sets of several chunks, lists that are shortened
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(rttest::repeats(12)); ++seed) {
    RandomGraph random(seed + 100'000, 1200);
    const uint32_t wrong = random.grow();
    if (wrong == kNone) continue;
    FAIL() << "graph " << seed << ", node " << wrong << " waits for " << listOf(random.graph().nodes()[wrong].before)
           << "instead of " << listOf(ruleFor(wrong, random.graph()));
  }
}

// --- What it costs -------------------------------------------------------------------------------------------------------

Work kernelOn(std::initializer_list<std::pair<uint32_t, uint32_t>> buffers) {
  KernelNode kernel;
  kernel.name = "named";
  for (const auto& [buffer, access] : buffers) {
    KernelArgument argument;
    argument.kind = RT_ARG_POINTER;
    argument.access = access;
    argument.memory.buffer = buffer;
    kernel.arguments.push_back(argument);
  }
  return kernel;
}

// A network that is trained: weights come in, each layer reads its own and the layer before, and on the way back both again.
TEST(InferenceTest, AGraphOfThirtyThousandNodesIsInferred) {
  constexpr uint32_t kLayers = 10'000;
  const Ref<Graph> graph = Ref<Graph>::adopt(new Graph);
  Buffer buffer;
  buffer.size = 64;
  for (uint32_t i = 0; i < 2 * kLayers + 2; ++i) ASSERT_TRUE(graph->addBuffer(nullptr, buffer).ok());
  const Graph::Dependencies inferred{{}, true};
  const auto add = [&](Work work) { ASSERT_TRUE(graph->add(nullptr, nullptr, std::move(work), inferred).ok()); };
  const auto weights = [](uint32_t layer) { return layer; };
  const auto value = [](uint32_t layer) { return kLayers + layer; };
  const uint32_t gradient = 2 * kLayers + 1;
  for (uint32_t i = 0; i < kLayers; ++i) add(kernelOn({{weights(i), RT_GRAPH_WRITE}}));
  for (uint32_t i = 0; i < kLayers; ++i) {
    add(kernelOn({{weights(i), RT_GRAPH_READ}, {value(i), RT_GRAPH_READ}, {value(i + 1), RT_GRAPH_WRITE}}));
  }
  for (uint32_t i = kLayers; i-- > 0;) {
    add(kernelOn({{weights(i), 3}, {value(i), RT_GRAPH_READ}, {gradient, 3}}));
  }
  for (uint32_t i = 0; i < kLayers; ++i) {
    ASSERT_EQ(graph->nodes()[i].before, std::vector<uint32_t>());
    const std::vector<uint32_t> forward = i == 0 ? std::vector<uint32_t>{0} : std::vector<uint32_t>{i, kLayers + i - 1};
    ASSERT_EQ(graph->nodes()[kLayers + i].before, forward) << i;
    // On the way back everything has come before the last layer, then before the node before, which has had the gradient.
    ASSERT_EQ(graph->nodes()[2 * kLayers + i].before, (std::vector<uint32_t>{2 * kLayers + i - 1})) << i;
  }
}

}  // namespace
}  // namespace manyrt::graph
