// The frame of every function of rt.h: it checks the state of the library, enters the epoch guard, writes the trace, and ends
// all exceptions. The sentence of a failure stays on the thread for rtGetLastErrorMessage.
#pragma once

#include <new>

#include "base/handles/epoch.h"
#include "base/status.h"
#include "base/trace.h"
#include "manager/current_context.h"
#include "manager/library.h"

namespace manyrt::allocator {
class ContextResources;
}

namespace manyrt::api {

// Keeps the sentence, with the function's name before it, and returns the code. Time-outs and RT_NOT_READY leave none.
rtStatus_t fail(const char* function, const Status& status);
const char* lastErrorMessage();

// While rtShutdown waits for work in flight, the library takes only calls that let work end or ask about it. These are the
// signal of a fence by the host, waits, queries, destroys and frees.
enum class WhileEnding { kRefused, kTaken };

template <WhileEnding kWhileEnding, trace::HotCall kHot, class Body>
[[gnu::always_inline]] inline Status underGuard(trace::Call& call, const char* function, Body& body) {
  epoch::Guard guard;
  if (!manager::library::running()) [[unlikely]] {
    if (kWhileEnding == WhileEnding::kRefused || !manager::library::ending()) RT_TRY(manager::library::start());
    trace::enterLate(&call, function);
  }
  Status status = body(guard);
  if (call.begin != 0) [[unlikely]] {
    if (kHot != trace::HotCall::kOther && call.begin == trace::Call::kCounted) {
      trace::leftCounted(call, kHot);
    } else {
      trace::left(&call, function);
    }
  }
  return status;
}

// Tells the end of a call that an exception ended, and returns what it comes to.
rtStatus_t failByException(trace::Call& call, const char* function, rtStatus_t code, const char* sentence);

// `body` gets the guard, which ops leave while they block. The sentence is stored after the guard. At the end of the guard
// functions of the program may run, and then the callback of the trace. Their rt calls store sentences too, and this one has to
// be the last.
template <WhileEnding kWhileEnding = WhileEnding::kRefused, trace::HotCall kHot = trace::HotCall::kOther, class Body>
rtStatus_t guarded(const char* function, Body body) {
  trace::Call call;
  if (trace::enabled()) [[unlikely]] {
    if (kHot == trace::HotCall::kOther || !trace::enterCounted(&call, kHot)) trace::enter(&call, function, kHot);
  }
  try {
    const Status status = underGuard<kWhileEnding, kHot>(call, function, body);
    if (call.begin > 0) [[unlikely]]  // a call that is only counted is told to nothing
      trace::exit(call, function, status.code());
    if (status.ok()) [[likely]]
      return RT_SUCCESS;
    return fail(function, status);
  } catch (const std::bad_alloc&) {  // the callers are C: every exception ends here
    return failByException(call, function, RT_ERROR_OUT_OF_MEMORY, "There is no host memory for the call.");
  } catch (...) {  // as above; nothing in the library throws it
    return failByException(call, function, RT_ERROR_INTERNAL, "An unexpected exception ended the call.");
  }
}

// The same for a call that comes in great numbers.
template <trace::HotCall kHot, class Body>
rtStatus_t guardedHot(const char* function, Body body) {
  return guarded<WhileEnding::kRefused, kHot>(function, body);
}

// The commonest way of a hot call, without the frame's room for what is rare: `body` does the call and returns true, or does
// nothing. False: nothing was done, and guarded() has to be used.
template <class Body>
[[gnu::always_inline]] inline bool shortCall(Body body) noexcept {
  const epoch::ShortGuard guard;
  return guard && manager::library::running() && !trace::enabled() && body();
}

// Takes the status of the call that a function of rt.h ends with: the function so stays in stack traces, such as those of
// RT_MEMORY_DEBUG.
[[gnu::always_inline]] inline rtStatus_t inFrame(rtStatus_t status) {
  __asm__ volatile("" : "+r"(status));  // after the call, which is therefore no jump
  return status;
}

// For destroys and frees: success after the end of the library and in a forked child, where there is nothing to do.
template <class Body>
rtStatus_t guardedRelease(const char* function, Body body) {
  // Acquire pairs with the end of the library: after it there is nothing to release.
  uint32_t state = manager::library::state.load(std::memory_order_acquire);
  if (state == manager::library::kShutDown || state == manager::library::kForked) return RT_SUCCESS;
  rtStatus_t code = guarded<WhileEnding::kTaken>(function, body);
  return code == RT_ERROR_SHUT_DOWN || code == RT_ERROR_FORKED ? RT_SUCCESS : code;  // the library ended during the call
}

// Finds the live object of a handle that must not be NULL.
template <class T, class Handle>
Status resolve(T** object, SlotTable<T>& table, Handle handle, uint8_t kind, const char* argument) {
  *object = table.find(toBits(handle));
  return *object != nullptr ? Status() : manager::invalidHandle(toBits(handle), kind, argument);
}

// Keeps a context from being reset while a call creates an object in it.
class Pin {
 public:
  Pin() = default;
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin();
  Status take(manager::Context& context);

 private:
  Lease<manager::Context> context_;
};

// The beginning of each call that creates an object in a context: resolves and pins the context, and starts the native one.
class Creation {
 public:
  Status open(rtContext_t handle);
  manager::Context& context() const { return *context_; }
  allocator::ContextResources& resources() const { return *resources_; }

 private:
  Pin pin_;
  manager::Context* context_ = nullptr;
  allocator::ContextResources* resources_ = nullptr;
};

// Writes a text result, truncated and terminated. `needed` counts the terminator.
Status copyText(char* buffer, size_t size, size_t* needed, const char* text);

}  // namespace manyrt::api

// Resolves a handle argument into `object`, or returns.
#define RT_RESOLVE(Type, object, table, handle, kind) \
  ::manyrt::manager::Type* object = nullptr;          \
  RT_TRY(::manyrt::api::resolve(&object, ::manyrt::manager::table, handle, kind, #handle))
#define RT_RESOLVE_CONTEXT(object, handle)      \
  ::manyrt::manager::Context* object = nullptr; \
  RT_TRY(::manyrt::manager::resolve(&object, handle, #handle))
// The same for hot calls: the look-up is inline.
#define RT_RESOLVE_HOT(Type, object, table, handle, kind)                                    \
  ::manyrt::manager::Type* object = ::manyrt::manager::table.find(::manyrt::toBits(handle)); \
  if (object == nullptr) [[unlikely]]                                                        \
  return ::manyrt::manager::invalidHandle(::manyrt::toBits(handle), kind, #handle)
// The same for a stream, which may be NULL.
#define RT_RESOLVE_STREAM(object, handle)                                                        \
  ::manyrt::manager::Stream* object = ::manyrt::manager::streams.find(::manyrt::toBits(handle)); \
  if (object == nullptr) [[unlikely]]                                                            \
  RT_TRY(::manyrt::manager::resolve(&object, handle, #handle))
#define RT_CHECK_OUTPUT(pointer) RT_CHECK_ARG((pointer) != nullptr, "The output \"%s\" is NULL.", #pointer)
