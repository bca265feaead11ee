// Messages to the program's log callback, or to stderr where it has set none. A level that nobody wants costs one load.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace manyrt::log {

bool wanted(int32_t level);
void write(int32_t level, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Once this returns, the earlier callback runs no more. Null: stderr.
Status setCallback(rtLogCallback_t callback, void* user, int32_t level);

}  // namespace manyrt::log
