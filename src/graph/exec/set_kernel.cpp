// New parameters of a kernel node between two launches. The kernel and the kinds of its arguments stay, so that all else is
// exchanged in place, without memory. A call that changes more, or fails, takes the way of any node (Exec::setWork), which has
// the sentences.
#include <algorithm>
#include <cstring>
#include <new>

#include "graph/exec/exec.h"
#include "graph/model/params.h"
#include "manager/kernel.h"
#include "ops/range.h"

namespace manyrt::graph {
namespace {

constexpr size_t kMostArguments = 16, kMostBytes = 512;

// The parameters of a call in the form of a node. After the exchange they are those that the node had before.
struct Change {
  uint32_t grid[3] = {1, 1, 1}, group[3] = {1, 1, 1}, local_bytes = 0;
  uint64_t offset[3] = {0, 0, 0};
  unsigned char values[kMostBytes];
  void* pointers[kMostArguments];
  allocator::BlockLease leases[kMostArguments];

  void exchange(KernelNode& node) {
    std::swap_ranges(grid, grid + 3, node.grid);
    std::swap_ranges(group, group + 3, node.group);
    std::swap_ranges(offset, offset + 3, node.offset);
    std::swap(local_bytes, node.local_bytes);
    std::swap_ranges(node.values.begin(), node.values.end(), values);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      Operand& memory = node.arguments[i].memory;
      if (!isAddress(node.arguments[i])) continue;
      std::swap(pointers[i], memory.pointer);
      std::swap(leases[i], memory.lease);
    }
  }
  static bool isAddress(const KernelArgument& argument) {
    return argument.kind == RT_ARG_POINTER && argument.memory.buffer == kNone;
  }
};

bool zero(const uint32_t (&sizes)[3]) { return sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0; }

// Zeros are the default of a node. A group without items is left to the sentence of a new node.
bool takeSizes(Change* change, const rtGraphKernelParams_t& params) {
  change->local_bytes = params.local_bytes;
  std::copy_n(params.global_offset, 3, change->offset);
  if (zero(params.grid) && zero(params.group)) return true;  // 1 x 1 x 1
  std::copy_n(params.grid, 3, change->grid);
  std::copy_n(params.group, 3, change->group);
  return params.group[0] != 0 && params.group[1] != 0 && params.group[2] != 0;
}

// The leases of addresses, as for a new node: memory that was freed is refused.
bool takeLeases(Change* change, const rtGraphKernelParams_t& params) {
  for (uint32_t i = 0; i < params.arg_count; ++i) {
    const rtGraphArg_t& given = params.args[i];
    if (given.kind != RT_ARG_POINTER || given.memory.buffer != nullptr) continue;
    change->pointers[i] = given.memory.pointer;
    if (given.memory.offset != 0 || !allocator::BlockLease::take(&change->leases[i], given.memory.pointer)) return false;
  }
  return true;
}

// Takes the bytes of an argument over. False: it is of another kind than the node's, or another buffer or named value.
bool takeArgument(Change* change, const KernelArgument& own, const rtGraphArg_t& given, size_t index, const Graph& graph) {
  unsigned char* const bytes = change->values + own.offset;
  const uint32_t access = given.access != 0 ? given.access : RT_GRAPH_READ | RT_GRAPH_WRITE;
  switch (given.kind) {
    case RT_ARG_VALUE:
      if (own.kind != RT_ARG_VALUE || own.value != kNone || given.size != own.size || given.value == nullptr) return false;
      memcpy(bytes, given.value, own.size);
      return true;
    case RT_ARG_LOCAL: {
      const size_t local = given.size;
      if (own.kind != RT_ARG_LOCAL || local == 0) return false;
      memcpy(bytes, &local, sizeof local);
      return true;
    }
    case RT_ARG_POINTER: {
      if (own.kind != RT_ARG_POINTER || given.size != own.bytes || access != own.access) return false;
      if (given.memory.buffer != nullptr) {
        uint32_t buffer = kNone;
        return given.memory.pointer == nullptr && own.memory.buffer != kNone && given.memory.offset == own.memory.offset &&
               readBuffer(&buffer, given.memory.buffer, graph, "").ok() && buffer == own.memory.buffer;
      }
      ops::Range range;
      if (own.memory.buffer != kNone) return false;
      if (given.size != 0 && !ops::findRange(&range, change->pointers[index], given.size, "memory").ok()) return false;
      memcpy(bytes, &change->pointers[index], sizeof(void*));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

// The old leases end after the lock, since the last one of a block frees it.
Status Exec::setKernelInPlace(bool* done, uint32_t node, const rtGraphKernelParams_t& params) try {
  *done = false;
  if (params.name != nullptr || params.arg_count > kMostArguments || (params.args == nullptr && params.arg_count != 0))
    return Status();
  const manager::Kernel* kernel = manager::kernels.find(toBits(params.kernel));
  Change change;
  if (kernel == nullptr || !takeSizes(&change, params) || !takeLeases(&change, params)) return Status();
  std::lock_guard lock(mutex_);
  // Nodes that were added to the graph after the exec was made have no step here.
  if (node >= plan_->graph().nodes().size()) return Status();
  const uint32_t index = plan_->stepOf(node);
  if (index == kNone || !graph_->hasKernelLike(node, steps_[index].work())) return Status();
  Prepared& step = steps_[index];
  KernelNode& own = *step.kernelNode();
  const uint32_t flags = own.cooperative ? RT_LAUNCH_COOPERATIVE : 0;
  if (own.kernel.get() != kernel || own.arguments.size() != params.arg_count || params.flags != flags ||
      own.values.size() > kMostBytes)
    return Status();
  std::copy(own.values.begin(), own.values.end(), change.values);  // what lies between arguments, and of buffers
  for (size_t i = 0; i < own.arguments.size(); ++i) {
    if (!takeArgument(&change, own.arguments[i], params.args[i], i, plan_->source())) return Status();
  }
  // Nothing has changed so far. From here on each way out leaves the step with all of the new parameters or all of the old.
  const auto replaced = [&] {
    uncount(step);
    change.exchange(own);
    Status status;
    try {
      status = step.place(bound_, slots_, *resources_);
    } catch (const std::bad_alloc&) {  // the step has to be counted all the same
      status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    count(step);
    // After the placing, which has the addresses of buffers: the driver gets what was checked.
    if (status.ok()) status = checkLaunch(own);
    return status.ok() ? refresh(index, 1) : status;
  };
  if (!replaced().ok()) {
    if (!replaced().ok()) stale_ = true;  // as it was
    return Status();
  }
  // A capture of the exec, and a later change of other kinds, begin from the graph.
  graph_->setKernel(node, own);
  *done = true;
  return Status();
} catch (const std::bad_alloc&) {  // ahead of the exchange
  return Status();
}

}  // namespace manyrt::graph
