// The handler of SIGSEGV, SIGBUS, SIGILL and SIGFPE. It never jumps: it lets the interrupted thread go on in landed(). That
// runs at the top of the fiber's stack, whose frames are not needed any more.
#include "fault.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "execute.h"

namespace manyrt::simulated {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr size_t kHandlerStackBytes = size_t{64} << 10;

struct sigaction before[64];
thread_local Runner* current __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local int caught __attribute__((tls_model("initial-exec"))) = 0;
thread_local uintptr_t caught_at __attribute__((tls_model("initial-exec"))) = 0;

[[noreturn]] void landed() {
  if (caught == SIGILL) current->fail(kLaunchFailure, "an unreachable place was reached");
  char why[80];
  snprintf(why, sizeof why, "an access to 0x%zx, which is not mapped", static_cast<size_t>(caught_at));
  current->fail(kIllegalAddress, why);
}

#if defined(__x86_64__)

void goOnIn(ucontext_t* context, void (*function)(), uintptr_t stack) {
  context->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(function));
  context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(stack / 16 * 16 - 8);
}

// Integer division by zero gives all ones on a device and interrupts here: the result is written and the instruction skipped.
bool skipDivision(ucontext_t* context) {
  greg_t* const registers = context->uc_mcontext.gregs;
  const auto* at = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  bool wide = false, half = false;
  size_t length = 0;
  for (;; ++length) {
    if (at[length] == 0x66) {
      half = true;
    } else if ((at[length] & 0xF0) == 0x40) {
      wide = (at[length] & 8) != 0;
    } else {
      break;
    }
  }
  const bool byte = at[length] == 0xF6;
  if (!byte && at[length] != 0xF7) return false;
  const unsigned char mode = at[length + 1];
  if ((mode >> 3 & 7) < 6) return false;  // neither div nor idiv
  length += 2;
  if (mode >> 6 != 3) {
    const unsigned base = (mode & 7) == 4 ? at[length] & 7u : mode & 7u;
    if ((mode & 7) == 4) ++length;
    if (mode >> 6 == 1) length += 1;
    if (mode >> 6 == 2 || (mode >> 6 == 0 && base == 5)) length += 4;
  }
  const bool is_signed = (mode >> 3 & 7) == 7;
  const auto low = static_cast<uint64_t>(registers[REG_RAX]);
  const uint64_t smallest = wide ? uint64_t{1} << 63 : uint64_t{1} << 31;
  const uint64_t mask = wide ? ~uint64_t{0} : 0xFFFFFFFFu;
  const bool overflow = is_signed && !byte && !half && (low & mask) == smallest;  // the smallest number by -1
  if (byte) {
    registers[REG_RAX] = static_cast<greg_t>(low | 0xFFFF);
  } else if (half) {
    registers[REG_RAX] = static_cast<greg_t>(low | 0xFFFF);
  } else {
    registers[REG_RAX] = static_cast<greg_t>(overflow ? low & mask : mask);
    registers[REG_RDX] = static_cast<greg_t>(overflow ? 0 : low & mask);
  }
  registers[REG_RIP] += static_cast<greg_t>(length);
  return true;
}

#elif defined(__aarch64__)

void goOnIn(ucontext_t* context, void (*function)(), uintptr_t stack) {
  context->uc_mcontext.pc = reinterpret_cast<uintptr_t>(function);
  context->uc_mcontext.sp = stack / 16 * 16;
}

bool skipDivision(ucontext_t*) { return false; }

#else
#error "Faults of kernels are not caught on this processor: add goOnIn() for it"
#endif

void handle(int signal, siginfo_t* info, void* data) {
  auto* context = static_cast<ucontext_t*>(data);
  if (current != nullptr && current->inKernel()) {
    if (signal == SIGFPE && skipDivision(context)) return;
    caught = signal;
    caught_at = reinterpret_cast<uintptr_t>(info->si_addr);
    goOnIn(context, landed, current->topOfStack());
    return;
  }
  const struct sigaction& other = before[signal];
  if ((other.sa_flags & SA_SIGINFO) != 0) {
    other.sa_sigaction(signal, info, data);
  } else if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN) {
    other.sa_handler(signal);
  } else {
    sigaction(signal, &other, nullptr);  // the instruction is tried again, and ends the process
  }
}

void install() {
  for (int signal : kSignals) {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &before[signal]);
  }
}

// The handler's own stack: the kernel's may be what ran out.
struct HandlerStack {
  HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer has given it one
    memory = malloc(kHandlerStackBytes);
    stack_t mine{};
    mine.ss_sp = memory;
    mine.ss_size = kHandlerStackBytes;
    sigaltstack(&mine, nullptr);
  }
  ~HandlerStack() {
    if (memory == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    free(memory);
  }
  void* memory = nullptr;
};

}  // namespace

Runner* currentRunner() { return current; }
void setCurrentRunner(Runner* runner) { current = runner; }

void catchFaults() {
  static std::once_flag once;
  std::call_once(once, install);
  thread_local HandlerStack stack;
  (void)stack;
}

}  // namespace manyrt::simulated
