// Groups: what a thread collects between rtCommGroupBegin and the last rtCommGroupEnd. Outside of a group an operation is
// submitted at once.
#pragma once

#include <functional>
#include <memory>

#include "comm/communicator.h"

namespace manyrt::comm {

void beginGroup();
Status endGroup();
bool inGroup();

// A call of the group was refused: its end submits nothing.
void spoilGroup(const Status& status);

// A rank that is made when others have come too. `announce` waits for none, `take` for all; no rank is no failure.
struct PendingCreation {
  rtComm_t* comm;
  std::function<Status()> announce;
  std::function<Status(std::shared_ptr<Communicator>*)> take;
};

// At once or with the group. `came`: when the program's thread entered the call. A creation writes *comm when it is done.
Status submitOrCollect(const std::shared_ptr<Communicator>& communicator, const Operation& operation, rtStream_t stream,
                       int64_t came);
Status createOrCollect(PendingCreation creation);

}  // namespace manyrt::comm
