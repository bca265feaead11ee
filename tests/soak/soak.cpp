// Mixed work on one device for a time, and whether the process grows by it. Usage: soak DEVICE SECONDS [FILE [leak]]
//
// Threads work in rounds and rest between two, when everything that they made is gone; then the process is looked at. Looks of
// the first half are the warm-up: pools, caches and threads of the library come into being. A line through the others says how
// fast each figure grows. 1: one grows by more than its noise; 77: there is no such device. FILE receives the samples as JSON.
// With "leak", each piece of work loses a hundred bytes, a stream and a descriptor now and then, which must be found.
#include <rt.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "soak/samples.h"
#include "soak/work.h"

namespace {

constexpr int kThreads = 3, kRounds = 90, kWarmUp = kRounds / 2;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Loses the objects that a defect would lose.
void leak(rtContext_t context, uint32_t number) {
  static std::atomic<void*> lost{nullptr};
  void** memory = static_cast<void**>(malloc(100));
  *memory = lost.exchange(memory);  // reachable, which tools that look for lost memory would not tell
  rtStream_t stream = nullptr;
  if (number % 64 == 0) SOAK_CHECK(rtStreamCreate(&stream, nullptr, context));
  if (number % 64 == 0) (void)dup(STDOUT_FILENO);
}

std::vector<soak::Sample> work(rtDevice_t device, double seconds, bool leaks) {
  rtContext_t context = nullptr;
  SOAK_CHECK(rtContextCreate(&context, nullptr, device));
  std::vector<soak::Sample> samples;
  std::atomic<uint32_t> next{0};
  std::atomic<double> round_end{0};
  std::barrier meeting(kThreads + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        meeting.arrive_and_wait();
        do {
          const uint32_t number = next.fetch_add(1);
          soak::workOnce(context, number);
          soak::leaveWorkBehind(context, number);
          if (number % 4 == 0) soak::workInOwnContext(device, number);
          if (leaks) leak(context, number);
        } while (now() < round_end.load());
        meeting.arrive_and_wait();
      }
      meeting.arrive_and_wait();  // the last look is like the others, with all threads
    });
  }
  const double start = now();
  for (int round = 0; round < kRounds; ++round) {
    round_end.store(start + seconds * (round + 1) / kRounds);
    meeting.arrive_and_wait();
    meeting.arrive_and_wait();
    SOAK_CHECK(rtContextSynchronize(context));
    samples.push_back(soak::sampleNow(context, now() - start, next.load()));
  }
  meeting.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();
  if (!leaks) SOAK_CHECK(rtContextDestroy(context));  // which has a stream still
  return samples;
}

bool report(rtDevice_t handle, const std::string& device, const std::vector<soak::Sample>& all, const char* path) {
  const std::vector<soak::Sample> samples(all.begin() + kWarmUp, all.end());
  const double seconds = samples.back().seconds - samples.front().seconds;
  const double iterations = samples.back().iterations - samples.front().iterations;
  std::string json = "{\"device\": \"" + device + "\", \"seconds\": " + std::to_string(seconds) +
                     ", \"iterations\": " + std::to_string(iterations) + ", \"figures\": {";
  printf("%s: %.0f iterations in %.0f s after a warm-up of %.0f s\n", device.c_str(), iterations, seconds,
         samples.front().seconds);
  bool grows = false;
  for (const soak::Figure& figure : soak::figures(handle)) {
    const soak::Slope slope = soak::slopeOf(samples, figure.value);
    const bool too_much = slope.growth > figure.noise;
    grows |= too_much;
    printf("  %-15s %14.0f  %+14.2f a minute, %+12.3f an iteration, bound %12.2f a minute%s\n", figure.name,
           samples.back().*figure.value, slope.per_second * 60, iterations == 0 ? 0 : slope.growth / iterations,
           figure.noise / seconds * 60, too_much ? "  GROWS" : "");
    json += (json.back() == '{' ? "\"" : ", \"") + std::string(figure.name) +
            "\": {\"per_minute\": " + std::to_string(slope.per_second * 60) +
            ", \"bound_per_minute\": " + std::to_string(figure.noise / seconds * 60) +
            ", \"grows\": " + (too_much ? "true" : "false") + ", \"samples\": [";
    for (const soak::Sample& each : samples) {
      json += (json.back() == '[' ? "" : ", ") + std::to_string(static_cast<long long>(each.*figure.value));
    }
    json += "]}";
  }
  json += "}}\n";
  if (path != nullptr) {
    FILE* file = fopen(path, "w");
    if (file == nullptr || fputs(json.c_str(), file) < 0 || fclose(file) != 0) {
      fprintf(stderr, "soak: %s cannot be written\n", path);
      exit(EXIT_FAILURE);
    }
  }
  return grows;
}

}  // namespace

int main(int argc, char** argv) {
  char* end = nullptr;
  const double seconds = argc < 3 ? 0 : strtod(argv[2], &end);
  const bool leaks = argc == 5 && strcmp(argv[4], "leak") == 0;
  if (argc < 3 || argc > (leaks ? 5 : 4) || *end != '\0' || !(seconds >= 1)) {
    fprintf(stderr, "usage: soak DEVICE SECONDS [FILE [leak]]; at least one second\n");
    return 2;
  }
  rtDevice_t device = nullptr;
  int32_t runs_kernels = 0;
  if (rtDeviceGetByName(&device, argv[1]) != RT_SUCCESS ||
      rtDeviceHasCapability(&runs_kernels, RT_CAPABILITY_KERNELS, device) != RT_SUCCESS || runs_kernels == 0) {
    printf("SKIP: there is no device %s that runs kernels from source\n", argv[1]);
    return 77;
  }
  const std::vector<soak::Sample> samples = work(device, seconds, leaks);
  const bool grows = report(device, argv[1], samples, argc > 3 ? argv[3] : nullptr);
  if (!leaks) SOAK_CHECK(rtShutdown());
  return grows ? EXIT_FAILURE : EXIT_SUCCESS;
}
