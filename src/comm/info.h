// The answer of rtCommGetInfo. Engines and transports are one list each: the numbers of rt_comm.h and their names.
#pragma once

#include "comm/communicator.h"

namespace manyrt::comm {

rtCommInfo_t infoOf(const Communicator& communicator);

// One line in the log: what a rank that was just made runs on. A warning where MPI has to stage the memory of GPUs that NCCL
// could have reached, from rank 0 for all.
void tellMade(const Communicator& communicator);

// "in_process", "mpi_staged".
const char* engineName(int32_t engine);
const char* transportName(int32_t transport);

// The version of this library as text: "0.3.0".
std::string libraryVersion();

}  // namespace manyrt::comm
