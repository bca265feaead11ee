// Features are bits that a processor reports and a compiler may count on. A bit of no instruction (virtualisation, timers,
// mitigations) is masked out; a bit that is not known here is asked for, since some compiler may use it.
#include "compiler/toolchain/cpu_target.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "base/os/sanitizer.h"
#include "compiler/toolchain/compiler.h"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

namespace manyrt::compiler {
namespace {

#if defined(__x86_64__)

constexpr char kMachineWord[] = "x86_64";
constexpr size_t kWords = 11;

enum Word : size_t { kLeaf1C, kLeaf1D, kLeaf7B, kLeaf7C, kLeaf7D, kLeaf71A, kLeaf71D, kExtendedC, kExtendedD, kSaved, kAvx10 };

// Bits that are no instructions of ordinary programs.
constexpr uint32_t bits(std::initializer_list<int> numbers) {
  uint32_t mask = 0;
  for (const int number : numbers) mask |= 1u << number;
  return mask;
}
constexpr std::array<uint32_t, kWords> kIgnored = {
    bits({2, 3, 4, 5, 6, 7, 8, 10, 11, 14, 15, 16, 17, 18, 21, 24, 27, 31}),
    bits({1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 16, 17, 18, 20, 21, 22, 27, 28, 29, 30, 31}),
    bits({1, 2, 6, 7, 9, 10, 12, 13, 15, 20, 22, 25}),
    bits({2, 3, 4, 7, 13, 15, 16, 17, 18, 19, 20, 21, 24, 26, 29, 30, 31}),
    bits({0, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 17, 18, 19, 20, 21, 26, 27, 28, 29, 30, 31}),
    bits({10, 11, 12, 17, 18, 22, 26, 27, 30, 31}),
    bits({17, 18}),
    bits({1, 2, 3, 4, 9, 10, 12, 13, 14, 17, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}),
    bits({1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 26, 28}),
    0,
    0};

struct FeatureName {
  Word word;
  int bit;
  const char* text;
};
constexpr FeatureName kFeatureNames[] = {
    {kLeaf1C, 0, "sse3"},        {kLeaf1C, 9, "ssse3"},       {kLeaf1C, 12, "fma"},        {kLeaf1C, 19, "sse4.1"},
    {kLeaf1C, 20, "sse4.2"},     {kLeaf1C, 22, "movbe"},      {kLeaf1C, 23, "popcnt"},     {kLeaf1C, 28, "avx"},
    {kLeaf1C, 29, "f16c"},       {kLeaf7B, 3, "bmi"},         {kLeaf7B, 5, "avx2"},        {kLeaf7B, 8, "bmi2"},
    {kLeaf7B, 16, "avx512f"},    {kLeaf7B, 17, "avx512dq"},   {kLeaf7B, 21, "avx512ifma"}, {kLeaf7B, 28, "avx512cd"},
    {kLeaf7B, 30, "avx512bw"},   {kLeaf7B, 31, "avx512vl"},   {kLeaf7C, 1, "avx512vbmi"},  {kLeaf7C, 6, "avx512vbmi2"},
    {kLeaf7C, 8, "gfni"},        {kLeaf7C, 9, "vaes"},        {kLeaf7C, 11, "avx512vnni"}, {kLeaf7C, 12, "avx512bitalg"},
    {kLeaf7D, 22, "amx-bf16"},   {kLeaf7D, 23, "avx512fp16"}, {kLeaf7D, 24, "amx-tile"},   {kLeaf71A, 4, "avxvnni"},
    {kLeaf71A, 5, "avx512bf16"}, {kExtendedC, 5, "lzcnt"},    {kExtendedC, 6, "sse4a"}};

std::array<uint32_t, kWords> features() {
  std::array<uint32_t, kWords> found{};
  uint32_t most = 0, a = 0, b = 0, c = 0, d = 0;
  __cpuid(0, most, b, c, d);
  __cpuid(1, a, b, c, d);
  found[kLeaf1C] = c;
  found[kLeaf1D] = d;
  if ((c >> 27 & 1) != 0) {  // which registers the operating system saves: x87, SSE, AVX, AVX-512, AMX
    uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    constexpr uint32_t kRegisters = 0x600e7;
    found[kSaved] = low & kRegisters;
  }
  if (most >= 7) {
    __cpuid_count(7, 0, a, b, c, d);
    const uint32_t leaves = a;
    found[kLeaf7B] = b;
    found[kLeaf7C] = c;
    found[kLeaf7D] = d;
    if (leaves >= 1) {
      __cpuid_count(7, 1, a, b, c, d);
      found[kLeaf71A] = a;
      found[kLeaf71D] = d;
      constexpr uint32_t kAvx10Bit = 19, kAvx10Leaf = 0x24;
      if ((d >> kAvx10Bit & 1) != 0 && most >= kAvx10Leaf) {
        __cpuid_count(kAvx10Leaf, 0, a, b, c, d);
        found[kAvx10] = (1u << (b & 0xff) % 32) - 1;  // a version has what those before it have
      }
    }
  }
  __cpuid(0x80000001, a, b, c, d);
  found[kExtendedC] = c;
  found[kExtendedD] = d;
  for (size_t i = 0; i < kWords; ++i) found[i] &= ~kIgnored[i];
  return found;
}

std::string missingText(const std::array<uint32_t, kWords>& missing) {
  std::string named;
  for (const FeatureName& name : kFeatureNames) {
    if ((missing[name.word] >> name.bit & 1) != 0) named += (named.empty() ? "" : ", ") + std::string(name.text);
  }
  return named.empty() ? "features without a name here" : named;
}

const char* levelOf(uint32_t lanes) { return lanes == 16 ? "avx512" : lanes == 8 ? "avx2" : "sse"; }
constexpr std::pair<const char*, uint32_t> kLevels[] = {{"sse", 4}, {"avx2", 8}, {"avx512", 16}};

// The levels of the x86-64 ABI. Each adds to the one before it. Flags name features one by one: compilers of Debian 11 do not
// know the levels.
struct LevelStep {
  const char* name;
  const char* other_name;
  uint32_t lanes;
  std::vector<const char*> flags;
  std::vector<std::pair<Word, uint32_t>> features;
};
std::vector<LevelStep> levelSteps() {
  return {{"x86-64", "", 4, {"-march=x86-64"}, {{kLeaf1D, bits({0, 8, 15, 23, 24, 25, 26})}}},
          {"x86-64-v2",
           "sse",
           4,
           {"-msse3", "-mssse3", "-msse4.1", "-msse4.2", "-mpopcnt", "-mcx16", "-msahf"},
           {{kLeaf1C, bits({0, 9, 13, 19, 20, 23})}, {kExtendedC, bits({0})}}},
          {"x86-64-v3",
           "avx2",
           8,
           {"-mavx", "-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mmovbe"},
           {{kLeaf1C, bits({12, 22, 28, 29})}, {kLeaf7B, bits({3, 5, 8})}, {kExtendedC, bits({5})}, {kSaved, 0x7}}},
          {"x86-64-v4",
           "avx512",
           16,
           {"-mavx512f", "-mavx512cd", "-mavx512bw", "-mavx512dq", "-mavx512vl"},
           {{kLeaf7B, bits({16, 17, 28, 30, 31})}, {kSaved, 0xe7}}}};
}

#else

#if defined(__aarch64__)
constexpr char kMachineWord[] = "aarch64";
constexpr std::pair<const char*, uint32_t> kLevels[] = {{"neon", 4}};
const char* levelOf(uint32_t) { return "neon"; }
constexpr char kStepName[] = "armv8-a", kStepFlag[] = "-march=armv8-a";
constexpr uint32_t kStepFeatures = 3;  // floating-point numbers and vectors
#else
constexpr char kMachineWord[] = "riscv64";
constexpr std::pair<const char*, uint32_t> kLevels[] = {{"scalar", 4}};
const char* levelOf(uint32_t) { return "scalar"; }
constexpr char kStepName[] = "rv64gc", kStepFlag[] = "-march=rv64gc";
constexpr uint32_t kStepFeatures = 0;
#endif
constexpr size_t kWords = 4;

enum Word : size_t { kHwcap };
struct LevelStep {
  const char* name;
  const char* other_name;
  uint32_t lanes;
  std::vector<const char*> flags;
  std::vector<std::pair<Word, uint32_t>> features;
};
std::vector<LevelStep> levelSteps() { return {{kStepName, levelOf(4), 4, {kStepFlag}, {{kHwcap, kStepFeatures}}}}; }

std::array<uint32_t, kWords> features() {
  const uint64_t first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(first >> 32), static_cast<uint32_t>(second),
          static_cast<uint32_t>(second >> 32)};
}

std::string missingText(const std::array<uint32_t, kWords>&) { return "some that the system does not tell of"; }

#endif

const std::array<uint32_t, kWords>& ownFeatures() {
  static const std::array<uint32_t, kWords> own = features();
  return own;
}

// The next word of a text; empty: there is none.
std::string_view takeWord(std::string_view* text) {
  const size_t end = std::min(text->find(' '), text->size());
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return word;
}

bool readFeatures(std::array<uint32_t, kWords>* features, std::string_view text) {
  for (size_t i = 0; i < kWords; ++i) {
    const size_t end = i + 1 < kWords ? text.find('.') : text.size();
    if (end == std::string_view::npos) return false;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + end, (*features)[i], 16);
    if (error != std::errc() || stop != text.data() + end) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

std::string targetOf(uint32_t lanes, const std::array<uint32_t, kWords>& features) {
  std::string target = std::string(kMachineWord) + " " + levelOf(lanes) + " ";
  char text[16];
  for (size_t i = 0; i < kWords; ++i) {
    snprintf(text, sizeof text, i == 0 ? "%x" : ".%x", features[i]);
    target += text;
  }
  return target;
}

std::vector<CpuLevel> makeLevels() {
  std::vector<CpuLevel> levels;
  std::array<uint32_t, kWords> features{};
  std::vector<std::string> flags;
  for (const LevelStep& step : levelSteps()) {
    for (const auto& [word, mask] : step.features) features[word] |= mask;
    flags.insert(flags.end(), step.flags.begin(), step.flags.end());
    levels.push_back({step.name, step.other_name, targetOf(step.lanes, features), flags, step.lanes, false, false});
  }
  return levels;
}

CpuLevel makeNativeLevel() {
#if defined(__aarch64__)
  const std::vector<std::string> flags = {"-mcpu=native"};
#elif defined(__x86_64__)
  const std::vector<std::string> flags = {"-march=native"};
#else
  const std::vector<std::string> flags;
#endif
  return {"native", "", targetOf(cpuLanes(), ownFeatures()), flags, cpuLanes(), cpuGathers(), cpuScatters()};
}

}  // namespace

// Never destroyed, both: builds may run until the process ends.
const std::vector<CpuLevel>& cpuLevels() {
  static const auto* levels = new std::vector<CpuLevel>(makeLevels());
  return *levels;
}

const CpuLevel& nativeCpuLevel() {
  static const auto* level = new CpuLevel(makeNativeLevel());
  return *level;
}

const CpuLevel* findCpuLevel(std::string_view name) {
  if (name == nativeCpuLevel().name) return &nativeCpuLevel();
  for (const CpuLevel& level : cpuLevels()) {
    if (!name.empty() && (name == level.name || name == level.other_name)) return &level;
  }
  return nullptr;
}

std::string cpuTarget(std::string_view sanitizer) {
  return nativeCpuLevel().target + (sanitizer.empty() ? "" : " " + std::string(sanitizer));
}

uint32_t suitsCpu(std::string_view target, std::string* why_not) {
  const std::string_view machine = takeWord(&target), level = takeWord(&target), wanted_text = takeWord(&target);
  uint32_t lanes = 0;
  for (const auto& [word, count] : kLevels) lanes = word == level ? count : lanes;
  if (machine != kMachineWord) {
    *why_not = "is for " + std::string(machine) + ", and this process is for " + kMachineWord;
    return 0;
  }
  std::array<uint32_t, kWords> wanted{};
  if (lanes == 0 || !readFeatures(&wanted, wanted_text)) {
    *why_not = "is for a kind of processor that this library does not know";
    return 0;
  }
  if (!target.empty() && !(target == "address" && sanitizer::hasAddress()) && !(target == "thread" && sanitizer::hasThread())) {
    *why_not = "was made for a process with a sanitizer, which this one does not have";
    return 0;
  }
  bool lacks = false;
  uint32_t used = 0;
  for (size_t i = 0; i < kWords; ++i) {
    used += static_cast<uint32_t>(std::popcount(wanted[i]));
    wanted[i] &= ~ownFeatures()[i];
    lacks = lacks || wanted[i] != 0;
  }
  constexpr uint32_t kMostFeatures = 32 * kWords;
  if (!lacks) return lanes * (kMostFeatures + 1) + used;
  *why_not = "needs instructions that this processor does not have: " + missingText(wanted);
  return 0;
}

}  // namespace manyrt::compiler
