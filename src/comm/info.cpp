// Puts what an engine says of itself (Carrier) and what every rank knows into the struct of rt_comm.h.
#include "comm/info.h"

#include "base/config.h"
#include "base/text.h"
#include "comm/guard.h"
#include "comm/sentences.h"

namespace manyrt::comm {
namespace {

// number, name
#define MANYRT_COMM_ENGINES(X)                     \
  X(RT_COMM_ENGINE_IN_PROCESS, "in_process")       \
  X(RT_COMM_ENGINE_SHARED_MEMORY, "shared_memory") \
  X(RT_COMM_ENGINE_MPI, "mpi")                     \
  X(RT_COMM_ENGINE_NCCL, "nccl")

#define MANYRT_COMM_TRANSPORTS(X)                     \
  X(RT_COMM_TRANSPORT_HOST_MEMORY, "host_memory")     \
  X(RT_COMM_TRANSPORT_DEVICE_COPIES, "device_copies") \
  X(RT_COMM_TRANSPORT_SHARED_MEMORY, "shared_memory") \
  X(RT_COMM_TRANSPORT_MPI, "mpi")                     \
  X(RT_COMM_TRANSPORT_MPI_STAGED, "mpi_staged")       \
  X(RT_COMM_TRANSPORT_MPI_DEVICE, "mpi_device")       \
  X(RT_COMM_TRANSPORT_NCCL, "nccl")

template <size_t N>
void put(char (&to)[N], const char* text) {
  copyLetters(to, N, text);
}

}  // namespace

#define MANYRT_COMM_NAME(number, name) \
  case number:                         \
    return name;
const char* engineName(int32_t engine) {
  switch (engine) {
    MANYRT_COMM_ENGINES(MANYRT_COMM_NAME)
    default:
      return "";
  }
}

const char* transportName(int32_t transport) {
  switch (transport) {
    MANYRT_COMM_TRANSPORTS(MANYRT_COMM_NAME)
    default:
      return "";
  }
}
#undef MANYRT_COMM_NAME

std::string libraryVersion() {
  uint32_t version = 0;
  (void)rtGetVersion(&version);  // the output is its only error
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

rtCommInfo_t infoOf(const Communicator& of) {
  const Carrier carrier = of.carrier();
  rtCommInfo_t info = RT_COMM_INFO_INIT;
  info.engine = carrier.engine;
  info.transport = carrier.transport;
  info.rank = of.rank();
  info.size = of.size();
  info.local_size = carrier.local_size;
  put(info.engine_name, engineName(carrier.engine));
  put(info.engine_version, carrier.version.empty() ? libraryVersion().c_str() : carrier.version.c_str());
  put(info.transport_name, transportName(carrier.transport));
  put(info.reason, of.settings().reason.c_str());
  return info;
}

void tellMade(const Communicator& of) {
  const auto tell = [&]() -> Status {
    // The struct that a program gets, so that the log and rtCommGetInfo say the same.
    const rtCommInfo_t info = infoOf(of);
    const bool staged = info.transport == RT_COMM_TRANSPORT_MPI_STAGED && info.reason[0] != '\0';
    const bool chosen = config::get(config::Variable::kCommEngine) != nullptr;
    const std::string text = "Rank " + std::to_string(info.rank) + " of " + std::to_string(info.size) +
                             sentences::labelOf(of.settings().label) + " runs on " + info.engine_name + " " +
                             info.engine_version + ", transport " + info.transport_name + "." +
                             (info.reason[0] != '\0' ? " Not on NCCL: " : "") + info.reason;
    // A warning where a user may not expect the slow way, and only once for all ranks.
    (void)rtLogWrite(staged && !chosen && info.rank == 0 ? RT_LOG_WARNING : RT_LOG_INFO, text.c_str());
    return Status();
  };
  (void)withoutThrowing(tell);  // the rank is made, whether there is memory for a line or not
}

}  // namespace manyrt::comm
