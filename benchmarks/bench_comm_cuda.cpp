// Communicators on two CUDA devices of one process, beside NCCL's own calls and the runtime's copies between peers (P19), on
// the same primary contexts. CUDA's runtime and NCCL are opened at run time (RT_CUDART, RT_NCCL), so that this builds anywhere.
// On simulated devices it runs without the peers.

#include <cstdlib>
#include <string>

#include "comm_check.h"
#include "foreign_library.h"
#include "machine.h"

namespace {

using namespace bench;

constexpr int kRanks = 2;
constexpr uint64_t kMega = 1024 * 1024;
constexpr int kInFlight = 16;

void checkForeign(int result, const char* call) {
  if (result == 0) return;
  fprintf(stderr, "%s returned %d\n", call, result);
  exit(EXIT_FAILURE);
}
#define FOREIGN_CHECK(call) checkForeign((call), #call)

// Numbers and signatures of NCCL's interface from 2.18 on: type 7 is a float, reduction 0 a sum.
struct Nccl {
  void* library = openFirst({getenv("RT_NCCL") != nullptr ? getenv("RT_NCCL") : "libnccl.so.2"});
  int (*initAll)(void** comms, int count, const int* devices);
  int (*groupStart)();
  int (*groupEnd)();
  int (*allReduce)(const void* send, void* receive, size_t count, int type, int reduction, void* comm, void* stream);
  int (*version)(int* version);
  Nccl() {
    take(&initAll, library, "ncclCommInitAll");
    take(&groupStart, library, "ncclGroupStart");
    take(&groupEnd, library, "ncclGroupEnd");
    take(&allReduce, library, "ncclAllReduce");
    take(&version, library, "ncclGetVersion");
  }
};

struct Cuda {
  void* library = openFirst({getenv("RT_CUDART"), "libcudart.so.13", "libcudart.so.12", BENCH_CUDART_FILE});
  int (*copyPeer)(void* to, int to_device, const void* from, int from_device, size_t bytes, void* stream) = nullptr;
  int (*synchronize)(void* stream);
  Cuda() {
    // The simulated runtime has none.
    if (library != nullptr) copyPeer = reinterpret_cast<decltype(copyPeer)>(dlsym(library, "cudaMemcpyPeerAsync"));
    take(&synchronize, library, "cudaStreamSynchronize");
  }
};

struct Ranks {
  rtContext_t contexts[kRanks] = {};
  rtStream_t streams[kRanks] = {};
  void* raw[kRanks] = {};  // of streams of their own, which only NCCL and the runtime use
  void* memory[kRanks] = {};
  rtComm_t comms[kRanks] = {};
  void* native[kRanks] = {};  // NCCL's own communicators
};
Ranks ranks;
const Nccl* nccl;
const Cuda* cuda;

// One thread has both ranks, as with NCCL: in a group.
void allReduce(uint64_t elements) {
  COMM_CHECK(rtCommGroupBegin());
  for (int rank = 0; rank < kRanks; ++rank) {
    COMM_CHECK(rtCommAllReduce(ranks.memory[rank], ranks.memory[rank], elements, RT_COMM_F32, RT_COMM_SUM, ranks.streams[rank],
                               ranks.comms[rank]));
  }
  COMM_CHECK(rtCommGroupEnd());
}
void synchronize() {
  for (rtStream_t stream : ranks.streams) RT_CHECK(rtStreamSynchronize(stream));
}

void allReduceByNccl(uint64_t elements) {
  FOREIGN_CHECK(nccl->groupStart());
  for (int rank = 0; rank < kRanks; ++rank) {
    FOREIGN_CHECK(nccl->allReduce(ranks.memory[rank], ranks.memory[rank], elements, 7, 0, ranks.native[rank], ranks.raw[rank]));
  }
  FOREIGN_CHECK(nccl->groupEnd());
}
void synchronizeRaw() {
  for (void* stream : ranks.raw) FOREIGN_CHECK(cuda->synchronize(stream));
}

std::string sizeName(uint64_t bytes) {
  return bytes >= 1024 * kMega ? std::to_string(bytes / kMega / 1024) + "GiB"
         : bytes >= kMega      ? std::to_string(bytes / kMega) + "MiB"
                               : std::to_string(bytes / 1024) + "KiB";
}

// Each operation waited for, and several in flight.
void registerAllReduce(uint64_t bytes) {
  const uint64_t elements = bytes / sizeof(float);
  const auto times = [](int count, auto call, auto wait) {
    return hot(
        [=] {
          for (int i = 0; i < count; ++i) call();
          wait();
        },
        static_cast<uint64_t>(count));
  };
  for (const bool in_flight : {false, true}) {
    const int count = in_flight ? kInFlight : 1;
    Comparison comparison("P19_cuda_all_reduce_" + sizeName(bytes) + (in_flight ? "_in_flight" : ""));
    comparison.ours("manyrt", times(
                                  count, [elements] { allReduce(elements); }, synchronize));
    if (nccl->library != nullptr) {
      comparison.peer("ncclAllReduce", times(
                                           count, [elements] { allReduceByNccl(elements); }, synchronizeRaw));
    } else {
      comparison.missing("ncclAllReduce", "NCCL is not installed");
    }
    comparison.bytes(bytes).settle(false);
    registerComparison(std::move(comparison));
  }
}

void registerCopy(uint64_t bytes) {
  Comparison comparison("P19_cuda_peer_copy_" + sizeName(bytes));
  comparison.ours("manyrt", hot([bytes] {
                    RT_CHECK(rtMemcpyAsync(ranks.memory[1], ranks.memory[0], bytes, RT_MEMCPY_DEFAULT, ranks.streams[0]));
                    RT_CHECK(rtStreamSynchronize(ranks.streams[0]));
                  }));
  if (cuda->copyPeer != nullptr) {
    comparison.peer("cudaMemcpyPeerAsync", hot([bytes] {
                      FOREIGN_CHECK(cuda->copyPeer(ranks.memory[1], 1, ranks.memory[0], 0, bytes, ranks.raw[0]));
                      FOREIGN_CHECK(cuda->synchronize(ranks.raw[0]));
                    }));
  } else {
    comparison.missing("cudaMemcpyPeerAsync", "CUDA's runtime was not found");
  }
  comparison.bytes(bytes).settle(false);
  registerComparison(std::move(comparison));
}

void prepare(uint64_t bytes) {
  for (int rank = 0; rank < kRanks; ++rank) {
    rtDevice_t device = nullptr;
    rtStream_t apart = nullptr;
    uint64_t native[2] = {};
    RT_CHECK(rtDeviceGetByName(&device, ("cuda:" + std::to_string(rank)).c_str()));
    RT_CHECK(rtContextGetPrimary(&ranks.contexts[rank], device));
    ranks.streams[rank] = createStream(ranks.contexts[rank]);
    RT_CHECK(rtStreamCreate(&apart, nullptr, ranks.contexts[rank]));
    RT_CHECK(rtStreamGetNative(native, apart));
    ranks.raw[rank] = reinterpret_cast<void*>(static_cast<uintptr_t>(native[0]));
    RT_CHECK(rtMalloc(&ranks.memory[rank], bytes, ranks.contexts[rank]));
    RT_CHECK(rtMemsetAsync(ranks.memory[rank], 0, bytes, ranks.streams[rank]));
  }
  for (int rank = 0; rank < kRanks; ++rank) {
    const int32_t other = 1 - rank;
    (void)rtContextEnablePeerAccess(ranks.contexts[other], ranks.contexts[rank]);  // where the devices have a way
  }
  synchronize();
  COMM_CHECK(rtCommCreateAll(ranks.comms, nullptr, ranks.contexts, kRanks));
  const int devices[kRanks] = {0, 1};
  if (nccl->library != nullptr) FOREIGN_CHECK(nccl->initAll(ranks.native, kRanks, devices));
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  const char* const most = getenv("BENCH_COMM_MOST_BYTES");  // less than 1 GiB where the devices are simulated
  const uint64_t limit = most != nullptr ? strtoull(most, nullptr, 10) : 1024 * kMega;
  int32_t count = 0;
  if (rtDeviceGetCount(&count, RT_BACKEND_CUDA) != RT_SUCCESS || count < kRanks) {
    fprintf(stderr, "bench_comm_cuda: two CUDA devices are needed; there are %d\n", count);
    return EXIT_FAILURE;
  }
  const Nccl opened;
  const Cuda runtime;
  nccl = &opened;
  cuda = &runtime;
  int version = 0;
  if (nccl->library != nullptr && nccl->version(&version) == 0) note("peer_nccl", std::to_string(version));
  prepare(limit);
  for (uint64_t bytes = 1024; bytes <= limit; bytes *= 32) registerAllReduce(bytes);
  for (uint64_t bytes = 4096; bytes <= limit; bytes *= 64) registerCopy(bytes);
  const int result = finish();
  for (rtComm_t comm : ranks.comms) COMM_CHECK(rtCommDestroy(comm));
  return result;
}
