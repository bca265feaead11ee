// Which engine a communicator of this process gets. Nothing above here knows their names.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace manyrt::comm {

// A rank for each place, in order. Either all are made or none.
Status createHere(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings);

}  // namespace manyrt::comm
