// One line on stderr for each note, written in one piece so that threads do not mix theirs.
#include "report.h"

#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "settings.h"

namespace manyrt::simulated {
namespace {

std::atomic<int> counted{0};

void write(const char* kind, const char* format, va_list values) {
  char text[700];
  const int head = snprintf(text, sizeof text, "simulated CUDA: %s", kind);
  int size = head + vsnprintf(text + head, sizeof text - static_cast<size_t>(head) - 1, format, values);
  if (size > static_cast<int>(sizeof text) - 2) size = sizeof text - 2;
  text[size++] = '\n';
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, static_cast<size_t>(size));
}

}  // namespace

void note(const char* format, ...) {
  va_list values;
  va_start(values, format);
  write("", format, values);
  va_end(values);
}

void violation(const char* format, ...) {
  counted.fetch_add(1);
  va_list values;
  va_start(values, format);
  write("violation: ", format, values);
  va_end(values);
}

void harm(const char* format, ...) {
  counted.fetch_add(1);
  va_list values;
  va_start(values, format);
  write("violation: ", format, values);
  va_end(values);
  if (settings().strict) abort();
}

int violations() { return counted.load(); }
void forgetViolations() { counted = 0; }

}  // namespace manyrt::simulated
