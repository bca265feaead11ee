// Reading the environment, and the switches of the planted defects.
#include "settings.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "report.h"

namespace manyrt::simulated {
namespace {

constexpr const char* kDefectNames[] = {
#define SIMULATED_DEFECT(name) #name,
    SIMULATED_CUDA_DEFECTS(SIMULATED_DEFECT)
#undef SIMULATED_DEFECT
};

std::atomic<unsigned> defects{0};  // a bit for each

bool readDefects(const char* names, unsigned* bits) {
  *bits = 0;
  std::string rest = names == nullptr ? "" : names;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string name = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    unsigned found = 0;
    for (unsigned i = 0; i < std::size(kDefectNames); ++i) {
      if (name == kDefectNames[i]) found = 1u << i;
    }
    if (found == 0) {
      note("SIMULATED_CUDA_DEFECT: there is no defect '%s'", name.c_str());
      return false;
    }
    *bits |= found;
  }
  return true;
}

Settings* read() {
  auto* made = new Settings{};  // kept to the end of the process: streams may run later than any destructor
  made->devices = static_cast<int>(numberOf("SIMULATED_CUDA_DEVICES", 2));
  made->memory = static_cast<size_t>(numberOf("SIMULATED_CUDA_MEMORY", 1ll << 30));
  made->version = static_cast<int>(numberOf("SIMULATED_CUDA_VERSION", 12090));
  made->seed = static_cast<uint64_t>(numberOf("SIMULATED_CUDA_SEED", 1));
  made->strict = numberOf("SIMULATED_CUDA_STRICT", 1) != 0;
  made->check = numberOf("SIMULATED_CUDA_CHECK", 1) != 0;
  made->leaks = numberOf("SIMULATED_CUDA_LEAKS", 0) != 0;
  made->virtual_memory = numberOf("SIMULATED_CUDA_VIRTUAL_MEMORY", 1) != 0;
  made->delay_us = static_cast<int>(numberOf("SIMULATED_CUDA_DELAY_US", 20));
  made->insist_on_current = numberOf("SIMULATED_CUDA_CURRENT", 0) != 0;
  const char* compiler = getenv("SIMULATED_CUDA_CXX");
  made->compiler = compiler == nullptr || *compiler == 0 ? "g++" : compiler;
  unsigned bits = 0;
  if (!readDefects(getenv("SIMULATED_CUDA_DEFECT"), &bits)) abort();  // a suite must not believe that it ran with the defect
  defects = bits;
  return made;
}

}  // namespace

Settings& settings() {
  static Settings* const made = read();
  return *made;
}

bool defect(Defect which) {
  settings();
  return (defects.load(std::memory_order_relaxed) >> static_cast<unsigned>(which) & 1) != 0;
}

bool defectAtTimes(Defect which) {
  if (!defect(which)) return false;
  static std::mutex mutex;
  static Random random(settings().seed);
  std::lock_guard lock(mutex);
  return random.next() % 3 == 0;
}

uint64_t Random::next() {  // xorshift64*
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return (state_ * 0x2545F4914F6CDD1Du) >> 16;
}

long long numberOf(const char* variable, long long otherwise) {
  const char* text = getenv(variable);
  if (text == nullptr || *text == 0) return otherwise;
  char* end = nullptr;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno != 0 || *end != 0 || value < 0) {
    note("%s is '%s', which is no number; %lld is taken", variable, text, otherwise);
    return otherwise;
  }
  return value;
}

}  // namespace manyrt::simulated

extern "C" {

int simulatedCudaDefect(const char* names) {
  manyrt::simulated::settings();
  unsigned bits = 0;
  if (!manyrt::simulated::readDefects(names, &bits)) return 0;
  manyrt::simulated::defects = bits;
  return 1;
}

void simulatedCudaDelay(int microseconds) { manyrt::simulated::settings().delay_us = microseconds < 0 ? 0 : microseconds; }

void simulatedCudaInsistOnCurrent(int on) { manyrt::simulated::settings().insist_on_current = on != 0; }
}
