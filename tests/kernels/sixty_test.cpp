// The kernels of benchmarks/kernels on every device, at small odd sizes with odd groups, plain and with -cl-fast-relaxed-math.
// The result of each is that of its reference in double precision or exact integers.
#include <algorithm>
#include <set>
#include <tuple>

#include "kernels/case_runner.h"
#include "source_test.h"

namespace rttest {
namespace {

const std::vector<sixty::Kernel>& kernels() {
  static const std::vector<sixty::Kernel> all = sixty::allKernels();
  return all;
}

using Parameter = std::tuple<std::string, size_t, bool>;  // device, index of the kernel, relaxed

class SixtyTest : public testing::TestWithParam<Parameter> {
 protected:
  const sixty::Kernel& kernel() const { return kernels()[std::get<1>(GetParam())]; }
  bool relaxed() const { return std::get<2>(GetParam()); }
};

std::string nameOf(const testing::TestParamInfo<Parameter>& info) {
  const auto& [device, index, relaxed] = info.param;
  std::string name = std::string(kernels()[index].name) + (relaxed ? "_relaxed_" : "_plain_") + device;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(, SixtyTest,
                         testing::Combine(testing::ValuesIn(kernelDevices()), testing::Range(size_t{0}, kernels().size()),
                                          testing::Bool()),
                         nameOf);

TEST_P(SixtyTest, HasTheResultOfItsReference) {
  rtDevice_t device = nullptr;
  Context context;
  Stream stream;
  ASSERT_RT_OK(rtDeviceGetByName(&device, std::get<0>(GetParam()).c_str()));
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  const sixty::Case given = kernel().make(0);
  const std::vector<sixty::Buffer> expected = sixty::expectedOf(kernel(), given, 0);
  ASSERT_TRUE(std::any_of(expected.begin(), expected.end(), [](const sixty::Buffer& buffer) { return buffer.checked; }));
  try {
    EXPECT_EQ(sixty::checkAgainst(expected, *sixty::runOnContext(kernel(), given, relaxed(), context, stream)), "");
  } catch (const sixty::RunError& error) {
    FAIL() << error.what();
  }
}

// The table of the benchmark and the filter of tests go by name; both need each kernel once, with data that differs from its
// result.
TEST(SixtyList, HasSixtyKernelsWithNamesOfTheirOwnAndResultsThatAreMade) {
  std::set<std::string> names;
  for (const sixty::Kernel& kernel : kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    const sixty::Case given = kernel.make(0);
    const std::vector<sixty::Buffer> expected = sixty::expectedOf(kernel, given, 0);
    bool differs = false;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (expected[i].checked && !sixty::difference(expected[i], given.buffers[i].bytes).empty()) differs = true;
    }
    EXPECT_TRUE(differs) << kernel.name << ": a kernel that does nothing would pass";
  }
  EXPECT_GE(names.size(), 60u);
}

// The tests above rest on this: an element outside of its tolerance is seen, also where it is no number.
TEST(SixtyList, ComparisonSeesWhatIsOutsideOfTheTolerance) {
  const auto differs = [](const sixty::Buffer& expected, const auto& found) {
    return !sixty::difference(expected, sixty::input(found).bytes).empty();
  };
  const sixty::Buffer exact = sixty::output(std::vector<uint32_t>{1, 2, 3});
  EXPECT_FALSE(differs(exact, std::vector<uint32_t>{1, 2, 3}));
  EXPECT_TRUE(differs(exact, std::vector<uint32_t>{1, 2, 4}));
  EXPECT_TRUE(differs(exact, std::vector<uint32_t>{1, 2}));
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const sixty::Buffer near = sixty::output(std::vector<float>{1000.0f, 0.0f, nan, infinity}, 1e-3, 1e-2);
  EXPECT_FALSE(differs(near, std::vector<float>{1001.0f, 0.01f, nan, infinity}));
  EXPECT_TRUE(differs(near, std::vector<float>{1001.5f, 0.0f, nan, infinity}));
  EXPECT_TRUE(differs(near, std::vector<float>{1000.0f, 0.02f, nan, infinity}));
  EXPECT_TRUE(differs(near, std::vector<float>{nan, 0.0f, nan, infinity}));
  EXPECT_TRUE(differs(near, std::vector<float>{1000.0f, 0.0f, 0.0f, infinity}));
  EXPECT_TRUE(differs(near, std::vector<float>{1000.0f, 0.0f, nan, 1e30f}));
}

}  // namespace
}  // namespace rttest
