// Each planted defect of simulated CUDA (simulated_cuda.h) is noticed. The tests of its subject pass without the defect and
// fail with it, for each of three seeds.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "support/process.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

struct Row {
  const char* defect;
  const char* program;
  const char* filter;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.defect; }

constexpr Row kRows[] = {
    {"missing_wait", "cuda_interop", "*AStreamOfTheLibraryWaitsForAnImportedEvent*"},
    {"wrong_event", "cuda_interop", "*AStreamOfTheLibraryWaitsForAnImportedEvent*"},
    {"event_reused_early", "cuda_interop", "*AStreamOfTheLibraryWaitsForAnImportedEvent*"},
    {"memory_reused_early", "cuda_interop", "*MemoryOfTheProgramMayBeFreedByCudaRightAfterItWasUsed*"},
    {"host_read_early", "cuda_interop", "*AStreamOfTheLibraryWaitsForAnImportedEvent*"},
    {"stale_device", "cuda_interop", "*WorkGoesToItsOwnDeviceWhateverIsCurrent*"},
    {"argument_lifetime", "conformance", "LaunchTest.ValuesAreCopiedBeforeTheCallReturns/cuda*"},
    {"leak", "fault", "ObjectFaults.StreamsOfANewContext/cuda_0"},
    {"double_free", "cuda_interop", "*MemoryOfTheProgramMayBeFreedByCudaRightAfterItWasUsed*"},
    {"foreign_context", "cuda_interop", "*WorkGoesToItsOwnDeviceWhateverIsCurrent*"},
    {"ignored_error", "cuda_failures", "*ImagesThatAreNoneAreRefused*"},
    {"callback_early", "cuda_interop", "*AHostFunctionSeesWhatCameBeforeIt*"},
};

class NoticedDefectTest : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(, NoticedDefectTest, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.defect); });

// The program that stands beside this one.
Outcome runTests(const Row& row, const char* seed, const char* defect) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  std::string program(path, length <= 0 ? 0 : static_cast<size_t>(length));
  program = program.substr(0, program.rfind('/') + 1) + row.program;
  return run({program, std::string("--gtest_filter=") + row.filter, "--gtest_brief=0"}, {{"SIMULATED_CUDA_DEFECT", defect},
                                                                                         {"SIMULATED_CUDA_SEED", seed},
                                                                                         {"SIMULATED_CUDA_DELAY_US", "300"},
                                                                                         {"GTEST_OUTPUT", ""}});
}

TEST_P(NoticedDefectTest, MakesTheTestsOfItsSubjectFail) {
  ASSERT_TRUE(simulatedCuda().here()) << "RT_CUDART does not name the simulation";
  for (const char* seed : {"1", "2", "3"}) {
    const Outcome without = runTests(GetParam(), seed, "");
    EXPECT_EQ(without.exit_code, 0) << "without a defect, seed " << seed << ": " << without.text();
    EXPECT_NE(without.out.find("[       OK ]"), std::string::npos) << "the filter finds no test";
    const Outcome with = runTests(GetParam(), seed, GetParam().defect);
    EXPECT_NE(with.exit_code, 0) << "seed " << seed << ": no test noticed";
    EXPECT_NE(with.exit_code, 127) << "not started";
    EXPECT_NE(with.signal, SIGALRM) << "noticed only because it hangs: " << with.text();
  }
}

}  // namespace
}  // namespace rttest
