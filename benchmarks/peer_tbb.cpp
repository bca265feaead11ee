// oneTBB as a peer: the same number of threads as there are cores, the caller among them.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include <atomic>

#include "machine.h"
#include "peers.h"

namespace bench {
namespace {

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
