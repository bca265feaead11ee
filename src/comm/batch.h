// The way of operations to a stream. A batch is one submission of one rank, and waits in the stream until the work ahead is
// complete. submit() is called by the entry points and by the end of a group.
#pragma once

#include <memory>

#include "comm/communicator.h"

namespace manyrt::comm {

// Operations of one rank and one stream, which run as one. `came`: when the thread came with them, or 0.
Status submit(const std::shared_ptr<Communicator>& communicator, Operations operations, rtStream_t stream, int64_t came);

}  // namespace manyrt::comm
