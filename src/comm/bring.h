// Copies between the host and the memory of a rank, for engines that calculate on the host.
#pragma once

#include "base/status.h"
#include "comm/communicator.h"

namespace manyrt::comm {

// Over when it returns. One of the two is memory of the rank's context, on a device by way of `stream`; the other is the
// host's.
Status bring(const Place& place, rtStream_t stream, void* to, const void* from, uint64_t bytes);

}  // namespace manyrt::comm
