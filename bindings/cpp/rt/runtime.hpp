// SPDX-License-Identifier: Apache-2.0
//
// Runtime: one device with a context, a stream, its memory, events and recorded graphs in one class, for programs that want
// no more than that. It stands on the other headers and adds no function of rt.h. Failures are exceptions alone.
#ifndef MANYRT_RT_RUNTIME_HPP_
#define MANYRT_RT_RUNTIME_HPP_

#include "graph.hpp"

#if MANYRT_CPP_EXCEPTIONS

#include <cstdio>
#include <functional>
#include <memory>

namespace rt {

/** A block of memory that a Runtime has allocated; freed, without blocking, with the last std::shared_ptr to it. It may outlive
 *  its Runtime. */
class Memory {
 public:
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const noexcept { return buffer_.data(); }
  /** The same address as that of elements. */
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(buffer_.data());
  }
  std::size_t size() const noexcept { return buffer_.size(); }
  Device device() const noexcept { return device_; }
  /** True for host memory that the device's driver has pinned; false for device memory and where ordinary memory stands in. */
  bool isPinned() const noexcept { return pinned_; }

 private:
  friend class Runtime;
  Memory(Buffer<std::byte> buffer, Device device, bool pinned) noexcept
      : buffer_(std::move(buffer)), device_(device), pinned_(pinned) {}

  Buffer<std::byte> buffer_;
  Device device_;
  bool pinned_;
};

/** A recording of a Runtime: a plan was made once, and each execute() runs it again at the same addresses. */
class RecordedGraph {
 public:
  /** Submits one run to the stream of its Runtime; INVALID_HANDLE once that has ended. Does not block. */
  void execute() const { exec_.launch(stream_); }
  std::size_t nodeCount() const { return graph_.nodes().size(); }
  const Graph& graph() const noexcept { return graph_; }
  const GraphExec& exec() const noexcept { return exec_; }

 private:
  friend class Runtime;
  RecordedGraph(Graph graph, GraphExec exec, StreamRef stream) noexcept
      : graph_(std::move(graph)), exec_(std::move(exec)), stream_(stream) {}

  Graph graph_;
  GraphExec exec_;
  StreamRef stream_;
};

/** One device, ready for use. Made by Context::runtime(device), owned by its caller, used by one thread at a time. A null
 *  stream in its calls is the Runtime's own. */
class Runtime {
 public:
  /** The function that a recording takes: it submits work to runtime.stream(), which becomes part of the graph instead of
   *  running. */
  using GraphOperator = std::function<void(Runtime&)>;

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  /** Frees what the pool keeps unused, releases the operator library's handle, then ends stream and context. Work in flight
   *  completes, and memory stays until its last std::shared_ptr. */
  ~Runtime() {
    if (recording_) {
      (void)stream_.endCapture(noThrow);
      (void)pool_.setPinMode(false, noThrow);
    }
    const Result<ContextRef> current = ContextRef::current(noThrow);
    if (current && *current == context_) (void)ContextRef().makeCurrent(noThrow);
    (void)pool_.trim(0, noThrow);
    (void)context_.setUserData(nullptr, nullptr, noThrow);
  }

  /** Makes this device current for calls of this thread that name no context. Returns this. */
  Runtime* activate() {
    context_.makeCurrent();
    return this;
  }
  Device device() const noexcept { return device_; }
  const ContextRef& context() const noexcept { return context_; }
  const StreamRef& stream() const noexcept { return stream_; }
  const MemPoolRef& pool() const noexcept { return pool_; }

  /** The operator library's state: one pointer, which the Runtime keeps and `release` ends with it. */
  void setOperatorHandle(void* handle, rtReleaseFunction_t release = nullptr) { context_.setUserData(handle, release); }
  void* operatorHandle() const { return context_.userData(); }

  /** Memory of the device. */
  std::shared_ptr<Memory> allocateMemory(std::size_t bytes) { return share(Buffer<std::byte>::create(bytes, context_), false); }
  /** Pinned memory of the host. On a CPU it is ordinary memory, and the first such call writes a warning to stderr. */
  std::shared_ptr<Memory> allocatePinnedHostMemory(std::size_t bytes) {
    HostBuffer<std::byte> host = HostBuffer<std::byte>::create(bytes, context_);
    if (!pins_ && !std::exchange(warned_, true)) {
      std::fprintf(stderr, "rt: warning: %s has no pinned memory; allocatePinnedHostMemory gives ordinary memory.\n",
                   device_.properties().id);
    }
    return share(Buffer<std::byte>::adopt(host.release(), bytes), pins_);
  }

  /** Copies bytes on the stream; where `async` is false it then waits. A destination, and a source in pinned memory, stay
   *  valid until the stream has passed the copy. */
  void memcpyH2D(void* dst, const void* src, std::size_t bytes, bool async = true) {
    copy(dst, src, bytes, RT_MEMCPY_HOST_TO_DEVICE, async);
  }
  void memcpyD2D(void* dst, const void* src, std::size_t bytes, bool async = true) {
    copy(dst, src, bytes, RT_MEMCPY_DEVICE_TO_DEVICE, async);
  }
  void memcpyD2H(void* dst, const void* src, std::size_t bytes, bool async = true) {
    copy(dst, src, bytes, RT_MEMCPY_DEVICE_TO_HOST, async);
  }

  /** Blocks until the stream's work, or that of all contexts of the device, is complete. */
  void syncStream() { stream_.synchronize(); }
  void syncDevice() { device_.synchronize(); }

  Event createEvent() { return Event::create(context_); }
  /** flags: 0 or RT_EVENT_DISABLE_TIMING. */
  Event createEventWithFlags(std::uint32_t flags) { return Event::create(context_, flags); }
  void recordEvent(const EventRef& event, const StreamRef& stream = {}) { event.record(orOwn(stream)); }
  /** True if the event's last record is complete. */
  bool queryEvent(const EventRef& event) { return event.query(); }
  void synchronizeEvent(const EventRef& event) { event.synchronize(); }
  /** Ends an event now; otherwise it ends with its Event. */
  void destroyEvent(Event& event) noexcept { event.close(); }
  /** Milliseconds of the device's clock. Throws an Error of status RT_NOT_READY while a record is pending. */
  float elapsedTime(const EventRef& start, const EventRef& end) {
    const std::optional<float> time = end.millisecondsSince(start);
    if (!time) raise(Failure{RT_NOT_READY, "elapsedTime: an event's record is pending; synchronizeEvent waits for it."});
    return *time;
  }
  void streamWaitEvent(const StreamRef& stream, const EventRef& event) { orOwn(stream).wait(event); }

  bool isGraphRecording() const noexcept { return recording_; }
  /** From here on the stream's work is recorded, and memory of its pool keeps its address for the graph. */
  void startGraphRecording() {
    if (recording_) raise(Failure{RT_ERROR_BUSY, "startGraphRecording: this Runtime records already."});
    pool_.setPinMode(true);
    const Result<void> begun = stream_.beginCapture(noThrow);
    if (!begun) (void)pool_.setPinMode(false, noThrow);
    begun.value();
    recording_ = true;
  }
  /** Has an operator submit its work to the recording. An exception of it passes through, and the recording goes on. */
  void addGraphOperator(const GraphOperator& op) {
    if (!recording_) raise(Failure{RT_ERROR_INVALID_VALUE, "addGraphOperator: startGraphRecording has not been called."});
    op(*this);
  }
  /** Ends the recording, on the thread that started it, and plans it: dependencies reduced, one native graph where the device
   *  has them. */
  std::shared_ptr<RecordedGraph> stopGraphRecording() {
    if (!std::exchange(recording_, false)) {
      raise(Failure{RT_ERROR_INVALID_VALUE, "stopGraphRecording: startGraphRecording has not been called."});
    }
    Result<Graph> graph = stream_.endCapture(noThrow);
    const Result<void> unpinned = pool_.setPinMode(false, noThrow);
    if (!graph) raise(graph.failure());
    unpinned.value();
    GraphExec exec = GraphExec::create(*graph, context_);
    return std::shared_ptr<RecordedGraph>(new RecordedGraph(std::move(*graph), std::move(exec), stream_));
  }

 private:
  friend class Context;

  explicit Runtime(Device device)
      : device_(device),
        context_(Context::create(device)),
        pool_(context_.defaultPool()),
        stream_(Stream::create(context_)),
        pins_(device.properties().kind != RT_DEVICE_KIND_CPU) {
    activate();
  }

  const StreamRef& orOwn(const StreamRef& stream) const noexcept { return stream ? stream : stream_; }

  std::shared_ptr<Memory> share(Buffer<std::byte> buffer, bool pinned) {
    return std::shared_ptr<Memory>(new Memory(std::move(buffer), device_, pinned));
  }
  void copy(void* dst, const void* src, std::size_t bytes, rtMemcpyKind kind, bool async) {
    // A wait that is refused, as in a function of the stream, is so before the copy: after the exception nothing writes.
    if (!async && rtStreamSynchronizeFor(0, stream_.get()) == RT_ERROR_BUSY) raise(detail::failureOf(RT_ERROR_BUSY));
    stream_.copyBytes(dst, src, bytes, kind);
    if (!async) stream_.synchronize();
  }

  Device device_;
  Context context_;
  MemPoolRef pool_;
  Stream stream_;
  bool pins_;
  bool warned_ = false;
  bool recording_ = false;
};

inline std::unique_ptr<Runtime> Context::runtime(Device device) { return std::unique_ptr<Runtime>(new Runtime(device)); }

}  // namespace rt

#endif  // MANYRT_CPP_EXCEPTIONS
#endif  // MANYRT_RT_RUNTIME_HPP_
