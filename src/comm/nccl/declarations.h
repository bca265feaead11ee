// The project's own declarations of what it uses of NCCL: numbers and signatures of its interface from 2.18 on. NCCL is opened
// at run time, so that a machine without it builds and runs everything else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manyrt::comm::nccl {

struct NativeComm;  // ncclComm_t points to one

using Result = int;
inline constexpr Result kSuccess = 0, kUnhandledCudaError = 1, kSystemError = 2, kInternalError = 3, kInvalidArgument = 4,
                        kInvalidUsage = 5, kRemoteError = 6, kInProgress = 7;

inline constexpr int kOldestVersion = 21800;  // 2.18.0

using Stream = void*;  // cudaStream_t

struct NativeId {  // ncclUniqueId, which goes by value
  char bytes[128];
};

// ncclConfig_t of 2.18. Later releases take it for what its version says.
struct Config {
  size_t size = sizeof(Config);
  unsigned int magic = 0xcafebeef;
  unsigned int version = kOldestVersion;
  int blocking = kUndefined;
  int cga_cluster_size = kUndefined;
  int least_ctas = kUndefined;
  int most_ctas = kUndefined;
  const char* net_name = nullptr;
  int split_share = kUndefined;

 private:
  static constexpr int kUndefined = INT32_MIN;
};

// member, symbol, parameters; all return a Result
#define MANYRT_NCCL_FUNCTIONS(X)                                                                                          \
  X(getVersion, ncclGetVersion, (int* version))                                                                           \
  X(initAll, ncclCommInitAll, (NativeComm * *comms, int count, const int* devices))                                       \
  X(uniqueId, ncclGetUniqueId, (NativeId * id))                                                                           \
  X(initRank, ncclCommInitRankConfig, (NativeComm * *comm, int count, NativeId id, int rank, Config* config))             \
  X(split, ncclCommSplit, (NativeComm * comm, int color, int key, NativeComm** made, Config* config))                     \
  X(finalize, ncclCommFinalize, (NativeComm * comm))                                                                      \
  X(destroy, ncclCommDestroy, (NativeComm * comm))                                                                        \
  X(abort, ncclCommAbort, (NativeComm * comm))                                                                            \
  X(asyncError, ncclCommGetAsyncError, (NativeComm * comm, Result * error))                                               \
  X(groupStart, ncclGroupStart, ())                                                                                       \
  X(groupEnd, ncclGroupEnd, ())                                                                                           \
  X(allReduce, ncclAllReduce,                                                                                             \
    (const void* send, void* receive, size_t count, int type, int reduction, NativeComm* comm, Stream stream))            \
  X(reduce, ncclReduce,                                                                                                   \
    (const void* send, void* receive, size_t count, int type, int reduction, int root, NativeComm* comm, Stream stream))  \
  X(broadcast, ncclBroadcast,                                                                                             \
    (const void* send, void* receive, size_t count, int type, int root, NativeComm* comm, Stream stream))                 \
  X(allGather, ncclAllGather, (const void* send, void* receive, size_t count, int type, NativeComm* comm, Stream stream)) \
  X(reduceScatter, ncclReduceScatter,                                                                                     \
    (const void* send, void* receive, size_t count, int type, int reduction, NativeComm* comm, Stream stream))            \
  X(send, ncclSend, (const void* send, size_t count, int type, int peer, NativeComm* comm, Stream stream))                \
  X(receive, ncclRecv, (void* receive, size_t count, int type, int peer, NativeComm* comm, Stream stream))

}  // namespace manyrt::comm::nccl
