// A test among the processes that mpirun has started: all run the same tests in the same order, each for its rank. The fixture
// has a context, a stream and a rank of a communicator of all processes.
#pragma once

#include <mpi.h>

#include "comm/ranks.h"

namespace commtest {

inline int worldRank() {
  int rank = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int worldSize() {
  int size = 0;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// How the library may call MPI here, and how it was told to.
inline bool anyThread() {
  int level = 0;
  (void)MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}
inline bool callsCollectives() {
  const char* const calls = getenv("RT_COMM_MPI");
  return calls != nullptr && std::string(calls) == "collectives";
}

// The parts of one process. A layout names the devices of the ranks in turn.
struct Process {
  rttest::Context context;
  rttest::Stream stream;
  Comm comm;
  int rank = worldRank();
  int size = worldSize();

  void make(const std::string& layout, uint64_t timeout_ns = kLong, const char* label = "") {
    std::vector<std::string> names;
    std::istringstream words(layout);
    for (std::string name; words >> name;) names.push_back(name);
    rtDevice_t device = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&device, names[static_cast<size_t>(rank) % names.size()].c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    const rtCommOptions_t given = options(timeout_ns, label);
    const MPI_Comm world = MPI_COMM_WORLD;
    ASSERT_COMM_OK(rtCommCreateFromMpi(comm.out(), &given, &world, context));
  }
};

}  // namespace commtest
