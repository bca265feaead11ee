// An exec: a plan with memory, streams and bindings, run again and again in the same way. Launches of one exec run one after
// another. A launch is a walk over the plan's steps: lane 0 is the stream that is given, the others are the exec's own, points
// keep order between lanes. On our side it allocates nothing but the tasks of host functions.
//
// An exec that is destroyed lets go of everything at once, launches in flight or not: what is freed by that waits for the
// streams as any free does, streams go on, and tasks carry what they need.
//
// A backend that has graphs of its own can take the walk over: a Context::createReplay(steps) beside backend::Stream::launch,
// whose default is this list. CUDA serves it with cuGraphCreate, cuGraphAddKernelNode, cuGraphAddMemcpyNode,
// cuGraphAddMemsetNode and cuGraphInstantiate at creation, cuGraphExecKernelNodeSetParams and its like where bindings change,
// and cuGraphLaunch.
#pragma once

#include <mutex>
#include <vector>

#include "graph/plan.h"
#include "graph/prepared.h"
#include "manager/stream.h"

namespace manyrt::graph {

class Exec final : public RefCounted {
 public:
  // Under the guard, which is left where memory has to be found. The context is pinned. May throw bad_alloc.
  static Status create(Ref<Exec>* exec, Ref<Plan> plan, manager::Context& context, allocator::Owner& owner,
                       epoch::Guard& guard);
  static Exec& of(const manager::GraphExec& exec) { return static_cast<Exec&>(*exec.content); }
  ~Exec() override;

  const Plan& plan() const { return *plan_; }
  Status bind(uint32_t buffer, void* pointer);
  // Of the same kind as the node's.
  Status setWork(uint32_t node, Work work);
  // What another graph would be: the same nodes and dependencies, with other parameters.
  Status update(Graph& graph);
  Status launch(manager::Stream& stream);
  Status capture(manager::Stream& stream);  // a launch that becomes a node, with what is bound now

 private:
  Exec(Ref<Plan> plan, manager::Context& context, allocator::Owner& owner)
      : plan_(std::move(plan)), context_(&context), owner_(&owner) {}

  Status checkContext(const manager::Stream& stream) const;
  Status takeMemory(epoch::Guard& guard);
  Status takeLanes();
  Status prepare();
  void planPoints();

  // Under the lock.
  Status change(uint32_t node, Work&& work);
  bool running() const { return end_ && !end_->poll(); }
  Status checkBound() const;
  Status repairLanes();
  Status begin(manager::Stream& stream);
  Status run(manager::Stream& stream);
  Status finish(manager::Stream& stream);
  manager::Stream& laneOf(uint32_t lane, manager::Stream& stream) { return lane == 0 ? stream : *lanes_[lane - 1]; }
  Status record(Ref<backend::Point>* point, manager::Stream& stream);

  const Ref<Plan> plan_;
  const Lease<manager::Context> context_;
  const Ref<allocator::Owner> owner_;
  std::mutex mutex_;  // launches of one exec are given to the streams one after another
  Ref<Graph> graph_;  // with what was changed since
  std::vector<Prepared> steps_;
  std::vector<Bound> bound_;
  std::vector<Lease<manager::Stream>> lanes_;  // from 1 on
  struct Order {
    std::vector<uint32_t> waits;  // points
    uint32_t point = kNone;       // that is recorded behind the step
  };
  std::vector<Order> orders_;
  std::vector<Ref<backend::Point>> points_;
  std::vector<Ref<backend::Point>> joins_;  // of the lanes from 1 on
  Ref<backend::Point> begin_, end_;
  Ref<backend::Stream> last_stream_;
};

}  // namespace manyrt::graph
