// Runs the conformance tests and holds the skips against skips.txt. With RT_POOL=off the lines of skips_pool_off.txt count,
// too.
#include <gtest/gtest.h>

#include <iostream>

#include "rt.h"
#include "support/device_test.h"
#include "support/simulated_cuda.h"
#include "support/skip_list.h"

int main(int argc, char** argv) {
  // Held until the end, so that tests may pair rtInit and rtShutdown without ending the library for all others.
  if (rtInit() != RT_SUCCESS) return 1;
  testing::InitGoogleTest(&argc, argv);
  rttest::SkipList* skips = rttest::SkipList::install(CONFORMANCE_SKIPS);
  if (skips == nullptr || (rttest::poolsAreOff() && !skips->add(CONFORMANCE_SKIPS_POOL_OFF))) return 1;
  const int failed = RUN_ALL_TESTS();
  const int violations = rttest::simulatedCuda().here() ? rttest::simulatedCuda().violations() : 0;
  if (violations != 0) std::cout << "[  FAILED  ] " << violations << " violations of CUDA's rules\n";
  return skips->report() && failed == 0 && violations == 0 ? 0 : 1;
}
