// The checks of a launch, cheapest first. The common path calls no function but the backend's own; address look-ups are inline.
#include "ops/launch.h"

#include <sched.h>

#include <algorithm>
#include <new>
#include <string>

#include "allocator/address_map.h"
#include "allocator/block_lease.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/text.h"
#include "manager/context.h"
#include "manager/current_context.h"
#include "manager/device.h"
#include "ops/range.h"
#include "ops/wait.h"

namespace manyrt::ops {
namespace {

using Number = unsigned long long;

constexpr char kDirections[] = "xyz";

// The rules of a module's kernel, in addition to the limits of the device.
Status checkRules(const backend::Kernel& native, const backend::LaunchRules& rules, const backend::Launch& launch) {
  const uint32_t* group = launch.group;
  RT_CHECK_ARG(rules.group[0] == 0 || std::equal(group, group + 3, rules.group),
               "A work-group of %u x %u x %u: the kernel \"%s\" requires %u x %u x %u.", group[0], group[1], group[2],
               native.name(), rules.group[0], rules.group[1], rules.group[2]);
  for (int i = 0; i < 3; ++i) {
    const Number items = Number{launch.grid[i]} * group[i];
    RT_CHECK_ARG(
        items <= rules.most_items,
        "A grid of %u work-group%s of %u work-item%s has %llu work-items in direction %c; the kernel \"%s\" takes %llu.",
        launch.grid[i], plural(launch.grid[i]), group[i], plural(group[i]), items, kDirections[i], native.name(),
        static_cast<Number>(rules.most_items));
  }
  uint64_t groups = 0;
  RT_CHECK_ARG(
      rules.most_groups == UINT64_MAX ||
          (!mulOverflows(uint64_t{launch.grid[0]} * launch.grid[1], launch.grid[2], &groups) && groups <= rules.most_groups),
      "A grid of %u x %u x %u has too many work-groups: the kernel \"%s\" takes %llu in all, as this driver numbers "
      "them in 32 bits.",
      launch.grid[0], launch.grid[1], launch.grid[2], native.name(), static_cast<Number>(rules.most_groups));
  RT_CHECK_ARG(launch.local_bytes == 0 || !rules.no_local_bytes,
               "Local memory of %u bytes was given to the kernel \"%s\": a kernel from OpenCL C declares its local memory or "
               "takes it as arguments, local_bytes is 0.",
               launch.local_bytes, native.name());
  return Status();
}

// The full check of grid, group and local memory, for a launch that has not passed the quick one.
[[gnu::noinline]] Status checkShape(const manager::Kernel& kernel, const backend::Limits& limits,
                                    const backend::Launch& launch) {
  RT_TRY(kernel.native->prepare());
  const uint32_t* group = launch.group;
  RT_CHECK_ARG(group[0] != 0 && group[1] != 0 && group[2] != 0, "A work-group of %u x %u x %u work-items has no work-items.",
               group[0], group[1], group[2]);
  for (int i = 0; i < 3; ++i) {
    RT_CHECK_ARG(group[i] <= limits.max_group_size[i], "A work-group of %u x %u x %u is too large: direction %c allows %u.",
                 group[0], group[1], group[2], kDirections[i], limits.max_group_size[i]);
  }
  Number items = Number{group[0]} * group[1] * group[2];
  RT_CHECK_ARG(items <= kernel.native->maxGroupItems(),
               "A work-group of %u x %u x %u has %llu work-items; the kernel \"%s\" allows %u.", group[0], group[1], group[2],
               items, kernel.native->name(), kernel.native->maxGroupItems());
  for (int i = 0; i < 3; ++i) {
    RT_CHECK_ARG(launch.grid[i] <= limits.max_grid_size[i], "A grid of %u x %u x %u is too large: direction %c allows %u.",
                 launch.grid[0], launch.grid[1], launch.grid[2], kDirections[i], limits.max_grid_size[i]);
  }
  if (const backend::LaunchRules* rules = kernel.native->rules()) RT_TRY(checkRules(*kernel.native, *rules, launch));
  const uint64_t own = kernel.native->ownLocalBytes();
  RT_CHECK_ARG(own <= limits.local_bytes_per_group,
               "The kernel \"%s\" has %llu bytes of local memory; a work-group of %s has %llu.", kernel.native->name(),
               static_cast<Number>(own), kernel.context->device->name().c_str(),
               static_cast<Number>(limits.local_bytes_per_group));
  RT_CHECK_ARG(launch.local_bytes <= limits.local_bytes_per_group - own,
               "Local memory of %u bytes is more than a work-group has: %llu, of which the kernel \"%s\" itself uses %llu.",
               launch.local_bytes, static_cast<Number>(limits.local_bytes_per_group), kernel.native->name(),
               static_cast<Number>(own));
  return Status();
}

// For a launch with an offset: whether the kernel adds it to its ids, and whether these hold the sum.
[[gnu::noinline]] Status checkOffset(const backend::Kernel& native, const backend::Launch& launch) {
  const Number end = native.offsetEnd();
  if (end == 0) {
    return Status::error(
        RT_ERROR_NOT_SUPPORTED,
        "The kernel \"%s\" takes no global offset (%llu, %llu, %llu were given): a function of the host, a host "
        "object, CUDA C++ and machine code of CUDA know none. Kernels from OpenCL C take one.",
        native.name(), static_cast<Number>(launch.offset[0]), static_cast<Number>(launch.offset[1]),
        static_cast<Number>(launch.offset[2]));
  }
  for (int i = 0; i < 3; ++i) {
    const Number items = Number{launch.grid[i]} * launch.group[i];
    RT_CHECK_ARG(
        items <= end && launch.offset[i] <= end - items,
        "A global offset of %llu with %llu work-items in direction %d: the ids of the kernel \"%s\" end before %llu on "
        "this device.",
        static_cast<Number>(launch.offset[i]), items, i, native.name(), end);
  }
  return Status();
}

// "argument 2, \"count\" (uint)", as far as names are known.
std::string described(const backend::Kernel& kernel, size_t index) {
  std::string text = "argument " + std::to_string(index);
  const backend::Kernel::ArgumentText* names = kernel.argumentText(static_cast<uint32_t>(index));
  if (names == nullptr) return text;
  if (!names->name.empty()) text += ", \"" + names->name + "\"";
  if (!names->type_name.empty()) text += " (" + names->type_name + ")";
  return text;
}

[[gnu::noinline]] Status noValue(const manager::Kernel& kernel, size_t index) {
  return Status::error(RT_ERROR_INVALID_VALUE, "args[%zu] of the kernel \"%s\" is NULL: it points to no value for %s.", index,
                       kernel.native->name(), described(*kernel.native, index).c_str());
}

[[gnu::noinline]] Status unreachable(const manager::Kernel& kernel, size_t index, void* address,
                                     const allocator::Region& region) {
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "Argument %zu of the kernel \"%s\" is the address %p, memory of %s, which the %s cannot reach.", index,
                       kernel.native->name(), address, holderOf(region).c_str(), kernel.context->name().c_str());
}

[[gnu::noinline]] Status unknownAddress(const manager::Kernel& kernel, size_t index, void* address) {
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "Argument %zu of the kernel \"%s\" is the address %p, which is not memory of the library; kernels of "
                       "%s take no other.",
                       index, kernel.native->name(), address,
                       kernel.limits.refuses_unknown ? kernel.context->device->name().c_str() : "a strict context");
}

// A mistake that is easily made: the address of memory is given, and not that of the pointer to it.
[[gnu::noinline]] Status valueOnDevice(const manager::Kernel& kernel, size_t index, const void* value) {
  return Status::error(
      RT_ERROR_INVALID_VALUE,
      "args[%zu] of the kernel \"%s\" is %p, which is itself device memory: it points to the value of %s, such "
      "as &pointer, in memory of the host.",
      index, kernel.native->name(), value, described(*kernel.native, index).c_str());
}

bool isDeviceMemory(const void* value) {
  const allocator::Region* const region = allocator::address_map::find(value);
  return region != nullptr && region->memory().kind == RT_MEMORY_DEVICE;
}

// For a strict context, ahead of all that reads a value. No value is in device memory, and each address is inside a live
// allocation. A graph's node may also name freed memory that the graph holds.
[[gnu::noinline]] Status checkLive(const manager::Kernel& kernel, const void* const* values, bool in_graph) {
  const std::vector<backend::Argument>& arguments = kernel.native->arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (values[i] == nullptr) continue;  // refused by others
    if (isDeviceMemory(values[i])) return valueOnDevice(kernel, i, values[i]);
    if (arguments[i].kind != RT_ARG_POINTER) continue;
    void* const address = *static_cast<void* const*>(values[i]);
    allocator::Region* region = address == nullptr ? nullptr : allocator::address_map::find(address);
    if (region == nullptr) continue;  // others refuse unknown addresses
    const auto at = reinterpret_cast<uintptr_t>(address);
    const allocator::Block* block = region->blockAt(at);
    // Acquire, as in address_map::locate(): the size is read after the state.
    const bool live = block != nullptr && (block->state.load(std::memory_order_acquire) == allocator::Block::kLive ||
                                           (in_graph && allocator::leased(*block)));
    if (live && at - region->addressOf(*block) < block->size) continue;
    return Status::error(RT_ERROR_INVALID_VALUE,
                         "Argument %zu of the kernel \"%s\" is the address %p, which is not inside a live allocation: it was "
                         "freed, or lies beside one. Kernels of a strict context take no such address.",
                         i, kernel.native->name(), address);
  }
  return Status();
}

// Checks the local memory of arguments, in addition to the launch's and the kernel's own.
Status checkLocals(const manager::Kernel& kernel, const backend::Limits& limits, const backend::Launch& launch) {
  uint64_t total = launch.local_bytes + kernel.native->ownLocalBytes();  // both were checked
  for (size_t i = 0; i < kernel.native->arguments().size(); ++i) {
    if (kernel.native->arguments()[i].kind != RT_ARG_LOCAL) continue;
    uint64_t bytes = *static_cast<const size_t*>(launch.arguments[i]);
    RT_CHECK_ARG(bytes != 0, "Argument %zu of the kernel \"%s\" reserves 0 bytes of local memory: it takes at least 1.", i,
                 kernel.native->name());
    RT_CHECK_ARG(!__builtin_add_overflow(total, bytes, &total) && total <= limits.local_bytes_per_group,
                 "Argument %zu reserves %llu bytes of local memory; a work-group has %llu in all, of which the kernel \"%s\" "
                 "itself uses %llu.",
                 i, static_cast<Number>(bytes), static_cast<Number>(limits.local_bytes_per_group), kernel.native->name(),
                 static_cast<Number>(kernel.native->ownLocalBytes()));
  }
  return Status();
}

// Counts the work-groups. Checks whether all of them can run at the same time, if the launch is cooperative.
inline Status checkGroups(uint64_t* groups, const manager::Kernel& kernel, const backend::Launch& launch,
                          const backend::Device& device) {
  RT_CHECK_ARG(!mulOverflows(uint64_t{launch.grid[0]} * launch.grid[1], launch.grid[2], groups),
               "A grid of %u x %u x %u has more work-groups than 64 bits count.", launch.grid[0], launch.grid[1],
               launch.grid[2]);
  if (*groups == 0 || !launch.cooperative) return Status();
  if (!device.has(RT_CAPABILITY_COOPERATIVE_LAUNCH)) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The device %s runs no cooperative launches.",
                         kernel.context->device->name().c_str());
  }
  const uint32_t* group = launch.group;
  uint32_t most = kernel.native->maxActiveGroups(group[0] * group[1] * group[2], launch.local_bytes);
  RT_CHECK_ARG(*groups <= most,
               "A cooperative launch of %u x %u x %u work-groups cannot run at the same time: the device runs %u.",
               launch.grid[0], launch.grid[1], launch.grid[2], most);
  return Status();
}

// Calls a function of the program with the stream's context as the current one, for rt calls inside.
template <class Function>
Status callProgram(HandleBits context, const char* what, Function function) {
  HandleBits before = manager::currentContext();
  manager::setCurrentContext(context);
  callbacks::Running running(what);
  Status status;
  try {
    status = function();
  } catch (...) {  // of the program's function, on a thread of the library
    status = Status::error(RT_ERROR_LAUNCH_FAILED, "A %s in the stream threw an exception.", what);
  }
  manager::setCurrentContext(before);
  return status;
}

class HostFunctionTask final : public Task {
 public:
  HostFunctionTask(rtHostFunction_t function, void* user, HandleBits context, std::shared_ptr<void> keep)
      : function_(function), user_(user), context_(context), keep_(std::move(keep)) {}
  Status run(const Status& status) override {
    return callProgram(context_, "host function", [&] {
      function_(user_, status.code());
      return Status();
    });
  }

 private:
  const rtHostFunction_t function_;
  void* const user_;
  const HandleBits context_;
  const std::shared_ptr<void> keep_;
};

class NativeTask final : public Task {
 public:
  NativeTask(rtNativeFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep)
      : function_(function), user_(user), context_(stream.context->bits), keep_(std::move(keep)) {
    stream.native->native(native_);
  }
  // `said` outlives the task: what a function that is called at once came to, or why it was not called.
  NativeTask(rtNativeFunction_t function, void* user, manager::Stream& stream, Status* said)
      : NativeTask(function, user, stream, std::shared_ptr<void>()) {
    said_ = said;
  }
  Status run(const Status& status) override {
    Status own = status.ok() ? callNative(function_, user_, context_, native_) : Status();
    if (said_ != nullptr) *said_ = status.ok() ? own : status;
    return own;
  }

 private:
  const rtNativeFunction_t function_;
  void* const user_;
  const HandleBits context_;
  const std::shared_ptr<void> keep_;
  Status* said_ = nullptr;
  uint64_t native_[2] = {0, 0};
};

}  // namespace

Status wrongCount(const backend::Kernel& kernel, size_t given) {
  const size_t wanted = kernel.arguments().size();
  const std::string missing = given < wanted ? ": " + described(kernel, given) + " is missing" : "";
  return Status::error(RT_ERROR_INVALID_VALUE, "The kernel \"%s\" takes %zu argument%s; %zu %s given%s.", kernel.name(), wanted,
                       plural(wanted), given, were(given), missing.c_str());
}

Status callNative(rtNativeFunction_t function, void* user, HandleBits context, const uint64_t native[2]) {
  return callProgram(context, "native function", [&] {
    const rtStatus_t code = function(native, user);
    if (code == RT_SUCCESS) return Status();
    return Status::error(code < 0 ? code : RT_ERROR_LAUNCH_FAILED, "A native function in the stream returned %s.",
                         errorName(code));
  });
}

Status checkLaunch(manager::Kernel& kernel, const backend::Launch& launch) {
  RT_TRY(checkShape(kernel, kernel.limits, launch));
  if (launch.hasOffset()) RT_TRY(checkOffset(*kernel.native, launch));
  if (kernel.native->hasLocals()) RT_TRY(checkLocals(kernel, kernel.limits, launch));
  uint64_t groups = 0;
  return checkGroups(&groups, kernel, launch, kernel.resources->device());
}

Status checkAddresses(manager::Kernel& kernel, const void* const* values) {
  const std::vector<backend::Argument>& arguments = kernel.native->arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != RT_ARG_POINTER) continue;
    void* const address = *static_cast<void* const*>(values[i]);
    if (address == nullptr) continue;
    const allocator::Region* region = allocator::address_map::find(address);
    if (region == nullptr) {
      if (kernel.refuses_unknown) return unknownAddress(kernel, i, address);
    } else if (!reachable(*region, *kernel.resources)) {
      return unreachable(kernel, i, address, *region);
    }
  }
  if (kernel.strict) RT_TRY(checkLive(kernel, values, true));
  return kernel.native->checkArguments(values);
}

[[gnu::hot]] Status launch(manager::Kernel& kernel, const backend::Launch& launch, uint32_t argument_count,
                           manager::Stream& stream) {
  if (kernel.context.get() != stream.context.get()) [[unlikely]] {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The kernel \"%s\" belongs to the %s and the stream to the %s.",
                         kernel.native->name(), kernel.context->name().c_str(), stream.context->name().c_str());
  }
  RT_TRY(submittable(stream));
  backend::Kernel& native = *kernel.native;
  const std::vector<backend::Argument>& arguments = native.arguments();
  if (argument_count != arguments.size() && argument_count != RT_ARGS_ALL) [[unlikely]] {
    return wrongCount(native, argument_count);
  }
  const backend::Limits& limits = kernel.limits;
  const uint32_t* group = launch.group;
  // The quick check. Sizes of 0 wrap to the largest number and fail. The product of three numbers of 32 bits may overflow, so
  // that of two is checked first.
  uint64_t items = uint64_t{group[0]} * group[1];
  bool fits = group[0] - 1 < limits.max_group_size[0] && group[1] - 1 < limits.max_group_size[1] &&
              group[2] - 1 < limits.max_group_size[2] && items <= native.maxGroupItems() &&
              items * group[2] <= native.maxGroupItems() && launch.grid[0] <= limits.max_grid_size[0] &&
              launch.grid[1] <= limits.max_grid_size[1] && launch.grid[2] <= limits.max_grid_size[2] &&
              launch.local_bytes < kernel.local_end;
  if (!fits) [[unlikely]]
    RT_TRY(checkShape(kernel, limits, launch));
  if (launch.hasOffset()) [[unlikely]]
    RT_TRY(checkOffset(native, launch));
  bool foreign = false;  // an address belongs to another context, which has to know of this use
  if (!arguments.empty()) {
    RT_CHECK_ARG(launch.arguments != nullptr, "The kernel \"%s\" takes %zu argument%s; args is NULL.", native.name(),
                 arguments.size(), plural(arguments.size()));
    if (kernel.strict) [[unlikely]]
      RT_TRY(checkLive(kernel, launch.arguments, false));
    const allocator::ContextResources* own = stream.resources.get();
    const backend::Argument* argument = arguments.data();
    for (size_t i = 0, count = arguments.size(); i < count; ++i) {
      const void* value = launch.arguments[i];
      if (value == nullptr) [[unlikely]]
        return noValue(kernel, i);
      if (argument[i].kind != RT_ARG_POINTER) continue;
      void* const address = *static_cast<void* const*>(value);
      const allocator::Region* region = allocator::address_map::find(address);
      if (region == nullptr) {
        if (kernel.refuses_unknown && address != nullptr) [[unlikely]]
          return unknownAddress(kernel, i, address);
        continue;
      }
      if (&region->resources() == own) [[likely]]
        continue;
      if (!reachable(*region, stream)) return unreachable(kernel, i, address, *region);
      foreign = true;
    }
    if (native.hasLocals()) RT_TRY(checkLocals(kernel, limits, launch));
  }
  if (native.checksArguments()) RT_TRY(native.checkArguments(launch.arguments));
  uint64_t groups = 0;
  RT_TRY(checkGroups(&groups, kernel, launch, stream.device));
  if (groups == 0) return Status();
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->launch(stream, kernel, launch);
  Status status = stream.native->launch(native, launch);
  if (foreign) [[unlikely]] {  // also after a failure: the driver may have got the launch
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind != RT_ARG_POINTER) continue;
      allocator::Region* region = allocator::address_map::find(*static_cast<void* const*>(launch.arguments[i]));
      if (region != nullptr && &region->resources() != stream.resources.get()) {
        region->noteUse(stream.native, stream.native->submitted());
      }
    }
  }
  if (status.ok()) [[likely]]
    traceSubmission(stream);
  return status;
}

namespace {

// Holds the user pointer of a function until it was called. `call` submits with that; where it fails, the pointer stays the
// caller's. The release is set before the call, since the function may be called, and the pointer be let go, at once.
template <class Call>
Status callWithRelease(const UserFunction& with, Call call) {
  if (with.release == nullptr) return call(std::shared_ptr<void>());
  const std::shared_ptr<callbacks::Release> keep(new callbacks::Release(with.user, nullptr), callbacks::Release::giveBack);
  keep->setRelease(with.release);  // only now: without memory for its count the pointer gives back what it was made with
  Status status;
  try {
    status = call(std::shared_ptr<void>(keep));
  } catch (...) {  // the call has failed, so the program keeps what it lent: its release function must not run
    keep->setRelease(nullptr);
    throw;
  }
  if (!status.ok()) keep->setRelease(nullptr);
  return status;
}

}  // namespace

Status launchHostFunction(rtHostFunction_t function, UserFunction with, manager::Stream& stream) {
  RT_CHECK_ARG(function != nullptr, "The host function is NULL.");
  RT_TRY(submittable(stream));
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->hostFunction(stream, function, with.user, with.release);
  return callWithRelease(
      with, [&](std::shared_ptr<void> keep) { return launchHostFunction(function, with.user, stream, std::move(keep)); });
}

Status launchHostFunction(rtHostFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep) {
  if (fault::fails("host function")) throw std::bad_alloc();
  RT_TRY(stream.native->call(new HostFunctionTask(function, user, stream.context->bits, std::move(keep)),
                             backend::TaskKind::kUser));
  traceSubmission(stream);
  return Status();
}

Status launchNative(rtNativeFunction_t function, UserFunction with, manager::Stream& stream) {
  RT_CHECK_ARG(function != nullptr, "The native function is NULL.");
  RT_TRY(submittable(stream));
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->nativeFunction(stream, function, with.user, with.release);
  return callWithRelease(
      with, [&](std::shared_ptr<void> keep) { return launchNative(function, with.user, stream, std::move(keep)); });
}

Status launchNative(rtNativeFunction_t function, void* user, manager::Stream& stream, std::shared_ptr<void> keep) {
  if (fault::fails("native function")) throw std::bad_alloc();
  RT_TRY(stream.native->call(new NativeTask(function, user, stream, std::move(keep)), backend::TaskKind::kNative));
  traceSubmission(stream);
  return Status();
}

namespace {

// Where all work is complete and the stream does not take the call, another thread is about to leave the stream.
bool callOrRefuse(backend::Stream& stream, std::unique_ptr<Task>* task, Status* status) {
  while (!stream.callAtOnce(task, status)) {
    if (!stream.reached(stream.submitted())) return false;
    sched_yield();
  }
  return true;
}

}  // namespace

Status callNativeAtOnce(rtNativeFunction_t function, void* user, manager::Stream& stream, epoch::Guard& guard) {
  RT_CHECK_ARG(function != nullptr, "The native function is NULL.");
  if (stream.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return captureUnsafe(
        "The stream is capturing: a function that is called at once is no part of a graph. rtStreamLaunchNative "
        "makes a node.");
  RT_TRY(submittable(stream));
  if (fault::fails("native function")) throw std::bad_alloc();
  Status said;
  Status status;
  std::unique_ptr<Task> task = std::make_unique<NativeTask>(function, user, stream, &said);
  Lease<manager::Stream> lease(&stream);
  backend::Stream& native = *stream.native;
  guard.leave();
  bool called = true;
  try {
    called = callOrRefuse(native, &task, &status);
  } catch (const std::bad_alloc&) {  // the guard has to be entered again
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  guard.enter();
  if (called) traceSubmission(stream);
  guard.leave();  // the last lease may release much: it is dropped outside the guard
  task.reset();
  lease = Lease<manager::Stream>();
  guard.enter();
  if (!called) return Status::bare(RT_NOT_READY);
  return status.ok() ? said : status;
}

}  // namespace manyrt::ops
