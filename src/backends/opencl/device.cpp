// Describing devices, choosing their tier of memory, their cl_context, and what happens when one dies.
#include "backends/opencl/device.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "backends/opencl/context.h"
#include "backends/opencl/error.h"
#include "base/config.h"
#include "base/log.h"
#include "base/text.h"

namespace manyrt::opencl {
namespace {

template <class Value>
Status ask(Value* value, cl_device_id device, cl_device_info what) {
  RT_CL_TRY(clGetDeviceInfo, device, what, sizeof *value, value, nullptr);
  return Status();
}

// For queries of a newer version or an extension: zero where the driver does not know them.
template <class Value>
Value askOrZero(cl_device_id device, cl_device_info what) {
  Value value{};
  return RT_CL_CALL(clGetDeviceInfo, device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : Value{};
}

int32_t kindOf(cl_device_type type, bool unified) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return RT_DEVICE_KIND_CPU;
  if ((type & CL_DEVICE_TYPE_GPU) == 0) return RT_DEVICE_KIND_ACCELERATOR;
  return unified ? RT_DEVICE_KIND_INTEGRATED_GPU : RT_DEVICE_KIND_DISCRETE_GPU;
}

uint32_t clampTo32(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); }

constexpr uint64_t kMaxNanosecondsAtExit = 5'000'000'000;  // a kernel that never ends does not keep the process

}  // namespace

Device::Device(int32_t ordinal, cl_platform_id platform, cl_device_id id)
    : platform_(platform), id_(id), queues_(*this), libraries_(*this) {
  properties_.ordinal = ordinal;
}

std::string Device::text(cl_device_info what) const {
  size_t size = 0;
  if (RT_CL_CALL(clGetDeviceInfo, id_, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string read(size, '\0');
  if (RT_CL_CALL(clGetDeviceInfo, id_, what, size, read.data(), nullptr) != CL_SUCCESS) return "";
  // Some drivers count the end, and some count more.
  read.resize(strnlen(read.c_str(), size));
  return read;
}

// ---- What it is ----

Status Device::describe() {
  cl_bool available = CL_FALSE, compiler = CL_FALSE;
  RT_TRY(ask(&available, id_, CL_DEVICE_AVAILABLE));
  RT_TRY(ask(&compiler, id_, CL_DEVICE_COMPILER_AVAILABLE));
  // A driver may list a device that is in use elsewhere.
  if (available == CL_FALSE) return Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "It is not available.");
  rtDeviceProperties_t& p = properties_;
  p.struct_size = sizeof p;
  p.backend = RT_BACKEND_OPENCL;
  snprintf(p.id, sizeof p.id, "opencl:%d", ordinal());
  char platform[256] = "", version[256] = "";
  RT_CL_TRY(clGetPlatformInfo, platform_, CL_PLATFORM_NAME, sizeof platform, platform, nullptr);
  RT_CL_TRY(clGetPlatformInfo, platform_, CL_PLATFORM_VERSION, sizeof version, version, nullptr);
  // Quirks come first: one of them decides how every call after this one is made.
  const DeviceNames names = {platform, version, text(CL_DEVICE_NAME), text(CL_DEVICE_VENDOR), text(CL_DRIVER_VERSION)};
  quirks_ = Quirks::of(names);
  // From here on, and for all devices: a call does not tell which driver it goes to.
  if (quirks_.has(Quirk::kOneThread)) serializeCalls();
  const std::string device_version = text(CL_DEVICE_VERSION);
  // With a space at both ends, so that a whole name is looked for and never a part of another one.
  extension_names_ = " " + text(CL_DEVICE_EXTENSIONS) + " ";
  copyLetters(p.name, sizeof p.name, names.device.c_str());
  copyLetters(p.vendor, sizeof p.vendor, names.vendor.c_str());
  copyLetters(p.driver_version, sizeof p.driver_version, names.driver.c_str());
  copyLetters(p.architecture, sizeof p.architecture, device_version.c_str());
  // The key of cached binaries. Any part of it may change what the driver's compiler makes, or refuses to load.
  identity_ = names.platform + "\n" + names.platform_version + "\n" + names.device + "\n" + names.vendor + "\n" + names.driver +
              "\n" + device_version;
  // The limits need the names of extensions, and the tier of memory needs the kind of device.
  RT_TRY(describeLimits());
  describeMemory();
  if (compiler == CL_FALSE) log::write(RT_LOG_INFO, "%s (%s) has no compiler: it runs binaries alone.", p.id, p.name);
  log::write(RT_LOG_INFO, "%s: %s, %s%s%s.", p.id, p.name, platform,
             quirks_.text().empty() ? "" : "; quirks: ", quirks_.text().c_str());
  return Status();
}

// Items that run in step: a warp or wavefront where the vendor tells, else the lanes of a vector.
uint32_t Device::simdWidth() const {
  if (extension_names_.find(" cl_nv_device_attribute_query ") != std::string::npos)
    return askOrZero<cl_uint>(id_, kDeviceWarpSize);
  if (extension_names_.find(" cl_amd_device_attribute_query ") != std::string::npos) {
    return askOrZero<cl_uint>(id_, kDeviceWavefrontWidth);
  }
  return askOrZero<cl_uint>(id_, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
}

// A query that OpenCL 1.2 promises fails if the driver does not answer it. Those of extensions and later versions stay 0:
// askOrZero().
Status Device::describeLimits() {
  rtDeviceProperties_t& p = properties_;
  cl_uint number = 0;
  RT_TRY(ask(&number, id_, CL_DEVICE_MAX_COMPUTE_UNITS));
  p.compute_units = number;
  RT_TRY(ask(&number, id_, CL_DEVICE_MAX_CLOCK_FREQUENCY));
  p.clock_mhz = number;
  p.simd_width = std::max<cl_uint>(1, simdWidth());
  size_t items = 0;
  RT_TRY(ask(&items, id_, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  p.max_group_items = limits_.max_group_items = clampTo32(items);
  size_t directions[16] = {};
  size_t written = 0;
  RT_CL_TRY(clGetDeviceInfo, id_, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof directions, directions, &written);
  for (int i = 0; i < 3; ++i) {
    // Some drivers give more for one direction than a whole group may have.
    p.max_group_size[i] = limits_.max_group_size[i] = std::min(clampTo32(directions[i]), limits_.max_group_items);
    // OpenCL has no limit but the counting of drivers: all work-groups of a grid in 64 bits, work-items in 32 or more.
    p.max_grid_size[i] = limits_.max_grid_size[i] = i == 0 ? INT32_MAX : UINT16_MAX;
  }
  // The types are those of OpenCL: a driver refuses a query into a narrower one.
  cl_ulong bytes = 0;
  RT_TRY(ask(&bytes, id_, CL_DEVICE_LOCAL_MEM_SIZE));
  p.local_bytes_per_group = limits_.local_bytes_per_group = bytes;
  RT_TRY(ask(&bytes, id_, CL_DEVICE_GLOBAL_MEM_SIZE));
  p.memory_bytes = bytes;
  RT_TRY(ask(&bytes, id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  p.max_allocation_bytes = bytes;
  p.cache_line_bytes = askOrZero<cl_uint>(id_, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
  p.l2_bytes = askOrZero<cl_ulong>(id_, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  RT_TRY(ask(&number, id_, CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  base_alignment_ = std::max<uint64_t>(1, number / 8);
  p.unified_memory = askOrZero<cl_bool>(id_, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  p.kind = kindOf(askOrZero<cl_device_type>(id_, CL_DEVICE_TYPE), p.unified_memory != 0);
  if (extension_names_.find(" cl_khr_device_uuid ") != std::string::npos) {
    (void)RT_CL_CALL(clGetDeviceInfo, id_, kDeviceUuid, sizeof p.uuid, p.uuid, nullptr);
  }
  if (extension_names_.find(" cl_khr_pci_bus_info ") != std::string::npos) {
    const auto bus = askOrZero<PciBusInfo>(id_, kDevicePciBusInfo);
    snprintf(p.pci_bus_id, sizeof p.pci_bus_id, "%04x:%02x:%02x.%x", bus.domain, bus.bus, bus.device, bus.function);
  }
  doubles_ = extension_names_.find(" cl_khr_fp64 ") != std::string::npos ||
             askOrZero<cl_bitfield>(id_, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  halves_ = extension_names_.find(" cl_khr_fp16 ") != std::string::npos;
  atomics_64_ = extension_names_.find(" cl_khr_int64_base_atomics ") != std::string::npos;
  const auto single = askOrZero<cl_device_fp_config>(id_, CL_DEVICE_SINGLE_FP_CONFIG);
  rounds_division_ = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  limits_.reaches_host = false;
  limits_.copies_host = true;
  // The driver has no way to ask about an address: what is not in the lists is the program's heap.
  limits_.refuses_unknown = true;
  return Status();
}

void Device::describeMemory() {
  const auto svm = askOrZero<cl_bitfield>(id_, kDeviceSvmCapabilities);
  svm_ = (svm & kSvmCoarse) != 0;
  usm_ = extension_names_.find(" cl_intel_unified_shared_memory ") != std::string::npos;
  chooseTier();
  fine_buffer_ = (svm & kSvmFineBuffer) != 0;
  // Where device and host share memory, kernels reach pinned memory by its address in any tier.
  const bool one_memory = properties_.kind == RT_DEVICE_KIND_CPU || properties_.unified_memory != 0;
  switch (tier()) {
    case RT_MEMORY_TIER_USM:
      shared_ = askOrZero<cl_bitfield>(id_, kDeviceSharedMemCapabilities) != 0;
      reaches_pinned_ = true;
      break;
    case RT_MEMORY_TIER_SVM:
      shared_ = fine_buffer_;
      reaches_pinned_ = fine_buffer_ || one_memory;
      break;
    default:
      reaches_pinned_ = one_memory;
      break;
  }
  limits_.reaches_pinned = reaches_pinned_;
  takes_il_ = !text(kDeviceIlVersion).empty() && findIl(&extensions_, platform_);
}

// The best that the device has, or what RT_OPENCL_MEMORY names, where the device has that.
void Device::chooseTier() {
  struct Choice {
    int32_t tier;
    const char* word;
    bool there;
  };
  const Choice choices[] = {
      {RT_MEMORY_TIER_USM, "usm", usm_}, {RT_MEMORY_TIER_SVM, "svm", svm_}, {RT_MEMORY_TIER_BUFFER, "buffer", true}};
  const char* wanted = config::get(config::Variable::kOpenClMemory);
  bool known = wanted == nullptr;
  for (const Choice& choice : choices) known = known || strcmp(choice.word, wanted) == 0;
  if (!known) {
    log::write(RT_LOG_WARNING, "RT_OPENCL_MEMORY=%s is none of usm, svm and buffer and is not used.", wanted);
    wanted = nullptr;
  }
  for (const Choice& choice : choices) {
    if (wanted != nullptr && strcmp(choice.word, wanted) != 0) continue;
    // A device may list the extension while the driver lacks a function of it. Then the next tier is tried.
    Extensions found;
    const bool works =
        choice.there && (choice.tier == RT_MEMORY_TIER_BUFFER ||
                         (choice.tier == RT_MEMORY_TIER_USM ? findUsm(&found, platform_) : findSvm(&found, platform_)));
    if (!works) continue;
    extensions_ = found;
    properties_.memory_tier = choice.tier;
    return;
  }
  log::write(RT_LOG_WARNING, "%s has no memory of the tier RT_OPENCL_MEMORY=%s: it uses buffers.", properties_.id, wanted);
  properties_.memory_tier = RT_MEMORY_TIER_BUFFER;
}

bool Device::has(int32_t capability) const {
  switch (capability) {
    case RT_CAPABILITY_KERNELS:
    case RT_CAPABILITY_TIMING:
    case RT_CAPABILITY_NATIVE_INTEROP:
      return true;
    case RT_CAPABILITY_SHARED_MEMORY:
      return shared_;
    case RT_CAPABILITY_POINTERS_IN_MEMORY:
      return tier() != RT_MEMORY_TIER_BUFFER;
    case RT_CAPABILITY_DOUBLE:
      return doubles_;
    case RT_CAPABILITY_HALF:
      return halves_;
    case RT_CAPABILITY_ATOMICS_64:
      return atomics_64_;
    default:
      return false;
  }
}

Status Device::attribute(int64_t* value, int32_t attribute) {
  *value = attribute == RT_ATTRIBUTE_NUMA_NODES ? 1 : 0;
  return Status();
}

// OpenCL has no query for free memory: what this library has not allocated counts as free.
Status Device::memInfo(uint64_t* free_bytes, uint64_t* total_bytes) {
  RT_TRY(lost());
  *total_bytes = properties_.memory_bytes;
  // Relaxed: the sum is an estimate by its nature.
  *free_bytes = *total_bytes - std::min(*total_bytes, used_.load(std::memory_order_relaxed));
  return Status();
}

// ---- Its context ----

Status Device::context(cl_context* context) {
  std::lock_guard lock(mutex_);
  if (context_ == nullptr) {
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_), 0};
    Error error = CL_SUCCESS;
    // One cl_context for all contexts of the device: memory and events can be used in each of them.
    cl_context fresh = RT_CL_MAKE(&error, clCreateContext, list, 1, &id_, nullptr, nullptr);
    if (error != CL_SUCCESS) return failure("clCreateContext", error);
    context_ = fresh;
  }
  *context = context_;
  return Status();
}

Status Device::createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) {
  return Context::create(context, *this, options);
}

Status Device::importContext(Ref<backend::Context>* out, const uint64_t native[2]) {
  cl_context own;
  RT_TRY(context(&own));
  if (native[0] != reinterpret_cast<uintptr_t>(own)) {
    return Status::error(RT_ERROR_NOT_FOUND,
                         "0x%llx is not the cl_context of opencl:%d, 0x%llx; other contexts cannot be borrowed.",
                         static_cast<unsigned long long>(native[0]), ordinal(),
                         static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(own)));
  }
  return Context::create(out, *this, backend::ContextOptions());
}

Status Device::importStream(Ref<backend::Stream>* stream, backend::Context& context, const uint64_t native[2]) {
  return static_cast<Context&>(context).importStream(stream, native);
}

Status Device::importPoint(Ref<backend::Point>* point, backend::Context& context, const uint64_t native[2]) {
  return static_cast<Context&>(context).importPoint(point, native);
}

Status Device::importMemory(backend::Memory* memory, backend::Context& context, const uint64_t native[2], uint64_t size) {
  return static_cast<Context&>(context).importMemory(memory, native, size);
}

void Device::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(id_);
  out[1] = 0;
}

// The list and its number change under the mutex, so that two changes cannot share a number.
void Device::noteAddresses(void* address, uint64_t size) {
  std::lock_guard lock(mutex_);
  addresses_[reinterpret_cast<uintptr_t>(address)] = size;
  // After the change of the list, also below: addressGeneration() acquires it.
  address_generation_.fetch_add(1, std::memory_order_release);
}

void Device::forgetAddresses(void* address) {
  // Launches hold it shared while they name all addresses to the driver, which must all be live then.
  std::unique_lock no_launch(address_use_);
  std::lock_guard lock(mutex_);
  addresses_.erase(reinterpret_cast<uintptr_t>(address));
  address_generation_.fetch_add(1, std::memory_order_release);
}

void Device::addQueueOfTheProgram(cl_command_queue queue) {
  std::lock_guard lock(mutex_);
  ++program_queues_[queue];
  queues_of_the_program_.store(program_queues_.size(), std::memory_order_relaxed);
}

void Device::dropQueueOfTheProgram(cl_command_queue queue) {
  std::lock_guard lock(mutex_);
  // Counted, since two streams may have been made of one queue of the program.
  const auto known = program_queues_.find(queue);
  if (known != program_queues_.end() && --known->second == 0) program_queues_.erase(known);
  queues_of_the_program_.store(program_queues_.size(), std::memory_order_relaxed);
}

bool Device::isQueueOfTheProgram(cl_command_queue queue) const {
  // A launch asks this each time. Where the program has no queue, it takes no lock.
  if (queues_of_the_program_.load(std::memory_order_relaxed) == 0) [[likely]]
    return false;
  std::lock_guard lock(mutex_);
  return program_queues_.count(queue) != 0;
}

bool Device::knowsAddress(const void* address) const {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(mutex_);
  auto next = addresses_.upper_bound(wanted);
  return next != addresses_.begin() && wanted - std::prev(next)->first < std::prev(next)->second;
}

// A copy: the driver is called without the mutex. keepAddresses() keeps the allocations live until the launch is enqueued.
std::vector<void*> Device::addresses() const {
  std::lock_guard lock(mutex_);
  std::vector<void*> all;
  all.reserve(addresses_.size());
  for (const auto& [address, size] : addresses_) all.push_back(reinterpret_cast<void*>(address));
  return all;
}

// ---- Its death ----

Status Device::failed(const char* call, Error error) { return driver::Device::failed(failure(call, error), isSticky(error)); }

void Device::settle() {
  const Deadline deadline = Deadline::after(kMaxNanosecondsAtExit);
  for (const Ref<driver::Context>& context : contexts()) static_cast<Context&>(*context).settle(deadline, Settle::kOnce);
  // Waited for once: close() does not wait as long again for work that does not end.
  settled_late_ = deadline.passed();
}

void Device::close() {
  const Deadline deadline = Deadline::after(settled_late_ ? 0 : kMaxNanosecondsAtExit);
  // The same list twice: contexts that come later find the device lost.
  const std::vector<Ref<driver::Context>> open = contexts();
  for (const Ref<driver::Context>& context : open) static_cast<Context&>(*context).settle(deadline, Settle::kAndClose);
  // From here on no call reaches the driver. Threads of the program that still run get this status.
  lose(Status::error(RT_ERROR_SHUT_DOWN, "The process ends, and its OpenCL driver with it."));
  for (const Ref<driver::Context>& context : open) {
    static_cast<Context&>(*context).settle(deadline, Settle::kAndClose);  // what came in between
    context->deviceLost();
    (void)Ref<driver::Context>(context).detach();  // kept: its end is not for this moment
  }
}

}  // namespace manyrt::opencl
