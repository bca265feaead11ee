// Start, references, and fork. The child of a fork finds locks of the parent in any state, and none of its threads. So calls in
// the child fail, and its destroys and frees succeed and do nothing. Nothing else of the library runs there. Code that runs at
// the exit of the parent checks the process.
#include "manager/library.h"

#include <pthread.h>

#include <mutex>

#include "base/config.h"
#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/os/barrier.h"
#include "base/trace.h"

namespace manyrt::manager::library {

std::atomic<uint32_t> state{kNew};
std::atomic<uint32_t> trimming_pools{0};

namespace {

auto* const mutex = new Ranked<std::mutex, LockRank::kLibrary>;  // never destroyed
uint64_t references = 0;

void inForkedChild() {
  trace::afterForkInChild();
  const uint32_t in_parent = state.load();
  if (in_parent != kRunning && in_parent != kEnding) return;
  state.store(kForked);
  epoch::abandon();
}

}  // namespace

Status start() {
  switch (state.load(std::memory_order_acquire)) {
    case kRunning:
      return Status();
    case kEnding:
      return Status::error(RT_ERROR_SHUT_DOWN,
                           "rtShutdown is ending the library in this process and waits for work in flight: nothing new is "
                           "accepted.");
    case kShutDown:
      return Status::error(RT_ERROR_SHUT_DOWN, "rtShutdown has ended the library in this process.");
    case kForked:
      return Status::error(RT_ERROR_FORKED,
                           "The library was in use when this process was forked; only a child that starts another program "
                           "can use it.");
    default:
      break;
  }
  std::lock_guard lock(*mutex);
  // Relaxed: the library is started under this mutex alone.
  if (state.load(std::memory_order_relaxed) == kRunning) return Status();
  barrier::prepare();
  if (pthread_atfork(trace::beforeFork, trace::afterForkInParent, inForkedChild) != 0)
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  config::tellMisspelt();
  trace::start();
  state.store(kRunning, std::memory_order_release);
  return Status();
}

Status retain() {
  RT_TRY(start());
  {
    std::lock_guard lock(*mutex);
    if (running()) {
      ++references;
      return Status();
    }
  }
  RT_TRY(start());  // fails while another thread ends the library
  return retain();  // that thread had no memory for it, and the library runs on
}

Status release(bool* last) {
  RT_TRY(start());
  {
    std::lock_guard lock(*mutex);
    if (running()) {
      if (references > 0) --references;
      *last = references == 0;
      if (*last) state.store(kEnding, std::memory_order_release);
      return Status();
    }
  }
  RT_TRY(start());  // as in retain()
  return release(last);
}

void goOn() { state.store(kRunning, std::memory_order_release); }

void markShutDown() { state.store(kShutDown, std::memory_order_release); }

}  // namespace manyrt::manager::library
