// language/atomics.cl: launch after launch with data that make threads hinder each other, and with data that do not. How many
// threads run a launch may change on the way; every group runs once in each.
#include <algorithm>

#include "source_test.h"

namespace rttest {
namespace {

using Words = std::vector<uint32_t>;

class AtomicsTest : public SourceTest {};
INSTANTIATE_TEST_SUITE_P(, AtomicsTest, testing::ValuesIn(kernelDevices()), testName);

uint32_t maskOf(uint32_t launch) { return launch / 7 % 2 == 0 ? 0 : 0xffff; }

TEST_P(AtomicsTest, EveryItemCountsOnce) {
  build("language/atomics.cl");
  for (const uint32_t n : {1u, 1000u, 70'001u, 1u << 18}) {
    const uint32_t size = 64, launches = 40;
    const Buffer<uint32_t> bins = buffer(Words(1 << 16, 0)), runs = buffer(Words(n, 0));
    Words expected(1 << 16, 0);
    for (uint32_t launch = 0; launch < launches; ++launch) {
      run("counted", {(n + size - 1) / size}, {size}, bins, runs, maskOf(launch), n);
      if (HasFatalFailure()) return;
      for (uint32_t i = 0; i < n; ++i) ++expected[i & maskOf(launch)];
    }
    expectEqual(bins.read(), expected, std::to_string(n) + " items");
    expectEqual(runs.read(), Words(n, launches), std::to_string(n) + " items, runs");
    if (HasFatalFailure()) return;
  }
}

TEST_P(AtomicsTest, EveryItemTakesATicket) {
  build("language/atomics.cl");
  const uint32_t n = 100'003, size = 32;
  for (uint32_t launch = 0; launch < 10; ++launch) {
    const Buffer<uint32_t> next = buffer(Words(1, 0)), taken = buffer(Words(n, n));
    run("tickets", {(n + size - 1) / size}, {size}, next, taken, n);
    if (HasFatalFailure()) return;
    ASSERT_EQ(next.read()[0], n);
    Words order = taken.readUnordered();
    std::sort(order.begin(), order.end());
    for (uint32_t i = 0; i < n; ++i) ASSERT_EQ(order[i], i) << "launch " << launch;
  }
}

TEST_P(AtomicsTest, EveryGroupAddsItsSum) {
  build("language/atomics.cl");
  const uint32_t size = std::min(128u, largestGroup("group_sums")), groups = 61 * 23, launches = 40;
  const Words values(size_t{groups} * size, 3);
  const Buffer<uint32_t> in = buffer(values), sums = buffer(Words(1 << 16, 0)), runs = buffer(Words(groups, 0));
  Words expected(1 << 16, 0);
  for (uint32_t launch = 0; launch < launches; ++launch) {
    run("group_sums", {61, 23}, {size}, in, sums, runs, maskOf(launch), Local{size * sizeof(uint32_t)});
    if (HasFatalFailure()) return;
    for (uint32_t group = 0; group < groups; ++group) expected[group & maskOf(launch)] += 3 * size;
  }
  expectEqual(sums.read(), expected, "sums");
  expectEqual(runs.read(), Words(groups, launches), "runs");
}

}  // namespace
}  // namespace rttest
