// The traces of this folder, and the one that the build makes.
#include "memory_traces.h"

#include <filesystem>
#include <memory>

#include "check.h"
#include "machine.h"
#include "memory_replay.h"

namespace bench {
namespace {

struct Source {
  const char* name;
  std::string path;
  const char* how;  // where it comes from
};
const Source kSources[] = {
    {"training", BENCH_TRACES "/pytorch_training.json", "benchmarks/traces/pytorch.py record makes it on a GPU"},
    {"inference", BENCH_MADE_TRACES "/transformer.json", "benchmarks/traces/transformer.py makes it in a build with Python"},
    {"digits", BENCH_TRACES "/digits.json", "the example digits makes it with RT_TRACE"},
};

// Computed at its first use, and the same at each.
Measure once(std::function<uint64_t()> bytes) {
  auto known = std::make_shared<double>(-1);
  return [known, bytes = std::move(bytes)](int64_t) {
    if (*known < 0) *known = static_cast<double>(bytes());
    return *known;
  };
}

}  // namespace

void registerTraces(const std::string& prefix, const std::string& device, const std::vector<TracePeer>& peers) {
  for (const Source& source : kSources) {
    Comparison comparison(prefix + '_' + source.name);
    comparison.inBytes().settle(false);
    if (!std::filesystem::exists(source.path)) {
      comparison.missing("manyrt", std::filesystem::path(source.path).filename().string() + " is not there: " + source.how);
      registerComparison(std::move(comparison));
      continue;
    }
    const auto trace = std::make_shared<const MemoryTrace>(loadMemoryTrace(source.path, 0));
    comparison.ours("manyrt", once([trace, device] {
                      rtDevice_t handle = nullptr;
                      RT_CHECK(rtDeviceGetByName(&handle, device.c_str()));
                      return replayInPool(*trace, handle).peak_reserved_bytes;
                    }));
    comparison.floor("live", once([trace] { return peaksOf(*trace).live; }));
    comparison.peer("first_fit", once([trace] { return peaksOf(placeFirstFit(*trace, kFirstFitAlignment)).reserved; }));
    for (const TracePeer& peer : peers) comparison.peer(peer.name, once([trace, peer] { return peer.peak_reserved(*trace); }));
    registerComparison(std::move(comparison));
  }
}

}  // namespace bench
