// A step of an exec, ready to be given to a stream: addresses in place, checked, nothing left to look up. Made by the exec when
// it is created and when something of it is bound or changed; read by every launch.
#pragma once

#include <vector>

#include "graph/model/graph.h"
#include "ops/bridge.h"

namespace manyrt::graph {

// What a buffer of the plan is at present: the program's binding, or a place in the exec's own memory.
struct Bound {
  char* pointer = nullptr;  // null: not bound
  uint64_t size = 0;        // bytes that may be used, at most the buffer's
  allocator::BlockLease lease;
};

// Why a step cannot run with what is bound at present, though nothing is wrong with it: several calls change an exec together,
// and only the launch sees all of them.
struct Misfit {
  enum Kind { kNone, kShort, kOverlap } kind = kNone;
  uint32_t buffer = 0;  // kShort: the one with too little memory,
  uint64_t needed = 0;  // and the bytes of it that the step uses
};

class Prepared {
 public:
  explicit Prepared(Work work) : work_(std::move(work)) {}

  // Puts the addresses in and checks that the context can run the step with them. A buffer that is not bound is left out. A
  // step that does not fit what is bound is placed, too; it must not be launched.
  Status place(const std::vector<Bound>& buffers, allocator::ContextResources& owner);
  const Misfit& misfit() const { return misfit_; }
  bool fits() const { return misfit_.kind == Misfit::kNone; }
  bool uses(uint32_t buffer) const;
  // Orders the step. The stream may be any of the context's.
  Status submit(manager::Stream& stream) const;
  // The step for a driver that runs graphs. False: it has to be submitted by itself, because it is of the host, tells other
  // streams something, or is no single call of the stream.
  bool replays(backend::ReplayStep::Work* work) const;
  // A native function: gives what it submits to the driver to record, which may call it. `context` is current meanwhile. Under
  // no guard and no lock.
  bool callsNative() const { return std::holds_alternative<NativeNode>(work_); }
  Status record(backend::ReplayMaker& maker, HandleBits context);
  // Where the exec submits it by itself.
  Status makeAlone(backend::ReplayMaker& maker);
  std::shared_ptr<UserData> recordedUser() const;  // what the recorded work may use; null: nothing was recorded
  void noteUse(manager::Stream& stream) const;     // tells other owners of memory that the stream has been given it
  bool usesForeign() const { return !foreign_.empty(); }
  const Work& work() const { return work_; }

 private:
  Status placeKernel(KernelNode& node, const std::vector<Bound>& buffers, allocator::ContextResources& owner);
  Status placeCopy(const CopyNode& node, const std::vector<Bound>& buffers, allocator::ContextResources& owner);
  Status placeFill(const FillNode& node, const std::vector<Bound>& buffers, allocator::ContextResources& owner);
  void measure(const std::vector<Bound>& buffers);

  Status order(manager::Stream& stream) const;

  Work work_;
  Misfit misfit_;
  std::vector<allocator::Region*> foreign_;  // memory of other owners, which have to know of each use; leased
  bool empty_ = false;                       // a grid without work-groups
  std::vector<void*> arguments_;
  backend::Launch launch_{};
  backend::Copy copy_{};
  ops::Range dst_, src_;
  ops::Route route_{ops::Route::kOwn};
  backend::Fill fill_{};
  backend::PrefetchStep prefetch_{};
  Ref<backend::NativeWork> recorded_;  // null: the function is called at each launch
  Ref<backend::Replay> alone_;         // of what was recorded
};

}  // namespace manyrt::graph
