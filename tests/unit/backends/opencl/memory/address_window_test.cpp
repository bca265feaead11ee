// The window of addresses: ranges that do not touch each other, found by any address inside, joined again when they are given
// back.
#include "backends/opencl/memory/address_window.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace manyrt::opencl {
namespace {

// Roots are not looked into here: any address stands for one.
Root* mark(uintptr_t number) { return reinterpret_cast<Root*>(number * 64); }

TEST(AddressWindowTest, AnyAddressInsideFindsItsRoot) {
  AddressWindow& window = AddressWindow::instance();
  const uintptr_t small = window.reserve(mark(1), 1, 1);
  const uintptr_t large = window.reserve(mark(2), uint64_t{5} << 30, 1);
  ASSERT_NE(small, 0u);
  ASSERT_NE(large, 0u);
  EXPECT_EQ(window.find(small), mark(1));
  EXPECT_EQ(window.find(large), mark(2));
  EXPECT_EQ(window.find(large + (uint64_t{5} << 30) - 1), mark(2));
  EXPECT_TRUE(window.contains(large));
  int local = 0;
  EXPECT_FALSE(window.contains(reinterpret_cast<uintptr_t>(&local)));
  EXPECT_EQ(window.find(reinterpret_cast<uintptr_t>(&local)), nullptr);
  EXPECT_EQ(window.find(0), nullptr);
  window.release(small);
  window.release(large);
  EXPECT_EQ(window.find(small), nullptr);
  EXPECT_EQ(window.find(large + 12345), nullptr);
}

TEST(AddressWindowTest, AlignmentsAreKeptAndRangesJoinAgain) {
  AddressWindow& window = AddressWindow::instance();
  const uintptr_t first = window.reserve(mark(1), 4096, 1);
  window.release(first);
  std::vector<uintptr_t> taken;
  for (uint64_t i = 0; i < 200; ++i) {
    const uint64_t alignment = uint64_t{1} << (i % 34);
    taken.push_back(window.reserve(mark(i + 1), (i % 7 + 1) << 20, alignment));
    ASSERT_NE(taken.back(), 0u);
    EXPECT_EQ(taken.back() % alignment, 0u);
  }
  for (size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(window.find(taken[i]), mark(i + 1)) << i;
  for (size_t i = 0; i < taken.size(); i += 2) window.release(taken[i]);
  for (size_t i = 1; i < taken.size(); i += 2) {
    EXPECT_EQ(window.find(taken[i]), mark(i + 1)) << i;
    window.release(taken[i]);
  }
  // All of it is one range again: its beginning serves the first request that comes.
  const uintptr_t again = window.reserve(mark(1), uint64_t{64} << 30, 1);
  EXPECT_EQ(again, first);
  window.release(again);
}

TEST(AddressWindowTest, WhatDoesNotFitIsRefused) {
  AddressWindow& window = AddressWindow::instance();
  EXPECT_EQ(window.reserve(mark(1), UINT64_MAX, 1), 0u);
  EXPECT_EQ(window.reserve(mark(1), uint64_t{1} << 46, 1), 0u);
}

}  // namespace
}  // namespace manyrt::opencl
