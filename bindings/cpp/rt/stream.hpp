// SPDX-License-Identifier: Apache-2.0
//
// Streams, events and fences: the order of work. A null StreamRef is the default stream of the current context, which has no
// implicit order towards other streams. Copies and fills in a stream's order are here, those that wait are in memory.hpp.
#ifndef MANYRT_RT_STREAM_HPP_
#define MANYRT_RT_STREAM_HPP_

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <type_traits>

#include "context.hpp"
#include "span.hpp"

namespace rt {

class Graph;
class GraphNode;

/** A time limit; waitForever is no limit. */
using Timeout = std::chrono::nanoseconds;
inline constexpr Timeout waitForever = Timeout::max();

struct StreamOptions : rtStreamOptions_t {
  StreamOptions() noexcept : rtStreamOptions_t RT_STREAM_OPTIONS_INIT {}
  void setLabel(std::string_view text) noexcept { detail::setLabel(label, text); }
};

#if MANYRT_CPP_EXCEPTIONS
/** Receives an exception that left a function of a stream or a graph, on a thread of the library; throws nothing. */
using CallbackExceptionHandler = void (*)(std::exception_ptr);
#endif

namespace detail {

inline std::uint64_t nanoseconds(Timeout timeout) noexcept {
  if (timeout == waitForever) return RT_TIMEOUT_INFINITE;
  return timeout.count() > 0 ? static_cast<std::uint64_t>(timeout.count()) : 0;
}

#if MANYRT_CPP_EXCEPTIONS
inline void printCallbackException(std::exception_ptr exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rt: an exception left a host function: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "rt: an exception that is no std::exception left a host function\n");
  }
}
inline std::atomic<CallbackExceptionHandler> callbackExceptionHandler{printCallbackException};
#endif

/** A callable of the program on its way through a `void* user`. */
template <class F>
struct HostCall {
  F function;

  void call(rtStatus_t status) noexcept {
#if MANYRT_CPP_EXCEPTIONS
    try {
      invoke(status);
    } catch (...) {
      callbackExceptionHandler.load()(std::current_exception());
    }
#else
    invoke(status);
#endif
  }
  void invoke(rtStatus_t status) {
    if constexpr (std::is_invocable_v<F&, rtStatus_t>) {
      function(status);
    } else if (status >= 0) {
      function();
    }
  }
  static void run(void* user, rtStatus_t status) { static_cast<HostCall*>(user)->call(status); }
  static void release(void* user) { delete static_cast<HostCall*>(user); }
};

}  // namespace detail

#if MANYRT_CPP_EXCEPTIONS
/** Sets what receives exceptions that leave host functions; nullptr: one line on stderr, as before the first call. */
inline void setCallbackExceptionHandler(CallbackExceptionHandler handler) noexcept {
  detail::callbackExceptionHandler = handler != nullptr ? handler : detail::printCallbackException;
}
#endif

/** A time of CLOCK_MONOTONIC in nanoseconds, and how far from it the true one may be. */
struct Timestamp {
  std::uint64_t hostNs = 0;
  std::uint64_t errorNs = 0;
};

class EventRef : public Borrowed<rtEvent_t> {
 public:
  using Borrowed::Borrowed;

  /** Marks the point that the stream has reached with its present work. */
  template <class E = DefaultMode>
  Outcome<E, void> record(const Borrowed<rtStream_t>& stream = {}, E = {}) const {
    return detail::done<E>(rtEventRecord(get(), stream.get()));
  }
  /** True if the last record is complete, or there was none. */
  template <class E = DefaultMode>
  Outcome<E, bool> query(E = {}) const {
    return detail::reached<E>(rtEventQuery(get()), RT_NOT_READY);
  }
  /** Blocks until the last record is complete. */
  template <class E = DefaultMode>
  Outcome<E, void> synchronize(E = {}) const {
    return detail::done<E>(rtEventSynchronize(get()));
  }
  /** The same with a limit: false if the time passed first. */
  template <class E = DefaultMode>
  Outcome<E, bool> synchronizeFor(Timeout timeout, E = {}) const {
    return detail::reached<E>(rtEventSynchronizeFor(detail::nanoseconds(timeout), get()), RT_ERROR_TIMEOUT);
  }
  /** Milliseconds of the device's clock from `start` to this event; empty while one is pending. */
  template <class E = DefaultMode>
  Outcome<E, std::optional<float>> millisecondsSince(EventRef start, E = {}) const {
    return since<E, float>(rtEventElapsedTime, start);
  }
  template <class E = DefaultMode>
  Outcome<E, std::optional<std::int64_t>> nanosecondsSince(EventRef start, E = {}) const {
    return since<E, std::int64_t>(rtEventElapsedNanoseconds, start);
  }
  /** When the stream passed the last record, on CLOCK_MONOTONIC; empty while it is pending. */
  template <class E = DefaultMode>
  Outcome<E, std::optional<Timestamp>> timestamp(E = {}) const {
    Timestamp value{};
    const rtStatus_t status = rtEventGetTimestamp(&value.hostNs, &value.errorNs, get());
    if (status == RT_NOT_READY) return std::optional<Timestamp>();
    return detail::give<E, std::optional<Timestamp>>(status, value);
  }
  /** An eventfd for poll, epoll and select, readable once the present last record is reached; the caller closes it. */
  template <class E = DefaultMode>
  Outcome<E, int> descriptor(E = {}) const {
    return detail::fetch<E, int>(rtEventGetDescriptor, get());
  }
  /** The driver's event; borrowed until it is recorded again. */
  template <class E = DefaultMode>
  Outcome<E, Native> native(E = {}) const {
    return detail::fetchNative<E>(rtEventGetNative, get());
  }

 private:
  template <class E, class T>
  Outcome<E, std::optional<T>> since(rtStatus_t (*function)(T*, rtEvent_t, rtEvent_t), EventRef start) const {
    T value{};
    const rtStatus_t status = function(&value, start.get(), get());
    if (status == RT_NOT_READY) return std::optional<T>();
    return detail::give<E, std::optional<T>>(status, value);
  }
};

class Event : public Owner<EventRef, rtEventDestroy> {
 public:
  using Owner::Owner;

  /** flags: 0 or RT_EVENT_DISABLE_TIMING. */
  template <class E = DefaultMode>
  static Outcome<E, Event> create(const ContextRef& context = {}, std::uint32_t flags = 0, E = {}) {
    rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
    options.flags = flags;
    return detail::fetch<E, Event>(rtEventCreate, &options, context.get());
  }
  /** Makes an event from one of another library, which stays the owner. */
  template <class E = DefaultMode>
  static Outcome<E, Event> fromNative(const Native& native, const ContextRef& context = {}, E = {}) {
    return detail::fetch<E, Event>(rtEventImport, native.data(), context.get());
  }
};

/** A 64-bit value that only grows; host and streams of any context and backend signal it and wait for it. */
class FenceRef : public Borrowed<rtFence_t> {
 public:
  using Borrowed::Borrowed;

  template <class E = DefaultMode>
  Outcome<E, std::uint64_t> value(E = {}) const {
    return detail::fetch<E, std::uint64_t>(rtFenceGetValue, get());
  }
  /** Raises the value, from the host. */
  template <class E = DefaultMode>
  Outcome<E, void> signal(std::uint64_t value, E = {}) const {
    return detail::done<E>(rtFenceSignal(value, get()));
  }
  /** Blocks until the value is at least this. */
  template <class E = DefaultMode>
  Outcome<E, void> wait(std::uint64_t value, E = {}) const {
    return detail::done<E>(rtFenceWait(value, get()));
  }
  /** The same with a limit: false if the time passed first. */
  template <class E = DefaultMode>
  Outcome<E, bool> waitFor(Timeout timeout, std::uint64_t value, E = {}) const {
    return detail::reached<E>(rtFenceWaitFor(detail::nanoseconds(timeout), value, get()), RT_ERROR_TIMEOUT);
  }
};

class Fence : public Owner<FenceRef, rtFenceDestroy> {
 public:
  using Owner::Owner;

  template <class E = DefaultMode>
  static Outcome<E, Fence> create(std::uint64_t value = 0, const ContextRef& context = {}, E = {}) {
    return detail::fetch<E, Fence>(rtFenceCreate, value, context.get());
  }
};

class StreamRef : public Borrowed<rtStream_t> {
 public:
  using Borrowed::Borrowed;

  /** Blocks until all work of the stream is complete; returns the stream's failure once and clears it. */
  template <class E = DefaultMode>
  Outcome<E, void> synchronize(E = {}) const {
    return detail::done<E>(rtStreamSynchronize(get()));
  }
  /** The same with a limit: false if the time passed first. Clears no failure. */
  template <class E = DefaultMode>
  Outcome<E, bool> synchronizeFor(Timeout timeout, E = {}) const {
    return detail::reached<E>(rtStreamSynchronizeFor(detail::nanoseconds(timeout), get()), RT_ERROR_TIMEOUT);
  }
  /** True if all work of the stream is complete. */
  template <class E = DefaultMode>
  Outcome<E, bool> query(E = {}) const {
    return detail::reached<E>(rtStreamQuery(get()), RT_NOT_READY);
  }
  /** Later work waits for the last record of `event`, for the present work of `other`, or for that of all its streams. */
  template <class E = DefaultMode>
  Outcome<E, void> wait(const EventRef& event, E = {}) const {
    return detail::done<E>(rtStreamWaitEvent(event.get(), get()));
  }
  template <class E = DefaultMode>
  Outcome<E, void> wait(const StreamRef& other, E = {}) const {
    return detail::done<E>(rtStreamWaitStream(other.get(), get()));
  }
  template <class E = DefaultMode>
  Outcome<E, void> wait(const ContextRef& other, E = {}) const {
    return detail::done<E>(rtStreamWaitContext(other.get(), get()));
  }
  /** Later work waits until the fence has at least this value. */
  template <class E = DefaultMode>
  Outcome<E, void> wait(const FenceRef& fence, std::uint64_t value, E = {}) const {
    return detail::done<E>(rtStreamWaitFence(fence.get(), value, get()));
  }
  /** Later work waits for the last use of memory that the library knows: an address inside it. */
  template <class E = DefaultMode>
  Outcome<E, void> waitForUse(const void* pointer, E = {}) const {
    return detail::done<E>(rtStreamWaitPointer(pointer, get()));
  }
  /** Raises the fence when the stream reaches this point. */
  template <class E = DefaultMode>
  Outcome<E, void> signal(const FenceRef& fence, std::uint64_t value, E = {}) const {
    return detail::done<E>(rtStreamSignalFence(fence.get(), value, get()));
  }
  template <class E = DefaultMode>
  Outcome<E, ContextRef> context(E = {}) const {
    return detail::fetch<E, ContextRef>(rtStreamGetContext, get());
  }
  template <class E = DefaultMode>
  Outcome<E, std::int32_t> priority(E = {}) const {
    return detail::fetch<E, std::int32_t>(rtStreamGetPriority, get());
  }
  /** The driver's stream; borrowed until the stream ends. */
  template <class E = DefaultMode>
  Outcome<E, Native> native(E = {}) const {
    return detail::fetchNative<E>(rtStreamGetNative, get());
  }

  /** Copies in the stream's order between any two of Buffer, DeviceSpan, Span and containers of the host. Both have the same
   *  number of elements of the same type. A source in ordinary memory has been read when this returns; any other source, and
   *  every destination, stays valid until the stream has passed the copy. In a capture both stay valid as long as the graph
   *  is launched, whose launches read the source. */
  template <class D, class S, class E = DefaultMode>
  Outcome<E, void> copy(D&& dst, const S& src, E = {}) const {
    static_assert(detail::outlivesCall<D>(), "the destination of a copy is a temporary, which ends before the copy");
    const Result<detail::Copy> copy = detail::makeCopy(dst, src);
    if (!copy) return detail::refuse<E, void>(copy.failure());
    return copyBytes<E>(copy->dst, copy->src, copy->bytes, static_cast<rtMemcpyKind>(copy->kind));
  }
  /** The same for bytes at two addresses. */
  template <class E = DefaultMode>
  Outcome<E, void> copyBytes(void* dst, const void* src, std::size_t size, rtMemcpyKind kind = RT_MEMCPY_DEFAULT,
                             E = {}) const {
    return detail::done<E>(rtMemcpyAsync(dst, src, size, kind, get()));
  }
  /** Rows of `width` bytes, each `pitch` bytes after the one before. */
  template <class E = DefaultMode>
  Outcome<E, void> copyRows(void* dst, std::size_t dstPitch, const void* src, std::size_t srcPitch, std::size_t width,
                            std::size_t height, rtMemcpyKind kind = RT_MEMCPY_DEFAULT, E = {}) const {
    return detail::done<E>(rtMemcpy2DAsync(dst, dstPitch, src, srcPitch, width, height, kind, get()));
  }
  /** Sets every element to `value`, which has 1, 2, 4, 8 or 16 bytes. */
  template <class D, class T, class E = DefaultMode>
  Outcome<E, void> fill(D&& dst, const T& value, E = {}) const {
    const auto to = detail::viewOf(dst);
    using To = typename decltype(to)::element_type;
    static_assert(std::is_same_v<To, T>, "the value of a fill is not the type of the elements");
    static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= 16);
    if (detail::isClosed(dst)) return detail::refuse<E, void>(detail::closedBuffer("The destination of a fill"));
    return detail::done<E>(rtMemFillAsync(to.data(), &value, sizeof(T), to.size(), get()));
  }
  /** Sets every byte. */
  template <class D, class E = DefaultMode>
  Outcome<E, void> setBytes(D&& dst, std::uint8_t value, E = {}) const {
    const auto to = detail::viewOf(dst);
    static_assert(!std::is_const_v<typename decltype(to)::element_type>, "the destination of a fill is const");
    if (detail::isClosed(dst)) return detail::refuse<E, void>(detail::closedBuffer("The destination of a fill"));
    return detail::done<E>(rtMemsetAsync(to.data(), value, to.bytes(), get()));
  }
  template <class E = DefaultMode>
  Outcome<E, void> setRows(void* dst, std::size_t pitch, std::uint8_t value, std::size_t width, std::size_t height,
                           E = {}) const {
    return detail::done<E>(rtMemset2DAsync(dst, pitch, value, width, height, get()));
  }
  /** Moves shared memory to where it is used next, a null device being the host. A hint. */
  template <class S, class E = DefaultMode>
  Outcome<E, void> prefetch(const S& memory, Device destination, E = {}) const {
    const auto range = detail::viewOf(memory);
    return detail::done<E>(rtMemPrefetchAsync(range.data(), range.bytes(), destination.get(), get()));
  }

  /** Calls a function in the stream's order, on a thread of the library. A function that takes a status gets RT_SUCCESS or the
   *  stream's failure; one that takes nothing is left out where the stream has failed. An exception that leaves it goes to the
   *  handler of setCallbackExceptionHandler, and the stream goes on. The function is kept until its call is over; captured, it
   *  is called at each launch and kept until graph, plans and execs are gone. */
  template <class F, class E = DefaultMode>
  Outcome<E, void> call(F&& function, E = {}) const {
    using Call = detail::HostCall<std::decay_t<F>>;
    std::unique_ptr<Call> call(new (std::nothrow) Call{std::forward<F>(function)});
    if (call == nullptr) return detail::refuse<E, void>(RT_ERROR_OUT_OF_MEMORY, "No memory for a host function.");
    const rtStatus_t status = rtLaunchHostFunctionWithRelease(&Call::run, call.get(), &Call::release, get());
    if (status >= 0) (void)call.release();
    return detail::done<E>(status);
  }
  /** The C form; `release`, if there is one, is called once with `user` after its last use, where this call succeeds. */
  template <class E = DefaultMode>
  Outcome<E, void> callHost(rtHostFunction_t function, void* user, rtReleaseFunction_t release = nullptr, E = {}) const {
    return detail::done<E>(release == nullptr ? rtLaunchHostFunction(function, user, get())
                                              : rtLaunchHostFunctionWithRelease(function, user, release, get()));
  }
  /** Calls a function that submits work to the driver's own stream; it throws nothing. `release` as for callHost. */
  template <class E = DefaultMode>
  Outcome<E, void> callNative(rtNativeFunction_t function, void* user, rtReleaseFunction_t release = nullptr, E = {}) const {
    return detail::done<E>(release == nullptr ? rtStreamLaunchNative(function, user, get())
                                              : rtStreamLaunchNativeWithRelease(function, user, release, get()));
  }

  /** The same at once, on this thread; it throws nothing. False: work ahead is held back, and nothing was called. */
  template <class E = DefaultMode>
  Outcome<E, bool> callNativeAtOnce(rtNativeFunction_t function, void* user, E = {}) const {
    return detail::reached<E>(rtStreamCallNative(function, user, get()), RT_NOT_READY);
  }

  /** From here on the stream's work becomes a graph instead of running. */
  template <class E = DefaultMode>
  Outcome<E, void> beginCapture(E = {}) const {
    return detail::done<E>(rtStreamBeginCapture(get()));
  }
  template <class E = DefaultMode>
  Outcome<E, Graph> endCapture(E = {}) const {
    return detail::fetch<E, Graph>(rtStreamEndCapture, get());
  }
  template <class E = DefaultMode>
  Outcome<E, rtCaptureState> captureState(E = {}) const {
    std::int32_t state = 0;
    const rtStatus_t status = rtStreamIsCapturing(&state, get());
    return detail::give<E, rtCaptureState>(status, state);
  }
  /** The node after which a capturing stream goes on; null if there is none yet. */
  template <class E = DefaultMode>
  Outcome<E, GraphNode> capturedNode(E = {}) const {
    return detail::fetch<E, GraphNode>(rtStreamGetCapturedNode, get());
  }
};

class Stream : public Owner<StreamRef, rtStreamDestroy> {
 public:
  using Owner::Owner;

  template <class E = DefaultMode>
  static Outcome<E, Stream> create(const ContextRef& context = {}, const StreamOptions& options = {}, E = {}) {
    return detail::fetch<E, Stream>(rtStreamCreate, &options, context.get());
  }
  /** Makes a stream from one of another library, which stays the owner. */
  template <class E = DefaultMode>
  static Outcome<E, Stream> fromNative(const Native& native, const ContextRef& context = {}, E = {}) {
    return detail::fetch<E, Stream>(rtStreamImport, native.data(), context.get());
  }
};

}  // namespace rt

#endif  // MANYRT_RT_STREAM_HPP_
