// A step of an exec, ready for submission: it has its addresses, and its checks are done. The exec prepares a step when it is
// created and when a binding or a parameter changes; every launch reads it.
#pragma once

#include <vector>

#include "graph/exec/slots.h"
#include "graph/model/graph.h"
#include "ops/bridge.h"

namespace manyrt::graph {

// The present memory of a buffer of the plan: the program's binding, or a part of the exec's own memory.
struct Bound {
  char* pointer = nullptr;  // null: not bound
  uint64_t size = 0;        // bytes that may be used, at most the buffer's
  allocator::BlockLease lease;
};

// Why a step cannot run with the present bindings. This is no error of a call: several calls change an exec together, and only
// the launch sees the result.
struct Misfit {
  enum Kind { kNone, kShort, kOverlap } kind = kNone;
  uint32_t buffer = 0;  // kShort: the one with too little memory,
  uint64_t needed = 0;  // and the bytes of it that the step uses
};

class Prepared {
 public:
  explicit Prepared(Work work) : work_(std::move(work)) {}

  // Takes the addresses over, and checks that the context can run the step with them. Leaves out buffers without memory. A step
  // that does not fit is placed too; it must not be launched. Arguments that have a slot point to it from now on.
  Status place(const std::vector<Bound>& buffers, const Slots& slots, allocator::ContextResources& resources);
  const Misfit& misfit() const { return misfit_; }
  bool fits() const { return misfit_.kind == Misfit::kNone; }
  bool uses(uint32_t buffer) const;
  bool usesValue(uint32_t value) const;
  // Whether the step reaches a buffer through slots alone. No check of the step depends on the memory then, if it belongs to
  // the context of the exec and is large enough.
  bool isInSlots(uint32_t buffer, const Slots& slots) const;
  bool checksValues() const;
  // Submits the step to any stream of the context.
  Status submit(manager::Stream& stream) const;
  // The step for a driver that runs graphs. False: it has to be submitted by itself. It runs on the host, signals other
  // streams, or takes several calls of the stream.
  bool replays(backend::ReplayStep::Work* work) const;
  // Lets the driver record the work of a native function, which it may call, with `context` as the current one. With no guard
  // and no lock held.
  bool callsNative() const { return std::holds_alternative<NativeNode>(work_); }
  Status record(backend::ReplayMaker& maker, HandleBits context);
  // For recorded work that the exec submits by itself.
  Status makeAlone(backend::ReplayMaker& maker);
  std::shared_ptr<UserData> recordedUser() const;  // what the recorded work may use; null: nothing was recorded
  void noteUse(manager::Stream& stream) const;     // notes the stream's use of memory of other contexts
  bool usesForeign() const { return !foreign_.empty(); }
  const Work& work() const { return work_; }
  KernelNode* kernelNode() { return std::get_if<KernelNode>(&work_); }  // what changes it places the step again

 private:
  Status placeKernel(KernelNode& node, const std::vector<Bound>& buffers, const Slots& slots,
                     allocator::ContextResources& resources);
  Status placeCopy(const CopyNode& node, const std::vector<Bound>& buffers, allocator::ContextResources& resources);
  Status placeFill(const FillNode& node, const std::vector<Bound>& buffers, allocator::ContextResources& resources);
  void measure(const std::vector<Bound>& buffers);

  Status order(manager::Stream& stream) const;

  Work work_;
  Misfit misfit_;
  std::vector<allocator::Region*> foreign_;  // leased memory of other contexts, which have to know each use
  bool empty_ = false;                       // a grid without work-groups
  std::vector<void*> arguments_;
  std::vector<uint32_t> slots_;  // of each argument, or kNoSlot
  backend::Launch launch_{};
  backend::Copy copy_{};
  ops::Range dst_, src_;
  ops::Route route_{ops::Route::kOwn};
  backend::Fill fill_{};
  backend::PrefetchStep prefetch_{};
  Ref<backend::NativeWork> recorded_;  // null: the function is called at each launch
  Ref<backend::Replay> alone_;         // the recorded work as a replay of its own
};

}  // namespace manyrt::graph
