// All-reduce of floats between two processes of one host, each waited for. Communicators over shared memory and MPI_Allreduce
// have the same processes and memory, in turns. The id of the communicator goes from rank to rank by MPI_Bcast. mpirun -n 2
// bench_comm_shared_memory [SECONDS for each length]
// Prints, for each length, bytes and the least nanoseconds of one operation, ours and MPI's. It takes many short stretches,
// since other programs may have the cores for a while.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "comm_check.h"
#include "interleave.h"

namespace {

using bench::nanoseconds;

constexpr uint64_t kMostBytes = 64 * 1024 * 1024;
constexpr double kStretch = 500'000;  // nanoseconds

struct Process {
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  rtComm_t comm = nullptr;
  float* from = nullptr;
  float* to = nullptr;
  int rank = 0;
};
Process here;

void check(rtStatus_t status) {
  if (status == RT_SUCCESS) return;
  fprintf(stderr, "bench_comm_shared_memory: %s\n", rtGetErrorName(status));
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

void ours(uint64_t elements) {
  COMM_CHECK(rtCommAllReduce(here.to, here.from, elements, RT_COMM_F32, RT_COMM_SUM, here.stream, here.comm));
  check(rtStreamSynchronize(here.stream));
}

void mpis(uint64_t elements) {
  MPI_Allreduce(here.from, here.to, static_cast<int>(elements), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

// Nanoseconds for one of `calls`.
double stretch(void (*call)(uint64_t), uint64_t elements, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t began = nanoseconds();
  for (int i = 0; i < calls; ++i) call(elements);
  return static_cast<double>(nanoseconds() - began) / calls;
}

void expectSum(uint64_t elements, const char* whose) {
  for (uint64_t i = 0; i < elements; ++i) {
    if (here.to[i] == 3.0f) continue;
    fprintf(stderr, "bench_comm_shared_memory: element %llu of %s is %g\n", static_cast<unsigned long long>(i), whose,
            static_cast<double>(here.to[i]));
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  memset(here.to, 0, elements * sizeof(float));
}

void measure(uint64_t bytes, double seconds) {
  const uint64_t elements = bytes / sizeof(float);
  void (*const ways[])(uint64_t) = {ours, mpis};
  double least[] = {1e18, 1e18};
  int calls[2] = {};
  for (int way = 0; way < 2; ++way) {
    (void)stretch(ways[way], elements, 3);
    expectSum(elements, way == 0 ? "ours" : "MPI's");
    calls[way] = static_cast<int>(std::max(1.0, kStretch / stretch(ways[way], elements, 5)));
  }
  MPI_Bcast(calls, 2, MPI_INT, 0, MPI_COMM_WORLD);
  const int64_t began = nanoseconds();
  for (int rounds = 0, goes_on = 1; goes_on != 0; ++rounds) {
    for (int way = 0; way < 2; ++way) least[way] = std::min(least[way], stretch(ways[way], elements, calls[way]));
    goes_on = rounds < 10 || static_cast<double>(nanoseconds() - began) < seconds * 1e9 ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (here.rank != 0) return;
  printf("%llu %.1f %.1f\n", static_cast<unsigned long long>(bytes), least[0], least[1]);
  fflush(stdout);
}

float* filled(float value) {
  auto* const memory = static_cast<float*>(aligned_alloc(4096, kMostBytes));
  if (memory == nullptr) exit(EXIT_FAILURE);
  std::fill_n(memory, kMostBytes / sizeof(float), value);
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    fprintf(stderr, "bench_comm_shared_memory: mpirun -n 2 starts it\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  rtDevice_t device = nullptr;
  check(rtDeviceGetByName(&device, "cpu"));
  check(rtContextCreate(&here.context, nullptr, device));
  check(rtStreamCreate(&here.stream, nullptr, here.context));
  rtCommUniqueId_t id = {};
  if (here.rank == 0) COMM_CHECK(rtCommGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  COMM_CHECK(rtCommCreate(&here.comm, nullptr, &id, here.rank, size, here.context));
  here.from = filled(static_cast<float>(here.rank + 1));
  here.to = filled(0.0f);
  if (here.rank == 0) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(library, &length);
    printf("# %s\n", std::string(library).substr(0, std::string(library).find(',')).c_str());
  }
  for (uint64_t bytes = 8; bytes <= kMostBytes; bytes *= bytes == 32u << 20 ? 2 : 4) {
    measure(bytes, argc > 1 ? strtod(argv[1], nullptr) : 0.5);
  }
  COMM_CHECK(rtCommDestroy(here.comm));
  check(rtStreamDestroy(here.stream));
  check(rtContextDestroy(here.context));
  MPI_Finalize();
  return EXIT_SUCCESS;
}
