// Each granule is an allocation of its own, whose handle is given up as soon as it is mapped: the mapping alone keeps the
// memory. So any granules can lose theirs, since the driver unmaps whole mappings only.
#include "backends/cuda/ranges.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/memory.h"
#include "base/config.h"
#include "base/log.h"

namespace manyrt::cuda {
namespace {

constexpr uint64_t kLeastGranule = 64 << 10, kMostGranule = 2 << 20;  // that pools can use

// The calling thread may be capturing a stream of the program in a mode in which such calls would end the capture.
class ApartFromCaptures {
 public:
  ApartFromCaptures() { (void)table().cuThreadExchangeStreamCaptureMode(&mode_); }
  ApartFromCaptures(const ApartFromCaptures&) = delete;
  ApartFromCaptures& operator=(const ApartFromCaptures&) = delete;
  ~ApartFromCaptures() { (void)table().cuThreadExchangeStreamCaptureMode(&mode_); }

 private:
  int mode_ = kCaptureRelaxed;
};

bool isSwitchedOff() {
  const char* value = config::get(config::Variable::kCudaMemory);
  if (value == nullptr || strcmp(value, "ranges") == 0) return false;
  if (strcmp(value, "plain") == 0) return true;
  log::write(RT_LOG_WARNING, "RT_CUDA_MEMORY=%s is not used: the values are ranges and plain.", value);
  return false;
}

bool driverHasCalls() {
  const Table& calls = table();
  return calls.cuDeviceGetAttribute != nullptr && calls.cuMemGetAllocationGranularity != nullptr &&
         calls.cuMemAddressReserve != nullptr && calls.cuMemAddressFree != nullptr && calls.cuMemCreate != nullptr &&
         calls.cuMemRelease != nullptr && calls.cuMemMap != nullptr && calls.cuMemUnmap != nullptr &&
         calls.cuMemSetAccess != nullptr;
}

bool hasAttribute(int attribute, const Device& device) {
  int value = 0;
  // Asked of the driver, which makes no context for it.
  return table().cuDeviceGetAttribute(&value, attribute, device.number()) == kSuccess && value != 0;
}

// The driver carries copies of plain memory between any two devices, through the host if it must. Those of mapped memory need
// access, so a device that another one cannot reach keeps to plain memory.
bool isReachedByAll(const Device& device) {
  int count = 0;
  if (table().cudaGetDeviceCount(&count) != kSuccess) return false;
  for (int peer = 0; peer < count; ++peer) {
    int can = 0;
    if (peer == device.ordinal()) continue;
    if (table().cudaDeviceCanAccessPeer(&can, peer, device.ordinal()) != kSuccess || can == 0) return false;
  }
  return true;
}

MemoryProperties propertiesOfDevice(const Device& device, bool rdma) {
  MemoryProperties properties = {};
  properties.type = kAllocationPinned;
  properties.location = {kLocationDevice, device.number()};
  // Network cards may then read and write the memory without a copy on the host.
  properties.flags.rdma = rdma ? 1 : 0;
  return properties;
}

DriverAddress addressOf(const backend::Memory& memory) { return reinterpret_cast<uintptr_t>(memory.address); }

}  // namespace

std::unique_ptr<Ranges> Ranges::open(Device& device) {
  // Null is no failure: pools take plain allocations.
  if (isSwitchedOff() || !driverHasCalls() || device.ordinal() >= kMostDevices) return nullptr;
  if (!hasAttribute(kVirtualMemory, device) || !isReachedByAll(device)) return nullptr;
  const bool rdma = hasAttribute(kRdmaOfVirtualMemory, device);
  const MemoryProperties properties = propertiesOfDevice(device, rdma);
  size_t granularity = 0;
  if (table().cuMemGetAllocationGranularity(&granularity, &properties, kGranularityRecommended) != kSuccess) return nullptr;
  // Pools cannot use other granules, and take plain allocations then.
  if (granularity == 0 || granularity > kMostGranule || (granularity & (granularity - 1)) != 0) return nullptr;
  std::unique_ptr<Ranges> ranges(new Ranges(device, std::max<uint64_t>(granularity, kLeastGranule), rdma));
  // Mapped memory is out of reach for every device, its own included, until access is given.
  ranges->accesses_[ranges->access_count_++] = {properties.location, kAccessReadWrite};
  return ranges;
}

MemoryProperties Ranges::propertiesOf() const { return propertiesOfDevice(device_, rdma_); }

Status Ranges::failed(const char* call, Error error, uint64_t size) {
  return error == kOutOfMemory ? outOfMemory(device_, size) : device_.failed(call, error);
}

Status Ranges::reserve(backend::Memory* memory, uint64_t size) {
  NativeContext context;
  // The calls name no context, but want one to be current.
  RT_TRY(device_.primary(&context));
  Current current(context);
  ApartFromCaptures apart;
  DriverAddress address = 0;
  std::lock_guard lock(mutex_);
  // Aligned to the largest granule, whatever the driver's own is.
  if (const Error error = RT_CUDA_CALL(cuMemAddressReserve, &address, size, kMostGranule, 0, 0); error != kSuccess) {
    return failed("cuMemAddressReserve", error, size);
  }
  try {
    // Which granules have memory: the driver does not tell, and refuses to unmap or to give access where there is none.
    reservations_.emplace(address, Committed(size / granule_));
  } catch (const std::bad_alloc&) {  // the addresses have to go back; the sentence says what could not be kept track of
    (void)table().cuMemAddressFree(address, size);
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory to keep track of %llu bytes.",
                         static_cast<unsigned long long>(size));
  }
  memory->address = reinterpret_cast<void*>(static_cast<uintptr_t>(address));
  memory->size = size;
  memory->kind = RT_MEMORY_DEVICE;
  memory->native[0] = address;
  memory->native[1] = 0;
  memory->tag = kReserved;
  memory->host_visible = false;
  return Status();
}

Error Ranges::mapGranule(DriverAddress address, const char** call) const {
  const MemoryProperties properties = propertiesOf();
  MemoryHandle handle = 0;
  *call = "cuMemCreate";
  if (const Error error = RT_CUDA_CALL(cuMemCreate, &handle, granule_, &properties, 0); error != kSuccess) return error;
  *call = "cuMemMap";
  const Error error = RT_CUDA_CALL(cuMemMap, address, granule_, 0, handle, 0);
  // Also after a failure, where it gives the memory back at once.
  (void)table().cuMemRelease(handle);
  return error;
}

void Ranges::unmap(DriverAddress address, uint64_t size) {
  const Error error = table().cuMemUnmap(address, size);
  // At exit the runtime may have gone, and all memory with it.
  if (error == kSuccess || error == kUnloading) return;
  const Status status = device_.failed("cuMemUnmap", error);
  if (!device_.isLost())
    log::write(RT_LOG_ERROR, "Memory of cuda:%d was not given back: %s", device_.ordinal(), status.message());
}

Status Ranges::commit(const backend::Memory& memory, uint64_t offset, uint64_t size) {
  NativeContext context;
  RT_TRY(device_.primary(&context));
  Current current(context);
  ApartFromCaptures apart;
  const DriverAddress begin = addressOf(memory) + offset;
  std::lock_guard lock(mutex_);
  const char* call = "";
  Error error = kSuccess;
  uint64_t mapped = 0;
  while (mapped < size && (error = mapGranule(begin + mapped, &call)) == kSuccess) mapped += granule_;
  if (error == kSuccess) {
    call = "cuMemSetAccess";
    error = RT_CUDA_CALL(cuMemSetAccess, begin, size, accesses_, access_count_);
  }
  if (error != kSuccess) {
    // A commit that fails has done nothing.
    if (mapped != 0) unmap(begin, mapped);
    return failed(call, error, size);
  }
  Committed& committed = reservations_.find(addressOf(memory))->second;
  const auto first = committed.begin() + static_cast<ptrdiff_t>(offset / granule_);
  std::fill(first, first + static_cast<ptrdiff_t>(size / granule_), true);
  return Status();
}

void Ranges::decommit(const backend::Memory& memory, uint64_t offset, uint64_t size) {
  NativeContext context;
  if (!device_.primary(&context).ok()) return;  // which has been made for the commit
  Current current(context);
  ApartFromCaptures apart;
  std::lock_guard lock(mutex_);
  Committed& committed = reservations_.find(addressOf(memory))->second;
  const auto first = committed.begin() + static_cast<ptrdiff_t>(offset / granule_);
  // First: if the unmap fails, the granule is not used again.
  std::fill(first, first + static_cast<ptrdiff_t>(size / granule_), false);
  unmap(addressOf(memory) + offset, size);
}

// Runs the body for each part that has memory, until it fails.
template <class Body>
Error Ranges::forRuns(DriverAddress base, const Committed& committed, Body body) const {
  for (size_t first = 0; first < committed.size(); ++first) {
    size_t end = first;
    while (end < committed.size() && committed[end]) ++end;
    if (end == first) continue;
    if (const Error error = body(base + first * granule_, (end - first) * granule_); error != kSuccess) return error;
    first = end;  // which has none
  }
  return kSuccess;
}

void Ranges::release(const backend::Memory& memory) {
  NativeContext context;
  if (!device_.primary(&context).ok()) return;
  Current current(context);
  ApartFromCaptures apart;
  std::lock_guard lock(mutex_);
  const auto found = reservations_.find(addressOf(memory));
  (void)forRuns(found->first, found->second, [&](DriverAddress address, uint64_t size) {
    unmap(address, size);
    return Error{kSuccess};
  });
  reservations_.erase(found);
  // After the mappings: the driver refuses addresses that still have any.
  const Error error = table().cuMemAddressFree(addressOf(memory), memory.size);
  if (error == kSuccess || error == kUnloading) return;
  const Status status = device_.failed("cuMemAddressFree", error);
  if (!device_.isLost())
    log::write(RT_LOG_ERROR, "Addresses of cuda:%d were not given back: %s", device_.ordinal(), status.message());
}

// Under the lock, so that memory which another thread commits meanwhile is either among the parts here or sees the new entry.
Status Ranges::giveAccess(const Device& peer) {
  // The device's own access is the first of accesses_, which every commit gives.
  if (&peer == &device_) return Status();
  if (peer.ordinal() >= kMostDevices) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "cuda:%d is beyond the %d devices that reach the memory of cuda:%d.",
                         peer.ordinal(), kMostDevices, device_.ordinal());
  }
  const uint64_t bit = uint64_t{1} << peer.ordinal();
  if ((reach_.load(std::memory_order_acquire) & bit) != 0) return Status();
  NativeContext context;
  RT_TRY(device_.primary(&context));
  Current current(context);
  ApartFromCaptures apart;
  std::lock_guard lock(mutex_);
  if ((reach_.load(std::memory_order_relaxed) & bit) != 0) return Status();
  const MemoryAccess access = {{kLocationDevice, peer.number()}, kAccessReadWrite};
  for (const auto& [base, committed] : reservations_) {
    const Error error = forRuns(base, committed, [&](DriverAddress address, uint64_t size) {
      return RT_CUDA_CALL(cuMemSetAccess, address, size, &access, 1);
    });
    if (error != kSuccess) return device_.failed("cuMemSetAccess", error);  // what has been given so far does no harm
  }
  // Then reach_: a thread that sees the bit may submit a copy at once.
  accesses_[access_count_++] = access;
  reach_.fetch_or(bit, std::memory_order_release);
  return Status();
}

}  // namespace manyrt::cuda
