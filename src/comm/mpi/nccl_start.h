// MPI starts the ranks, NCCL runs their operations: where each rank has a CUDA device of its own, and all find one NCCL. MPI
// hands NCCL's id round, and then has no more to do. All ranks decide alike, from what MPI has told them of each other.
#pragma once

#include <memory>
#include <string>

#include "comm/communicator.h"
#include "comm/mpi/plugin.h"

namespace manyrt::comm::mpi {

// RT_COMM_ENGINE's wish for communicators of MPI. The same at all ranks.
enum class Choice : int32_t { kAny, kNccl, kMpi };
Status chooseCarrier(Choice* choice);

// A rank as MPI has it, before it is made.
struct Attached {
  const Plugin& plugin;
  PluginComm* comm;
  int32_t rank;
  int32_t size;
};

struct Outcome {
  std::shared_ptr<Communicator> made;  // null: MPI runs the operations
  std::string reason;                  // of a rank on CUDA then
  bool quiet = true;                   // no message is under way: the communicators of MPI can be given back
};

// Collective and blocking: in MPI without a limit, in NCCL's start at most settings.timeout_ns. A failure is that of all ranks.
Status startNccl(Outcome* outcome, const Attached& attached, Choice choice, const Place& place, const Settings& settings);

}  // namespace manyrt::comm::mpi
