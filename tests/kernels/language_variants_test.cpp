// The kernels of language/barriers_*.cl built in several ways: code for one group size, without optimisation, with debugging
// information. Integers in, integers out: every variant gives the same bits as the plain build.
#include "source_test.h"

namespace rttest {
namespace {

using Ints = std::vector<int>;

class VariantTest : public SourceTest {
 protected:
  // The results of each kernel of the module, one after another: groups of `size`, three values of n.
  void runAll(Ints* results, uint32_t size) {
    uint32_t count = 0;
    ASSERT_RT_OK(rtModuleGetKernelCount(&count, module_));
    const uint32_t groups = 3;
    const Ints values = randomIntegers(size_t{groups} * size, size, -1000, 1000);
    const Buffer<int> in = buffer(values);
    for (uint32_t index = 0; index < count; ++index) {
      rtKernel_t kernel = nullptr;
      ASSERT_RT_OK(rtModuleGetKernelByIndex(&kernel, index, module_));
      for (int n : {0, 2, 5}) {
        const Buffer<int> out = buffer(Ints(values.size(), -1));
        Local local{(2 * size + 2) * sizeof(int)};
        void* args[] = {in.slot(), out.slot(), &n, &local.bytes};
        ASSERT_RT_OK(rtLaunchKernel(kernel, groups, 1, 1, size, 1, 1, 0, stream_, args, 4)) << index;
        ASSERT_RT_OK(rtStreamSynchronize(stream_)) << index;
        const Ints got = out.read();
        results->insert(results->end(), got.begin(), got.end());
      }
    }
  }

  void check(const std::string& file) {
    for (const uint32_t size : {1u, 33u, 64u}) {
      build(file);
      Ints plain;
      runAll(&plain, size);
      const std::string fixed = "-rt-group-size=" + std::to_string(size) + ",1,1";
      for (const std::string& options : {fixed, fixed + " -cl-opt-disable", std::string("-g -cl-fast-relaxed-math")}) {
        if (HasFatalFailure()) return;
        build(file, options.c_str());
        Ints variant;
        runAll(&variant, size);
        expectEqual(variant, plain, file + " " + options + ", groups of " + std::to_string(size));
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, VariantTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(VariantTest, PrivatesAcrossBarriersAreTheSameInEveryBuild) { check("language/barriers_private.cl"); }
TEST_P(VariantTest, LoopsWithBarriersAreTheSameInEveryBuild) { check("language/barriers_loops.cl"); }
TEST_P(VariantTest, BranchesAndHelpersAreTheSameInEveryBuild) { check("language/barriers_flow.cl"); }

TEST_P(VariantTest, CodeForOneGroupSizeRefusesOthers) {
  build("language/barriers_loops.cl", "-rt-group-size=16,1,1");
  rtKernel_t kernel = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "for_loop", module_));
  const Buffer<int> in = buffer(Ints(16, 1)), out = buffer(Ints(16, 0));
  int n = 1;
  size_t bytes = 256;
  void* args[] = {in.slot(), out.slot(), &n, &bytes};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel, 1, 1, 1, 8, 2, 1, 0, stream_, args, 4));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel, 2, 1, 1, 8, 1, 1, 0, stream_, args, 4));
  EXPECT_RT_OK(rtLaunchKernel(kernel, 1, 1, 1, 16, 1, 1, 0, stream_, args, 4));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

}  // namespace
}  // namespace rttest
