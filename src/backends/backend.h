// The whole interface of a backend. Managers create these objects and recycle them, ops act on them; a backend trusts its
// input, which was checked above. Written against three drivers: each method names the CUDA runtime's call and the
// OpenCL 1.2 call that serve it. Nothing here is called with a lock of the library held. Natives are counted (Ref):
// borrowed imports, points and deferred teardown share them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "backends/point.h"
#include "base/clock.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/task.h"
#include "base/trace.h"
#include "rt.h"

namespace manyrt::backend {

class Context;
class Device;

struct StreamOptions {
  int32_t priority = 0;    // within the device's range
  const char* label = "";  // borrowed for the call
};

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

// One argument of a kernel. Values are stored back to back, each aligned to `alignment`, at `offset`.
struct Argument {
  uint32_t size;  // bytes of the value; RT_ARG_LOCAL: 8, the byte count
  int32_t kind;   // RT_ARG_*
  uint32_t offset;
};

// What every backend takes of a kernel; the API refuses more.
constexpr uint32_t kMostArguments = 256;
constexpr uint32_t kLargestArgument = 4096;  // bytes of a value

// What a kernel of a module asks of a launch, beside the device's limits. As it is here, nothing.
struct LaunchRules {
  uint32_t group[3] = {0, 0, 0};     // the only work-group; zeros: any
  uint64_t most_items = UINT64_MAX;  // work-items of the grid in a direction
  bool no_local_bytes = false;       // of the launch: the kernel has all it needs
};

// A kernel prepared for one context. Launches keep a Ref until they are done.
class Kernel : public RefCounted {
 public:
  struct ArgumentText {
    std::string name;
    std::string type_name;
  };

  const std::vector<Argument>& arguments() const { return arguments_; }
  uint32_t argumentBytes() const { return argument_bytes_; }  // a multiple of 16
  const char* name() const { return name_; }
  uint32_t maxGroupItems() const { return max_group_items_.load(std::memory_order_acquire); }  // 0: not prepared
  // Finds out what the kernel needs, where that was put off: before limits are asked for, and before the first launch.
  // cuModuleGetFunction, which loads the code · nothing.
  virtual Status prepare() { return Status(); }
  // Refuses arguments that only the backend can tell: asked in the call for launches that run later, such as those of a graph.
  // A launch that runs at once asks by itself, and a stream that holds one back asks before it does. Ops have asked all else.
  virtual Status checkArguments(const void* const* arguments) const {
    (void)arguments;
    return Status();
  }
  bool hasPointers() const { return has_pointers_; }
  bool hasLocals() const { return has_locals_; }
  // Local memory and memory of each work-item that the kernel itself has, for rtKernelGetInfo and the limits of a group.
  uint64_t ownLocalBytes() const { return local_bytes_; }
  uint64_t privateBytes() const { return private_bytes_; }
  const LaunchRules* rules() const { return has_rules_ ? &rules_ : nullptr; }  // null: a launch need only fit the device
  // Null where names are not known.
  const ArgumentText* argumentText(uint32_t index) const {
    return index < argument_texts_.size() ? &argument_texts_[index] : nullptr;
  }
  // cudaOccupancyMaxActiveBlocksPerMultiprocessor times the device's units; CL_KERNEL_WORK_GROUP_SIZE.
  virtual uint32_t maxActiveGroups(uint32_t group_items, uint64_t local_bytes) const = 0;
  virtual uint32_t preferredGroupMultiple() const = 0;

 protected:
  // Lays the arguments out; false without memory.
  bool describe(const rtHostKernel_t& host, uint32_t device_max_group_items);
  void addArgument(uint32_t size, int32_t kind);  // values are laid out back to back
  void limitGroup(uint32_t max_group_items, uint32_t device_max_group_items);
  void setRules(const LaunchRules& rules) {
    rules_ = rules;
    has_rules_ = true;
  }

  std::vector<Argument> arguments_;
  char name_[256] = "";
  uint32_t argument_bytes_ = 0;
  std::atomic<uint32_t> max_group_items_{0};
  bool has_pointers_ = false;
  bool has_locals_ = false;
  uint64_t local_bytes_ = 0;
  uint64_t private_bytes_ = 0;
  std::vector<ArgumentText> argument_texts_;

 private:
  bool has_rules_ = false;
  LaunchRules rules_;
};

// A program as rt.h receives it. Everything is borrowed for the call.
struct Image {
  int32_t format = RT_IMAGE_OPENCL_C;  // RT_IMAGE_*, never RT_IMAGE_AUTO
  std::string_view data;
  const char* options = "";  // of a build
  const char* name = "";     // in messages; "": the loader's choice
  uint32_t header_count = 0;
  const char* const* header_names = nullptr;
  const char* const* headers = nullptr;
};

// A program loaded for one context. Its kernels keep what they need of it: they may outlive it.
class Module : public RefCounted {
 public:
  const std::vector<Ref<Kernel>>& kernels() const { return kernels_; }
  // The index of a kernel, or kernels().size().
  size_t find(const std::string& name) const {
    auto found = index_.find(name);
    return found == index_.end() ? kernels_.size() : found->second;
  }
  // For a sentence that a kernel is missing: "It has \"add\" and \"scale\"."
  std::string whatItHas() const {
    constexpr size_t kMost = 24;
    std::vector<const std::string*> names(kernels_.size());
    for (const auto& [name, index] : index_) names[index] = &name;
    std::string text = names.empty() ? "It has none" : "It has";
    for (size_t i = 0; i < names.size() && i < kMost; ++i) {
      text += (i == 0 ? " \"" : i + 1 == names.size() ? " and \"" : ", \"") + *names[i] + "\"";
    }
    if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
    return text + ".";
  }
  const std::string& buildLog() const { return build_log_; }
  // cuModuleGetGlobal · nothing in OpenCL 1.2. The address stays null where there is none of that name.
  virtual Status global(void** address, uint64_t* size, const char* name) const = 0;
  virtual void native(uint64_t out[2]) = 0;

 protected:
  // False: there is one of that name.
  bool add(const std::string& name, Ref<Kernel> kernel) {
    if (!index_.emplace(name, kernels_.size()).second) return false;
    kernels_.push_back(std::move(kernel));
    return true;
  }

  std::string build_log_;

 private:
  std::vector<Ref<Kernel>> kernels_;
  std::unordered_map<std::string, size_t> index_;
};

// What turns programs into modules, of devices with RT_CAPABILITY_KERNELS.
class ModuleLoader {
 public:
  virtual ~ModuleLoader() = default;
  virtual bool takes(int32_t format) const = 0;  // RT_IMAGE_*
  // cuModuleLoadDataEx, NVRTC · clCreateProgramWithSource, clBuildProgram. Blocks while a compiler runs; several threads
  // may be inside. Memory that is missing may be std::bad_alloc.
  virtual Status load(Ref<Module>* module, const Image& image) = 0;
};

struct Launch {
  uint32_t grid[3];   // work-groups, none zero
  uint32_t group[3];  // work-items in each, none zero
  uint32_t local_bytes = 0;
  bool cooperative = false;      // every group runs at the same time as all others
  const void* const* arguments;  // borrowed for the call: values are copied before it returns
};

// Rows of `width` bytes; a plain copy has one row. Each side is memory of this stream's device, or what its copies reach:
// Limits::copies_host, Device::copiesPeer. Pageable host memory may block the caller.
struct Copy {
  void* dst;
  const void* src;
  uint64_t width;
  uint64_t height = 1;
  uint64_t dst_pitch = 0;
  uint64_t src_pitch = 0;
};

struct Fill {
  void* dst;
  unsigned char pattern[16];
  uint32_t pattern_size;  // 1, 2, 4, 8, 16
  uint64_t width;         // bytes of a row, a multiple of pattern_size
  uint64_t height = 1;
  uint64_t pitch = 0;
};

enum class TaskKind {
  kInternal,  // of the library: short, never blocks; may run on any thread that executes the stream
  kUser,      // a program's function: only on a thread of base/host_threads, the stream waits for it
  kNative,    // a program's function that submits to the native stream: where there is one it runs as soon as what is ahead
              // has been submitted, else as kUser
};

// When a stream leaves a wait out. Once it has failed, what a wait of the program is for may never come, and nothing behind it
// runs. A wait that keeps launches of a graph one after another, or memory until a copy by another stream is over, stands in
// any case: what the stream passes behind it says to others that these are over.
enum class Skip { kOnFailure, kNever };

// An in-order queue. Submissions are numbered from 1; `completed` follows. Submitting never blocks (but copies of pageable
// memory) and is legal from any thread. A failure latches; the stream then skips what it has until the latch is taken, and
// every point passed meanwhile carries the cause. Tasks run in any case, with the failure.
class Stream : public RefCounted {
 public:
  StatusLatch latch;
  uint64_t track = 0;  // of the trace
  // How many streams of the program stand for this one. At 0 nobody can be told of its failure, though its work goes on.
  std::atomic<uint32_t> claims{0};

  // cudaLaunchKernel · clEnqueueNDRangeKernel
  virtual Status launch(Kernel& kernel, const Launch& launch) = 0;
  // cudaMemcpy2DAsync · clEnqueueCopyBufferRect, clEnqueueReadBufferRect, clEnqueueWriteBufferRect
  virtual Status copy(const Copy& copy) = 0;
  // cudaMemsetAsync, a kernel · clEnqueueFillBuffer
  virtual Status fill(const Fill& fill) = 0;
  // cudaMemPrefetchAsync · clEnqueueMigrateMemObjects; a hint
  virtual Status prefetch(const void* address, uint64_t size, bool to_host) = 0;
  // cudaEventRecord · the cl_event of clEnqueueMarkerWithWaitList. The point comes from this stream's context.
  virtual Status record(Ref<Point> point) = 0;
  // The same for a point that was recorded before and that nobody but the caller holds. False: nothing was done, take a
  // fresh one.
  virtual bool recordAgain(Point&, Status*) { return false; }
  // cudaStreamWaitEvent · clEnqueueBarrierWithWaitList for a point of this backend, else work is held back by a thread of
  // the library. A point that carries a failure latches it here, where nothing has failed before.
  virtual Status wait(Ref<Point> point, Skip skip = Skip::kOnFailure) = 0;
  // The same for a point that the caller keeps for the call alone. False: nothing was done, give a reference away.
  virtual bool waitAtOnce(Point&, Status*) { return false; }
  // cudaLaunchHostFunc · a held-back stream. Takes the task in any case: on failure it is deleted without having run.
  virtual Status call(Task* task, TaskKind kind) = 0;

  // Does a short synchronous copy at once where the stream is idle; false: nothing was done, submit it.
  virtual bool copyNow(const Copy& copy) = 0;
  // A copy from memory that the library does not know, which the stream may read until the call returns and no longer.
  // True: `status` says what became of it, and a source in pageable memory has been read; one that the driver knows as its
  // own is read in the stream's order. False: nothing was done, as work is ahead: give copy() a source that stays.
  // cudaMemcpyAsync · clEnqueueWriteBuffer that blocks, on an idle queue.
  virtual bool copyAndRead(const Copy& copy, Status* status) = 0;

  virtual uint64_t submitted() const = 0;
  virtual uint64_t completed() = 0;  // cudaStreamQuery · CL_EVENT_COMMAND_EXECUTION_STATUS; polls, runs nothing
  // cudaStreamSynchronize · clFinish, for the submissions up to `serial`; false when the deadline passed first. May run work
  // on the calling thread; with a finite deadline none that it might have to abandon.
  virtual bool wait(uint64_t serial, Deadline deadline) = 0;
  // Whether the calling thread is running a task of this stream: waiting for it there would never end.
  virtual bool isInsideTask() const = 0;

  // Whether the stream has come to `serial`, its last submission, for a program that asks. True as soon as a point that it
  // passed, or a fence that it signalled, has shown that to anybody: completed() may follow a moment later, and this waits for
  // that moment. Not under a lock.
  bool reached(uint64_t serial);
  bool idle() { return completed() >= submitted(); }
  virtual void native(uint64_t out[2]) = 0;
  // Once for each import of this stream, as that ends: behind the last one the native stream may be destroyed by its owner, and
  // what is still to be done or asked goes without it.
  virtual void endImport() {}

 protected:
  // By the thread that is about to pass a point of the submission `serial`, or to run a task that tells others. What others
  // see of that happens after this store, so that they see the store as well. `completed` follows without waiting for anybody.
  void announce(uint64_t serial) { announced_.store(serial, std::memory_order_release); }
  // Where the driver passes points: asks it about the record that the submission `serial` was, and advances `completed`.
  virtual bool askRecord(uint64_t) { return false; }

 private:
  std::atomic<uint64_t> announced_{0};
};

// One step of a graph that a driver may run by itself: what one call of a stream would do, with its addresses in place.
struct KernelStep {
  Kernel* kernel;  // a replay keeps a Ref
  Launch launch;   // not cooperative; arguments are borrowed for the call
};
struct PrefetchStep {
  const void* address;
  uint64_t size;
  bool to_host;
};
// What a native function of the program gave to a stream, recorded once: it runs with each launch of a replay that has it.
class NativeWork : public RefCounted {};
struct NativeStep {
  NativeWork* work;  // a replay keeps a Ref
};
// Calls the program's function with a native stream.
using NativeCall = std::function<Status(const uint64_t native[2])>;
struct ReplayStep {
  using Work =
      std::variant<std::monostate, KernelStep, Copy, Fill, PrefetchStep, NativeStep>;  // the first: where dependencies meet
  Work work;
  std::span<const uint32_t>
      before;           // earlier steps that it waits for; borrowed for the call. What follows from others is left out
  uint32_t branch = 0;  // of the plan; steps of one branch may run one after another
};

// Steps that a driver runs as one submission, again and again. Launches of one replay run one after another, on whatever
// streams of its context; a failure latches as that of a single step does. Launching and changing are serialised by the
// caller; both are legal while launches are in flight, which keep what they need beyond the replay itself.
class Replay : public RefCounted {
 public:
  // cuGraphLaunch · clEnqueueNDRangeKernel and its like, one behind the other. One submission of the stream.
  virtual Status launch(Stream& stream) = 0;
  // What `stream` gets from now on, of another replay say, comes behind the last launch, which went to `last`, another stream.
  // Not behind what `last` was given since: that may wait for what is to come.
  virtual Status comeBehind(Stream& stream, Stream& last) = 0;
  // Launches from now on do other work of the same kind in a step; earlier ones what they were launched with.
  // cuGraphExecKernelNodeSetParams and its like · clSetKernelArg. False: the driver cannot, nothing was changed, a
  // new replay is needed.
  virtual Status change(bool* changed, uint32_t step, const ReplayStep::Work& work) = 0;
};

// What turns steps into replays, of drivers that run graphs.
class ReplayMaker {
 public:
  virtual ~ReplayMaker() = default;
  // Whether a replay may have such a step; one that may not is submitted by itself.
  virtual bool takes(const ReplayStep::Work& work) = 0;
  // cuGraphCreate, cuGraphAddKernelNode and its like, cuGraphInstantiate · clCreateKernel, clSetKernelArg. There is a step, and
  // each is taken. Memory that is missing may be std::bad_alloc.
  virtual Status make(Ref<Replay>* replay, std::span<const ReplayStep> steps) = 0;
  // cuStreamBeginCapture, cuStreamEndCapture · nothing in OpenCL. Calls the program, so that no guard and no lock is held.
  // Null: this driver records nothing, and the function is called at each launch.
  virtual Status record(Ref<NativeWork>*, const NativeCall&) { return Status(); }
};

// What a device gives to one owner: its streams, points, kernels and memory. Destroyed on a thread of the library, when
// its streams are idle and its memory is released; then it may block.
class Context : public RefCounted {
 public:
  // cudaStreamCreateWithPriority · clCreateCommandQueue
  virtual Status createStream(Ref<Stream>* stream, const StreamOptions& options) = 0;
  // A recycled stream gets its new options.
  virtual void renewStream(Stream& stream, const StreamOptions& options) = 0;
  // cudaEventCreateWithFlags · nothing (OpenCL's events come from commands). Pooled: cheap.
  virtual Status createPoint(Ref<Point>* point, bool timed) = 0;
  // A function of the program as a kernel; RT_CAPABILITY_HOST_KERNELS.
  virtual Status createHostKernel(Ref<Kernel>* kernel, const rtHostKernel_t& host) = 0;
  virtual ReplayMaker* replays() { return nullptr; }  // lives as long as the context; null: the driver runs no graphs
  virtual ModuleLoader* modules() = 0;                // lives as long as the context; null without RT_CAPABILITY_KERNELS

  // cudaMalloc, cudaHostAlloc, cudaMallocManaged · clCreateBuffer, clSVMAlloc. `kind` is RT_MEMORY_*; at least 256-byte
  // alignment, larger ones as asked (a power of two).
  virtual Status allocate(Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) = 0;
  virtual void release(const Memory& memory) = 0;
  // cudaHostRegister, cudaHostUnregister, cudaHostGetDevicePointer · CL_MEM_USE_HOST_PTR
  virtual Status registerHost(void* pointer, uint64_t size, void** device_pointer) = 0;
  virtual void unregisterHost(void* pointer, uint64_t size) = 0;

  // cudaDeviceEnablePeerAccess · nothing in OpenCL 1.2: kernels of this context may use the peer's memory from now on. The
  // peer's device is one that canAccess has said yes to.
  virtual Status enablePeer(Context&) { return Status(); }

  // Native objects of this context, and borrowing them back. NOT_FOUND where they are not this driver's.
  virtual void native(uint64_t out[2]) = 0;
  virtual Status importStream(Ref<Stream>* stream, const uint64_t native[2]) = 0;
  virtual Status importPoint(Ref<Point>* point, const uint64_t native[2]) = 0;
  virtual Status importMemory(Memory* memory, const uint64_t native[2], uint64_t size) = 0;
  virtual void nativePoint(Point& point, uint64_t out[2]) = 0;
};

// What every launch is checked against; known without asking a driver much.
struct Limits {
  uint32_t max_group_items;
  uint32_t max_group_size[3];
  uint32_t max_grid_size[3];
  uint64_t local_bytes_per_group;
  int32_t priority_greatest;     // 0 or negative; the least is 0
  bool reaches_host;             // kernels and fills may use every address that the host may
  bool copies_host;              // copies may, whoever allocated it; without it, only the program's own memory
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
  // devices · clEnqueueCopyBuffer inside one cl_context. What cannot goes through the host.
  virtual bool copiesPeer(const Device& other) const { return &other == this; }
  // cuDevicePrimaryCtxRetain · clCreateContext
  virtual Status createContext(Ref<Context>* context, const ContextOptions& options) = 0;
  virtual Status importContext(Ref<Context>* context, const uint64_t native[2]) = 0;
  virtual void native(uint64_t out[2]) = 0;

  // One way: the first cause stays. Later submissions fail at once, waits wake, destroys succeed.
  Status lost() const { return lost_.get(); }
  bool isLost() const { return lost_.failed(); }
  void lose(Status cause) { lost_.set(std::move(cause)); }

 private:
  StatusLatch lost_;
};

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
