// The way of operations to a stream: a batch holds what one submission of one rank consists of, and waits in the stream until
// the work ahead is complete. submit() is called by the entry points and by the end of a group.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace manyrt::comm {

// Operations of one rank and one stream, which run as one.
Status submit(const std::shared_ptr<Communicator>& communicator, std::vector<Operation> operations, rtStream_t stream);

}  // namespace manyrt::comm
