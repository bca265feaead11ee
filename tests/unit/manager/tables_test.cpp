// The table of kinds: words for messages, and closing what is no handle.
#include "manager/tables.h"

#include <gtest/gtest.h>

namespace manyrt::manager {
namespace {

TEST(TablesTest, EveryKindOfHandleHasAWordAndNothingElseHas) {
  for (int kind = RT_HANDLE_DEVICE; kind <= RT_HANDLE_GRAPH_VALUE; ++kind) {
    if (kind == RT_HANDLE_ALLOCATION) continue;  // an address, no handle
    EXPECT_NE(kindWord(static_cast<uint8_t>(kind)), nullptr) << kind;
  }
  EXPECT_EQ(kindWord(0), nullptr);
  EXPECT_EQ(kindWord(200), nullptr);
  EXPECT_FALSE(closeHandle(0));
  EXPECT_FALSE(closeHandle(UINT64_MAX));
}

}  // namespace
}  // namespace manyrt::manager
