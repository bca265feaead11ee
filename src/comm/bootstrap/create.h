// A rank of a communicator of the processes that one launcher started: rtCommCreate with an id that rank 0 makes and the
// rendezvous hands round.
#pragma once

#include <memory>

#include "comm/communicator.h"

namespace manyrt::comm::bootstrap {

// Blocks for the other ranks: while they meet, and then while they create, each at most settings.timeout_ns.
Status create(std::shared_ptr<Communicator>* made, const Place& place, const Settings& settings);

}  // namespace manyrt::comm::bootstrap
