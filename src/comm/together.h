// Batches of all ranks of one communicator that one thread submits in a group. An engine may give its work to the driver and
// wait for no other rank. Then they go to the streams at once, on the calling thread, and no thread has to meet another.
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

// False: nothing was submitted, and each batch goes its own way. The outcome of the work is told as for other batches: by the
// streams and by the communicator. `came`: when the thread came with the first of them.
bool submitTogether(std::vector<Joint> joints, int64_t came);

}  // namespace manyrt::comm
