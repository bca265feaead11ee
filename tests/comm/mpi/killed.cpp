// A process that is killed in the middle of its work: the last one, by itself, after so many microseconds. Each of the others
// hears within the time-out that it is missing, gives everything back and exits with 0. Usage, where mpirun lets the others
// live:
//   mpirun --enable-recovery -n 3 comm_mpi_killed MICROSECONDS BYTES
// A line of each survivor is printed; tests/comm/mpi/killed.py counts them.
#include <mpi.h>
#include <rt_comm.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr uint64_t kTimeout = 300'000'000;
constexpr double kMostSeconds = 30;  // on a machine with much else to do: it must end, and not hang

int rank = -1;

[[noreturn]] void wrong(const std::string& text) {
  fprintf(stderr, "rank %d: %s\n", rank, text.c_str());
  _exit(EXIT_FAILURE);
}

void check(bool holds, const char* text) {
  if (!holds) wrong(text);
}
#define CHECK_OK(call) check((call) == RT_SUCCESS, #call)

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) wrong("usage: comm_mpi_killed MICROSECONDS BYTES");
  const std::chrono::microseconds life(atol(argv[1]));
  const uint64_t bytes = strtoull(argv[2], nullptr, 10);
  int level = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(size > 1, "two processes at least are needed");

  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  rtComm_t comm = nullptr;
  rtCommOptions_t options = RT_COMM_OPTIONS_INIT;
  const MPI_Comm world = MPI_COMM_WORLD;
  options.timeout_ns = kTimeout;
  strcpy(options.label, "world");
  CHECK_OK(rtDeviceGetByName(&device, "cpu"));
  CHECK_OK(rtContextCreate(&context, nullptr, device));
  CHECK_OK(rtStreamCreate(&stream, nullptr, context));
  CHECK_OK(rtCommCreateFromMpi(&comm, &options, &world, context));
  std::vector<float> numbers(bytes / sizeof(float), 1.0f);

  if (rank == size - 1) {
    std::thread([life] {
      std::this_thread::sleep_for(life);
      (void)kill(getpid(), SIGKILL);
    }).detach();
  }
  rtStatus_t status = RT_SUCCESS;
  const auto started = std::chrono::steady_clock::now();
  const auto passed = [&started] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); };
  while (status == RT_SUCCESS) {
    if (rtCommAllReduce(numbers.data(), numbers.data(), numbers.size(), RT_COMM_F32, RT_COMM_AVERAGE, stream, comm) !=
        RT_SUCCESS) {
      break;  // another rank's news came first
    }
    status = rtStreamSynchronize(stream);
    for (const float number : numbers) check(status != RT_SUCCESS || number == 1.0f, "an average is wrong");
    check(passed() < kMostSeconds, "the killed process was not found");
  }
  const double seconds = passed();
  int32_t about = -2;
  char text[512] = "";
  CHECK_OK(rtCommGetStatus(&status, &about, comm));
  CHECK_OK(rtCommGetStatusMessage(text, sizeof text, nullptr, comm));
  if (status != RT_ERROR_TIMEOUT || about != size - 1) wrong(std::string("is told ") + rtGetErrorName(status) + ": " + text);
  CHECK_OK(rtCommDestroy(comm));
  CHECK_OK(rtStreamDestroy(stream));
  CHECK_OK(rtContextDestroy(context));
  CHECK_OK(rtShutdown());
  printf("rank %d, %.2f s: %s\n", rank, seconds, text);
  return EXIT_SUCCESS;  // without MPI_Finalize, which would wait for the killed process
}
