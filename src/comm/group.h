// Groups: what a thread collects between rtCommGroupBegin and the last rtCommGroupEnd. Outside of a group an operation is
// submitted at once.
#pragma once

#include <memory>

#include "comm/communicator.h"

namespace manyrt::comm {

void beginGroup();
Status endGroup();
bool inGroup();

// A call of the group was refused: its end submits nothing.
void spoilGroup(const Status& status);

// At once or with the group. A split writes *comm when it is done.
Status submitOrCollect(const std::shared_ptr<Communicator>& communicator, const Operation& operation, rtStream_t stream);
Status splitOrCollect(rtComm_t* comm, const std::shared_ptr<Communicator>& parent, int32_t color, int32_t key);

}  // namespace manyrt::comm
