// main of the fault tests. Called with --first-use, this program starts the library with a fault armed: that can be done once
// in a process only.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/fault.h"
#include "base/log.h"
#include "support/device_test.h"
#include "support/process.h"
#include "support/simulated_cuda.h"
#include "support/skip_list.h"

namespace rttest {
namespace {

char self[4096];  // this program

// Init, device, primary context, default stream and pool, and work, in a process that has made no call yet.
rtStatus_t firstUse(const char* name) {
  rtDevice_t device = nullptr;
  rtContext_t primary = nullptr;
  rtStream_t stream = nullptr;
  for (rtStatus_t status : {rtInit(), rtDeviceGetByName(&device, name), rtContextGetPrimary(&primary, device),
                            rtContextGetDefaultStream(&stream, primary)}) {
    if (status < 0) return status;
  }
  Memory memory;
  rtStatus_t status = rtMalloc(memory.out(), 1000, primary);
  if (status == RT_SUCCESS) status = rtMemset(memory, 1, 1000);
  return status;
}

constexpr int kNoFault = 10;

int firstUseMain(const char* name, const char* number, bool onwards) {
  manyrt::fault::arm(std::strtoull(number, nullptr, 10), onwards);
  const rtStatus_t status = firstUse(name);
  manyrt::fault::disarm();
  const bool hit = manyrt::fault::lastFault()[0] != '\0';
  const rtStatus_t again = firstUse(name);
  uint64_t live = liveHandles();
  std::fprintf(stderr, "%s: %s, then %s, %llu handles\n", manyrt::fault::lastFault(), rtGetErrorName(status),
               rtGetErrorName(again), static_cast<unsigned long long>(live));
  const bool documented = status == RT_SUCCESS || status == RT_ERROR_OUT_OF_MEMORY || status == RT_ERROR_DRIVER ||
                          status == RT_ERROR_NOT_FOUND;  // a backend that cannot start has no devices
  if (!documented || live != 0) return 1;
  // A device that a fault at the start has taken away for good, as its backend could not start, is told, too.
  if (again != RT_SUCCESS && again != RT_ERROR_NOT_FOUND) return 1;
  return hit ? 0 : kNoFault;
}

std::vector<std::string> firstUseDevices() {
  std::vector<std::string> names = {"cpu", "null:0"};
// ThreadSanitizer's pthread_once stays taken when an exception leaves it, and the next start waits for it.
#if !defined(__SANITIZE_THREAD__)
  for (std::string& name : cudaDevices(1)) names.push_back(std::move(name));
#endif
  return names;
}

class FirstUseTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, FirstUseTest, testing::ValuesIn(firstUseDevices()), testName);

TEST_P(FirstUseTest, InitDevicePrimaryContextAndDefaults) {
  for (const char* mode : {"once", "onwards"}) {
    int k = 1;
    for (int code = 0; code != kNoFault; ++k) {
      const Outcome outcome = run({self, "--first-use", GetParam(), std::to_string(k), mode});
      code = outcome.exit_code;
      ASSERT_TRUE(code == 0 || code == kNoFault) << "fault " << k << ' ' << mode << ": " << outcome.text();
      ASSERT_LT(k, 2000);
    }
    EXPECT_GT(k, 4) << "at least three faults";
  }
}

// The first message of a process may be that memory is missing, written where no exception may come out.
int logWithoutMemory() {
  manyrt::fault::arm(1, true);
  [&]() noexcept { manyrt::log::write(RT_LOG_ERROR, "without memory"); }();
  manyrt::fault::disarm();
  return 0;
}

TEST(LogFaults, TheFirstMessageNeedsNoMemory) {
  const Outcome outcome = run({self, "--log-without-memory"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.err.find("without memory"), std::string::npos) << outcome.text();
}

}  // namespace
}  // namespace rttest

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--first-use") == 0) {
    // Ends at once: the ends of processes are tested elsewhere.
    _exit(rttest::firstUseMain(argv[2], argv[3], std::strcmp(argv[4], "onwards") == 0));
  }
  if (argc == 2 && std::strcmp(argv[1], "--log-without-memory") == 0) _exit(rttest::logWithoutMemory());
  const ssize_t length = readlink("/proc/self/exe", rttest::self, sizeof rttest::self - 1);
  if (length <= 0) return 1;
  testing::InitGoogleTest(&argc, argv);
  rttest::SkipList* skips = rttest::SkipList::install(MANYRT_SKIPS);
  if (skips == nullptr) return 1;
  const int failed = RUN_ALL_TESTS();
  return skips->report() && failed == 0 ? 0 : 1;
}
