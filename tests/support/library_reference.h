// For suites whose functions under test include rtInit and rtShutdown. Holds the reference that keeps their pairs from ending
// the library, and looks at the end whether handles are left over. Given to testing::AddGlobalTestEnvironment.
#pragma once

#include <gtest/gtest.h>

#include "rt.h"

namespace rttest {

class LibraryReference : public testing::Environment {
 public:
  void SetUp() override { ASSERT_EQ(rtInit(), RT_SUCCESS); }
  void TearDown() override {
    uint64_t alive = 0;
    EXPECT_EQ(rtGetLiveHandleCount(&alive, RT_HANDLE_ALL), RT_SUCCESS);
    EXPECT_EQ(alive, 0u) << "handles or allocations are left over";
    for (int32_t kind = RT_HANDLE_DEVICE; alive != 0 && kind <= RT_HANDLE_GRAPH_VALUE; ++kind) {
      uint64_t count = 0;
      EXPECT_EQ(rtGetLiveHandleCount(&count, kind), RT_SUCCESS);
      EXPECT_EQ(count, 0u) << "of kind " << kind;
    }
    EXPECT_EQ(rtShutdown(), RT_SUCCESS);
  }
};

}  // namespace rttest
