// One piece of work done by several threads at once: by the caller and by threads of the library that help it. The work takes
// its parts from a counter or a list of its own. Callers: builds of many modules.
#pragma once

#include <cstdint>
#include <functional>

namespace manyrt {

// Calls `work` on the calling thread and on at most `most` - 1 others, and returns when each of these calls has. Threads that
// cannot be had are not missed: the caller's own call does what is left. `work` throws nothing. It may read the environment as
// the caller may, which waits. Blocks, outside guards.
void sideBySide(uint32_t most, const std::function<void()>& work);

}  // namespace manyrt
