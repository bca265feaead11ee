// Communicators of two processes with a CUDA device each, as torchrun and mpirun start them, beside NCCL's own calls in the
// same processes. This program starts itself again for rank 1, which follows what rank 0 measures through a pipe: which
// operation, by which way, how often. CUDA's runtime and NCCL are opened at run time (RT_CUDART, RT_NCCL). An operation that
// hangs is named after BENCH_COMM_SECONDS (120). BENCH_COMM_MOST_BYTES is the longest shape (1 GiB), less where the devices are
// simulated.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "comm_check.h"
#include "foreign_library.h"
#include "machine.h"

namespace {

using namespace bench;

constexpr char kChild[] = "BENCH_COMM_CHILD";  // the numbers of the pipes
constexpr uint64_t kMega = 1024 * 1024;
constexpr int kFloat = 7, kSum = 0;  // of NCCL's interface from 2.18 on

// ---- What goes wrong ----

std::atomic<const char*> phase{"the start"};
int rank_of_process = 0;
pid_t child = 0;

void say(const char* text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

void onAlarm(int) {
  say(rank_of_process == 0 ? "bench_comm_processes: rank 0 hangs in " : "bench_comm_processes: rank 1 hangs in ");
  say(phase.load(std::memory_order_relaxed));
  say("\n");
  if (child > 0) (void)kill(child, SIGKILL);
  _exit(EXIT_FAILURE);
}

void onChild(int) {
  int status = 0;
  if (waitpid(child, &status, WNOHANG) != child) return;
  child = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  say("bench_comm_processes: rank 1 has failed or was killed, while rank 0 was in ");
  say(phase.load(std::memory_order_relaxed));
  say("\n");
  _exit(EXIT_FAILURE);
}

[[noreturn]] void fail(const char* what) {
  fprintf(stderr, "bench_comm_processes: rank %d: %s, in %s\n", rank_of_process, what, phase.load(std::memory_order_relaxed));
  exit(EXIT_FAILURE);
}

// ---- Peers ----

struct Id {
  char bytes[128];
};

struct Nccl {
  void* library = openFirst({getenv("RT_NCCL") != nullptr ? getenv("RT_NCCL") : "libnccl.so.2"});
  int (*version)(int* version);
  int (*uniqueId)(Id* id);
  int (*initRank)(void** comm, int count, Id id, int rank);
  const char* (*errorString)(int result);
  int (*groupStart)();
  int (*groupEnd)();
  int (*allReduce)(const void* send, void* receive, size_t count, int type, int reduction, void* comm, void* stream);
  int (*allGather)(const void* send, void* receive, size_t count, int type, void* comm, void* stream);
  int (*reduceScatter)(const void* send, void* receive, size_t count, int type, int reduction, void* comm, void* stream);
  int (*send)(const void* send, size_t count, int type, int peer, void* comm, void* stream);
  int (*receive)(void* receive, size_t count, int type, int peer, void* comm, void* stream);
  Nccl() {
    take(&version, library, "ncclGetVersion");
    take(&uniqueId, library, "ncclGetUniqueId");
    take(&initRank, library, "ncclCommInitRank");
    take(&errorString, library, "ncclGetErrorString");
    take(&groupStart, library, "ncclGroupStart");
    take(&groupEnd, library, "ncclGroupEnd");
    take(&allReduce, library, "ncclAllReduce");
    take(&allGather, library, "ncclAllGather");
    take(&reduceScatter, library, "ncclReduceScatter");
    take(&send, library, "ncclSend");
    take(&receive, library, "ncclRecv");
  }
};

struct Cuda {
  void* library = openFirst({getenv("RT_CUDART"), "libcudart.so.13", "libcudart.so.12", BENCH_CUDART_FILE});
  int (*setDevice)(int device) = nullptr;  // the simulated runtime has none
  int (*entryPoint)(const char* name, void** function, unsigned long long flags, int* outcome) = nullptr;
  int (*synchronize)(void* stream);
  Cuda() {
    if (library != nullptr) setDevice = reinterpret_cast<decltype(setDevice)>(dlsym(library, "cudaSetDevice"));
    if (library != nullptr) entryPoint = reinterpret_cast<decltype(entryPoint)>(dlsym(library, "cudaGetDriverEntryPoint"));
    take(&synchronize, library, "cudaStreamSynchronize");
  }
  // Makes the device current on this thread, as a user of NCCL does.
  void choose(int device, rtContext_t context) const {
    if (setDevice != nullptr) {
      if (setDevice(device) != 0) fail("cudaSetDevice failed");
      return;
    }
    void* push = nullptr;
    int outcome = 0;
    uint64_t native[2] = {};
    RT_CHECK(rtContextGetNative(native, context));
    if (entryPoint == nullptr || entryPoint("cuCtxPushCurrent", &push, 0, &outcome) != 0 || push == nullptr ||
        reinterpret_cast<int (*)(void*)>(push)(reinterpret_cast<void*>(static_cast<uintptr_t>(native[0]))) != 0) {
      fail("no device can be made current");
    }
  }
};

const Nccl* nccl;
const Cuda* cuda;

void checkNccl(int result, const char* call) {
  if (result != 0) fail((std::string(call) + " returned " + std::to_string(result) + ": " + nccl->errorString(result)).c_str());
}
#define NCCL_CHECK(call) checkNccl((call), #call)

// ---- One rank ----

struct Rank {
  int rank = 0;
  int to_other = -1, from_other = -1;  // of the pipes
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  rtStream_t apart = nullptr;  // which only NCCL uses
  void* raw = nullptr;         // the driver's, of `apart`
  void* source = nullptr;
  void* target = nullptr;
  rtComm_t comm = nullptr;
  void* native = nullptr;  // NCCL's own communicator
};
Rank own;

enum Shape : int32_t { kAllReduce, kAllGather, kReduceScatter, kSendReceive, kShapes };
constexpr const char* kNames[kShapes] = {"all_reduce", "all_gather", "reduce_scatter", "send_receive"};

// An order to rank 1; rank 0 does the same.
struct Order {
  int32_t shape;
  int32_t ours;
  int32_t in_flight;
  int32_t waits;  // 0: the end
  uint64_t bytes;
};

void callOurs(const Order& order) {
  const uint64_t whole = order.bytes / sizeof(float), half = whole / 2;
  switch (order.shape) {
    case kAllReduce:
      COMM_CHECK(rtCommAllReduce(own.target, own.source, whole, RT_COMM_F32, RT_COMM_SUM, own.stream, own.comm));
      break;
    case kAllGather:
      COMM_CHECK(rtCommAllGather(own.target, own.source, half, RT_COMM_F32, own.stream, own.comm));
      break;
    case kReduceScatter:
      COMM_CHECK(rtCommReduceScatter(own.target, own.source, half, RT_COMM_F32, RT_COMM_SUM, own.stream, own.comm));
      break;
    default:
      COMM_CHECK(rtCommGroupBegin());
      COMM_CHECK(rtCommSend(own.source, whole, RT_COMM_F32, 1 - own.rank, own.stream, own.comm));
      COMM_CHECK(rtCommReceive(own.target, whole, RT_COMM_F32, 1 - own.rank, own.stream, own.comm));
      COMM_CHECK(rtCommGroupEnd());
  }
}

void callNccl(const Order& order) {
  const size_t whole = order.bytes / sizeof(float), half = whole / 2;
  switch (order.shape) {
    case kAllReduce:
      NCCL_CHECK(nccl->allReduce(own.source, own.target, whole, kFloat, kSum, own.native, own.raw));
      break;
    case kAllGather:
      NCCL_CHECK(nccl->allGather(own.source, own.target, half, kFloat, own.native, own.raw));
      break;
    case kReduceScatter:
      NCCL_CHECK(nccl->reduceScatter(own.source, own.target, half, kFloat, kSum, own.native, own.raw));
      break;
    default:
      NCCL_CHECK(nccl->groupStart());
      NCCL_CHECK(nccl->send(own.source, whole, kFloat, 1 - own.rank, own.native, own.raw));
      NCCL_CHECK(nccl->receive(own.target, whole, kFloat, 1 - own.rank, own.native, own.raw));
      NCCL_CHECK(nccl->groupEnd());
  }
}

void follow(const Order& order) {
  for (int32_t wait = 0; wait < order.waits; ++wait) {
    for (int32_t i = 0; i < order.in_flight; ++i) order.ours != 0 ? callOurs(order) : callNccl(order);
    if (order.ours != 0) {
      RT_CHECK(rtStreamSynchronize(own.stream));
    } else if (cuda->synchronize(own.raw) != 0) {
      fail("cudaStreamSynchronize failed");
    }
  }
}

void tell(const void* from, size_t bytes) {
  if (write(own.to_other, from, bytes) != static_cast<ssize_t>(bytes)) fail("the other process takes no orders");
}
void hear(void* to, size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes != 0) {
    const ssize_t got = read(own.from_other, at, bytes);
    if (got <= 0) fail("the other process has ended");
    at += got;
    bytes -= static_cast<size_t>(got);
  }
}

rtStatus_t initNccl(const uint64_t*, void* id) {  // on the device of the stream
  NCCL_CHECK(nccl->initRank(&own.native, 2, *static_cast<const Id*>(id), own.rank));
  return RT_SUCCESS;
}

void prepare(uint64_t bytes) {
  rtDevice_t device = nullptr;
  uint64_t native[2] = {};
  phase = "making memory";
  RT_CHECK(rtDeviceGetByName(&device, ("cuda:" + std::to_string(own.rank)).c_str()));
  RT_CHECK(rtContextGetPrimary(&own.context, device));
  own.stream = createStream(own.context);
  RT_CHECK(rtStreamCreate(&own.apart, nullptr, own.context));
  RT_CHECK(rtStreamGetNative(native, own.apart));
  own.raw = reinterpret_cast<void*>(static_cast<uintptr_t>(native[0]));
  for (void** memory : {&own.source, &own.target}) {
    RT_CHECK(rtMalloc(memory, bytes, own.context));
    RT_CHECK(rtMemsetAsync(*memory, 0, bytes, own.stream));
  }
  RT_CHECK(rtStreamSynchronize(own.stream));
  cuda->choose(own.rank, own.context);
  phase = "rtCommCreate";
  rtCommUniqueId_t id = {};
  if (own.rank == 0) {
    COMM_CHECK(rtCommGetUniqueId(&id));
    tell(&id, sizeof id);
  } else {
    hear(&id, sizeof id);
  }
  rtCommOptions_t options = RT_COMM_OPTIONS_INIT;
  options.timeout_ns = 30'000'000'000;
  const int64_t began = nanoseconds();
  COMM_CHECK(rtCommCreate(&own.comm, &options, &id, own.rank, 2, own.context));
  if (own.rank == 0) note("create_ms", std::to_string((nanoseconds() - began) / 1'000'000));
  phase = "ncclCommInitRank";
  Id peer = {};
  if (own.rank == 0) {
    NCCL_CHECK(nccl->uniqueId(&peer));
    tell(&peer, sizeof peer);
  } else {
    hear(&peer, sizeof peer);
  }
  RT_CHECK(rtStreamCallNative(initNccl, &peer, own.apart));
}

// ---- Rank 0 ----

struct Row {
  std::vector<double> ours, peer;
};
std::map<std::string, Row> rows;  // for the table
std::vector<std::string> order_of_rows;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// As many as fit in the budget, after as many that are not timed; the median of what one takes between two waits.
double measure(Order order, int64_t budget, double* estimate) {
  const auto both = [&order](int32_t waits) {
    order.waits = waits;
    tell(&order, sizeof order);
  };
  if (*estimate == 0) {
    both(4);
    follow(order);  // connects
    both(3);
    const int64_t began = nanoseconds();
    follow(order);
    *estimate = static_cast<double>(nanoseconds() - began) / 3;
  }
  const auto waits = static_cast<int32_t>(std::clamp(static_cast<double>(budget) / *estimate, 3.0, 2000.0));
  const int32_t warm = std::min(waits, 10);
  both(warm + waits);
  std::vector<double> times;
  order.waits = warm;
  follow(order);
  order.waits = 1;
  for (int32_t i = 0; i < waits; ++i) {
    const int64_t began = nanoseconds();
    follow(order);
    times.push_back(static_cast<double>(nanoseconds() - began) / order.in_flight);
  }
  return median(std::move(times));
}

std::string sizeName(uint64_t bytes) {
  return bytes >= 1024 * kMega ? std::to_string(bytes / kMega / 1024) + "GiB"
         : bytes >= kMega      ? std::to_string(bytes / kMega) + "MiB"
                               : std::to_string(bytes / 1024) + "KiB";
}

void registerShape(int32_t shape, uint64_t bytes, bool in_flight) {
  const std::string name = std::string(kNames[shape]) + "_" + sizeName(bytes) + (in_flight ? "_in_flight" : "");
  const int32_t count = !in_flight ? 1 : bytes > 4 * kMega ? 8 : 64;
  order_of_rows.push_back(name);
  const auto timed = [=](bool ours) -> Measure {
    return [=, estimate = 0.0](int64_t budget) mutable {
      phase = order_of_rows[static_cast<size_t>(std::find(order_of_rows.begin(), order_of_rows.end(), name) -
                                                order_of_rows.begin())]
                  .c_str();
      const double took = measure({shape, ours ? 1 : 0, count, 0, bytes}, budget, &estimate);
      (ours ? rows[name].ours : rows[name].peer).push_back(took);
      return took;
    };
  };
  Comparison comparison("P19_processes_" + name);
  comparison.ours("manyrt", timed(true));
  comparison.peer("nccl", timed(false));
  comparison.bytes(bytes).settle(false);
  registerComparison(std::move(comparison));
}

void printTable() {
  printf("\n%-34s | %10s | %10s | %6s\n", "shape", "ours us", "NCCL us", "ratio");
  for (const std::string& name : order_of_rows) {
    const double ours = median(rows[name].ours) * 1e-3, peer = median(rows[name].peer) * 1e-3;
    if (ours != 0 && peer != 0) printf("%-34s | %10.2f | %10.2f | %6.3f\n", name.c_str(), ours, peer, ours / peer);
  }
  fflush(stdout);
}

// Before anything is started: the other process is this program again.
void startOther(char** argv) {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) fail("there is no pipe");
  const std::string numbers = std::to_string(down[0]) + " " + std::to_string(up[1]);
  struct sigaction action = {};
  action.sa_handler = onChild;
  (void)sigaction(SIGCHLD, &action, nullptr);
  child = fork();
  if (child < 0) fail("fork failed");
  if (child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setenv(kChild, numbers.c_str(), 1);
    for (const int end : {down[1], up[0]}) (void)close(end);
    (void)execv("/proc/self/exe", argv);
    _exit(EXIT_FAILURE);
  }
  for (const int end : {down[0], up[1]}) (void)close(end);
  own.to_other = down[1];
  own.from_other = up[0];
}

int runRankOne() {
  for (;;) {
    Order order = {};
    hear(&order, sizeof order);
    if (order.waits == 0) return EXIT_SUCCESS;
    phase = kNames[order.shape];
    follow(order);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const seconds = getenv("BENCH_COMM_SECONDS");
  const char* const most = getenv("BENCH_COMM_MOST_BYTES");
  const uint64_t limit = most != nullptr ? strtoull(most, nullptr, 10) : 1024 * kMega;
  struct sigaction action = {};
  action.sa_handler = onAlarm;
  (void)sigaction(SIGALRM, &action, nullptr);
  (void)alarm(seconds != nullptr ? static_cast<unsigned>(strtoul(seconds, nullptr, 10)) : 120);
  (void)signal(SIGPIPE, SIG_IGN);
  if (const char* const numbers = getenv(kChild)) {
    own.rank = rank_of_process = 1;
    if (sscanf(numbers, "%d %d", &own.from_other, &own.to_other) != 2) fail("there are no pipes");
  } else {
    startOther(argv);
    begin(&argc, argv);
  }
  int32_t count = 0;
  if (rtDeviceGetCount(&count, RT_BACKEND_CUDA) != RT_SUCCESS || count < 2) {
    if (own.rank == 0) fprintf(stderr, "bench_comm_processes: two CUDA devices are needed; there are %d\n", count);
    return own.rank == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  const Nccl opened;
  const Cuda runtime;
  nccl = &opened;
  cuda = &runtime;
  if (opened.library == nullptr || runtime.library == nullptr) fail("NCCL or CUDA's runtime was not found");
  int version = 0;
  if (own.rank == 0 && nccl->version(&version) == 0) note("peer_nccl", std::to_string(version));
  prepare(limit);
  int result = EXIT_SUCCESS;
  if (own.rank == 1) {
    result = runRankOne();
  } else {
    for (int32_t shape = 0; shape < kShapes; ++shape) {
      for (uint64_t bytes = 1024; bytes <= limit; bytes *= 32) {
        for (const bool in_flight : {false, true}) registerShape(shape, bytes, in_flight);
      }
    }
    result = finish();
    printTable();
    const Order over = {};
    tell(&over, sizeof over);
  }
  phase = "the end";
  COMM_CHECK(rtCommDestroy(own.comm));
  return result;
}
