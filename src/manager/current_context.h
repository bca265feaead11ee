// The meaning of NULL: the current context of the thread, else the primary context of the default device; and the default
// stream of that context. Used by src/api and src/ops to resolve arguments, and around host functions.
#pragma once

#include "base/handles/slot_table.h"
#include "base/status.h"
#include "manager/tables.h"

namespace manyrt::manager {

HandleBits currentContext();  // that this thread has set; 0: none
void setCurrentContext(HandleBits context);

// Under a guard. `argument` names it in messages.
Status resolve(Context** context, rtContext_t handle, const char* argument);
Status resolve(Stream** stream, rtStream_t handle, const char* argument);

// The sentence for a handle that is not a live one of its kind.
Status invalidHandle(HandleBits bits, uint8_t kind, const char* argument);

}  // namespace manyrt::manager
