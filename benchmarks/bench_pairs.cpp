// Every pair of the devices of this host, a device with itself among them. It has the time of a short copy and the speed of a
// long one, both ways, and an all-reduce of the two. scripts/pairs_table.py makes a table of it. BENCH_PAIRS_MOST_BYTES is the
// length of the long ones (64 MiB), less where a device is simulated.
#include <cstdlib>
#include <string>
#include <vector>

#include "comm_check.h"
#include "machine.h"

namespace {

using namespace bench;

constexpr uint64_t kShort = 8;

// Each has a rank for itself and a second one for its pair with itself.
struct Device {
  std::string id;
  rtContext_t contexts[2] = {};
  rtStream_t streams[2] = {};
  void* memory[2] = {};
};

std::vector<Device> findDevices(uint64_t bytes) {
  std::vector<Device> devices;
  int32_t count = 0;
  RT_CHECK(rtDeviceGetCount(&count, RT_BACKEND_ALL));
  for (int32_t i = 0; i < count; ++i) {
    rtDevice_t device = nullptr;
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    RT_CHECK(rtDeviceGet(&device, RT_BACKEND_ALL, i));
    RT_CHECK(rtDeviceGetProperties(&properties, device));
    note(("device_" + std::string(properties.id)).c_str(), properties.name);
    Device found;
    found.id = properties.id;
    for (int rank = 0; rank < 2; ++rank) {
      RT_CHECK(rtContextCreate(&found.contexts[rank], nullptr, device));
      found.streams[rank] = createStream(found.contexts[rank]);
      RT_CHECK(rtMalloc(&found.memory[rank], bytes, found.contexts[rank]));
      RT_CHECK(rtMemsetAsync(found.memory[rank], 0, bytes, found.streams[rank]));
      RT_CHECK(rtStreamSynchronize(found.streams[rank]));
    }
    devices.push_back(found);
  }
  return devices;
}

void registerCopy(const Device& from, const Device& to, uint64_t bytes) {
  Comparison comparison("pairs_copy/" + from.id + "/" + to.id + "/" + std::to_string(bytes));
  comparison.ours("manyrt", hot([=] {
                    RT_CHECK(rtMemcpyAsync(to.memory[1], from.memory[0], bytes, RT_MEMCPY_DEFAULT, from.streams[0]));
                    RT_CHECK(rtStreamSynchronize(from.streams[0]));
                  }));
  comparison.bytes(bytes).settle(false);
  registerComparison(std::move(comparison));
}

// The ranks of a communicator live as long as the program.
void registerAllReduce(const Device& first, const Device& second, const std::vector<uint64_t>& sizes) {
  const rtContext_t contexts[] = {first.contexts[0], second.contexts[1]};
  const rtStream_t streams[] = {first.streams[0], second.streams[1]};
  void* const memory[] = {first.memory[0], second.memory[1]};
  rtComm_t made[2] = {};
  COMM_CHECK(rtCommCreateAll(made, nullptr, contexts, 2));
  const rtComm_t comms[] = {made[0], made[1]};
  for (const uint64_t bytes : sizes) {
    Comparison comparison("pairs_all_reduce/" + first.id + "/" + second.id + "/" + std::to_string(bytes));
    comparison.ours("manyrt", hot([=] {
                      for (int rank = 0; rank < 2; ++rank) {
                        COMM_CHECK(rtCommAllReduce(memory[rank], memory[rank], bytes / sizeof(float), RT_COMM_F32, RT_COMM_SUM,
                                                   streams[rank], comms[rank]));
                      }
                      for (const rtStream_t stream : streams) RT_CHECK(rtStreamSynchronize(stream));
                    }));
    comparison.bytes(bytes).settle(false);
    registerComparison(std::move(comparison));
  }
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  const char* const most = getenv("BENCH_PAIRS_MOST_BYTES");
  const uint64_t bytes = most != nullptr ? strtoull(most, nullptr, 10) : 64 * 1024 * 1024;
  if (bytes < 2 * kShort) {
    fprintf(stderr, "bench_pairs: BENCH_PAIRS_MOST_BYTES=%s is less than %d bytes\n", most, static_cast<int>(2 * kShort));
    return EXIT_FAILURE;
  }
  const std::vector<Device> devices = findDevices(bytes);
  // Communicators first: they switch peer access on, which the copies are to have.
  for (size_t first = 0; first < devices.size(); ++first) {
    for (size_t second = first; second < devices.size(); ++second) {
      registerAllReduce(devices[first], devices[second], {kShort, bytes});
    }
  }
  for (const Device& from : devices) {
    for (const Device& to : devices) {
      for (const uint64_t size : {kShort, bytes}) registerCopy(from, to, size);
    }
  }
  return finish();
}
