// What NULL means: the thread's current context, else the primary context of the default device, and that context's
// default stream. Used by src/api to resolve arguments and by host functions.
#pragma once

#include "base/slot_table.h"
#include "base/status.h"
#include "manager/tables.h"

namespace manyrt::manager {

HandleBits currentContext();  // what this thread has set; 0: nothing
void setCurrentContext(HandleBits context);

// Under a guard. `argument` names it in messages.
Status resolve(Context** context, rtContext_t handle, const char* argument);
Status resolve(Stream** stream, rtStream_t handle, const char* argument);

// The sentence for a handle that is not a live one of its kind.
Status invalidHandle(HandleBits bits, uint8_t kind, const char* argument);

}  // namespace manyrt::manager
