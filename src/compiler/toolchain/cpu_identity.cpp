// Identifies this processor by its model and features, because code compiled for it may not run on others. On x86-64 the
// processor reports them, elsewhere the kernel does. Read once: in a virtual machine each question takes microseconds.
#include <cstdint>
#include <cstdio>

#include "compiler/toolchain/compiler.h"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

namespace manyrt::compiler {
namespace {

struct Gathers {
  bool reads = false, writes = false;
};

#if defined(__x86_64__)

std::string describe() {
  uint32_t most = 0, a = 0, b = 0, c = 0, d = 0;
  uint32_t vendor[3] = {};
  __cpuid(0, most, vendor[0], vendor[2], vendor[1]);
  std::string identity = "x86-64 ";
  identity.append(reinterpret_cast<const char*>(vendor), sizeof vendor);
  char text[128];
  __cpuid(1, a, b, c, d);
  // Only the lower part of b is the same on each core: the upper one is the number of the core that answers.
  snprintf(text, sizeof text, " %08x %08x %08x %08x", a, b & 0xffff, c, d);
  identity += text;
  if ((c >> 27 & 1) != 0) {  // which registers the operating system saves: without it AVX is there and cannot be used
    uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    snprintf(text, sizeof text, " %08x %08x", low, high);
    identity += text;
  }
  for (uint32_t leaf = 0; most >= 7 && leaf < 2; ++leaf) {
    __cpuid_count(7, leaf, a, b, c, d);
    snprintf(text, sizeof text, " %08x %08x %08x %08x", a, b, c, d);
    identity += text;
  }
  __cpuid(0x80000001, a, b, c, d);
  snprintf(text, sizeof text, " %08x %08x", c, d);
  return identity + text;
}

// Processors of Intel are told by what they were the first to have: AVX-VNNI. And AVX-512.
Gathers findGathers() {
  uint32_t most = 0, a = 0, b = 0, c = 0, d = 0;
  __cpuid(0, most, b, c, d);
  if (most < 7 || b != signature_INTEL_ebx || c != signature_INTEL_ecx || d != signature_INTEL_edx) return {};
  __cpuid_count(7, 0, a, b, c, d);
  if (a < 1) return {};
  const bool has_avx512 = (b >> 16 & 1) != 0;
  __cpuid_count(7, 1, a, b, c, d);
  const bool has_avx_vnni = (a >> 4 & 1) != 0;
  return {has_avx_vnni, has_avx_vnni && has_avx512};
}

#else

Gathers findGathers() { return {}; }

std::string describe() {
  char text[128];
  const char* platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
  snprintf(text, sizeof text, "%.32s %lx %lx", platform == nullptr ? "" : platform, getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
  std::string identity = text;
#if defined(__aarch64__)
  if ((getauxval(AT_HWCAP) & (1ul << 11)) != 0) {  // HWCAP_CPUID: the kernel answers this instruction for programs
    uint64_t model;
    __asm__("mrs %0, MIDR_EL1" : "=r"(model));
    snprintf(text, sizeof text, " %llx", static_cast<unsigned long long>(model));
    identity += text;
  }
#endif
  return identity;
}

#endif

}  // namespace

const std::string& cpuIdentity() {
  static const std::string* identity = new std::string(describe());  // never destroyed: builds may run until the end
  return *identity;
}

uint32_t cpuLanes() {
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return wide ? 16 : __builtin_cpu_supports("avx2") ? 8 : 4;
#else
  return 4;
#endif
}

bool cpuGathers() {
  static const bool reads = findGathers().reads;
  return reads;
}

bool cpuScatters() {
  static const bool writes = findGathers().writes;
  return writes;
}

}  // namespace manyrt::compiler
