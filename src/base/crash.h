// Reports of crashes inside kernels on the CPU: SIGSEGV, SIGBUS and SIGFPE of a thread that says what it runs. Backends name
// the kernel, the allocator names the memory near an address, and this file has the signals. All that a report calls is safe in
// a
// handler: it allocates nothing, takes no lock and reads no variable of the environment.
//
// The library's handler stands in front of the program's: it writes the report and hands the signal on. A crash that comes from
// no kernel is handed on at once. So other runtimes in the process (Go, Java, sanitizers) see all that they always see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/os/sanitizer.h"

namespace manyrt::crash {

// A text of limited length; what does not fit is left out.
class Text {
 public:
  Text& operator<<(const char* text) { return add(text, strlen(text)); }
  Text& operator<<(uint64_t number);
  Text& address(uintptr_t value);              // 0x and hexadecimal digits
  Text& triple(const uint32_t (&numbers)[3]);  // (1, 2, 3)
  Text& add(const char* text, size_t length);
  const char* data() const { return text_; }
  size_t size() const { return size_; }

 private:
  char text_[1536];
  size_t size_ = 0;
};

struct Fault {
  enum class Access : uint8_t { kUnknown, kRead, kWrite };
  int signal = 0;
  int code = 0;               // si_code
  bool has_address = false;   // of memory; a processor does not tell it for addresses that no program can have
  uintptr_t address = 0;      // of SIGFPE: of the instruction
  uintptr_t instruction = 0;  // 0: not known on this machine
  Access access = Access::kUnknown;
};

// The kernel that the thread runs at the moment, on the thread's stack. A backend derives its own from it.
struct Running {
  // Appends "the kernel ..." to a text. False: nothing that crashes are told of.
  bool (*describe)(const Running& running, const Fault& fault, Text& text);
};

// Null: no kernel. Read by the handler on the same thread; the call of a kernel orders the stores around it.
extern constinit thread_local const Running* running __attribute__((tls_model("initial-exec")));

// `now`: what the thread begins to run, or null. ThreadSanitizer takes groups on one thread for threads of their own, and this
// word for one that they share; it has its own reports.
inline void say([[maybe_unused]] const Running* now) {
#if !defined(MANYRT_BUILT_FOR_THREAD)
  running = now;
#endif
}

// Puts the handler in front of the one that stands, unless it stands in front already. Called where something is made that a
// thread may run later, so that a handler which the program has set meanwhile is reached too. RT_CRASH_REPORT=0: does nothing.
void watch();

// Gives the thread a stack for handlers, if it has none: a kernel may have used up its own. Once for each thread.
namespace internal {
extern constinit thread_local bool prepared __attribute__((tls_model("initial-exec")));
void prepare();
}  // namespace internal
inline void prepareThread() {
  if (!internal::prepared) [[unlikely]]
    internal::prepare();
}

// Appends a sentence about the memory near an address. Set once, before the first kernel is made.
void describeMemoryBy(void (*describe)(uintptr_t address, Text& text));

}  // namespace manyrt::crash
