// Copies and fills on the host: rows of bytes, spread over the team of an engine where they are large. Streams call these
// for their commands; nothing here knows of streams.
#pragma once

#include "backends/backend.h"

namespace manyrt::cpu {

class Engine;

// `foreign`: the caller is not a worker of the engine.
void copyRows(Engine& engine, const backend::Copy& copy, bool foreign);
void fillRows(Engine& engine, const backend::Fill& fill, bool foreign);

}  // namespace manyrt::cpu
