// A step of an exec, ready to be given to a stream: addresses in place, checked, nothing left to look up. Made by the exec when
// it is created and when something of it is bound or changed; read by every launch.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "ops/bridge.h"

namespace manyrt::graph {

// What a buffer of the plan is at present: the program's binding, or a place in the exec's own memory.
struct Bound {
  char* pointer = nullptr;  // null: not bound
  allocator::BlockLease lease;
};

class Prepared {
 public:
  explicit Prepared(Work work) : work_(std::move(work)) {}

  // Puts the addresses in and checks that the context can run the step with them. A buffer that is not bound is left out.
  Status place(const std::vector<Bound>& buffers, allocator::Owner& owner);
  bool uses(uint32_t buffer) const;
  // Orders the step. The stream may be any of the context's.
  Status submit(manager::Stream& stream) const;
  // The step for a driver that runs graphs. False: it has to be submitted by itself, because it is of the host, tells other
  // streams something, or is no single call of the stream.
  bool replays(backend::ReplayStep::Work* work) const;
  void noteUse(manager::Stream& stream) const;  // tells other owners of memory that the stream has been given it
  bool usesForeign() const { return !foreign_.empty(); }
  const Work& work() const { return work_; }

 private:
  Status placeKernel(KernelNode& node, const std::vector<Bound>& buffers, allocator::Owner& owner);
  Status placeCopy(const CopyNode& node, const std::vector<Bound>& buffers, allocator::Owner& owner);
  Status placeFill(const FillNode& node, const std::vector<Bound>& buffers, allocator::Owner& owner);

  Status order(manager::Stream& stream) const;

  Work work_;
  std::vector<allocator::Region*> foreign_;  // memory of other owners, which have to know of each use; leased
  bool empty_ = false;                       // a grid without work-groups
  std::vector<void*> arguments_;
  backend::Launch launch_{};
  backend::Copy copy_{};
  ops::Range dst_, src_;
  ops::Route route_{ops::Route::kOwn};
  backend::Fill fill_{};
};

}  // namespace manyrt::graph
