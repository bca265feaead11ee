// The handler, the chain of handlers after it, and stacks for it. A program may set handlers of its own before and after the
// library's. watch() goes in front of the newest one, and the chain keeps all that were found so.
#include "base/crash.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>

#include "base/config.h"
#include "base/os/sanitizer.h"

namespace manyrt::crash {

constinit thread_local const Running* running __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local bool internal::prepared __attribute__((tls_model("initial-exec"))) = false;

Text& Text::add(const char* text, size_t length) {
  const size_t room = sizeof text_ - size_;
  const size_t fits = length < room ? length : room;
  memcpy(text_ + size_, text, fits);
  size_ += fits;
  return *this;
}

Text& Text::operator<<(uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return add(digits + at, sizeof digits - at);
}

Text& Text::address(uintptr_t value) {
  char digits[2 * sizeof value];
  size_t at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdef"[value % 16];
    value /= 16;
  } while (value != 0);
  return (*this << "0x").add(digits + at, sizeof digits - at);
}

Text& Text::triple(const uint32_t (&numbers)[3]) {
  return *this << "(" << uint64_t{numbers[0]} << ", " << uint64_t{numbers[1]} << ", " << uint64_t{numbers[2]} << ")";
}

namespace {

using DescribeMemory = void (*)(uintptr_t address, Text& text);
std::atomic<DescribeMemory> describe_memory{nullptr};

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr const char* kNames[] = {"SIGSEGV", "SIGBUS", "SIGFPE"};
constexpr size_t kCount = sizeof kSignals / sizeof kSignals[0];

// The actions that the library's handler was put in front of, oldest first. Each place in front has a function of its own,
// which knows what stands after it. A handler of the program may go back to the one that it had replaced, by a call or by
// setting it again. It so comes to the action after that, and never back to itself.
struct Chain {
  static constexpr uint32_t kMost = 6;
  struct sigaction actions[kMost];
  uint32_t count = 0;  // an entry is written before its function stands anywhere, and never changes
};
Chain chains[kCount];
std::atomic<bool> changing{false};  // one thread at a time writes the chains; another one that comes meanwhile goes away

// The crash that this thread has told of last: the signal may come to the library several times on its way along the chain.
struct Told {
  uintptr_t instruction, address;
  const Running* running;
};
constinit thread_local Told told __attribute__((tls_model("initial-exec"))) = {};
constinit thread_local bool telling __attribute__((tls_model("initial-exec"))) = false;

size_t indexOf(int signal) {
  size_t index = 0;
  while (index + 1 < kCount && kSignals[index] != signal) ++index;
  return index;
}

// ---- The report ----

void readMachine(Fault* fault, const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  constexpr long long kPageFault = 14, kWriteBit = 2;
  fault->instruction = static_cast<uintptr_t>(machine.gregs[REG_RIP]);
  if (fault->signal != SIGFPE && machine.gregs[REG_TRAPNO] == kPageFault) {
    const bool writes = (machine.gregs[REG_ERR] & kWriteBit) != 0;
    fault->access = writes ? Fault::Access::kWrite : Fault::Access::kRead;
  }
#elif defined(__aarch64__)
  fault->instruction = static_cast<uintptr_t>(machine.pc);
#else
  (void)machine;
#endif
}

Fault faultOf(int signal, const siginfo_t& info, const void* context) {
  Fault fault;
  fault.signal = signal;
  fault.code = info.si_code;
  fault.address = reinterpret_cast<uintptr_t>(info.si_addr);
  fault.has_address = signal != SIGFPE && info.si_code != SI_KERNEL;
  readMachine(&fault, context);
  return fault;
}

const char* meaningOf(const Fault& fault) {
  if (fault.signal == SIGFPE) {
    return fault.code == FPE_INTDIV ? " (division of an integer by zero)" : " (arithmetic)";
  }
  if (fault.signal == SIGBUS) return fault.code == BUS_ADRERR ? " (a file's page that is not there)" : " (bus error)";
  if (fault.code == SEGV_ACCERR) return " (memory that may not be used so)";
  return fault.code == SEGV_MAPERR ? " (no memory at this address)" : "";
}

void describeAddress(const Fault& fault, Text& text) {
  constexpr uintptr_t kFirstPages = 64 << 10;  // what a member or a small index of a null pointer reaches
  text << "manyrt: crash:   ";
  if (!fault.has_address) {
    text << "The processor does not tell the address: none that memory can have. A pointer was overwritten, or never set.\n";
    return;
  }
  text << (fault.access == Fault::Access::kWrite  ? "A write to "
           : fault.access == Fault::Access::kRead ? "A read of "
                                                  : "The address is ");
  text.address(fault.address) << ": ";
  const DescribeMemory describe = describe_memory.load(std::memory_order_acquire);
  if (fault.address < kFirstPages) {
    text << "a null pointer, or a small distance from one.\n";
  } else if (describe == nullptr) {
    text << "nothing is known of it.\n";
  } else {
    describe(fault.address, text);
    text << ".\n";
  }
}

void writeAll(const Text& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    done += static_cast<size_t>(wrote);
  }
}

void report(const Running& what, const Fault& fault) {
  Text text;
  text << "manyrt: crash: " << kNames[indexOf(fault.signal)] << meaningOf(fault) << " in ";
  if (!what.describe(what, fault, text)) return;
  text << ".\n";
  if (fault.signal != SIGFPE) {
    describeAddress(fault, text);
    text << "manyrt: crash:   RT_CPU_DEBUG=1 tells line and work-item, RT_CPU_SANITIZE=address the first wrong access, "
            "RT_STRICT=1 wrong arguments of launches, RT_MEMORY_DEBUG=1 overruns and writes after a free.\n";
  }
  writeAll(text);
}

// ---- Handing on ----

// The end without a handler: the instruction runs again under the default action, so that status and core file are those of the
// crash itself. A signal that was sent comes again by itself.
void endByDefault(int signal, const siginfo_t& info) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  if (info.si_code <= 0) raise(signal);
}

void call(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    struct sigaction none = {};
    none.sa_handler = SIG_DFL;
    sigaction(signal, &none, nullptr);
  }
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

bool hasHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void handOn(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  if (hasHandler(action)) return call(action, signal, info, context);
  // The system ends a process that ignores a crash of its own, and passes over a signal that was sent.
  if (action.sa_handler == SIG_IGN && info->si_code <= 0) return;
  endByDefault(signal, *info);
}

void tell(int signal, const siginfo_t& info, const void* context) {
  if (running == nullptr || info.si_code <= 0) return;  // a signal that was sent says nothing of the kernel
  if (telling) return;  // the report itself has crashed, over memory that another thread gives back at this moment
  const Fault fault = faultOf(signal, info, context);
  const bool again = told.instruction == fault.instruction && told.address == fault.address && told.running == running;
  told = {fault.instruction, fault.address, running};
  if (again) return;
  telling = true;
  report(*running, fault);
  telling = false;
}

// Neither a lock nor memory: the head of crash.h says what may be called. errno is the program's.
template <uint32_t place>
void onSignal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  tell(signal, *info, context);
  errno = error;
  handOn(chains[indexOf(signal)].actions[place], signal, info, context);
}
constexpr void (*kHandlers[Chain::kMost])(int, siginfo_t*, void*) = {onSignal<0>, onSignal<1>, onSignal<2>,
                                                                     onSignal<3>, onSignal<4>, onSignal<5>};

// ---- Setting up ----

bool isOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 &&
         std::find(std::begin(kHandlers), std::end(kHandlers), action.sa_sigaction) != std::end(kHandlers);
}

// Another stack only where the handler after this one expects it, or where there is none.
int flagsBefore(const struct sigaction& next) {
  return SA_SIGINFO | (hasHandler(next) ? next.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART) : SA_ONSTACK);
}

void watchOne(int signal, Chain& chain) {
  struct sigaction next = {};
  if (chain.count == Chain::kMost || sigaction(signal, nullptr, &next) != 0 || isOurs(next)) return;
  if (sanitizer::hasAddress() && hasHandler(next)) return;  // its own report has more
  chain.actions[chain.count] = next;
  struct sigaction own = {};
  own.sa_sigaction = kHandlers[chain.count];
  own.sa_mask = next.sa_mask;
  own.sa_flags = flagsBefore(next);
  if (sigaction(signal, &own, nullptr) == 0) ++chain.count;
}

// Read once: the library reads no environment in a handler, and the program may change it later.
bool isWanted() {
  static const bool wanted = [] {
    const char* value = config::get(config::Variable::kCrashReport);
    return (value == nullptr || strcmp(value, "0") != 0) && !sanitizer::hasThread();
  }();
  return wanted;
}

constexpr size_t kStackBytes = 64 << 10;  // a signal's frame has the registers of vectors and matrices: up to 12 KiB

struct OwnStack {
  void* memory = nullptr;
  ~OwnStack() {
    if (memory == nullptr) return;
    stack_t now = {};
    if (sigaltstack(nullptr, &now) != 0 || now.ss_sp != memory) return;  // the program's: whether ours is used is not known
    now.ss_flags = SS_DISABLE;
    if (sigaltstack(&now, nullptr) == 0) munmap(memory, kStackBytes);
  }
};
thread_local OwnStack own_stack;

}  // namespace

void internal::prepare() {
  prepared = true;
  stack_t now = {};
  if (!isWanted() || sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t own = {};
  own.ss_sp = memory;
  own.ss_size = kStackBytes;
  if (sigaltstack(&own, nullptr) != 0) {
    munmap(memory, kStackBytes);
    return;
  }
  own_stack.memory = memory;
}

void watch() {
  if (!isWanted() || changing.exchange(true, std::memory_order_acquire)) return;
  for (size_t i = 0; i < kCount; ++i) watchOne(kSignals[i], chains[i]);
  changing.store(false, std::memory_order_release);
}

void describeMemoryBy(void (*describe)(uintptr_t address, Text& text)) {
  describe_memory.store(describe, std::memory_order_release);
}

}  // namespace manyrt::crash
