// The devices of OpenCL: what each of them is, how its memory is addressed, its cl_context, and its death. The execution
// manager owns them; contexts refer to theirs.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "backends/driver/device.h"
#include "backends/opencl/declarations.h"
#include "backends/opencl/memory/heap.h"
#include "backends/opencl/memory/host_reads.h"
#include "backends/opencl/program/library.h"
#include "backends/opencl/quirks.h"
#include "backends/opencl/stream/queue_pool.h"
#include "backends/opencl/stream/timeline.h"
#include "backends/opencl/table.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class Device final : public driver::Device, private backend::Interop {
 public:
  Device(int32_t ordinal, cl_platform_id platform, cl_device_id id);
  Status describe();  // once, before the device is published; makes no context

  bool has(int32_t capability) const override;
  Status attribute(int64_t* value, int32_t attribute) override;
  Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) override;
  bool canAccess(const backend::Device&) const override { return false; }
  Status createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) override;
  backend::Interop* interop() override { return this; }
  void native(uint64_t out[2]) override;

  cl_device_id id() const { return id_; }
  int32_t tier() const { return properties_.memory_tier; }
  const Extensions& extensions() const { return extensions_; }
  const Quirks& quirks() const { return quirks_; }
  const std::string& identity() const { return identity_; }  // of device and driver, for keys of compiled code
  bool fineGrained() const { return fine_buffer_; }          // host and device may share an allocation (svm)
  bool reachesPinned() const { return reaches_pinned_; }     // kernels take pinned memory of their context
  bool roundsDivision() const { return rounds_division_; }   // of float, correctly, if asked to
  bool takesIl() const { return takes_il_; }
  uint64_t baseAlignment() const { return base_alignment_; }  // of sub-buffers

  // The cl_context of this device, made at the first call and then kept: all contexts of the library share it.
  Status context(cl_context* context);

  QueuePool& queues() { return queues_; }
  Timeline& timeline() { return timeline_; }
  Libraries& libraries() { return libraries_; }
  HostRoots& hostRoots() { return host_roots_; }
  HostReads& hostReads() { return host_reads_; }

  // Allocations whose addresses kernels may find in memory (svm): every kernel is told of all of them when they have changed.
  void noteAddresses(void* address, uint64_t size);  // throws bad_alloc
  void forgetAddresses(void* address);
  bool knowsAddress(const void* address) const;  // inside one of them
  // Acquire pairs with the increments, which follow the change of the list that they count.
  uint64_t addressGeneration() const { return address_generation_.load(std::memory_order_acquire); }
  std::vector<void*> addresses() const;
  // Held from telling a kernel to enqueueing it: no allocation that it was told of is freed meanwhile.
  using AddressUse = Ranked<std::shared_mutex, LockRank::kClAddressUse>;
  using KeptAddresses = std::shared_lock<AddressUse>;
  KeptAddresses keepAddresses() { return KeptAddresses(address_use_); }

  // Queues whose commands may wait for later acts of the program. They are its own queues, those that it was given, and those
  // that wait for an event of its own. Counted, as streams may share a queue.
  void addQueueOfTheProgram(cl_command_queue queue);  // throws bad_alloc
  void dropQueueOfTheProgram(cl_command_queue queue);
  bool isQueueOfTheProgram(cl_command_queue queue) const;

  // Relaxed: a sum for memInfo(), which orders nothing.
  void countMemory(int64_t bytes) { used_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed); }

  // The result of a call that work on the device may have failed: a death is recorded and everything that waits is told.
  Status failed(const char* call, Error error);
  // At exit, before the driver takes itself down: what is enqueued ends, and with close() nothing more is enqueued. Once one of
  // them has waited for 5 s in vain, the other does not.
  void settle();
  void close();

 private:
  Status importContext(Ref<backend::Context>* context, const uint64_t native[2]) override;
  Status importStream(Ref<backend::Stream>* stream, backend::Context& context, const uint64_t native[2]) override;
  Status importPoint(Ref<backend::Point>* point, backend::Context& context, const uint64_t native[2]) override;
  Status importMemory(backend::Memory* memory, backend::Context& context, const uint64_t native[2], uint64_t size) override;
  const char* memoryObject() const override { return "cl_mem"; }
  Status describeLimits();
  void describeMemory();
  void chooseTier();
  std::string text(cl_device_info what) const;
  uint32_t simdWidth() const;

  const cl_platform_id platform_;
  const cl_device_id id_;
  Quirks quirks_;
  Extensions extensions_;
  std::string identity_;
  std::string extension_names_;  // with blanks around each
  uint64_t base_alignment_ = 128;
  bool svm_ = false, usm_ = false;  // what the device and its driver have
  bool fine_buffer_ = false, shared_ = false, reaches_pinned_ = false, takes_il_ = false;
  bool doubles_ = false, halves_ = false, atomics_64_ = false, rounds_division_ = false;

  QueuePool queues_;
  Timeline timeline_{*this};
  Libraries libraries_;
  HostRoots host_roots_;
  HostReads host_reads_;
  std::atomic<uint64_t> used_{0};
  // Relaxed: the thread that adds one submits to it later, and what other threads submit meanwhile is ahead of the import.
  std::atomic<size_t> queues_of_the_program_{0};
  std::map<cl_command_queue, size_t> program_queues_;  // under mutex_
  std::atomic<uint64_t> address_generation_{0};
  AddressUse address_use_;
  mutable Ranked<std::mutex, LockRank::kClDevice> mutex_;
  cl_context context_ = nullptr;
  std::map<uintptr_t, uint64_t> addresses_;  // first address, bytes
  bool settled_late_ = false;                // settle() has waited in vain; used at exit
};

}  // namespace manyrt::opencl
