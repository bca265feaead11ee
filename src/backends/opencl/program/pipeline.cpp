// Leasing clones, setting those arguments that changed in each tier's own way, and enqueueing the launch.
#include "backends/opencl/program/pipeline.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "backends/opencl/memory/address_window.h"
#include "backends/opencl/memory/transfer.h"
#include "base/text.h"

namespace manyrt::opencl {

namespace {

// Most arguments have four or eight bytes, for which a call takes longer than the comparison.
bool isSame(const void* one, const void* other, size_t size) {
  uint64_t a = 0, b = 0;
  if (size == sizeof a) {
    memcpy(&a, one, sizeof a);
    memcpy(&b, other, sizeof b);
    return a == b;
  }
  if (size == sizeof(uint32_t)) {
    memcpy(&a, one, sizeof(uint32_t));
    memcpy(&b, other, sizeof(uint32_t));
    return a == b;
  }
  return memcmp(one, other, size) == 0;
}

void* addressIn(const void* value) {
  void* address;
  memcpy(&address, value, sizeof address);
  return address;
}

}  // namespace

// ---- Clones ----

Pipeline::Clone::~Clone() {
  if (kernel != nullptr) (void)RT_CL_PLAIN(clReleaseKernel, kernel);  // first: its arguments are not its own
  giveBackParts();
}

void Pipeline::Clone::giveBackParts() {
  for (size_t i = parts.size(); i-- > 0;) {  // the newest first
    if (parts[i] != nullptr) Parts::giveBack(std::exchange(parts[i], nullptr));
  }
}

// A clone with a slot goes back there by one store; one beyond the slots goes with its launch.
class Pipeline::Leased {
 public:
  explicit Leased(Pipeline& pipeline) : pipeline_(pipeline) {}
  Leased(const Leased&) = delete;
  Leased& operator=(const Leased&) = delete;
  Status take() {
    // A slot holds a clone that is free, and its owner alone stores to it. The exchange takes the clone; acquire pairs with the
    // release in ~Leased(), so what the last launch noted in it is visible. The load before it only avoids a needless exchange.
    const uint32_t count = std::min<uint32_t>(pipeline_.clone_count_.load(std::memory_order_acquire), kClones);
    for (uint32_t i = 0; i < count; ++i) {
      if (pipeline_.clones_[i].load(std::memory_order_relaxed) == nullptr) continue;
      clone_.reset(pipeline_.clones_[i].exchange(nullptr, std::memory_order_acquire));
      if (clone_ != nullptr) return Status();
    }
    RT_TRY(pipeline_.newClone(&clone_));
    // Several threads may pass this check at once, and the count exceed kClones: a clone beyond has no slot, and is not kept.
    if (pipeline_.clone_count_.load(std::memory_order_relaxed) < kClones)
      clone_->slot = pipeline_.clone_count_.fetch_add(1, std::memory_order_acq_rel);
    return Status();
  }
  ~Leased() {
    if (clone_ == nullptr || clone_->slot >= kClones) return;
    const uint32_t slot = clone_->slot;
    // Release: the next take() sees what this launch has noted in the clone.
    pipeline_.clones_[slot].store(clone_.release(), std::memory_order_release);
  }
  Clone& operator*() const { return *clone_; }

 private:
  Pipeline& pipeline_;
  std::unique_ptr<Clone> clone_;
};

Status Pipeline::newClone(std::unique_ptr<Clone>* out) {
  auto clone = std::make_unique<Clone>();
  // All sizes are known here, so that binding allocates nothing.
  clone->values.resize(argument_bytes_);
  clone->roots.resize(arguments_.size());
  clone->offsets.resize(arguments_.size());
  clone->set.resize(arguments_.size());
  clone->has_offset.resize(arguments_.size());
  clone->had_address.resize(arguments_.size());
  clone->parts.resize(arguments_.size());
  RT_TRY(createKernel(&clone->kernel));
  *out = std::move(clone);
  return Status();
}

Status Pipeline::createKernel(cl_kernel* kernel) {
  Error error = CL_SUCCESS;
  *kernel = RT_CL_MAKE(&error, clCreateKernel, library_->program(), symbol_.c_str());
  return error == CL_SUCCESS ? Status() : library_->device().failed("clCreateKernel", error);
}

bool Pipeline::needsFreshKernel(const Clone& clone, const void* const* arguments) const {
  if (!library_->device().quirks().has(Quirk::kNullStays)) return false;
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    // The driver would keep the old address: only a kernel that never had one takes null.
    if (clone.had_address[i] && addressIn(arguments[i]) == nullptr) return true;
  }
  return false;
}

// As a new one: nothing is set. Launches that are enqueued keep the kernel that they have.
Status Pipeline::renew(Clone& clone) {
  cl_kernel fresh = nullptr;
  RT_TRY(createKernel(&fresh));
  (void)RT_CL_PLAIN(clReleaseKernel, std::exchange(clone.kernel, fresh));
  clone.complete = false;
  clone.addresses = 0;
  for (auto* each : {&clone.set, &clone.has_offset, &clone.had_address}) std::fill(each->begin(), each->end(), uint8_t{0});
  return Status();
}

// ---- Life ----

Status Pipeline::create(Ref<backend::Kernel>* out, Ref<Library> library, const compiler::OpenClKernel& described) {
  const char* name = described.name.c_str();
  if (described.arguments.size() > backend::kMaxArguments) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The kernel \"%s\" has %zu arguments: at most %u.", name,
                         described.arguments.size(), backend::kMaxArguments);
  }
  Ref<Pipeline> fresh = Ref<Pipeline>::adopt(new Pipeline(std::move(library)));
  // With hidden offsets a pointer takes two arguments of the driver's kernel: its root, and the offset inside it.
  uint32_t native_index = 0;
  for (const compiler::OpenClArgument& argument : described.arguments) {
    if (argument.size > backend::kMaxArgumentBytes) {
      return Status::error(RT_ERROR_INVALID_IMAGE, "The kernel \"%s\" has an argument of %u bytes: at most %u.", name,
                           argument.size, backend::kMaxArgumentBytes);
    }
    fresh->addArgument(argument.size, argument.kind);
    // The driver counts the arguments of its own kernel, and messages count those of the program's.
    fresh->native_index_.push_back(native_index);
    // Only a struct can hide an address; a scalar of its size is a number.
    fresh->may_hold_addresses_.push_back(argument.is_record && fresh->library_->follows_addresses);
    fresh->argument_texts_.push_back({argument.name, argument.type_name, argument.use});
    native_index += argument.kind == RT_ARG_POINTER && fresh->library_->hidden_offsets ? 2 : 1;
  }
  copyLetters(fresh->name_, sizeof fresh->name_, name);
  fresh->symbol_ = described.symbol;
  fresh->local_bytes_ = described.local_bytes;
  fresh->fewer_dimensions_ = fresh->library_->from_text && fresh->library_->device().quirks().has(Quirk::kDimensionsCost);
  fresh->notes_host_writes_ = fresh->library_->device().quirks().has(Quirk::kReadsHostEarly) &&
                              fresh->library_->device().tier() == RT_MEMORY_TIER_BUFFER;
  if (fresh->library_->device().quirks().has(Quirk::kCountsByWidth))
    fresh->order_ = &fresh->library_->launchOrder(described.symbol);
  backend::LaunchRules rules;
  std::copy(described.required_group, described.required_group + 3, rules.group);
  // rt.h's local bytes of a launch have no counterpart here: an OpenCL kernel names its local memory in its arguments.
  rules.no_local_bytes = true;
  if (fresh->library_->device().quirks().has(Quirk::kCountsIn32Bits)) {
    rules.most_items = UINT32_MAX;
    rules.most_groups = INT32_MAX;
  }
  fresh->setRules(rules);
  fresh->offset_end_ = uint64_t{1} << 32;  // drivers may count work-items of a direction in 32 bits
  // Asked after the last argument: the answer depends on whether any is a pointer or a record.
  fresh->checks_arguments_ = fresh->mayRefuseArguments();
  RT_TRY(fresh->ask());
  *out = std::move(fresh);
  return Status();
}

void Pipeline::describeCode(rtKernelInfo_t* info) const {
  Kernel::describeCode(info);
  if (library_->from_text) info->tier = RT_TIER_OPTIMIZED;
}

Status Pipeline::ask() {
  // A clone is made here in any case, and the first launch takes it.
  Leased clone(*this);
  RT_TRY(clone.take());
  const cl_kernel kernel = (*clone).kernel;
  const cl_device_id device = library_->device().id();
  size_t items = 0, multiple = 0;
  cl_ulong local = 0, own = 0;
  RT_CL_TRY(clGetKernelWorkGroupInfo, kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof items, &items, nullptr);
  RT_CL_TRY(clGetKernelWorkGroupInfo, kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple, &multiple,
            nullptr);
  RT_CL_TRY(clGetKernelWorkGroupInfo, kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, nullptr);
  RT_CL_TRY(clGetKernelWorkGroupInfo, kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof own, &own, nullptr);
  // A driver may add memory of its own, and some tell nothing.
  local_bytes_ = std::max<uint64_t>(local_bytes_, local);
  private_bytes_ = own;
  multiple_ = static_cast<uint32_t>(std::max<size_t>(multiple, 1));
  // The compiled kernel may take fewer work-items than the device, by its use of registers.
  limitGroup(static_cast<uint32_t>(std::min<size_t>(items, UINT32_MAX)), library_->device().limits().max_group_items);
  return Status();
}

Pipeline::~Pipeline() {
  // The last reference is gone, so no clone is leased. Acquire pairs with the release of ~Leased().
  for (std::atomic<Clone*>& location : clones_) delete location.load(std::memory_order_acquire);
}

// One group for each unit is what OpenCL is sure of.
uint32_t Pipeline::maxActiveGroups(uint32_t, uint64_t) const { return library_->device().facts().compute_units; }

// ---- Arguments ----

Status Pipeline::refuseArgument(uint32_t index, Error error) const {
  const Status status = library_->device().failed("clSetKernelArg", error);
  return Status::error(status.code(), "Argument %u of the kernel \"%s\": %s", index, name_, status.message());
}

Status Pipeline::refuseHostMemory(uint32_t index, const void* address) const {
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "Argument %u of the kernel \"%s\" is the address %p, memory of the host that opencl:%d cannot reach.",
                       index, name_, address, library_->device().ordinal());
}

// A struct is passed as bytes: nothing would turn an address inside into a root. Only what lies in live memory is taken for an
// address: other members may have the same bits, such as two numbers of 32 bits or a time.
Status Pipeline::refuseAddressesInside(uint32_t index, const void* value) const {
  const AddressWindow& window = AddressWindow::instance();
  for (uint32_t at = 0; at + 8 <= arguments_[index].size; at += 8) {
    uintptr_t word;
    memcpy(&word, static_cast<const char*>(value) + at, sizeof word);
    // Aligned words alone: C aligns pointers in structs.
    if (window.find(word) == nullptr) continue;
    return Status::error(
        RT_ERROR_NOT_SUPPORTED,
        "Argument %u of the kernel \"%s\" holds the address 0x%llx at its byte %u. With buffers of OpenCL 1.2 kernels "
        "follow no address but their own pointer arguments (RT_CAPABILITY_POINTERS_IN_MEMORY is 0).",
        index, name_, static_cast<unsigned long long>(word), at);
  }
  return Status();
}

// The address is not NULL.
Status Pipeline::checkPointer(uint32_t index, const void* address, Location location) const {
  const Device& device = library_->device();
  if (location.root == nullptr) {
    const bool reached = device.tier() != RT_MEMORY_TIER_BUFFER && (device.reachesPinned() || !isOfHost(device, address));
    return reached ? Status() : refuseHostMemory(index, address);
  }
  const uint64_t alignment = device.baseAlignment();
  if (library_->hidden_offsets || location.offset % alignment == 0) return Status();
  return Status::error(
      RT_ERROR_NOT_SUPPORTED,
      "Argument %u of the kernel \"%s\" is an address %llu bytes after a multiple of %llu: a program that came as a "
      "binary takes addresses at this alignment only.",
      index, name_, static_cast<unsigned long long>(location.offset % alignment), static_cast<unsigned long long>(alignment));
}

// Where all memory has an address that kernels take, launches are spared the look at each.
bool Pipeline::mayRefuseArguments() const {
  const Device& device = library_->device();
  if (device.tier() != RT_MEMORY_TIER_BUFFER && device.reachesPinned()) return false;
  return has_pointers_ || std::count(may_hold_addresses_.begin(), may_hold_addresses_.end(), true) != 0;
}

Status Pipeline::checkArguments(const void* const* arguments) const {
  const bool buffers = library_->device().tier() == RT_MEMORY_TIER_BUFFER;
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    if (buffers && may_hold_addresses_[i]) RT_TRY(refuseAddressesInside(i, arguments[i]));
    if (arguments_[i].kind != RT_ARG_POINTER) continue;
    const void* address = addressIn(arguments[i]);
    if (address != nullptr) RT_TRY(checkPointer(i, address, locationOfArgument(address)));
  }
  return Status();
}

// In the buffer tier also buffers over memory of the host.
Location Pipeline::locationOfArgument(const void* address) const {
  const Location location = locationOf(address);
  Device& device = library_->device();
  return location.root != nullptr || device.tier() != RT_MEMORY_TIER_BUFFER ? location : device.hostRoots().find(address);
}

// A precompiled program takes one cl_mem for a pointer. It gets a part of the root that begins at the address and ends where
// the next pointer into the same root begins. So no two parts of one launch overlap. The same address twice is one part
// twice.
Status Pipeline::bindPart(Clone& clone, uint32_t index, Location location, const void* const* arguments) {
  uint64_t end = location.root->size;
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].kind != RT_ARG_POINTER) continue;
    const Location other = locationOfArgument(addressIn(arguments[i]));
    // Writes to overlapping sub-buffers are undefined in OpenCL 1.2.
    if (other.root == location.root && other.offset > location.offset) end = std::min(end, other.offset);
  }
  Part*& part = clone.parts[index];
  RT_TRY(location.root->parts->take(&part, library_->device(), location.root->memory, location.offset, end - location.offset));
  clone.roots[index] = location.root->id;
  const Error error = RT_CL_CALL(clSetKernelArg, clone.kernel, native_index_[index], sizeof part->memory, &part->memory);
  return error == CL_SUCCESS ? Status() : refuseArgument(index, error);
}

// The root, and where there is one the hidden offset.
Status Pipeline::bindRoot(Clone& clone, uint32_t index, Location location) {
  const cl_uint at = native_index_[index];
  const uint64_t id = location.root == nullptr ? 0 : location.root->id;
  Error error = CL_SUCCESS;
  const bool same_offset = clone.has_offset[index] && clone.offsets[index] == location.offset;
  if (!clone.set[index] || clone.roots[index] != id) {
    const cl_mem memory = location.root == nullptr ? nullptr : location.root->memory;
    error = RT_CL_CALL(clSetKernelArg, clone.kernel, at, sizeof memory, &memory);
    // bindChanged() then marks the argument as not set.
    if (error != CL_SUCCESS) return refuseArgument(index, error);
    clone.roots[index] = id;
  }
  if (library_->hidden_offsets && !same_offset) {
    const cl_ulong offset = location.offset;
    error = RT_CL_CALL(clSetKernelArg, clone.kernel, at + 1, sizeof offset, &offset);
    clone.has_offset[index] = error == CL_SUCCESS;
    clone.offsets[index] = location.offset;
  }
  return error == CL_SUCCESS ? Status() : refuseArgument(index, error);
}

Status Pipeline::bindPointer(Clone& clone, uint32_t index, const void* const* arguments) {
  Device& device = library_->device();
  const void* address = addressIn(arguments[index]);
  const Location location = locationOfArgument(address);
  if (address != nullptr) RT_TRY(checkPointer(index, address, location));
  if (location.root == nullptr && device.tier() != RT_MEMORY_TIER_BUFFER) {
    clone.roots[index] = 0;
    const bool as_buffer = address == nullptr && device.quirks().has(Quirk::kNullStays);
    const cl_mem none = nullptr;
    const Error error = as_buffer ? RT_CL_CALL(clSetKernelArg, clone.kernel, native_index_[index], sizeof none, &none)
                                  : RT_CL_VIA(device.extensions(), setArgument, clone.kernel, native_index_[index], address);
    clone.had_address[index] |= !as_buffer;
    return error == CL_SUCCESS ? Status() : refuseArgument(index, error);
  }
  return library_->hidden_offsets || location.root == nullptr ? bindRoot(clone, index, location)
                                                              : bindPart(clone, index, location, arguments);
}

// A driver may move what a kernel does not name: it is told of every allocation that addresses may lead to.
Status Pipeline::bindAddresses(Clone& clone) {
  Device& device = library_->device();
  const Extensions& calls = device.extensions();
  const uint64_t generation = device.addressGeneration();
  // The list is long where a program has many allocations: it is only set when it changed.
  if (clone.addresses == generation) return Status();
  if (device.tier() == RT_MEMORY_TIER_USM) {
    const cl_bool yes = CL_TRUE;
    for (cl_uint what : {kKernelExecInfoIndirectHost, kKernelExecInfoIndirectDevice, kKernelExecInfoIndirectShared}) {
      (void)RT_CL_VIA(calls, clSetKernelExecInfo, clone.kernel, what, sizeof yes, &yes);
    }
  } else {
    const std::vector<void*> all = device.addresses();
    if (!all.empty()) {
      const Error error = RT_CL_VIA(calls, clSetKernelExecInfo, clone.kernel, kKernelExecInfoSvmPointers,
                                    all.size() * sizeof(void*), all.data());
      if (error != CL_SUCCESS) return device.failed("clSetKernelExecInfo", error);
    }
  }
  clone.addresses = generation;
  return Status();
}

// Whether an argument needs no setting: it has the value that was set last, and the root behind an address is still the
// same.
inline bool Pipeline::isBound(const AddressWindow& window, const Clone& clone, uint32_t index, const void* value) const {
  const backend::Argument& argument = arguments_[index];
  if (!isSame(clone.values.data() + argument.offset, value, argument.size)) return false;
  if (argument.kind != RT_ARG_POINTER) return true;
  // The id and not the pointer: a root that was freed may have its place taken by another one.
  const Root* root = window.find(reinterpret_cast<uintptr_t>(addressIn(value)));
  return clone.roots[index] == (root == nullptr ? 0 : root->id);
}

// Equal addresses have the same roots behind them for as long as there are no others: then no page and no root is read.
bool Pipeline::areBound(Clone& clone, const void* const* arguments) const {
  if (!clone.complete) return false;
  const AddressWindow& window = AddressWindow::instance();
  const uint64_t generation = window.generation();
  const uint32_t count = static_cast<uint32_t>(arguments_.size());
  // The number is the window's of the last look, with which all roots were found.
  if (clone.window == generation) [[likely]] {
    for (uint32_t i = 0; i < count; ++i) {
      const backend::Argument& argument = arguments_[i];
      if (!isSame(clone.values.data() + argument.offset, arguments[i], argument.size)) return false;
    }
    return true;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!isBound(window, clone, i, arguments[i])) return false;
  }
  clone.window = generation;
  return true;
}

bool Pipeline::arePointersBound(const Clone& clone, const void* const* arguments) const {
  const AddressWindow& window = AddressWindow::instance();
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].kind == RT_ARG_POINTER && !(clone.set[i] && isBound(window, clone, i, arguments[i]))) return false;
  }
  return true;
}

// Where a part ends depends on the other pointers: they go together, before others are made.
void Pipeline::forgetParts(Clone& clone) const {
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    // The argument is cleared first, as the driver's kernel may hold a reference to the part.
    if (clone.parts[i] == nullptr) continue;
    const cl_mem none = nullptr;
    (void)RT_CL_PLAIN(clSetKernelArg, clone.kernel, native_index_[i], sizeof none, &none);
    clone.set[i] = false;
  }
  clone.giveBackParts();
}

Status Pipeline::bindChanged(Clone& clone, const void* const* arguments) {
  const AddressWindow& window = AddressWindow::instance();
  const bool buffers = library_->device().tier() == RT_MEMORY_TIER_BUFFER;
  // Read before any argument is set: a change of the window meanwhile then has a newer number, and the next launch looks again.
  // `complete` is false until all are set, so that a failure half-way leaves no clone that looks bound.
  const uint64_t generation = window.generation();
  if (needsFreshKernel(clone, arguments)) RT_TRY(renew(clone));
  const bool takes_parts = buffers && !library_->hidden_offsets;
  if (takes_parts && !arePointersBound(clone, arguments)) forgetParts(clone);
  clone.complete = false;
  bool complete = true;
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    if (clone.set[i] && isBound(window, clone, i, arguments[i])) continue;
    const backend::Argument& argument = arguments_[i];
    Status status;
    if (argument.kind == RT_ARG_POINTER) {
      status = bindPointer(clone, i, arguments);
    } else {
      if (buffers && may_hold_addresses_[i]) RT_TRY(refuseAddressesInside(i, arguments[i]));
      size_t size = argument.size;
      // Its value is a number of bytes, for which the driver makes the memory.
      if (argument.kind == RT_ARG_LOCAL) {
        memcpy(&size, arguments[i], sizeof size);
        size = std::max<size_t>(size, 1);  // drivers refuse none
      }
      const Error error = RT_CL_CALL(clSetKernelArg, clone.kernel, native_index_[i], size,
                                     argument.kind == RT_ARG_LOCAL ? nullptr : arguments[i]);
      if (error != CL_SUCCESS) status = refuseArgument(i, error);
    }
    // A driver that refused may have changed the argument: it counts as not set.
    clone.set[i] = status.ok();
    complete = complete && clone.set[i];
    RT_TRY(std::move(status));
    memcpy(clone.values.data() + argument.offset, arguments[i], argument.size);
  }
  clone.complete = complete;
  clone.window = generation;
  return Status();
}

// An address that was freed and given out again may be another allocation, for which a driver looks when it is set.
void Pipeline::forgetFreed(Clone& clone) const {
  // Read before the arguments are set, as in bindChanged().
  const uint64_t generation = library_->device().addressGeneration();
  if (clone.bound == generation) [[likely]]
    return;
  clone.bound = generation;
  clone.complete = false;
  for (uint32_t i = 0; i < arguments_.size(); ++i) clone.set[i] &= arguments_[i].kind != RT_ARG_POINTER;
}

Status Pipeline::bind(Clone& clone, const void* const* arguments) {
  if (library_->device().tier() != RT_MEMORY_TIER_BUFFER) forgetFreed(clone);
  return areBound(clone, arguments) ? Status() : bindChanged(clone, arguments);
}

// ---- Launches ----

Pipeline::Range::Range(const backend::Launch& launch)
    : group{launch.group[0], launch.group[1], launch.group[2]},
      items{group[0] * launch.grid[0], group[1] * launch.grid[1], group[2] * launch.grid[2]},
      offset{launch.offset[0], launch.offset[1], launch.offset[2]},
      has_offset(launch.hasOffset()) {}

bool Pipeline::followsAddresses() const {
  return library_->follows_addresses && library_->device().tier() != RT_MEMORY_TIER_BUFFER;
}

Status Pipeline::enqueueBound(cl_command_queue queue, Clone& clone, const Range& range, CommandEvents* events) {
  if (followsAddresses()) RT_TRY(bindAddresses(clone));
  const auto begins = [&](int d) { return range.items[d] > 1 || range.offset[d] != 0; };
  const cl_uint dimensions = !fewer_dimensions_ || begins(2) ? 3 : begins(1) ? 2 : 1;
  // Null and not zeros: a driver may take a slower way for an offset, whatever it is.
  const size_t* const offset = range.has_offset ? range.offset : nullptr;
  // The order of a program's queue is not known here, so that nothing can be ordered by it.
  const bool in_order = order_ != nullptr && !library_->device().isQueueOfTheProgram(queue);
  const Error error = in_order ? order_->enqueue(queue, clone.kernel, {dimensions, offset, range.items, range.group}, events)
                               : RT_CL_CALL(clEnqueueNDRangeKernel, queue, clone.kernel, dimensions, offset, range.items,
                                            range.group, 0, nullptr, events != nullptr ? events->next() : nullptr);
  if (error != CL_SUCCESS) return library_->device().failed("clEnqueueNDRangeKernel", error);
  if (notes_host_writes_) [[unlikely]]
    noteHostWrites(queue, clone);
  return Status();
}

// A driver that reads the host early would copy what stood in memory of the host before this kernel. The kernel may write any
// memory that it names. The marker is over after the launch, since queues are in order.
void Pipeline::noteHostWrites(cl_command_queue queue, const Clone& clone) const {
  Device& device = library_->device();
  cl_event marker = nullptr;
  bool is_marked = false;
  for (const backend::Argument& argument : arguments_) {
    if (argument.kind != RT_ARG_POINTER) continue;
    const void* address = addressIn(clone.values.data() + argument.offset);
    if (address == nullptr || locationOf(address).root != nullptr) continue;
    const Root* root = device.hostRoots().find(address).root;
    if (root == nullptr) continue;
    if (!std::exchange(is_marked, true)) (void)RT_CL_PLAIN(clEnqueueMarkerWithWaitList, queue, 0, nullptr, &marker);
    device.hostReads().add(root->address, root->address + root->size, marker);
  }
  if (marker != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, marker);
}

Status Pipeline::enqueue(cl_command_queue queue, const backend::Launch& launch, CommandEvents* events) {
  Leased clone(*this);
  RT_TRY(clone.take());
  RT_TRY(bind(*clone, launch.arguments));
  Device::KeptAddresses told;
  // No allocation is freed between the list and the launch that names it.
  if (followsAddresses()) told = library_->device().keepAddresses();
  return enqueueBound(queue, *clone, Range(launch), events);
}

}  // namespace manyrt::opencl
