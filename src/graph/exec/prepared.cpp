// Prepares and submits one step. The checks are those of ops for work that runs at once, but they run at each change, not at
// each launch.
#include "graph/exec/prepared.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "manager/context.h"
#include "ops/copy.h"
#include "ops/launch.h"
#include "ops/wait.h"

namespace manyrt::graph {
namespace {

using Number = unsigned long long;

struct Spot {  // an operand at its address
  char* pointer = nullptr;
  const allocator::BlockLease* lease = nullptr;
  bool bound = true;
};

Spot spotOf(const Operand& operand, const std::vector<Bound>& buffers) {
  if (operand.buffer == kNone) return {static_cast<char*>(operand.pointer), &operand.lease, true};
  const Bound& bound = buffers[operand.buffer];
  if (bound.pointer == nullptr) return {nullptr, &bound.lease, false};
  return {bound.pointer + operand.offset, &bound.lease, true};
}

// The lease knows the context of the memory, also after the program has freed it.
ops::Range rangeOf(const Spot& spot, uint64_t size) {
  ops::Range range;
  range.address = reinterpret_cast<uintptr_t>(spot.pointer);
  range.size = size;
  if (*spot.lease) {
    allocator::Region* region = spot.lease->region();
    allocator::Block* block = spot.lease->block();
    // Relaxed: the lease keeps the block live, so that its size stays.
    range.allocation = {region, block, region->addressOf(*block), block->size.load(std::memory_order_relaxed)};
  }
  return range;
}

std::string holderOf(const Spot& spot) { return *spot.lease ? ops::holderOf(*spot.lease->region()) : "the program"; }

Status unreachable(const char* what, const Spot& spot, const allocator::ContextResources& resources) {
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The %s at %p is memory of %s, which %s, that of the exec, cannot reach.", what,
                       static_cast<void*>(spot.pointer), holderOf(spot).c_str(),
                       manager::contextText(toBits(resources.contextHandle())).c_str());
}

}  // namespace

bool Prepared::uses(uint32_t buffer) const {
  bool found = false;
  forEachAccess(work_, [&](const Access& access) { found = found || access.memory->buffer == buffer; });
  return found;
}

bool Prepared::usesValue(uint32_t value) const {
  const KernelNode* kernel = std::get_if<KernelNode>(&work_);
  return kernel != nullptr && std::any_of(kernel->arguments.begin(), kernel->arguments.end(),
                                          [&](const KernelArgument& each) { return each.value == value; });
}

bool Prepared::checksValues() const {
  const KernelNode* kernel = std::get_if<KernelNode>(&work_);
  return kernel != nullptr && (kernel->kernel->strict || kernel->kernel->native->checksArguments());
}

bool Prepared::isInSlots(uint32_t buffer, const Slots& slots) const {
  const KernelNode* kernel = std::get_if<KernelNode>(&work_);
  if (kernel == nullptr || checksValues()) return false;
  return std::all_of(kernel->arguments.begin(), kernel->arguments.end(), [&](const KernelArgument& each) {
    return each.memory.buffer != buffer || slots.ofAddress(buffer, each.memory.offset) != backend::kNoSlot;
  });
}

Status Prepared::place(const std::vector<Bound>& buffers, const Slots& slots, allocator::ContextResources& resources) {
  // The leases are those of bindings and nodes, which hold the regions as long as this step names them.
  foreign_.clear();
  measure(buffers);
  forEachAccess(work_, [&](const Access& access) {
    const Spot spot = spotOf(*access.memory, buffers);
    if (*spot.lease && &spot.lease->region()->resources() != &resources) foreign_.push_back(spot.lease->region());
  });
  if (KernelNode* kernel = std::get_if<KernelNode>(&work_)) return placeKernel(*kernel, buffers, slots, resources);
  if (const CopyNode* copy = std::get_if<CopyNode>(&work_)) return placeCopy(*copy, buffers, resources);
  if (const FillNode* fill = std::get_if<FillNode>(&work_)) return placeFill(*fill, buffers, resources);
  if (const PrefetchNode* prefetch = std::get_if<PrefetchNode>(&work_)) {  // a hint, cut to the bound memory
    const Spot spot = spotOf(prefetch->memory, buffers);
    prefetch_ = {spot.pointer, prefetch->size, prefetch->to_host};
    if (prefetch->memory.buffer == kNone || !spot.bound) return Status();
    const uint64_t bound = buffers[prefetch->memory.buffer].size;
    prefetch_.size = std::min(prefetch->size, bound - std::min(bound, prefetch->memory.offset));
  }
  return Status();
}

// A buffer without memory counts as fitting: the launch refuses it first.
void Prepared::measure(const std::vector<Bound>& buffers) {
  misfit_ = Misfit();
  if (std::holds_alternative<MemoryNode>(work_) || std::holds_alternative<PrefetchNode>(work_)) return;
  forEachAccess(work_, [&](const Access& access) {
    if (access.memory->buffer == kNone || buffers[access.memory->buffer].pointer == nullptr) return;
    // The last misfit found is told; one is enough for a message.
    const uint64_t needed = access.memory->offset + access.bytes;  // inside the buffer, which was checked
    if (needed > buffers[access.memory->buffer].size) misfit_ = {Misfit::kShort, access.memory->buffer, needed};
  });
}

Status Prepared::placeKernel(KernelNode& node, const std::vector<Bound>& buffers, const Slots& slots,
                             allocator::ContextResources& resources) {
  arguments_.resize(node.arguments.size());
  slots_.assign(node.arguments.size(), backend::kNoSlot);
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const KernelArgument& argument = node.arguments[i];
    // A place that the plan did not know has no slot: the step has the address itself, and is placed at each bind.
    if (argument.value != kNone) {
      slots_[i] = Slots::ofValue(argument.value);
    } else if (argument.kind == RT_ARG_POINTER && argument.memory.buffer != kNone) {
      slots_[i] = slots.ofAddress(argument.memory.buffer, argument.memory.offset);
    }
    // The bytes are on the heap of the vector `values`, or in a slot. So a step that is swapped or moved keeps its pointers.
    arguments_[i] = slots_[i] == backend::kNoSlot ? node.values.data() + argument.offset : slots.at(slots_[i]);
    if (argument.kind != RT_ARG_POINTER) continue;
    const Spot spot = spotOf(argument.memory, buffers);
    if (*spot.lease && !ops::reachable(*spot.lease->region(), resources)) {
      return Status::error(
          RT_ERROR_INVALID_VALUE,
          "Argument %zu of the kernel \"%s\" is the address %p, memory of %s, which %s, that of the exec, cannot reach.", i,
          node.kernel->native->name(), static_cast<void*>(spot.pointer), holderOf(spot).c_str(),
          manager::contextText(toBits(resources.contextHandle())).c_str());
    }
    if (slots_[i] == backend::kNoSlot) memcpy(arguments_[i], &spot.pointer, sizeof spot.pointer);
  }
  // A step that does not fit is placed again, and checked then, by the call that makes it fit.
  if (fits()) RT_TRY(ops::checkAddresses(*node.kernel, arguments_.data()));
  launch_ = {{node.grid[0], node.grid[1], node.grid[2]},
             {node.group[0], node.group[1], node.group[2]},
             node.local_bytes,
             node.cooperative,
             arguments_.data(),
             {node.offset[0], node.offset[1], node.offset[2]}};
  empty_ = node.grid[0] == 0 || node.grid[1] == 0 || node.grid[2] == 0;
  return Status();
}

Status Prepared::placeCopy(const CopyNode& node, const std::vector<Bound>& buffers, allocator::ContextResources& resources) {
  const Spot dst = spotOf(node.dst, buffers), src = spotOf(node.src, buffers);
  copy_ = {dst.pointer, src.pointer, node.width, node.height, node.dst_pitch, node.src_pitch};
  if (!dst.bound || !src.bound || !fits()) return Status();
  dst_ = rangeOf(dst, node.dst_pitch * (node.height - 1) + node.width);
  src_ = rangeOf(src, node.src_pitch * (node.height - 1) + node.width);
  copy_.kind = ops::copyKind(dst_, src_);
  ops::CopyArguments copy{dst.pointer, src.pointer, node.width, node.height, node.dst_pitch, node.src_pitch, node.kind};
  // Buffers that are bound one after the other may overlap for a moment. Only fixed addresses are refused at once.
  if ((node.dst.buffer != kNone || node.src.buffer != kNone) && ops::overlap(copy, dst_, src_)) {
    misfit_.kind = Misfit::kOverlap;
    return Status();
  }
  RT_TRY(ops::checkCopy(copy, dst_, src_));
  const bool any = !dst_.deviceSide() && !src_.deviceSide();
  if (!any && dst_.resources() != &resources && src_.resources() != &resources) {
    return Status::error(RT_ERROR_WRONG_CONTEXT,
                         "The copy from %p, memory of %s, to %p, memory of %s, touches nothing of the exec's own, %s.",
                         static_cast<void*>(src.pointer), holderOf(src).c_str(), static_cast<void*>(dst.pointer),
                         holderOf(dst).c_str(), manager::contextText(toBits(resources.contextHandle())).c_str());
  }
  route_ = ops::findRoute(dst_, src_, resources);
  if (route_.kind == ops::Route::kNone)
    return unreachable("source or destination", ops::copyable(dst_, resources) ? src : dst, resources);
  return Status();
}

Status Prepared::placeFill(const FillNode& node, const std::vector<Bound>& buffers, allocator::ContextResources& resources) {
  const Spot dst = spotOf(node.dst, buffers);
  fill_.dst = dst.pointer;
  memcpy(fill_.pattern, node.pattern, sizeof fill_.pattern);
  fill_.pattern_size = node.pattern_size;
  fill_.width = node.count * node.pattern_size;
  fill_.height = node.height;
  fill_.pitch = node.pitch;
  if (!dst.bound) return Status();
  RT_CHECK_ARG(reinterpret_cast<uintptr_t>(dst.pointer) % node.pattern_size == 0,
               "The destination %p is not aligned to the pattern of %u bytes.", static_cast<void*>(dst.pointer),
               node.pattern_size);
  if (!*dst.lease) return Status();
  const allocator::Region& region = *dst.lease->region();
  if (region.memory().kind != RT_MEMORY_HOST && &region.resources() != &resources) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The memory at %p belongs to %s; the exec belongs to %s.",
                         static_cast<void*>(dst.pointer), holderOf(dst).c_str(),
                         manager::contextText(toBits(resources.contextHandle())).c_str());
  }
  return ops::reachable(region, resources) ? Status() : unreachable("destination", dst, resources);
}

Status Prepared::record(backend::ReplayMaker& maker, HandleBits context) {
  // `context` is current meanwhile, as in a call from a stream.
  const NativeNode& node = std::get<NativeNode>(work_);
  return maker.record(&recorded_, [&](const uint64_t native[2]) {
    return ops::callNative(node.function, node.user->pointer(), context, native);
  });
}

Status Prepared::makeAlone(backend::ReplayMaker& maker) {
  // It is made once: the recorded work never changes, and a change of the node makes a new step.
  if (!recorded_ || alone_) return Status();
  const backend::ReplayStep step{backend::NativeStep{recorded_.get()}, {}, 0};
  return maker.make(&alone_, {&step, 1}, {});
}

std::shared_ptr<UserData> Prepared::recordedUser() const { return recorded_ ? std::get<NativeNode>(work_).user : nullptr; }

Status Prepared::submit(manager::Stream& stream) const {
  Status status;
  try {
    status = order(stream);
  } catch (const std::bad_alloc&) {  // the uses have to be noted, as after any failure
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  noteUse(stream);  // also after a failure: the driver may have got a part of the step
  return status;
}

void Prepared::noteUse(manager::Stream& stream) const {
  for (allocator::Region* region : foreign_) region->noteUse(stream.native, stream.native->submitted());
}

bool Prepared::replays(backend::ReplayStep::Work* work) const {
  *work = std::monostate();
  if (std::holds_alternative<EmptyNode>(work_) || std::holds_alternative<MemoryNode>(work_)) return true;
  if (const KernelNode* kernel = std::get_if<KernelNode>(&work_)) {
    if (!empty_) *work = backend::KernelStep{kernel->kernel->native.get(), launch_, slots_.data()};
    return empty_ || !launch_.cooperative;
  }
  if (std::holds_alternative<CopyNode>(work_)) {
    *work = copy_;
    return route_.kind == ops::Route::kOwn;
  }
  if (std::holds_alternative<FillNode>(work_)) {
    *work = fill_;
    return true;
  }
  if (recorded_) {
    *work = backend::NativeStep{recorded_.get()};
    return true;
  }
  if (std::holds_alternative<PrefetchNode>(work_)) {
    if (prefetch_.size != 0) *work = prefetch_;
    return true;
  }
  return false;
}

Status Prepared::order(manager::Stream& stream) const {
  if (const KernelNode* kernel = std::get_if<KernelNode>(&work_)) {
    return empty_ ? Status() : stream.native->launch(*kernel->kernel->native, launch_);
  }
  if (std::holds_alternative<CopyNode>(work_)) {
    return route_.kind == ops::Route::kOwn ? stream.native->copy(copy_) : ops::copyAcross(copy_, dst_, src_, route_, stream);
  }
  if (std::holds_alternative<FillNode>(work_)) return stream.native->fill(fill_);
  if (const HostNode* host = std::get_if<HostNode>(&work_)) {
    return ops::launchHostFunction(host->function, host->user->pointer(), stream, host->user);
  }
  if (const NativeNode* native = std::get_if<NativeNode>(&work_)) {
    if (alone_) return alone_->launch(*stream.native);
    return ops::launchNative(native->function, native->user->pointer(), stream, native->user);
  }
  if (const EventNode* event = std::get_if<EventNode>(&work_)) {
    return event->wait ? ops::waitEvent(*event->event, stream) : ops::record(*event->event, stream);
  }
  if (const FenceNode* fence = std::get_if<FenceNode>(&work_)) {
    return fence->wait ? ops::waitFence(*fence->fence, fence->value, stream)
                       : ops::signalFence(*fence->fence, fence->value, stream);
  }
  if (std::holds_alternative<PrefetchNode>(work_)) {
    return prefetch_.size == 0 ? Status() : stream.native->prefetch(prefetch_.address, prefetch_.size, prefetch_.to_host);
  }
  return Status();  // an empty node
}

}  // namespace manyrt::graph
