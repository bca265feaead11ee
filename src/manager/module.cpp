// Creates modules. The handles of the kernels come first, so that a module with a handle is complete.
#include "manager/module.h"

#include <memory>
#include <new>

#include "allocator/address_map.h"
#include "allocator/block_lease.h"
#include "base/fault.h"
#include "manager/create.h"
#include "manager/kernel.h"

namespace manyrt::manager {
namespace {

struct Handles {  // of kernels, which are closed again if the module cannot be made
  std::vector<HandleBits> bits;
  ~Handles() {
    for (HandleBits each : bits) closeHandle(each);
  }
};

}  // namespace

void Module::closeKernels() {
  for (HandleBits each : kernels) closeHandle(each);
}

Status Module::addGlobal(void* address, uint64_t size) {
  if (size == 0) return Status();
  std::lock_guard lock(globals_mutex_);
  if (globals_closed_) return Status();  // the handle is being closed by another thread
  for (const allocator::Region* known : globals_) {
    if (known->memory().address == address) return Status();
  }
  if (fault::fails("global")) throw std::bad_alloc();
  globals_.reserve(globals_.size() + 1);
  backend::Memory memory;
  memory.address = address;
  memory.size = size;
  memory.kind = RT_MEMORY_DEVICE;
  memory.native[0] = reinterpret_cast<uintptr_t>(address);
  memory.host_visible = resources->device().limits().reaches_host;
  auto region = std::make_unique<allocator::Region>(resources, nullptr, allocator::Region::Kind::kGlobal, memory, size);
  region->block(0).size = size;
  // Relaxed: insert() publishes the region with release.
  region->block(0).state.store(allocator::Block::kLive, std::memory_order_relaxed);
  RT_TRY(allocator::address_map::insert(region.get()));
  globals_.push_back(region.release());
  return Status();
}

// A variable that a graph names stays known until the graph ends. The claim and the look at the leases are seq_cst, as the two
// sides of a lease that is being taken are: see BlockLease::take.
void Module::closeGlobals() {
  std::vector<allocator::Region*> closed;
  {
    std::lock_guard lock(globals_mutex_);
    globals_closed_ = true;
    closed.swap(globals_);
  }
  for (allocator::Region* region : closed) {
    allocator::Block& block = region->block(0);
    block.state.store(allocator::Block::kClosing, std::memory_order_seq_cst);  // the claim
    if (!allocator::releaseFromProgram(block)) continue;
    allocator::address_map::remove(region);
    epoch::retire(region);
  }
}

Status createModule(Module** module, Context& context, allocator::ContextResources& resources, Loaded loaded,
                    std::shared_ptr<const KernelSource> source) {
  Handles made;
  made.bits.reserve(loaded.native->kernels().size());
  for (const Ref<backend::Kernel>& each : loaded.native->kernels()) {
    Kernel* kernel = nullptr;
    RT_TRY(createChild(&kernel, kernels, context, Ref<allocator::ContextResources>(&resources), each, true, source));
    made.bits.push_back(kernel->bits);
  }
  RT_TRY(createChild(module, modules, context, Ref<allocator::ContextResources>(&resources), std::move(loaded.native),
                     made.bits, std::move(loaded.name), loaded.nanoseconds, std::move(loaded.source)));
  made.bits.clear();
  return Status();
}

}  // namespace manyrt::manager
