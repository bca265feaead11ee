// The one entry of the engine for ranks of one process: makes all of them at once.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace manyrt::comm {

// A rank for each place, in order. Either all are made or none.
Status createInProcess(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places,
                       const Settings& settings);

}  // namespace manyrt::comm
