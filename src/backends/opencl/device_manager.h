// The devices of OpenCL: what each of them is, how its memory is addressed, its cl_context, and its death. The execution
// manager owns them; contexts refer to theirs.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/declarations.h"
#include "backends/opencl/heap_manager.h"
#include "backends/opencl/host_reads.h"
#include "backends/opencl/library_manager.h"
#include "backends/opencl/queue_manager.h"
#include "backends/opencl/quirks.h"
#include "backends/opencl/table.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class Context;

class Device final : public backend::Device {
 public:
  Device(int32_t ordinal, cl_platform_id platform, cl_device_id id);
  Status describe();  // once, before anybody sees it; makes no context

  const backend::Limits& limits() const override { return limits_; }
  Status properties(const rtDeviceProperties_t** properties) override;
  bool has(int32_t capability) const override;
  Status attribute(int64_t* value, int32_t attribute) override;
  Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) override;
  bool canAccess(const backend::Device&) const override { return false; }
  Status createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) override;
  Status importContext(Ref<backend::Context>* context, const uint64_t native[2]) override;
  void native(uint64_t out[2]) override;

  int32_t ordinal() const { return ordinal_; }
  cl_device_id id() const { return id_; }
  int32_t tier() const { return properties_.memory_tier; }
  const Extensions& extensions() const { return extensions_; }
  const Quirks& quirks() const { return quirks_; }
  const rtDeviceProperties_t& facts() const { return properties_; }
  const std::string& identity() const { return identity_; }  // of device and driver, for keys of compiled code
  bool fineGrained() const { return fine_buffer_; }          // host and device may share an allocation (svm)
  bool reachesPinned() const { return reaches_pinned_; }     // kernels take pinned memory of their context
  bool roundsDivision() const { return rounds_division_; }   // of float, correctly, if asked to
  bool takesIl() const { return takes_il_; }
  uint64_t baseAlignment() const { return base_alignment_; }  // of sub-buffers

  // The cl_context of this device, made at the first call and then kept: all contexts of the library share it.
  Status context(cl_context* context);

  QueueManager& queues() { return queues_; }
  LibraryManager& libraries() { return libraries_; }
  HostRoots& hostRoots() { return host_roots_; }
  HostReads& hostReads() { return host_reads_; }

  // Allocations whose addresses kernels may find in memory (svm): every kernel is told of all of them when they have changed.
  void noteAddresses(void* address, uint64_t size);  // throws bad_alloc
  void forgetAddresses(void* address);
  bool knowsAddress(const void* address) const;  // inside one of them
  uint64_t addressGeneration() const { return address_generation_.load(std::memory_order_acquire); }
  std::vector<void*> addresses() const;
  // Held from telling a kernel to enqueueing it: no allocation that it was told of is freed meanwhile.
  using AddressUse = Ranked<std::shared_mutex, LockRank::kClAddressUse>;
  using KeptAddresses = std::shared_lock<AddressUse>;
  KeptAddresses keepAddresses() { return KeptAddresses(address_use_); }

  void countMemory(int64_t bytes) { used_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed); }

  // The result of a call that work on the device may have failed: a death is recorded and everything that waits is told.
  Status failed(const char* call, Error error);
  // At exit, before the driver takes itself down: what is enqueued ends, and nothing more is.
  void close();

  void add(Context& context);
  void remove(Context& context);

 private:
  std::vector<Ref<Context>> contexts();  // fewer without memory
  Status describeLimits();
  void describeMemory();
  void chooseTier();
  std::string text(cl_device_info what) const;
  uint32_t simdWidth() const;

  const int32_t ordinal_;
  const cl_platform_id platform_;
  const cl_device_id id_;
  Quirks quirks_;
  Extensions extensions_;
  backend::Limits limits_{};
  rtDeviceProperties_t properties_ = {};
  std::string identity_;
  std::string extension_names_;  // with blanks around each
  uint64_t base_alignment_ = 128;
  bool svm_ = false, usm_ = false;  // what the device and its driver have
  bool fine_buffer_ = false, shared_ = false, reaches_pinned_ = false, takes_il_ = false;
  bool doubles_ = false, atomics_64_ = false, rounds_division_ = false;

  QueueManager queues_;
  LibraryManager libraries_;
  HostRoots host_roots_;
  HostReads host_reads_;
  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> address_generation_{0};
  AddressUse address_use_;
  mutable Ranked<std::mutex, LockRank::kClDevice> mutex_;
  cl_context context_ = nullptr;
  std::map<uintptr_t, uint64_t> addresses_;  // first address, bytes
  std::vector<Context*> contexts_;
};

}  // namespace manyrt::opencl
