// Batches of all ranks of one communicator that one thread submits in a group. Where their engine gives its work to the driver
// and waits for no other rank, they go to the streams at once, on the calling thread: no thread has to meet another.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace manyrt::comm {

struct Joint {
  std::shared_ptr<Communicator> communicator;
  Operations operations;
  rtStream_t stream;
};

// False: nothing was submitted, and each batch goes its own way. What becomes of the work is told as for other batches: by the
// streams and by the communicator. `came`: when the thread came with the first of them.
bool submitTogether(std::vector<Joint> joints, int64_t came);

}  // namespace manyrt::comm
