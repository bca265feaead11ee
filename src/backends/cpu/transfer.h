// Copies and fills on the host: rows of bytes, spread over the team of an engine where they are large. Streams call these
// for their commands; nothing here knows of streams.
#pragma once

#include "backends/backend.h"

namespace manyrt::cpu {

class Engine;

// From here on a transfer is spread over several threads.
inline constexpr uint64_t kSharedBytes = 1 << 20;
// One row that memcpy moves on the calling thread.
inline bool copyIsShort(const backend::Copy& copy) { return copy.height == 1 && copy.width < kSharedBytes; }

// `foreign`: the caller is not a worker of the engine.
void copyRows(Engine& engine, const backend::Copy& copy, bool foreign);
void fillRows(Engine& engine, const backend::Fill& fill, bool foreign);

}  // namespace manyrt::cpu
