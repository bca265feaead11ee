// language/uniform.cl: what is the same for all items of a group, beside what differs.
#include "source_test.h"

namespace rttest {
namespace {

constexpr uint32_t kGroups = 3;

uint32_t first(uint32_t a) { return a * 3; }
uint32_t counted(uint32_t a) { return a + 1; }

class UniformTest : public SourceTest {
 protected:
  void SetUp() override {
    SourceTest::SetUp();
    build("language/uniform.cl");
  }
  static std::vector<uint32_t> numbers(uint32_t items) {
    Random random(items);
    std::vector<uint32_t> in(items + 16);
    for (uint32_t& value : in) value = static_cast<uint32_t>(random.between(0, 1 << 30));
    return in;
  }
};
INSTANTIATE_TEST_SUITE_P(, UniformTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(UniformTest, AHelperMayGiveAllItemsTheSameThoughAnArgumentDiffers) {
  for (const uint32_t size : {1u, 2u, 17u, 64u}) {
    for (const uint32_t n : {0u, 3u, 6u}) {
      const uint32_t items = size * kGroups;
      const std::vector<uint32_t> in = numbers(items);
      std::vector<uint32_t> expected(items), sums(items);
      for (uint32_t i = 0; i < items; ++i) expected[i] = (in[first(n) & 7] + in[i]) ^ in[counted(n) & 7];
      const Buffer<uint32_t> source = buffer(in), out = buffer(std::vector<uint32_t>(items));
      run("helpers", {kGroups}, {size}, source, out, n);
      expectEqual(out.read(), expected, "helpers");

      const uint32_t place = counted(n) & 1 & (size - 1);
      for (uint32_t i = 0; i < items; ++i) sums[i / size] += in[i];
      for (uint32_t i = 0; i < items; ++i) expected[i] = sums[i / size] * (place == 0 ? 1 : 7);
      run("helpers_atomic", {kGroups}, {size}, source, out, n, Local{8 * sizeof(uint32_t)});
      expectEqual(out.read(), expected, "helpers_atomic");
    }
  }
}

TEST_P(UniformTest, AnOperandBeforeACommaIsComputedForEachItem) {
  for (const uint32_t size : {1u, 3u, 64u}) {
    for (const uint32_t n : {0u, 3u, 6u}) {
      const uint32_t items = size * kGroups;
      const std::vector<uint32_t> in = numbers(items);
      std::vector<uint32_t> expected(items);
      for (uint32_t g = 0; g < items; ++g) {
        uint32_t own = in[g] + in[g + 1], sum = n + in[3] + in[n & 7];
        for (uint32_t i = 0; i <= n; ++i) own += i;
        for (uint32_t i = 0; i < n; ++i) sum += in[i];
        own ^= in[g + n];
        if (n > 3) sum += 5;
        own >>= 1;
        expected[g] = own + sum + 5;
      }
      const Buffer<uint32_t> source = buffer(in), out = buffer(std::vector<uint32_t>(items));
      run("commas", {kGroups}, {size}, source, out, n);
      expectEqual(out.read(), expected, "commas");
    }
  }
}

TEST_P(UniformTest, APointerMayStandAfterAComma) {
  for (const uint32_t size : {1u, 3u, 64u}) {
    const uint32_t items = size * kGroups, n = 4;
    const std::vector<uint32_t> in = numbers(items);
    std::vector<uint32_t> expected(items);
    for (uint32_t g = 0; g < items; ++g) {
      const uint32_t own = in[g] + 1;  // once it has been counted up
      const uint32_t two[] = {1, in[g]};
      const size_t r = own % 5;
      expected[g] = in[g + 1] + in[g + 2] * 3 + two[1] * 5 + two[g & 1] * 7 + two[1] * 9 + 1 + own + in[n + g] * 11 +
                    in[r] * 13 + in[r + 2] * 15 + in[n + 1 + g] * 17;
    }
    const Buffer<uint32_t> source = buffer(in), out = buffer(std::vector<uint32_t>(items));
    run("pointers", {kGroups}, {size}, source, out, n);
    expectEqual(out.read(), expected, "groups of " + std::to_string(size));
  }
}

TEST_P(UniformTest, AJumpMayLeaveALoop) {
  for (const uint32_t n : {0u, 5u, 50u}) {
    const uint32_t items = 32 * kGroups;
    const std::vector<uint32_t> in = numbers(items);
    std::vector<uint32_t> expected(items);
    for (uint32_t g = 0; g < items; ++g) {
      for (uint32_t k = 0; k < n && in[k] <= 900000000; ++k) expected[g] += in[k] + g;
      ++expected[g];
    }
    const Buffer<uint32_t> source = buffer(in), out = buffer(std::vector<uint32_t>(items));
    run("jumps", {kGroups}, {32}, source, out, n);
    expectEqual(out.read(), expected, std::to_string(n) + " turns");
  }
}

}  // namespace
}  // namespace rttest
