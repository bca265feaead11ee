// An exec: a plan with memory, streams and bindings, which runs repeatedly in the same way. Launches of one exec run one after
// another. They allocate nothing in the library but the tasks of host functions.
//
// A launch submits pieces to the stream. If the driver takes every step, there is one piece, a backend::Replay, and a launch is
// one call of it. A graph of one branch is cut into pieces: runs of steps that the driver takes are replays. The steps between
// them (host functions, events, fences, copies on other streams, cooperative launches) are submitted one by one. Any other
// graph is walked step by step. Branch 0 is the given stream, the other branches are streams of the exec. Points keep the order
// between branches.
//
// The destructor releases everything at once, also with launches in flight. Memory waits for its streams as with any free,
// streams go on, and replays and tasks keep what they need.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/branch_order.h"
#include "base/lock_order.h"
#include "base/mutex.h"
#include "graph/exec/prepared.h"
#include "graph/plan/plan.h"
#include "manager/stream.h"

namespace manyrt::graph {

class Exec final : public RefCounted {
 public:
  // Under the guard, which is left where memory has to be found. The context is pinned. May throw bad_alloc.
  static Status create(Ref<Exec>* exec, Ref<Plan> plan, manager::Context& context, allocator::ContextResources& resources,
                       epoch::Guard& guard);
  static Exec& of(const manager::GraphExec& exec) { return static_cast<Exec&>(*exec.content); }
  ~Exec() override;

  const Plan& plan() const { return *plan_; }
  static constexpr uint64_t kWhole = 0;
  // `size` bytes, kWhole: as many as the buffer has. Steps that use more of it keep the exec from being launched.
  Status bind(uint32_t buffer, void* pointer, uint64_t size);
  Status bindValue(uint32_t value, const void* data, uint64_t size);
  // Replaces the work of a node by work of the same kind.
  Status setWork(uint32_t node, Work work);
  // The same for a kernel that stays with the same kinds of arguments, without memory. Not done: setWork() has to do it.
  Status setKernelInPlace(bool* done, uint32_t node, const rtGraphKernelParams_t& params);
  // Takes the parameters of another graph with the same nodes and dependencies, also inside child graphs. Under the guard,
  // which is left while native functions are recorded; the caller holds the exec.
  Status update(Graph& graph, epoch::Guard& guard);
  Status launch(manager::Stream& stream);
  Status capture(manager::Stream& stream);  // records a launch as a node, with the present bindings

 private:
  Exec(Ref<Plan> plan, manager::Context& context, allocator::ContextResources& resources);

  Status checkContext(const manager::Stream& stream) const {
    return stream.context.get() == context_.get() ? Status() : ofOtherContext(stream);
  }
  Status ofOtherContext(const manager::Stream& stream) const;
  Status takeMemory(epoch::Guard& guard);
  Status prepare();
  Status recordNatives(std::vector<Prepared>* steps, const Graph& graph, epoch::Guard& guard) const;
  class Keeper;
  std::unique_ptr<Keeper> makeKeeper(const std::vector<Prepared>& steps) const;
  void planPoints();

  // Under the lock.
  Status fitWork(uint32_t step, Work* work) const;
  static Status findPlanned(KernelNode* kernel, const Work& planned);
  Status exchange(uint32_t first, std::vector<Prepared>& fresh);
  void noteUsers(uint32_t step);
  struct Users;
  static void note(std::vector<uint32_t>& steps, uint32_t step);
  void makeSlots();
  Status placeStep(uint32_t step);
  void count(const Prepared& step);
  void uncount(const Prepared& step);
  Status notBound() const;
  Status notFitting() const;
  Status checkComplete() const;
  bool replays(uint32_t step, backend::ReplayStep::Work* work) const;
  Status makePieces();
  Status makeReplay(Ref<backend::Replay>* replay, uint32_t first, uint32_t count) const;
  bool isPlain(uint32_t buffer, const Bound& bound) const;
  Status findMemory(Bound* bound, uint32_t buffer, void* pointer, uint64_t size) const;
  Status replace(uint32_t buffer, Bound* bound);
  Status replaceValue(uint32_t value, bool is_bound);
  Status refreshSlot(bool* changed, uint32_t slot);
  Status refresh(uint32_t first, uint32_t count);
  Status launchWhole(manager::Stream& stream);
  Status launchPieces(manager::Stream& stream);
  Status awaitEarlier(manager::Stream& stream);
  Status takeBranches();
  Status takeBranch(manager::Stream** stream, uint32_t branch);
  Status repairBranches();
  Status begin(manager::Stream& stream);
  Status runPieces(manager::Stream& stream);
  Status walk(manager::Stream& stream);
  Status finish(manager::Stream& stream);
  manager::Stream& streamOf(uint32_t branch, manager::Stream& stream) { return branch == 0 ? stream : *branches_[branch - 1]; }
  Status record(Ref<backend::Point>* point, manager::Stream& stream);

  const Ref<Plan> plan_;
  const Lease<manager::Context> context_;
  const Ref<allocator::ContextResources> resources_;
  Ranked<Mutex, LockRank::kGraphExec> mutex_;   // launches of one exec are given to the streams one after another
  std::vector<Ref<allocator::PinScope>> pins_;  // that were on when the exec was made
  Ref<Graph> graph_;                            // with what was changed since
  std::vector<Prepared> steps_;
  struct Piece {  // steps that follow each other in the plan
    uint32_t first, count;
    Ref<backend::Replay> replay;  // null: they are submitted one by one
  };
  std::vector<Piece> pieces_;         // none while a buffer is not bound, and none of a graph that is walked over branches
  std::vector<bool> replayable_;      // of each step, when the pieces were made
  backend::Replay* whole_ = nullptr;  // the only piece, where it is a replay
  bool whole_launched_ = false;
  Ref<backend::Replay> earlier_;  // that had the last launch, where another one or none is the whole now
  bool stale_ = false;            // before the next launch all steps have to be placed, and the pieces made, anew
  uint32_t unbound_ = 0;          // buffers without memory, and values that are not bound
  uint32_t unfit_ = 0;            // steps that use more of a buffer than is bound, or whose sides overlap
  uint32_t foreign_ = 0;          // steps that use memory of another context
  std::vector<Bound> bound_;
  std::vector<bool> has_value_;  // of each value of the graph: its slot holds what the program gave
  Slots slots_;
  struct Users {  // of a buffer or a value: the steps that use it, ascending, and some that no longer do
    std::vector<uint32_t> steps;
    std::vector<uint32_t> apart;  // of them those with checks that depend on it, or to which no slot leads
    uint64_t most = 0;            // bytes of the buffer that a step uses
  };
  std::vector<Users> users_;                      // of each buffer
  std::vector<Users> value_users_;                // of each value
  std::vector<Lease<manager::Stream>> branches_;  // from 1 on
  std::vector<backend::BranchOrder> orders_;      // of each step
  std::vector<Ref<backend::Point>> points_;       // where branches meet
  std::vector<Ref<backend::Point>> joins_;        // of the branches from 1 on
  Ref<backend::Point> begin_, end_;
  std::unique_ptr<Keeper> keeper_;  // null: no function was recorded
  Ref<backend::Stream> last_stream_;
};

}  // namespace manyrt::graph
