// The sums of RT_PROFILE: work by kernel and device, copies by kind, builds by step, calls. At the end they are one table on
// stderr, or a file of JSON. Called by base/trace.cpp alone, while the profile is on.
#pragma once

#include <cstdint>

#include "base/trace.h"

namespace manyrt::trace::profile {

bool start();   // as RT_PROFILE asks; whether it does
void finish();  // writes table or file
void beforeFork();
void afterForkInParent();
void afterForkInChild();

void call(Tally* tally, int64_t nanoseconds, int64_t waited);  // null: there was no memory for it
void build(const char* step, int64_t nanoseconds);
void work(const Track& track, const Work& work, int64_t nanoseconds);
void lost();

}  // namespace manyrt::trace::profile
