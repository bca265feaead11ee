// All-reduce among the processes that mpirun has started, beside MPI_Allreduce of the same processes and memory (P19), and in
// one process. The first process measures; the others follow: before each stretch it tells them what to run and how often.
//   mpirun -n 2 bench_comm
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "comm_check.h"
#include "machine.h"

namespace {

using namespace bench;

constexpr uint64_t kMaxBytes = 16 * 1024 * 1024;
constexpr int kRanksHere = 2;  // of one process

enum class Way : int32_t { kStop, kOurs, kOursInFlight, kMpi, kNative };

struct Stretch {
  Way way;
  int32_t calls;
  uint64_t elements;
};

// The parts that each process has.
struct Process {
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  rtComm_t comm = nullptr;
  float* from = nullptr;
  float* to = nullptr;
  int rank = 0;
  int size = 0;
};
Process here;

void allReduce(uint64_t elements) {
  COMM_CHECK(rtCommAllReduce(here.to, here.from, elements, RT_COMM_F32, RT_COMM_SUM, here.stream, here.comm));
}

void allReduceOfMpi(uint64_t elements) {
  MPI_Allreduce(here.from, here.to, static_cast<int>(elements), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

rtStatus_t callMpi(const uint64_t*, void* user) {
  allReduceOfMpi(*static_cast<const uint64_t*>(user));
  return RT_SUCCESS;
}

void run(const Stretch& stretch) {
  for (int32_t i = 0; i < stretch.calls; ++i) {
    switch (stretch.way) {
      case Way::kOurs:
        allReduce(stretch.elements);
        RT_CHECK(rtStreamSynchronize(here.stream));
        break;
      case Way::kOursInFlight:
        allReduce(stretch.elements);
        break;
      case Way::kMpi:
        allReduceOfMpi(stretch.elements);
        break;
      case Way::kNative: {  // the way through the stream, with MPI's own call at its end
        uint64_t elements = stretch.elements;
        RT_CHECK(rtStreamLaunchNative(callMpi, &elements, here.stream));
        RT_CHECK(rtStreamSynchronize(here.stream));
        break;
      }
      case Way::kStop:
        break;
    }
  }
  if (stretch.way == Way::kOursInFlight) RT_CHECK(rtStreamSynchronize(here.stream));
}

void tell(Stretch stretch) { MPI_Bcast(&stretch, sizeof stretch, MPI_BYTE, 0, MPI_COMM_WORLD); }

void follow() {
  for (;;) {
    Stretch stretch;
    MPI_Bcast(&stretch, sizeof stretch, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (stretch.way == Way::kStop) return;
    MPI_Barrier(MPI_COMM_WORLD);
    run(stretch);
  }
}

double timed(const Stretch& stretch) {
  tell(stretch);
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t start = nanoseconds();
  run(stretch);
  return static_cast<double>(nanoseconds() - start) / stretch.calls;
}

// The median over short stretches, as hot() has it.
Measure among(Way way, uint64_t elements) {
  return [=](int64_t budget) {
    constexpr double kStretch = 200'000;  // nanoseconds
    const double one = timed({way, 8, elements});
    const auto calls = static_cast<int32_t>(kStretch / one) + 1;
    std::vector<double> stretches;
    const int64_t began = nanoseconds();
    while (nanoseconds() - began < budget || stretches.size() < 3) stretches.push_back(timed({way, calls, elements}));
    std::sort(stretches.begin(), stretches.end());
    return stretches[stretches.size() / 2];
  };
}

std::string sizeName(uint64_t bytes) {
  return bytes >= 1 << 20 ? std::to_string(bytes >> 20) + "MiB"
         : bytes >= 1024  ? std::to_string(bytes >> 10) + "KiB"
                          : std::to_string(bytes) + "B";
}

void registerAmongProcesses(uint64_t bytes) {
  const uint64_t elements = bytes / sizeof(float);
  Comparison comparison("P19_all_reduce_" + std::to_string(here.size) + "_processes_" + sizeName(bytes));
  comparison.ours("manyrt", among(Way::kOurs, elements));
  comparison.ours("manyrt_in_flight", among(Way::kOursInFlight, elements));
  comparison.peer("MPI_Allreduce", among(Way::kMpi, elements));
  comparison.floor("native_function", among(Way::kNative, elements));
  comparison.bytes(bytes).settle(false);
  registerComparison(std::move(comparison));
}

// ---- In one process ----

struct Ranks {
  rtContext_t contexts[kRanksHere] = {};
  rtStream_t streams[kRanksHere] = {};
  rtComm_t comms[kRanksHere] = {};
  float* from[kRanksHere] = {};
  float* to[kRanksHere] = {};
};

float* filled(uint64_t bytes) {
  void* const memory = aligned_alloc(4096, bytes);
  if (memory == nullptr) exit(EXIT_FAILURE);
  memset(memory, 0, bytes);
  return static_cast<float*>(memory);
}

void registerInProcess(const Ranks& ranks, uint64_t bytes) {
  const uint64_t elements = bytes / sizeof(float);
  Comparison comparison("P19_all_reduce_in_process_" + sizeName(bytes));
  comparison.ours("manyrt", hot([ranks, elements] {
                    for (int rank = 0; rank < kRanksHere; ++rank) {
                      COMM_CHECK(rtCommAllReduce(ranks.to[rank], ranks.from[rank], elements, RT_COMM_F32, RT_COMM_SUM,
                                                 ranks.streams[rank], ranks.comms[rank]));
                    }
                    for (rtStream_t stream : ranks.streams) RT_CHECK(rtStreamSynchronize(stream));
                  }));
  comparison.floor("one_thread_adds", hot([ranks, elements] {
                     for (uint64_t i = 0; i < elements; ++i) ranks.to[0][i] = ranks.from[0][i] + ranks.from[1][i];
                     memcpy(ranks.to[1], ranks.to[0], elements * sizeof(float));
                     asm volatile("" : : "r"(ranks.to[1]) : "memory");
                   }));
  comparison.bytes(bytes).settle(false);
  registerComparison(std::move(comparison));
}

Ranks makeRanks(rtDevice_t device) {
  Ranks ranks;
  for (int rank = 0; rank < kRanksHere; ++rank) {
    RT_CHECK(rtContextCreate(&ranks.contexts[rank], nullptr, device));
    ranks.streams[rank] = createStream(ranks.contexts[rank]);
    ranks.from[rank] = filled(kMaxBytes);
    ranks.to[rank] = filled(kMaxBytes);
  }
  COMM_CHECK(rtCommCreateAll(ranks.comms, nullptr, ranks.contexts, kRanksHere));
  return ranks;
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.size);
  rtDevice_t device;
  RT_CHECK(rtDeviceGetByName(&device, "cpu"));
  RT_CHECK(rtContextCreate(&here.context, nullptr, device));
  here.stream = createStream(here.context);
  here.from = filled(kMaxBytes);
  here.to = filled(kMaxBytes);
  const MPI_Comm world = MPI_COMM_WORLD;
  COMM_CHECK(rtCommCreateFromMpi(&here.comm, nullptr, &world, here.context));
  if (here.rank == 0) {
    begin(&argc, argv);
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(library, &length);
    note("peer_mpi", std::string(library).substr(0, std::string(library).find(',')));
    for (const uint64_t bytes : {8, 64, 1024, 8192, 65536, 1 << 20, 4 << 20, 16 << 20}) registerAmongProcesses(bytes);
    if (here.size == 2) {
      const Ranks ranks = makeRanks(device);
      for (const uint64_t bytes : {8, 1024, 65536, 1 << 20, 16 << 20}) registerInProcess(ranks, bytes);
    }
    finish();
    tell({Way::kStop, 0, 0});
  } else {
    follow();
  }
  COMM_CHECK(rtCommDestroy(here.comm));
  MPI_Finalize();
  return EXIT_SUCCESS;
}
