// The interface of a backend: this file, and what it includes of this folder. Managers create these objects and recycle them,
// ops act on them; a backend trusts its input, which was checked above. Written against three drivers: each method names the
// CUDA runtime's call and the OpenCL 1.2 call that serve it. Natives are counted (Ref): borrowed imports, points and deferred
// teardown share them.
//
// Threads: any thread may call anything at any time. Locks: a call may come with locks of earlier ranks held
// (base/lock_order.h), and takes its own only. A graph exec holds its lock while it launches or changes its replay. An event
// holds its own in recordAgain and waitAtOnce. Pools, the resources of a context and the uses of a region ask `submitted` and
// `completed` under theirs. The list of devices is made under its own. Memory is asked for without a lock. Waits for work
// (Stream::wait, Point::wait) and a module loader are called outside of any guard. A backend calls the program with none of its
// locks held, and a Waiter only under those that Waiter::passed allows.
#pragma once

#include <cstdint>

#include "backends/module.h"
#include "backends/point.h"
#include "backends/replay.h"
#include "backends/stream.h"
#include "base/ref.h"
#include "base/status.h"
#include "rt.h"

namespace manyrt::backend {

class Context;
class Device;

struct ContextOptions {
  WaitPolicy wait = WaitPolicy::kDefault;
  uint32_t cpu_threads = 0;  // 0: the device's default
  const char* label = "";
};

// Memory as the driver gave it.
struct Memory {
  void* address = nullptr;
  uint64_t size = 0;
  int32_t kind = RT_MEMORY_DEVICE;  // RT_MEMORY_*
  uint64_t native[2] = {0, 0};      // what rtPointerGetNative returns; backends keep their own handle here
  uint64_t tag = 0;                 // the backend's own: how it was allocated
  bool host_visible = false;        // the host may read and write it at `address`
};

// ---- What a backend may have ----

class AddressRanges;

// Functions of the program as kernels.
class HostKernels {
 public:
  virtual ~HostKernels() = default;
  virtual Status create(Ref<Kernel>* kernel, const rtHostKernel_t& host) = 0;
};

// Memory of the program that the device is told of: cudaHostRegister, cudaHostUnregister, cudaHostGetDevicePointer ·
// CL_MEM_USE_HOST_PTR
class HostRegistration {
 public:
  virtual ~HostRegistration() = default;
  virtual Status add(void* pointer, uint64_t size, void** device_pointer) = 0;
  virtual void remove(void* pointer, uint64_t size) = 0;
};

// Borrowing native objects of the program. NOT_FOUND where they are not this driver's.
class Interop {
 public:
  virtual ~Interop() = default;
  virtual Status importContext(Ref<Context>* context, const uint64_t native[2]) = 0;
  virtual Status importStream(Ref<Stream>* stream, Context& context, const uint64_t native[2]) = 0;
  virtual Status importPoint(Ref<Point>* point, Context& context, const uint64_t native[2]) = 0;
  virtual Status importMemory(Memory* memory, Context& context, const uint64_t native[2], uint64_t size) = 0;
  // The driver's word, for messages, for the objects that are imported as memory. Null where memory is imported by its address.
  virtual const char* memoryObject() const { return nullptr; }
};

// ---- What every backend has ----

// Counters of recycled objects, as RT_CONTEXT_STATS: created, recycled, live, existing.
struct Counts {
  uint64_t created = 0, recycled = 0, live = 0, native = 0;
};

// The streams, points, kernels and memory that a device gives to one owner. Destroyed on a thread of the library, when its
// streams are idle and its memory is released; then it may block.
class Context : public RefCounted {
 public:
  // cudaStreamCreateWithPriority · clCreateCommandQueue
  virtual Status createStream(Ref<Stream>* stream, const StreamOptions& options) = 0;
  // A recycled stream gets its new options.
  virtual void renewStream(Stream& stream, const StreamOptions& options) = 0;
  // cudaEventCreateWithFlags · nothing (OpenCL's events come from commands). Pooled: cheap.
  virtual Status createPoint(Ref<Point>* point, bool timed) = 0;
  virtual Counts pointCounts() { return {}; }  // of a backend that keeps them for reuse
  // Optional interfaces. Null: the backend has it not. Lives as long as the context.
  virtual HostKernels* hostKernels() { return nullptr; }            // RT_CAPABILITY_HOST_KERNELS
  virtual ModuleLoader* modules() { return nullptr; }               // RT_CAPABILITY_KERNELS
  virtual ReplayMaker* replays() { return nullptr; }                // of drivers that run graphs
  virtual HostRegistration* hostRegistration() { return nullptr; }  // RT_CAPABILITY_HOST_REGISTER

  // cudaMalloc, cudaHostAlloc, cudaMallocManaged · clCreateBuffer, clSVMAlloc. `kind` is RT_MEMORY_*; at least 256-byte
  // alignment, larger ones as asked (a power of two).
  virtual Status allocate(Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) = 0;
  virtual void release(const Memory& memory) = 0;
  virtual AddressRanges* addressRanges() { return nullptr; }  // null: allocate() alone

  // cudaDeviceEnablePeerAccess, cuMemSetAccess · nothing in OpenCL 1.2: kernels of this context may use the peer's memory from
  // now on. The peer's device is one that canAccess has said yes to.
  virtual Status enablePeer(Context&) { return Status(); }

  // The native objects, for programs that call the driver themselves.
  virtual void native(uint64_t out[2]) = 0;
  virtual void nativePoint(Point& point, uint64_t out[2]) = 0;
};

// Addresses without memory, parts of which get memory and lose it again, in whole granules. cuMemAddressReserve, cuMemCreate,
// cuMemMap and their like · nothing in OpenCL 1.2
class AddressRanges {
 public:
  virtual ~AddressRanges() = default;
  // Addresses alone, at a multiple of 2 MiB, of a kind that commits() says yes to. release() of the context ends them.
  virtual Status reserve(Memory* memory, uint64_t size) = 0;
  virtual bool commits(int32_t kind) const = 0;
  virtual uint64_t granule() const = 0;  // bytes: 64 KiB to 2 MiB, a power of two
  // Larger blocks are better allocated by themselves, since each granule takes calls of a driver.
  virtual uint64_t largestBlock() const = 0;
  // Whether addresses are of use without commit() too, and get memory page by page when they are touched.
  virtual bool givesPagesAtTouch() const = 0;
  // Both of whole granules inside. A commit that fails has done nothing. Nothing uses what loses its memory, on any device.
  virtual Status commit(const Memory& memory, uint64_t offset, uint64_t size) = 0;
  virtual void decommit(const Memory& memory, uint64_t offset, uint64_t size) = 0;
};

// The limits that every launch is checked against; known without asking a driver much.
struct Limits {
  uint32_t max_group_items;
  uint32_t max_group_size[3];
  uint32_t max_grid_size[3];
  uint64_t local_bytes_per_group;
  int32_t priority_greatest;     // 0 or negative; the least is 0
  bool reaches_host;             // kernels and fills may use every address that the host may
  bool copies_host;              // copies may, however it was allocated; without it, only the program's own memory
  bool refuses_unknown = false;  // kernels may be given addresses of the library's memory alone
  bool reaches_pinned = true;    // kernels may use pinned memory of their context
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const Limits& limits() const = 0;
  // Filled at the first question, then kept. struct_size is that of the library.
  virtual Status properties(const rtDeviceProperties_t** properties) = 0;
  virtual bool has(int32_t capability) const = 0;
  // RT_ATTRIBUTE_* that are not properties: NUMA_NODES, HOST_THREADS.
  virtual Status attribute(int64_t* value, int32_t attribute) = 0;
  virtual Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) = 0;  // cudaMemGetInfo; creates no context
  virtual bool canAccess(const Device& peer) const = 0;                     // cudaDeviceCanAccessPeer; itself: false
  // Whether one copy of this device's streams may name memory of the other one: cudaMemcpyDefault between any two
  // devices · clEnqueueCopyBuffer inside one cl_context. Other copies go through the host. Asked before each such copy: the
  // first question may prepare the other device's memory for it.
  virtual bool copiesPeer(const Device& other) const { return &other == this; }
  // cuDevicePrimaryCtxRetain · clCreateContext
  virtual Status createContext(Ref<Context>* context, const ContextOptions& options) = 0;
  virtual Interop* interop() { return nullptr; }  // lives as long as the device; null: RT_CAPABILITY_NATIVE_INTEROP is 0
  virtual void native(uint64_t out[2]) = 0;

  // One way: the first cause stays. Later submissions fail at once, waits wake, destroys succeed.
  Status lost() const { return lost_.get(); }
  bool isLost() const { return lost_.failed(); }
  void lose(Status cause) { lost_.set(std::move(cause)); }

 private:
  StatusLatch lost_;
};

// The interop of a device, or why there is none.
Status interopOf(Interop** interop, Device& device);

class Backend {
 public:
  virtual ~Backend() = default;
  virtual int32_t id() const = 0;        // RT_BACKEND_*
  virtual const char* name() const = 0;  // "cpu": the first part of a device's id
  // Loads the driver at the first question. A missing driver or device is zero devices and a reason.
  virtual int32_t deviceCount() = 0;
  virtual Device* device(int32_t ordinal) = 0;   // borrowed, kept until the process ends
  virtual void info(rtBackendInfo_t* info) = 0;  // fills all but struct_size
};

}  // namespace manyrt::backend
