// Messages to the program's log callback, or to stderr if it has set none. A message below the wanted level costs one load.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace manyrt::log {

bool wanted(int32_t level);
void write(int32_t level, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Returns when the earlier callback has run for the last time. Null: stderr.
Status setCallback(rtLogCallback_t callback, void* user, int32_t level);

}  // namespace manyrt::log
