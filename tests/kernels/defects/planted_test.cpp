// The reports of sanitizers on a defect inside a kernel: they name the line of the kernel's source, in quick and in optimised
// code. Each defect has a process of its own (planted.cpp).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/process.h"

namespace rttest {
namespace {

#if defined(MANYRT_SANITIZE_THREAD)
constexpr bool kThread = true;
#else
constexpr bool kThread = false;
#endif

class PlantedDefectTest : public testing::TestWithParam<const char*> {
 protected:
  Outcome planted(const std::string& defect, Environment more = {}) const {
    Environment environment = {{"RT_CPU_BUILD", GetParam()},  {"RT_CPU_THREADS", "4"},
                               {"RT_CACHE_DIR", "off"},       {"RT_DEVICE", "cpu"},
                               {"RT_DISABLE", "cuda,opencl"}, {"RT_CPU_SANITIZE", kThread ? "thread" : "address"}};
    environment.insert(environment.end(), more.begin(), more.end());
    return run({PLANTED_DEFECTS, defect}, environment);
  }
  // A vector that begins inside and ends outside is an "unknown-crash" to gcc's.
  static void expectReport(const Outcome& outcome, const std::string& what, const std::string& line) {
    EXPECT_NE(outcome.exit_code, 0) << outcome.text();
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.text();
    EXPECT_NE(outcome.err.find(line), std::string::npos) << outcome.text();
  }
};

TEST_P(PlantedDefectTest, WithoutADefectNothingIsReported) {
  const Outcome outcome = planted("none");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.err, "");
}

#if !defined(MANYRT_SANITIZE_THREAD)

TEST_P(PlantedDefectTest, AnOverrunIsFoundBesideLiveNeighbours) {
  expectReport(planted("overrun"), "AddressSanitizer: ", "planted.cl:4");
  expectReport(planted("overrun of a full block"), "AddressSanitizer: ", "planted.cl:4");
  expectReport(planted("overrun of a large block"), "AddressSanitizer: ", "planted.cl:4");
  expectReport(planted("overrun by a vector"), "AddressSanitizer: ", "planted.cl:14");
}

TEST_P(PlantedDefectTest, AReadAfterTheEndIsFound) {
  expectReport(planted("read after the end"), "AddressSanitizer: ", "planted.cl:9");
}

TEST_P(PlantedDefectTest, WithoutAPoolTheReportTellsOfTheAllocation) {
  const Outcome overrun = planted("overrun", {{"RT_POOL", "off"}});
  expectReport(overrun, "AddressSanitizer: heap-buffer-overflow", "planted.cl:4");
  EXPECT_NE(overrun.err.find("244-byte region"), std::string::npos) << overrun.text();
  expectReport(planted("use after free", {{"RT_POOL", "off"}}), "AddressSanitizer: ", "planted.cl:4");
}

TEST_P(PlantedDefectTest, AnOverrunOfLocalMemoryIsFound) {
  expectReport(planted("overrun of local memory"), "AddressSanitizer: ", "planted.cl:19");
}

TEST_P(PlantedDefectTest, AnOverrunOnAFiberIsFound) {
  expectReport(planted("overrun on fibers"), "AddressSanitizer: ", "planted.cl:31");
}

TEST_P(PlantedDefectTest, AUseAfterFreeIsFound) {
  expectReport(planted("use after free"), "AddressSanitizer: ", "planted.cl:4");
  expectReport(planted("use after free in order"), "AddressSanitizer: ", "planted.cl:4");
}

TEST_P(PlantedDefectTest, AProcessWithoutTheRuntimeIsToldSo) {
  const Outcome outcome = planted("none", {{"RT_CPU_SANITIZE", "thread"}});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text();
  EXPECT_NE(outcome.err.find("RT_CPU_SANITIZE=thread needs"), std::string::npos) << outcome.text();
}

TEST_P(PlantedDefectTest, KernelsThatAreNotWatchedReportNothing) {
  EXPECT_EQ(planted("overrun", {{"RT_CPU_SANITIZE", "off"}}).exit_code, 0);
}

#else

TEST_P(PlantedDefectTest, ARaceBetweenGroupsIsFound) {
  for (const char* defect : {"race", "race of many groups", "race of cooperating groups"}) {
    expectReport(planted(defect), "ThreadSanitizer: data race", "planted.cl:26");
  }
}

#endif

INSTANTIATE_TEST_SUITE_P(, PlantedDefectTest, testing::Values("quick", "optimized"),
                         [](const auto& form) { return std::string(form.param); });

}  // namespace
}  // namespace rttest
