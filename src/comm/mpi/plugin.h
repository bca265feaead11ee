// The interface of libmanyrt-comm-mpi.so for libmanyrt-comm.so: a table of functions over one MPI, whose handles and constants
// only the plug-in knows. Both are built together, so the table may change with every release; `version` finds a wrong pair.
#pragma once

#include <cstdint>

#include "comm/operation.h"

namespace manyrt::comm::mpi {

inline constexpr uint32_t kPluginVersion = 5;
inline constexpr char kPluginFile[] = "libmanyrt-comm-mpi.so.0";
inline constexpr char kPluginSymbol[] = "manyrtCommMpiPlugin";

struct PluginComm;     // three communicators of MPI: for operations, for messages between engines, for splits
struct PluginRequest;  // one operation in flight

enum class Direction { kSend, kReceive };

// The way of operations. Messages and non-blocking collectives can be given up and hear of failures. MPI's blocking collectives
// have its algorithms, and neither of the two. Alike at all ranks.
enum class Calls : int32_t { kMessages, kCollectives };

// Which threads may call MPI, as it was initialised: several at a time, one at a time, or one alone.
enum class Threads : int32_t { kAny, kOneAtATime, kOne };

// Functions return null, or a sentence that lives until the thread's next call. Any thread may call any function that MPI lets.
struct Plugin {
  uint32_t version;
  // Collective and blocking. `mpi_comm` points to an MPI_Comm, which is duplicated.
  const char* (*attach)(PluginComm** comm, const void* mpi_comm, Calls calls, int32_t* rank, int32_t* size, Threads* threads);
  // Collective and blocking; a color below 0 is none, and *made is null.
  const char* (*split)(PluginComm** made, int32_t color, int32_t key, int32_t* rank, int32_t* size, PluginComm* comm);
  void (*release)(PluginComm* comm);

  // The agreement of the ranks before they are made. Collective and blocking.
  const char* (*least)(int64_t* values, int32_t count, PluginComm* comm);                // each becomes the least of all ranks
  const char* (*gather)(const void* mine, uint32_t bytes, void* all, PluginComm* comm);  // `bytes` of each, by rank
  const char* (*share)(void* memory, uint32_t bytes, int32_t root, PluginComm* comm);    // what `root` has
  // Begins the same as `least`. The values are read and written until it is done.
  const char* (*vote)(PluginRequest** request, int64_t* values, int32_t count, PluginComm* comm);

  // The release of MPI in its own words, one line.
  void (*describe)(char* text, uint32_t size);
  // 1: MPI says that it takes addresses of CUDA device memory (MPIX_Query_cuda_support). 0: it says no, or does not say.
  int32_t (*takesCudaMemory)();

  // Begins an operation that reduces nothing, on memory of the host. The operation's memory stays as it is until it is done.
  const char* (*start)(PluginRequest** request, const Operation& operation, PluginComm* comm);
  // The whole of a collective, with kCollectives. Memory that is read and memory that is written are apart, or in place as
  // `start` takes it: a reduction's are apart.
  const char* (*complete)(const Operation& operation, PluginComm* comm);
  // Begins to gather what every rank has, which differs in length: `bytes` of `mine`, where `slot` can be read. `all` has a
  // slot of `slot` bytes, the same at all ranks, for each. Is done by `test` alone.
  const char* (*exchange)(PluginRequest** request, const void* mine, uint32_t bytes, void* all, uint32_t slot,
                          PluginComm* comm);
  // Begins a message of a collective that the ranks do themselves. It meets no send or receive of `start`.
  const char* (*transfer)(PluginRequest** request, Direction direction, void* memory, uint64_t count, int32_t type,
                          int32_t peer, PluginComm* comm);
  // Gives a message up that is not done, of `transfer` or `start`. A receive that has not begun writes nothing from here on.
  void (*abandon)(PluginRequest* request);
  // Also makes progress. Done: the request is gone, and `bytes` is what a receive got.
  const char* (*test)(int32_t* done, uint64_t* bytes, PluginRequest* request);
  // Waits within MPI, then as `test`.
  const char* (*wait)(uint64_t* bytes, PluginRequest* request);

  // Short messages between engines: sent without being waited for; *from is -1 where none has come.
  const char* (*post)(int32_t to, int32_t tag, const void* message, uint32_t bytes, PluginComm* comm);
  const char* (*take)(int32_t* from, int32_t* tag, void* message, uint32_t capacity, PluginComm* comm);
};

using PluginEntry = const Plugin* (*)();

}  // namespace manyrt::comm::mpi
