// The life of the library in a process: started at the first use, ended once by rtShutdown, unusable in a forked child.
// The state is one word that every call reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.h"

namespace manyrt::manager::library {

// kEnding: rtShutdown waits for work in flight; only calls that let it end, or ask about it, are taken.
enum State : uint32_t { kNew, kRunning, kEnding, kShutDown, kForked };
extern std::atomic<uint32_t> state;
// Pools that give memory back at a synchronise. Of the whole process and beside the state, so that a synchronise learns that
// there is none from a line that it has read already.
extern std::atomic<uint32_t> trimming_pools;

inline bool ending() { return state.load(std::memory_order_acquire) == kEnding; }
inline bool running() { return state.load(std::memory_order_acquire) == kRunning; }

Status start();   // running afterwards, or why not
Status retain();  // rtInit
// rtShutdown gives a reference back. `last`: this was the last one, new work is refused from here on, and the caller ends the
// library, or calls goOn() where it cannot.
Status release(bool* last);
void goOn();
void markShutDown();  // from here on calls are refused, all but destroys and frees

}  // namespace manyrt::manager::library
