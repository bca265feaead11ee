// Reading of /proc, of control groups and of hwloc's topology. Values that no file tells keep their defaults.
#include "backends/cpu/topology.h"

#include <hwloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backends/cpu/kernel.h"
#include "base/config.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/os/affinity.h"
#include "base/os/private_stderr.h"

namespace manyrt::cpu {
namespace {

constexpr uint32_t kMaxThreads = 1024;

// The first line of a small file, or "".
std::string firstLine(const std::string& path) {
  char line[512] = "";
  if (FILE* file = fopen(path.c_str(), "re")) {
    if (fgets(line, sizeof line, file) == nullptr) line[0] = '\0';
    fclose(file);
  }
  line[strcspn(line, "\n")] = '\0';
  return line;
}

// "key : value" of a file of lines such as /proc/cpuinfo; "" if absent.
std::string lookUp(const char* path, const char* key) {
  std::string value;
  FILE* file = fopen(path, "re");
  if (file == nullptr) return value;
  char line[512];
  size_t length = strlen(key);
  while (value.empty() && fgets(line, sizeof line, file) != nullptr) {
    if (strncmp(line, key, length) != 0 || strchr(" \t:", line[length]) == nullptr) continue;
    const char* at = strchr(line, ':');
    if (at == nullptr) continue;
    at += 1 + strspn(at + 1, " \t");
    value.assign(at, strcspn(at, "\n"));
  }
  fclose(file);
  return value;
}

void limit(uint32_t* threads, double quota, double period) {
  if (quota <= 0 || period <= 0) return;
  // Rounded up: half a processor more is used better by a thread that is stopped now and then.
  uint32_t whole = static_cast<uint32_t>((quota + period - 1) / period);
  if (whole == 0) whole = 1;
  if (whole < *threads) *threads = whole;
}

// The quota of a control group and of those around it.
void limitByGroups(uint32_t* threads, std::string root, std::string group, bool unified) {
  for (;;) {
    std::string folder = root + group;
    if (unified) {
      double quota, period;
      if (sscanf(firstLine(folder + "/cpu.max").c_str(), "%lf %lf", &quota, &period) == 2) limit(threads, quota, period);
    } else {
      double quota = atof(firstLine(folder + "/cpu.cfs_quota_us").c_str());
      limit(threads, quota, atof(firstLine(folder + "/cpu.cfs_period_us").c_str()));
    }
    // Each group around counts too: the least quota of all holds.
    if (group.empty()) return;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

void limitByQuota(uint32_t* threads) {
  FILE* file = fopen("/proc/self/cgroup", "re");
  if (file == nullptr) return;
  char line[512];
  while (fgets(line, sizeof line, file) != nullptr) {  // "4:cpu,cpuacct:/path", "0::/path"
    line[strcspn(line, "\n")] = '\0';
    char* controllers = strchr(line, ':');
    char* path = controllers == nullptr ? nullptr : strchr(controllers + 1, ':');
    if (path == nullptr) continue;
    *path++ = '\0';
    std::string group = strcmp(path, "/") == 0 ? "" : path;
    // With commas around, so that "cpu" is not found in "cpuset". No names: the unified hierarchy.
    std::string names = std::string(",") + (controllers + 1) + ",";
    if (names == ",,") {
      limitByGroups(threads, "/sys/fs/cgroup", group, true);
    } else if (names.find(",cpu,") != std::string::npos) {
      limitByGroups(threads, "/sys/fs/cgroup/cpu", group, false);
    }
  }
  fclose(file);
}

uint64_t cacheBytes(hwloc_topology_t topology, hwloc_obj_type_t type, uint64_t* line) {
  hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  if (cache == nullptr || cache->attr == nullptr) return 0;
  if (line != nullptr && cache->attr->cache.linesize != 0) *line = cache->attr->cache.linesize;
  return cache->attr->cache.size;
}

struct Described {
  rtDeviceProperties_t* out;
  uint32_t* numa_nodes;
};

void askHwloc(void* user) {
  const auto [out, numa_nodes] = *static_cast<Described*>(user);
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return;
  if (hwloc_topology_load(topology) == 0) {
    out->l1_bytes = cacheBytes(topology, HWLOC_OBJ_L1CACHE, &out->cache_line_bytes);
    out->l2_bytes = cacheBytes(topology, HWLOC_OBJ_L2CACHE, nullptr);
    out->l3_bytes = cacheBytes(topology, HWLOC_OBJ_L3CACHE, nullptr);
    int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    if (cores > 0) out->compute_units = static_cast<uint32_t>(cores);
    int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    if (nodes > 0) *numa_nodes = static_cast<uint32_t>(nodes);
  }
  hwloc_topology_destroy(topology);
}

// hwloc tells standard error what it makes of damaged tables of the firmware; here that is a line of the log.
void describeCaches(rtDeviceProperties_t* out, uint32_t* numa_nodes) {
  if (fault::fails("cpu.hwloc")) return;
  Described described{out, numa_nodes};
  // On a thread whose standard error is memory: that of the program stays as it is.
  std::string remarks = withPrivateStderr(askHwloc, &described);
  while (!remarks.empty() && remarks.back() == '\n') remarks.pop_back();
  if (!remarks.empty()) log::write(RT_LOG_INFO, "hwloc, asked about the processor, says: %s", remarks.c_str());
}

void describeInstructions(rtDeviceProperties_t* out) {
#if defined(__x86_64__)
  const char* widest = __builtin_cpu_supports("avx512f") ? "+avx512"
                       : __builtin_cpu_supports("avx2")  ? "+avx2"
                       : __builtin_cpu_supports("avx")   ? "+avx"
                                                         : "+sse2";
  out->simd_width = __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("avx") ? 8 : 4;
  snprintf(out->architecture, sizeof out->architecture, "x86_64%s", widest);
#elif defined(__aarch64__)
  out->simd_width = 4;
  snprintf(out->architecture, sizeof out->architecture, "aarch64+neon");
#endif
}

// The same machine and CPU give the same sixteen bytes (FNV-1a, twice).
void identify(rtDeviceProperties_t* out, const std::string& text) {
  for (uint64_t half = 0; half < 2; ++half) {
    uint64_t hash = 0xcbf29ce484222325u + half;
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    memcpy(out->uuid + 8 * half, &hash, 8);
  }
}

}  // namespace

uint32_t processors() {
  // Asked once: a quota that changes later does not change contexts that are there.
  static const uint32_t allowed = [] {
    uint32_t count = processorsAllowed();
    limitByQuota(&count);
    return count;
  }();
  return allowed;
}

uint32_t defaultThreads() {
  static const auto threads =
      static_cast<uint32_t>(config::integer(config::Variable::kCpuThreads, 1, kMaxThreads, processors()));
  return threads;
}

uint64_t physicalMemory() {
  static const uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

uint64_t availableMemory() {
  uint64_t kilobytes = strtoull(lookUp("/proc/meminfo", "MemAvailable").c_str(), nullptr, 10);
  return kilobytes != 0 ? kilobytes * 1024
                        : static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void describeMachine(rtDeviceProperties_t* out, uint32_t* numa_nodes) {
  std::string name = lookUp("/proc/cpuinfo", "model name");
  std::string vendor = lookUp("/proc/cpuinfo", "vendor_id");
  if (vendor.empty()) vendor = lookUp("/proc/cpuinfo", "CPU implementer");
  snprintf(out->name, sizeof out->name, "%s", name.empty() ? "CPU" : name.c_str());
  snprintf(out->vendor, sizeof out->vendor, "%s", vendor.empty() ? "unknown" : vendor.c_str());
  utsname system;
  if (uname(&system) == 0)
    snprintf(out->driver_version, sizeof out->driver_version, "%.30s %.90s", system.sysname, system.release);
  out->compute_units = static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  // Until hwloc tells another one.
  out->cache_line_bytes = 64;
  uint64_t kilohertz = strtoull(firstLine("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").c_str(), nullptr, 10);
  out->clock_mhz = kilohertz != 0 ? static_cast<uint32_t>(kilohertz / 1000)
                                  : static_cast<uint32_t>(atof(lookUp("/proc/cpuinfo", "cpu MHz").c_str()));
  describeInstructions(out);
  *numa_nodes = 1;
  describeCaches(out, numa_nodes);
  // The machine's id keeps equal processors of two hosts apart.
  identify(out, name + vendor + firstLine("/etc/machine-id") + std::to_string(out->compute_units));
}

}  // namespace manyrt::cpu
