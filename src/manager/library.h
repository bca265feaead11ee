// The state of the library in a process: started at the first use, ended once by rtShutdown, unusable in a forked child. It is
// one word that every call reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.h"

namespace manyrt::manager::library {

// kEnding: rtShutdown waits for work in flight. Only calls that let work end, or ask about it, are accepted.
enum State : uint32_t { kNew, kRunning, kEnding, kShutDown, kForked };
// Stored with release; acquire loads pair with it: what start() has prepared under the library's mutex is visible.
extern std::atomic<uint32_t> state;
// How many pools of the process give memory back at a synchronise. It lies beside `state`, in a cache line that a synchronise
// has read already.
// Relaxed: a count that orders nothing.
extern std::atomic<uint32_t> trimming_pools;

inline bool ending() { return state.load(std::memory_order_acquire) == kEnding; }
inline bool running() { return state.load(std::memory_order_acquire) == kRunning; }

Status start();   // success: the library runs
Status retain();  // rtInit
// rtShutdown gives a reference back. `last`: it was the last one. New work is refused from here on, and the caller ends the
// library, or calls goOn() if it cannot.
Status release(bool* last);
void goOn();
void markShutDown();  // from here on all calls but destroys and frees are refused

}  // namespace manyrt::manager::library
