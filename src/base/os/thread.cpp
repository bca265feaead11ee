// pthread_create with the attributes of all threads of the library. Name and body reach the thread in one allocation.
#include "base/os/thread.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "base/fault.h"
#include "base/os/own_stack.h"

namespace manyrt {
namespace {
constexpr uint32_t kMaxPrepares = 4;
std::atomic<void (*)()> prepares[kMaxPrepares];  // filled in order
thread_local uint32_t prepared = kMaxPrepares;   // a thread of the program has nothing to prepare

struct Start {
  void (*body)(void*);
  void* user;
  char name[16];
};

void* runStart(void* argument) {
  Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  pthread_setname_np(pthread_self(), start.name);
  prepared = 0;
  start.body(start.user);
  return nullptr;
}
}  // namespace

void prepareThreadsWith(void (*prepare)()) {
  for (std::atomic<void (*)()>& entry : prepares) {
    void (*none)() = nullptr;
    // Entries are filled front to back and never cleared, so prepareThread() may stop at the first empty one.
    if (entry.compare_exchange_strong(none, prepare)) return;
  }
}

void prepareThread() {
  while (prepared < kMaxPrepares) {
    // Acquire pairs with the exchange above: what the function needs has been set up.
    void (*const prepare)() = prepares[prepared].load(std::memory_order_acquire);
    if (prepare == nullptr) return;
    ++prepared;
    prepare();
  }
}

namespace {
// All signals but those that an instruction of the thread raises. The program's handler for a crash then runs on the crashing
// thread. If such a signal were blocked, the kernel would end the process without calling it.
sigset_t signalsOfTheProgram() {
  sigset_t set;
  sigfillset(&set);
  for (int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&set, own);
  return set;
}
}  // namespace

Status startThread(const char* name, void (*body)(void*), void* user) {
  std::unique_ptr<Start> start(new (std::nothrow) Start{body, user, {}});
  if (start == nullptr || fault::fails("thread")) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "The thread \"%s\" of the library could not be started: no memory.", name);
  }
  strncpy(start->name, name, sizeof start->name - 1);
  const sigset_t all = signalsOfTheProgram();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, runStart, start.get());
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "The thread \"%s\" of the library could not be started: %s.", name,
                         strerror(error));
  }
  (void)start.release();  // the thread deletes it
  return Status();
}

Status runOnLargeStack(void (*body)(void*), void* user) {
  constexpr size_t kStack = size_t{64} << 20;  // of addresses; memory is taken as it is touched
  std::unique_ptr<Start> start(new (std::nothrow) Start{body, user, "manyrt-build"});
  const sigset_t all = signalsOfTheProgram();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread;
  const bool started =
      start != nullptr && !fault::fails("thread") && pthread_create(&thread, &attributes, runStart, start.get()) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) {
    if (runOnOwnStack(kStack, body, user)) return Status();
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "Neither a thread nor a stack of %zu MiB could be had for a build.",
                         kStack >> 20);
  }
  (void)start.release();
  pthread_join(thread, nullptr);
  return Status();
}

}  // namespace manyrt
