// The current context of each thread, and what a NULL handle stands for. Called by src/api and src/ops under a guard.
#include "manager/current_context.h"

#include "base/text.h"
#include "manager/context.h"
#include "manager/device.h"
#include "manager/stream.h"

namespace manyrt::manager {
namespace {
thread_local HandleBits current_context = 0;
}

HandleBits currentContext() { return current_context; }
void setCurrentContext(HandleBits context) { current_context = context; }

Status invalidHandle(HandleBits bits, uint8_t kind, const char* argument) {
  const char* wanted = kindWord(kind);
  if (bits == 0) {
    return Status::error(RT_ERROR_INVALID_HANDLE, "The argument \"%s\" is NULL where %s %s is needed.", argument,
                         article(wanted), wanted);
  }
  const char* actual = kindWord(handleKind(bits));
  if (actual != nullptr && handleKind(bits) != kind) {
    return Status::error(RT_ERROR_INVALID_HANDLE, "The argument \"%s\" is not %s %s: it looks like %s %s.", argument,
                         article(wanted), wanted, article(actual), actual);
  }
  if (actual != nullptr && kind == RT_HANDLE_KERNEL) {
    return Status::error(RT_ERROR_INVALID_HANDLE,
                         "The argument \"%s\" is no live kernel: its module was destroyed, with which kernels go, or it was "
                         "destroyed itself.",
                         argument);
  }
  return Status::error(RT_ERROR_INVALID_HANDLE, "The argument \"%s\" is no live %s: it was destroyed, or never was one.",
                       argument, wanted);
}

Status resolve(Context** context, rtContext_t handle, const char* argument) {
  if (handle != nullptr) {
    *context = contexts.find(toBits(handle));
    return *context != nullptr ? Status() : invalidHandle(toBits(handle), RT_HANDLE_CONTEXT, argument);
  }
  if (current_context != 0) {
    *context = contexts.find(current_context);
    if (*context != nullptr) return Status();
    return Status::error(RT_ERROR_INVALID_HANDLE,
                         "The argument \"%s\" is NULL and the thread's current context was destroyed: set another one.",
                         argument);
  }
  Device* device;
  RT_TRY(defaultDevice(&device));
  return device->primary(context);
}

[[gnu::hot]] Status resolve(Stream** stream, rtStream_t handle, const char* argument) {
  if (handle != nullptr) [[likely]] {
    *stream = streams.find(toBits(handle));
    return *stream != nullptr ? Status() : invalidHandle(toBits(handle), RT_HANDLE_STREAM, argument);
  }
  Context* context;
  RT_TRY(resolve(&context, nullptr, argument));
  return context->defaultStream(stream);
}

}  // namespace manyrt::manager
