// The table of quirks: patterns of names on the left, what is known of such a device, and where that is written down.
#include "backends/opencl/quirks.h"

#include <fnmatch.h>

namespace manyrt::opencl {
namespace {

struct Row {
  Quirk quirk;
  const char* name;
  const char* platform;  // patterns of fnmatch
  const char* version;   // of the platform
  const char* device;
  const char* link;
};

constexpr char kMeasured[] = "docs/opencl.md, quirks";  // by this project, and nowhere else that is known

constexpr Row kRows[] = {
    {Quirk::kOneThread, "one thread", "Oclgrind", "*", "*", "https://github.com/jrprice/Oclgrind/issues/28"},
    {Quirk::kNoCallbacks, "no callbacks", "Oclgrind", "*", "*", kMeasured},
    {Quirk::kWrongSizes, "wrong sizes", "Oclgrind", "*", "*", kMeasured},
    {Quirk::kWrongSizes, "wrong sizes", "Portable Computing Language", "*", "*", kMeasured},
    {Quirk::kStartsWithoutFlush, "starts without a flush", "Portable Computing Language", "*", "*", kMeasured},
    {Quirk::kCountsByWidth, "counts launches by width", "Portable Computing Language", "*[Pp]o[Cc][Ll] [0-5].*", "*",
     kMeasured},
    {Quirk::kCountsIn32Bits, "counts work-groups in 32 bits", "Portable Computing Language", "*", "*", kMeasured},
    {Quirk::kStartsWithoutFlush, "starts without a flush", "NVIDIA CUDA", "*", "*", kMeasured},
    {Quirk::kNoCallbacks, "late callbacks", "NVIDIA CUDA", "*", "*", kMeasured},
    {Quirk::kReadsHostEarly, "reads host memory early", "NVIDIA CUDA", "*", "*", kMeasured},
    {Quirk::kNullStays, "no null after an address", "NVIDIA CUDA", "*", "*", kMeasured},
    {Quirk::kNoEmptyArgInfo, "no info on no arguments", "NVIDIA CUDA", "*", "*", kMeasured},
    {Quirk::kOptimizedCalls, "calls of kernels are optimized", "NVIDIA CUDA", "*", "*", kMeasured},
    {Quirk::kDimensionsCost, "dimensions cost", "NVIDIA CUDA", "*", "*", kMeasured},
    {Quirk::kFillsNeedEvents, "fills need events", "Apple", "*", "*", "https://github.com/Khanattila/KNLMeansCL/pull/60"},
    {Quirk::kTimesAreTicks, "times are ticks", "Apple", "*", "Apple M*", "https://github.com/openmm/openmm/issues/2489"},
};

// The names are those that drivers give themselves: nothing else tells one from another.
bool matches(const char* pattern, const std::string& text) { return fnmatch(pattern, text.c_str(), 0) == 0; }

}  // namespace

Quirks Quirks::of(const DeviceNames& names) {
  Quirks found;
  for (const Row& row : kRows) {
    if (!matches(row.platform, names.platform) || !matches(row.version, names.platform_version) ||
        !matches(row.device, names.device)) {
      continue;
    }
    // Several rows may name one quirk, for drivers that have it for different reasons.
    found.bits_ |= uint32_t{1} << static_cast<uint32_t>(row.quirk);
    found.text_ += (found.text_.empty() ? "" : ", ") + std::string(row.name);
  }
  return found;
}

}  // namespace manyrt::opencl
