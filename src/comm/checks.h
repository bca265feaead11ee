// Every check of what a program gives, once, for all engines: numbers, streams, and the ranges of memory. An engine trusts
// them.
#pragma once

#include "comm/communicator.h"

namespace manyrt::comm {

Status checkOptions(Settings* settings, const rtCommOptions_t* options);
Status checkPlace(Place* place, rtContext_t context);
// Resolves NULL to the default stream of the rank's context.
Status checkStream(rtStream_t* stream, const Communicator& communicator);
Status checkOperation(const Operation& operation, const Communicator& communicator);

}  // namespace manyrt::comm
