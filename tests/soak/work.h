// The mixed work of a soak: allocations, copies, kernels, graphs, streams, events, fences, pools, modules and contexts. All of
// them are made and destroyed again and again.
#pragma once

#include <rt.h>

#include <cstdint>

namespace soak {

// Ends the process with the library's sentence if a call fails.
void check(rtStatus_t status, const char* call);
#define SOAK_CHECK(call) ::soak::check((call), #call)

// One piece of work in a context, on streams of its own. Everything that it makes is gone when it returns, but for what the
// library keeps. Ends the process if a result is wrong.
void workOnce(rtContext_t context, uint32_t number);

// The same in a context that is made for it.
void workInOwnContext(rtDevice_t device, uint32_t number);

// Destroys a stream with work in flight, and what that work uses; waits for nothing.
void leaveWorkBehind(rtContext_t context, uint32_t number);

}  // namespace soak
