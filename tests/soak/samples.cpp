#include "soak/samples.h"

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "soak/work.h"

namespace soak {
namespace {

double residentBytes() {
  malloc_trim(0);  // what the C library keeps is no leak
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double entriesOf(const char* folder) {
  DIR* open = opendir(folder);
  double count = 0;
  if (open == nullptr) return count;
  while (const dirent* entry = readdir(open)) count += entry->d_name[0] == '.' ? 0 : 1;
  closedir(open);
  return count;
}

}  // namespace

Sample sampleNow(rtContext_t context, double seconds, double iterations) {
  Sample sample;
  rtDevice_t device = nullptr;
  rtMemPool_t pool = nullptr;
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  SOAK_CHECK(rtContextGetDevice(&device, context));
  SOAK_CHECK(rtContextGetDefaultPool(&pool, context));
  SOAK_CHECK(rtMemPoolGetStats(&stats, pool));
  sample.pool_bytes = static_cast<double>(stats.reserved_bytes);
  sample.seconds = seconds;
  sample.iterations = iterations;
  sample.resident_bytes = residentBytes();
  const struct mallinfo2 heap = mallinfo2();  // of all arenas, by the byte
  sample.heap_bytes = static_cast<double>(heap.uordblks + heap.hblkhd);
  sample.descriptors = entriesOf("/proc/self/fd") - 1;  // of the look itself
  sample.threads = entriesOf("/proc/self/task");
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  SOAK_CHECK(rtDeviceGetProperties(&properties, device));
  if (properties.kind != RT_DEVICE_KIND_CPU) {
    uint64_t free_bytes = 0, total_bytes = 0;
    SOAK_CHECK(rtDeviceGetMemInfo(&free_bytes, &total_bytes, device));
    sample.device_bytes = static_cast<double>(total_bytes - free_bytes) - sample.pool_bytes;
  }
  uint64_t handles = 0;
  SOAK_CHECK(rtGetLiveHandleCount(&handles, RT_HANDLE_ALL));
  sample.handles = static_cast<double>(handles);
  return sample;
}

// The amounts that figures may gain once, as noise. Pools take more where other processes hold the streams up, since work in
// flight keeps its memory; a slab has up to half a megabyte of the heap for its blocks. PoCL has the memory of its devices in
// the heap. Each object of compiled code that is loaded has a descriptor, so that modules that come and go move it by two.
std::vector<Figure> figures(rtDevice_t device) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  SOAK_CHECK(rtDeviceGetProperties(&properties, device));
  const bool exact = properties.memory_tier == RT_MEMORY_TIER_NATIVE && properties.kind == RT_DEVICE_KIND_CPU;
  return {
      {"resident_bytes", &Sample::resident_bytes, 200e6},
      {"heap_bytes", &Sample::heap_bytes, exact ? 4e6 : 200e6},
      {"descriptors", &Sample::descriptors, 2.5},
      {"threads", &Sample::threads, 8},
      {"pool_bytes", &Sample::pool_bytes, 200e6},
      {"device_bytes", &Sample::device_bytes, 8e6},
      {"handles", &Sample::handles, 0.5},
  };
}

Slope slopeOf(const std::vector<Sample>& samples, double Sample::*value) {
  const auto count = static_cast<double>(samples.size());
  double time = 0, mean = 0;
  for (const Sample& each : samples) {
    time += each.seconds / count;
    mean += each.*value / count;
  }
  double together = 0, spread = 0;
  for (const Sample& each : samples) {
    together += (each.seconds - time) * (each.*value - mean);
    spread += (each.seconds - time) * (each.seconds - time);
  }
  Slope slope;
  if (spread == 0) return slope;
  slope.per_second = together / spread;
  slope.growth = slope.per_second * (samples.back().seconds - samples.front().seconds);
  return slope;
}

}  // namespace soak
