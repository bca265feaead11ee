// What stands around every function of rt.h: the library's state, the epoch guard, the trace, and the end of all
// exceptions. A failure's sentence stays on the thread for rtGetLastErrorMessage.
#pragma once

#include <new>

#include "base/clock.h"
#include "base/epoch.h"
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

// While rtShutdown waits for work in flight, calls that let it end or ask about it are taken: the signal of a fence by the
// host, waits, queries, destroys and frees. The others, which could submit more, are refused.
enum class WhileEnding { kRefused, kTaken };

template <WhileEnding kWhileEnding, class Body>
[[gnu::always_inline]] inline Status underGuard(const char* function, Body& body) {
  epoch::Guard guard;
  if (!manager::library::running()) [[unlikely]] {
    if (kWhileEnding == WhileEnding::kRefused || !manager::library::ending()) RT_TRY(manager::library::start());
  }
  int64_t begin = trace::enabled() ? nowNanoseconds() : 0;
  Status status = body(guard);
  if (begin != 0) [[unlikely]]
    trace::call(function, begin, nowNanoseconds());
  return status;
}

// `body` takes the guard, which ops leave while they block. The sentence is left behind the guard, where what waited for the
// end of the call has happened: functions of the program that ran there have left their own before.
template <WhileEnding kWhileEnding = WhileEnding::kRefused, class Body>
rtStatus_t guarded(const char* function, Body body) {
  try {
    const Status status = underGuard<kWhileEnding>(function, body);
    if (status.ok()) [[likely]]
      return RT_SUCCESS;
    return fail(function, status);
  } catch (const std::bad_alloc&) {
    return fail(function, Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory for the call."));
  } catch (...) {
    return fail(function, Status::error(RT_ERROR_INTERNAL, "An exception that nobody expected ended the call."));
  }
}

// Destroys and frees: success after the end of the library and in a forked child, where there is nothing left to do.
template <class Body>
rtStatus_t guardedRelease(const char* function, Body body) {
  uint32_t state = manager::library::state.load(std::memory_order_acquire);
  if (state == manager::library::kShutDown || state == manager::library::kForked) return RT_SUCCESS;
  rtStatus_t code = guarded<WhileEnding::kTaken>(function, body);
  return code == RT_ERROR_SHUT_DOWN || code == RT_ERROR_FORKED ? RT_SUCCESS : code;  // it ended during the call
}

// A live object for a handle that must not be NULL.
template <class T, class Handle>
Status resolve(T** object, SlotTable<T>& table, Handle handle, uint8_t kind, const char* argument) {
  *object = table.find(toBits(handle));
  return *object != nullptr ? Status() : manager::invalidHandle(toBits(handle), kind, argument);
}

// Keeps a context from being reset while something is created in it.
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

// What creating something in a context begins with: the context resolved and pinned, its native context started.
class Creation {
 public:
  Status open(rtContext_t handle);
  manager::Context& context() const { return *context_; }
  allocator::ContextResources& owner() const { return *owner_; }

 private:
  Pin pin_;
  manager::Context* context_ = nullptr;
  allocator::ContextResources* owner_ = nullptr;
};

// Text results: truncated and terminated; `needed` counts the terminator.
Status copyText(char* buffer, size_t size, size_t* needed, const char* text);

}  // namespace manyrt::api

// Resolves a handle argument into `object`, or returns.
#define RT_RESOLVE(Type, object, table, handle, kind) \
  ::manyrt::manager::Type* object = nullptr;          \
  RT_TRY(::manyrt::api::resolve(&object, ::manyrt::manager::table, handle, kind, #handle))
#define RT_RESOLVE_CONTEXT(object, handle)      \
  ::manyrt::manager::Context* object = nullptr; \
  RT_TRY(::manyrt::manager::resolve(&object, handle, #handle))
// The same in hot calls: what is there is found here, in the line of the call.
#define RT_RESOLVE_HOT(Type, object, table, handle, kind)                                    \
  ::manyrt::manager::Type* object = ::manyrt::manager::table.find(::manyrt::toBits(handle)); \
  if (object == nullptr) [[unlikely]]                                                        \
  return ::manyrt::manager::invalidHandle(::manyrt::toBits(handle), kind, #handle)
// A stream that was given, too.
#define RT_RESOLVE_STREAM(object, handle)                                                        \
  ::manyrt::manager::Stream* object = ::manyrt::manager::streams.find(::manyrt::toBits(handle)); \
  if (object == nullptr) [[unlikely]]                                                            \
  RT_TRY(::manyrt::manager::resolve(&object, handle, #handle))
#define RT_CHECK_OUTPUT(pointer) RT_CHECK_ARG((pointer) != nullptr, "The output \"%s\" is NULL.", #pointer)
