// Quirks are found by the names of platform and device, and by nothing else. Names are those that drivers give.
#include "backends/opencl/quirks.h"

#include <gtest/gtest.h>

namespace manyrt::opencl {
namespace {

Quirks quirksOf(const char* platform, const char* version, const char* device) {
  return Quirks::of({platform, version, device, "vendor", "driver"});
}

TEST(QuirksTest, DriversAreKnownByTheirNames) {
  const Quirks pocl = quirksOf("Portable Computing Language", "OpenCL 3.0 PoCL 3.1+debian  Linux", "pthread-skylake");
  EXPECT_TRUE(pocl.has(Quirk::kStartsWithoutFlush));
  EXPECT_TRUE(pocl.has(Quirk::kWrongSizes));
  EXPECT_TRUE(pocl.has(Quirk::kCountsByWidth));
  EXPECT_FALSE(pocl.has(Quirk::kOneThread));
  const Quirks newer = quirksOf("Portable Computing Language", "OpenCL 3.0 PoCL 6.0  Linux", "cpu");
  EXPECT_TRUE(newer.has(Quirk::kStartsWithoutFlush));
  EXPECT_TRUE(newer.has(Quirk::kWrongSizes));
  EXPECT_FALSE(newer.has(Quirk::kCountsByWidth));
  EXPECT_TRUE(newer.has(Quirk::kCountsIn32Bits));
  EXPECT_TRUE(quirksOf("Portable Computing Language", "OpenCL 2.0 pocl 1.8  Linux", "cpu").has(Quirk::kCountsByWidth));
  const Quirks oclgrind = quirksOf("Oclgrind", "OpenCL 1.2 (Oclgrind 21.10)", "Oclgrind Simulator");
  EXPECT_TRUE(oclgrind.has(Quirk::kOneThread));
  EXPECT_TRUE(oclgrind.has(Quirk::kNoCallbacks));
  EXPECT_FALSE(oclgrind.has(Quirk::kStartsWithoutFlush));
  EXPECT_FALSE(oclgrind.has(Quirk::kCountsIn32Bits));
  const Quirks apple = quirksOf("Apple", "OpenCL 1.2 (May  7 2024)", "Apple M2");
  EXPECT_TRUE(apple.has(Quirk::kFillsNeedEvents));
  EXPECT_TRUE(apple.has(Quirk::kTimesAreTicks));
  EXPECT_FALSE(quirksOf("Apple", "OpenCL 1.2", "AMD Radeon Pro").has(Quirk::kTimesAreTicks));
  const Quirks nvidia = quirksOf("NVIDIA CUDA", "OpenCL 3.0 CUDA 13.0.97", "NVIDIA H100 80GB HBM3");
  for (Quirk quirk : {Quirk::kStartsWithoutFlush, Quirk::kNoCallbacks, Quirk::kReadsHostEarly, Quirk::kNullStays,
                      Quirk::kNoEmptyArgInfo, Quirk::kOptimizedCalls, Quirk::kDimensionsCost}) {
    EXPECT_TRUE(nvidia.has(quirk));
  }
  EXPECT_FALSE(nvidia.has(Quirk::kWrongSizes));
  EXPECT_EQ(quirksOf("Intel(R) OpenCL", "OpenCL 3.0", "Intel(R) Arc").text(), "");
  EXPECT_NE(oclgrind.text(), "");
}

}  // namespace
}  // namespace manyrt::opencl
