// The last error of the calling thread, pins against a reset, and text results. All chapters of rt.h use them.
#include "api/guard.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "manager/context.h"

namespace manyrt::api {
namespace {

struct LastError {
  char text[4600];
  std::unique_ptr<char[]> longer;  // replaces `text` for a longer sentence, such as the log of a compiler
};
thread_local LastError* last_error = nullptr;
thread_local bool thread_ending = false;

struct Release {
  ~Release() {
    thread_ending = true;
    delete last_error;
    last_error = nullptr;
  }
};
thread_local Release release_at_exit;

}  // namespace

rtStatus_t fail(const char* function, const Status& status) {
  rtStatus_t code = status.code();
  if (code == RT_NOT_READY || code == RT_ERROR_TIMEOUT) return code;
  if (last_error == nullptr && !thread_ending) {
    (void)&release_at_exit;
    last_error = new (std::nothrow) LastError;
  }
  if (last_error != nullptr) {
    const char* message = status.message()[0] != '\0' ? status.message() : errorString(code);
    const size_t size = strlen(function) + strlen(message) + 3;
    last_error->longer.reset(size <= sizeof last_error->text ? nullptr : new (std::nothrow) char[size]);
    char* text = last_error->longer ? last_error->longer.get() : last_error->text;
    snprintf(text, last_error->longer ? size : sizeof last_error->text, "%s: %s", function, message);
  }
  return code;
}

rtStatus_t failByException(trace::Call& call, const char* function, rtStatus_t code, const char* sentence) {
  if (call.begin != 0) {
    trace::left(&call, function);
    if (call.begin > 0) trace::exit(call, function, code);
  }
  return fail(function, Status::error(code, "%s", sentence));
}

const char* lastErrorMessage() {
  if (last_error == nullptr) return "";
  return last_error->longer ? last_error->longer.get() : last_error->text;
}

Status Pin::take(manager::Context& context) {
  RT_TRY(context.pin());
  context_ = Lease<manager::Context>(&context);
  return Status();
}

Pin::~Pin() {
  if (context_) context_->unpin();
}

Status Creation::open(rtContext_t handle) {
  RT_TRY(manager::resolve(&context_, handle, "context"));
  RT_TRY(pin_.take(*context_));
  return context_->ensureResources(&resources_);
}

Status copyText(char* buffer, size_t size, size_t* needed, const char* text) {
  if (needed != nullptr) *needed = 0;
  RT_CHECK_ARG(buffer != nullptr || size == 0, "The buffer is NULL, its size is %zu.", size);
  size_t length = strlen(text);
  if (needed != nullptr) *needed = length + 1;
  if (size == 0) return Status();
  size_t copied = length < size ? length : size - 1;
  memcpy(buffer, text, copied);
  buffer[copied] = '\0';
  return Status();
}

}  // namespace manyrt::api
