// Work that no caller waits for, the most urgent first. A thread of the library does it, or a few where there are many
// processors; they start when there is work and end when there is none. At the end of the process, work that has begun is told
// to stop. So a program that ends does not wait for code that it will not run.
#pragma once

#include <functional>

#include "base/clock.h"
#include "base/status.h"

namespace manyrt::compiler::background {

// `cancel` is a descriptor: once it can be read, the work is to end soon. It may throw std::bad_alloc.
using Work = std::function<void(int cancel)>;
// Asked, under a lock, whenever a thread looks for work; throws nothing. Among equals, the first that was submitted goes first.
using Urgency = std::function<uint64_t()>;

// OUT_OF_MEMORY: there is no thread for it; SHUT_DOWN: the process is ending.
Status submit(Work work, Urgency urgency = nullptr);
// How many pieces of work are done at once: a quarter of the processors, at least one and at most four.
uint32_t mostThreads();

// Until `done` says so, which is asked after each piece of work. False: the time is over, or the process is ending.
bool await(const std::function<bool()>& done, Deadline deadline);

// Until all that was submitted is done; false after so many milliseconds.
bool awaitIdle(int64_t milliseconds);

}  // namespace manyrt::compiler::background
