// The figures to be expected. They are measured by the plainest code where the host can, else they follow from the properties
// of devices.
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>
#include <thread>

#include "bench_device.h"

namespace bench {
namespace {

using Vector __attribute__((vector_size(32))) = float;

// Threads that wait for the next turn by spinning: they live for one measurement.
class Team {
 public:
  Team(uint32_t count, std::function<void(uint32_t)> work) : work_(std::move(work)) {
    for (uint32_t i = 1; i < count; ++i) threads_.emplace_back([this, i] { follow(i); });
  }
  ~Team() {
    ends_.store(true, std::memory_order_relaxed);
    turn_.fetch_add(1, std::memory_order_release);
    for (std::thread& each : threads_) each.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void operator()() {
    done_.store(0, std::memory_order_relaxed);
    turn_.fetch_add(1, std::memory_order_release);  // shows the followers done_ at 0
    work_(0);
    while (done_.load(std::memory_order_acquire) != threads_.size()) std::this_thread::yield();
  }

 private:
  void follow(uint32_t number) {
    for (uint64_t seen = 0;;) {
      while (turn_.load(std::memory_order_acquire) == seen) std::this_thread::yield();
      ++seen;
      if (ends_.load(std::memory_order_relaxed)) return;
      work_(number);
      done_.fetch_add(1, std::memory_order_release);
    }
  }

  const std::function<void(uint32_t)> work_;
  std::atomic<uint64_t> turn_{0};
  std::atomic<size_t> done_{0};
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;  // last: they use the others
};

std::unique_ptr<float[]> filled(uint64_t count) {
  std::unique_ptr<float[]> numbers(new float[count]);
  for (uint64_t i = 0; i < count; ++i) numbers[i] = 1;  // pages that were never written are all the same one
  return numbers;
}

std::string threadsText(uint32_t threads) { return threads == 1 ? "1 thread" : std::to_string(threads) + " threads"; }

// Without alignment, as any program's arrays.
void triad(float* a, const float* b, const float* c, uint64_t count) {
  const Vector scale = {3, 3, 3, 3, 3, 3, 3, 3};
  for (uint64_t i = 0; i + 8 <= count; i += 8) {
    Vector left, right;
    std::memcpy(&left, b + i, sizeof left);
    std::memcpy(&right, c + i, sizeof right);
    left += scale * right;
    std::memcpy(a + i, &left, sizeof left);
  }
}

struct Job {
  std::string name;
  double bytes;                        // of one turn of all members
  std::function<void(uint32_t)> work;  // of a member
};

// By one thread and by all. Short work is done sooner by one, and so is any where the others have no core of their own.
Expected best(uint32_t threads, double budget, const std::function<Job(uint32_t)>& make) {
  Expected found;
  for (const uint32_t members : {uint32_t{1}, threads}) {
    const Job job = make(members);
    Team team(members, job.work);
    const double speed = job.bytes / secondsOf(Of::kLeast, budget, [&] { team(); });
    if (speed > found.value) found = {speed, job.name};
    if (threads == 1) break;
  }
  return found;
}

std::string lineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

Expected hostCopy(uint32_t threads, uint64_t bytes, double budget) {
  const uint64_t count = bytes / sizeof(float);
  const std::unique_ptr<float[]> from = filled(count), to = filled(count);
  return best(threads, budget, [&](uint32_t members) {
    const uint64_t part = count / members;
    const auto work = [&, part](uint32_t number) {
      std::memcpy(&to[number * part], &from[number * part], part * sizeof(float));
    };
    return Job{"memcpy by " + threadsText(members), static_cast<double>(part * members * sizeof(float)), work};
  });
}

Expected hostTriad(uint32_t threads, uint64_t bytes, double budget) {
  const uint64_t count = bytes / sizeof(float);
  const std::unique_ptr<float[]> a = filled(count), b = filled(count), c = filled(count);
  return best(threads, budget, [&](uint32_t members) {
    const uint64_t part = count / members / 8 * 8;
    const auto work = [&, part](uint32_t number) { triad(&a[number * part], &b[number * part], &c[number * part], part); };
    return Job{"the same loop in C++ by " + threadsText(members), 3.0 * static_cast<double>(part * members * sizeof(float)),
               work};
  });
}

Expected hostCall(double budget) {
  return {secondsOf(Of::kLeast, budget,
                    [] {
                      uint32_t version = 0;
                      (void)rtGetVersion(&version);
                    }),
          "a call that does nothing"};
}

Expected peakOperations(const rtDeviceProperties_t& properties) {
  const double clock = 1e6 * properties.clock_mhz, units = properties.compute_units;
  if (clock <= 0) return {};
  if (properties.kind == RT_DEVICE_KIND_CPU) {
    const double lanes = properties.simd_width;
    return {2 * 2 * lanes * units * clock, "2 vectors of " + std::to_string(properties.simd_width) + " a cycle at " +
                                               std::to_string(properties.clock_mhz) + " MHz"};
  }
  // https://docs.nvidia.com/cuda/cuda-c-programming-guide/#arithmetic-instructions
  constexpr std::string_view kHalf[] = {"sm_70", "sm_75", "sm_80"};
  const std::string_view architecture = properties.architecture;
  if (properties.backend != RT_BACKEND_CUDA || !architecture.starts_with("sm_")) return {};
  double lanes = 128;
  for (const std::string_view each : kHalf) lanes = architecture == each ? 64 : lanes;
  return {2 * lanes * units * clock,
          std::to_string(static_cast<int>(lanes)) + " lanes a unit at " + std::to_string(properties.clock_mhz) + " MHz"};
}

Expected pciLink(const std::string& bus_id, const std::string& root) {
  if (bus_id.empty()) return {};
  std::string name;
  for (const char letter : bus_id) name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (name.size() == 16 && name.starts_with("0000")) name.erase(0, 4);  // a domain of eight digits
  const std::string folder = root + "/bus/pci/devices/" + name;
  const double transfers = std::strtod(lineOf(folder + "/max_link_speed").c_str(), nullptr);  // "16.0 GT/s PCIe"
  const double lanes = std::strtod(lineOf(folder + "/max_link_width").c_str(), nullptr);
  if (transfers <= 0 || lanes <= 0 || lanes > 64) return {};
  // The first two generations send 10 bits for each 8, those after them 130 for each 128.
  const double bits = transfers < 6 ? 0.8 : 128.0 / 130;
  const int generation = transfers < 4    ? 1
                         : transfers < 6  ? 2
                         : transfers < 10 ? 3
                         : transfers < 20 ? 4
                         : transfers < 40 ? 5
                                          : 6;
  return {transfers * 1e9 * bits * lanes / 8,
          "PCIe " + std::to_string(generation) + ".0 x" + std::to_string(static_cast<int>(lanes))};
}

}  // namespace bench
