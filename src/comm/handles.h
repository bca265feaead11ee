// Handles of this library: numbers that never come again, so that a stale or random one is found out. A call takes a reference
// and keeps the rank until its end.
#pragma once

#include <memory>

#include "comm/communicator.h"

namespace manyrt::comm {

rtComm_t publish(std::shared_ptr<Communicator> communicator);
Status find(std::shared_ptr<Communicator>* communicator, rtComm_t handle);
Status retire(std::shared_ptr<Communicator>* communicator, rtComm_t handle);

}  // namespace manyrt::comm
