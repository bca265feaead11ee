// oneTBB as a peer: the same number of threads as there are cores, the caller among them.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include <atomic>
#include <vector>

#include "machine.h"
#include "peers.h"

namespace bench {
namespace {

struct FlowGraph {
  using Message = tbb::flow::continue_msg;
  using Node = tbb::flow::continue_node<Message>;

  Node& add(void (*body)()) {
    nodes.push_back(std::make_unique<Node>(graph, [body](const Message&) { body(); }));
    return *nodes.back();
  }
  static std::function<void()> launcher(std::shared_ptr<FlowGraph> made) {
    return [made = std::move(made)] {
      made->nodes.front()->try_put(Message());
      made->graph.wait_for_all();
    };
  }

  tbb::flow::graph graph;
  std::vector<std::unique_ptr<Node>> nodes;
};

class Tbb final : public TbbPeer {
 public:
  Tbb() : worker_(2, 1), node_(graph_, 1, [](int value) { return value; }) { worker_.initialize(); }

  void group(int tasks) override {
    tbb::task_group group;
    for (int i = 0; i < tasks; ++i) group.run([] {});
    group.wait();
  }
  void graph(int tasks) override {
    for (int i = 0; i < tasks; ++i) node_.try_put(i);
    graph_.wait_for_all();
  }
  void enqueue(int tasks) override {
    done_.store(0, std::memory_order_relaxed);
    for (int i = 0; i < tasks; ++i) {
      worker_.enqueue([this] { done_.fetch_add(1, std::memory_order_release); });
    }
    while (done_.load(std::memory_order_acquire) != tasks) {
    }
  }
  void parallelFor(int tasks) override {
    tbb::parallel_for(
        0, tasks,
        [](int) {
          asm volatile("" ::: "memory");
        },
        tbb::static_partitioner());
  }
  std::function<void()> line(int nodes, void (*body)()) override {
    auto made = std::make_shared<FlowGraph>();
    for (int i = 0; i < nodes; ++i) {
      FlowGraph::Node& node = made->add(body);
      if (i > 0) tbb::flow::make_edge(*made->nodes[made->nodes.size() - 2], node);
    }
    return FlowGraph::launcher(std::move(made));
  }
  std::function<void()> wide(int nodes, void (*body)()) override {
    auto made = std::make_shared<FlowGraph>();
    FlowGraph::Node& first = made->add(body);
    FlowGraph::Node& last = made->add(body);
    for (int i = 2; i < nodes; ++i) {
      FlowGraph::Node& node = made->add(body);
      tbb::flow::make_edge(first, node);
      tbb::flow::make_edge(node, last);
    }
    return FlowGraph::launcher(std::move(made));
  }

 private:
  tbb::task_arena worker_;
  tbb::flow::graph graph_;
  tbb::flow::function_node<int, int> node_;
  std::atomic<int> done_{0};
};

}  // namespace

std::unique_ptr<TbbPeer> TbbPeer::find(std::string*) { return std::make_unique<Tbb>(); }

std::string TbbPeer::version() { return std::string("oneTBB ") + TBB_runtime_version(); }

}  // namespace bench
