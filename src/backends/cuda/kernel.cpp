// Asking a native function what it takes and needs, and laying out its local arguments.
#include "backends/cuda/kernel.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "backends/cuda/context.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/module.h"
#include "base/lock_order.h"
#include "base/text.h"
#include "base/trace.h"

namespace manyrt::cuda {
namespace {

constexpr uint32_t kMinLocalAlignment = 16;

// Names are told after a device has died, when kernels may be gone; there are only so many of them.
const char* keep(const char* name) {
  struct Names {
    Ranked<std::mutex, LockRank::kCudaKernelNames> mutex;
    std::unordered_set<std::string> all;
  };
  // A set keeps its strings in their places, whatever is added.
  static Names* names = new Names;  // never destroyed
  std::lock_guard lock(names->mutex);
  return names->all.emplace(name).first->c_str();
}

uint64_t nextNumber() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: the numbers only have to differ
}

Status ask(int* value, int attribute, NativeFunction function) {
  RT_CUDA_TRY(cuFuncGetAttribute, value, attribute, function);
  return Status();
}

}  // namespace

Kernel::Kernel(Ref<NativeModuleOwner> module, std::string symbol)
    : module_(std::move(module)), symbol_(std::move(symbol)), number_(nextNumber()) {}

Status Kernel::create(Ref<backend::Kernel>* out, Ref<NativeModuleOwner> module, std::string symbol, const char* name,
                      std::vector<KernelArgument> arguments, const uint32_t required_group[3], bool opencl_c,
                      bool takes_offset) {
  // So a launch has its arguments on the stack.
  if (arguments.size() > backend::kMaxArguments) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The kernel \"%s\" has %zu arguments: at most %u.", name, arguments.size(),
                         backend::kMaxArguments);
  }
  Ref<Kernel> fresh = Ref<Kernel>::adopt(new Kernel(std::move(module), std::move(symbol)));
  for (KernelArgument& argument : arguments) {
    if (argument.size > backend::kMaxArgumentBytes) {
      return Status::error(RT_ERROR_INVALID_IMAGE, "The kernel \"%s\" has an argument of %u bytes: at most %u.", name,
                           argument.size, backend::kMaxArgumentBytes);
    }
    fresh->addArgument(argument.size, argument.kind);
    // At least as a vector of four floats: the size of a local argument says nothing of its type.
    fresh->alignments_.push_back(std::max(argument.alignment, kMinLocalAlignment));
    if (opencl_c) fresh->argument_texts_.push_back({std::move(argument.name), std::move(argument.type_name), argument.use});
  }
  copyLetters(fresh->name_, sizeof fresh->name_, name);
  fresh->kept_name_ = keep(fresh->name_);
  fresh->takes_offset_ = takes_offset;
  fresh->built_ = opencl_c;
  if (opencl_c) {
    backend::LaunchRules rules;
    std::copy(required_group, required_group + 3, rules.group);
    // In each direction: get_global_id is computed in 32 bits by the device.
    rules.most_items = fresh->offset_end_ = uint64_t{1} << 31;
    rules.no_local_bytes = true;
    fresh->setRules(rules);
  }
  *out = std::move(fresh);
  return Status();
}

Status Kernel::prepare() {
  // Most calls end here, without the lock: the number is read with acquire.
  if (maxGroupItems() != 0) return Status();
  std::lock_guard lock(mutex_);
  // Another thread has prepared the kernel while this one waited. The number is stored last, so all else is there.
  if (maxGroupItems() != 0) return Status();
  Current current(module_->context());
  return findFunction();
}

Status Kernel::findFunction() {
  const Device& device = module_->device();
  RT_CUDA_TRY(cuModuleGetFunction, &function_, module_->get(), symbol_.c_str());
  int threads = 0, shared = 0, local = 0;
  RT_TRY(ask(&threads, kFunctionMaxThreadsPerBlock, function_));
  RT_TRY(ask(&shared, kFunctionSharedBytes, function_));
  RT_TRY(ask(&local, kFunctionLocalBytes, function_));
  // Before the attribute below: the dynamic part is what is left of a group's limit.
  local_bytes_ = static_cast<uint64_t>(shared);
  private_bytes_ = static_cast<uint64_t>(local);
  // Local memory beyond the default has to be allowed function by function.
  const uint64_t most = device.limits().local_bytes_per_group;
  if (most > device.sharedBytesByDefault() && local_bytes_ <= most) {
    RT_CUDA_TRY(cuFuncSetAttribute, function_, kFunctionMaxDynamicSharedBytes, static_cast<int>(most - local_bytes_));
  }
  limitGroup(static_cast<uint32_t>(threads), device.limits().max_group_items);  // last: it says that all is known
  return Status();
}

uint32_t Kernel::maxActiveGroups(uint32_t group_items, uint64_t local_bytes) const {
  Current current(module_->context());
  int blocks = 0;
  const Error error =
      table().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, static_cast<int>(group_items), local_bytes);
  if (error != kSuccess) return 0;
  return static_cast<uint32_t>(blocks) * module_->device().units();
}

void Kernel::describeCode(rtKernelInfo_t* info) const {
  backend::Kernel::describeCode(info);
  if (built_) info->tier = RT_TIER_OPTIMIZED;
  Current current(module_->context());
  int blocks = 0, registers = 0;
  const int items = static_cast<int>(maxGroupItems());
  if (table().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, items, 0) == kSuccess)
    info->groups_per_unit = static_cast<uint32_t>(std::max(blocks, 0));
  if (table().cuFuncGetAttribute(&registers, kFunctionRegisters, function_) == kSuccess)
    info->registers = static_cast<uint32_t>(std::max(registers, 0));
}

// Asked for each launch while a profile is on; the last group's form is mostly that of this one.
const trace::KernelForm* Kernel::form(const backend::Launch& launch) const {
  const uint32_t items = launch.group[0] * launch.group[1] * launch.group[2];
  const uint32_t dynamic_bytes = Parameters(*this, launch).dynamicBytes();
  const auto local_bytes = static_cast<uint32_t>(local_bytes_) + dynamic_bytes;
  const trace::KernelForm* known = form_.load(std::memory_order_acquire);
  if (known != nullptr && known->group_items == items && known->local_bytes == local_bytes) return known;
  Current current(module_->context());
  int blocks = 0, registers = 0;
  if (table().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, static_cast<int>(items), dynamic_bytes) !=
      kSuccess)
    blocks = 0;
  if (table().cuFuncGetAttribute(&registers, kFunctionRegisters, function_) != kSuccess) registers = 0;
  trace::KernelForm form;
  form.tier = tier();
  form.group_items = items;
  form.local_bytes = local_bytes;
  form.registers = static_cast<uint32_t>(std::max(registers, 0));
  form.groups_per_unit = static_cast<uint32_t>(std::max(blocks, 0));
  // Groups take whole warps.
  const uint64_t active = uint64_t{form.groups_per_unit} * ((items + warp_ - 1) / warp_ * warp_);
  const uint32_t most = module_->device().itemsPerUnit();
  form.occupancy = most == 0 ? 0 : static_cast<uint32_t>(active * 1000 / most);
  // Kept until the process ends: a profile may be written when the kernel is gone.
  known = trace::keep(form);
  form_.store(known, std::memory_order_release);  // pairs with the load above: the form is there for another thread
  return known;
}

const trace::Row* Kernel::lateRow(const backend::Launch& launch) const {
  const trace::KernelForm* const own = form(launch);
  const trace::Row* known = row_.load(std::memory_order_acquire);
  if (known != nullptr && known->form == own) return known;
  known = trace::keep(trace::Row{
      .device = module_->device().facts().id, .name = tracedName(), .module = tracedModule(), .form = own, .is_late = true});
  row_.store(known, std::memory_order_release);  // as form_
  return known;
}

uint32_t Kernel::placeLocals(const void* const* arguments, uint32_t local_bytes, uint32_t* offsets, void** parameters) const {
  // After the launch's own bytes, which the kernel's extern array begins with.
  uint32_t end = local_bytes;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].kind != RT_ARG_LOCAL) {
      parameters[i] = const_cast<void*>(arguments[i]);
      continue;
    }
    uint64_t bytes;
    memcpy(&bytes, arguments[i], sizeof bytes);
    // The device's code casts the offset to a pointer of the argument's type, which must be aligned for it.
    end = (end + alignments_[i] - 1) & ~(alignments_[i] - 1);
    offsets[i] = end;
    parameters[i] = &offsets[i];
    end += static_cast<uint32_t>(bytes);  // checked above: within a group's local memory
  }
  return end;
}

Parameters::Parameters(const Kernel& kernel, const backend::Launch& launch)
    : native_(const_cast<void**>(launch.arguments)), dynamic_bytes_(launch.local_bytes) {
  if (kernel.hasLocals()) {
    dynamic_bytes_ = kernel.placeLocals(launch.arguments, launch.local_bytes, local_offsets_, placed_);
    native_ = placed_;
  }
  if (!kernel.takesOffset()) return;
  const size_t count = kernel.arguments().size();
  // The launch's own array has no room for one more.
  if (native_ != placed_) std::copy_n(native_, count, placed_);
  native_ = placed_;
  for (int d = 0; d < 3; ++d) offset_[d] = static_cast<uint32_t>(launch.offset[d]);  // checked above: 31 bits
  placed_[count] = offset_;
}

}  // namespace manyrt::cuda
