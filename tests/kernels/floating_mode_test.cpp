// The floating-point mode of a thread is its own: builds and launches, also with relaxed mathematics, leave it as it was. That
// holds for the calling thread, and for host functions and kernels on threads of the library.
#include <cfenv>
#include <cfloat>
#include <cstring>

#include "source_test.h"

namespace rttest {
namespace {

// The mode as the processor has it: on x86 MXCSR without its sticky flags, and the control word of the x87; else FPCR.
struct FloatingMode {
  uint64_t vector = 0;
  uint16_t x87 = 0;
  bool operator==(const FloatingMode&) const = default;
};

FloatingMode floatingMode() {
  FloatingMode mode;
#if defined(__x86_64__)
  uint32_t mxcsr = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
  __asm__ volatile("fnstcw %0" : "=m"(mode.x87));
  mode.vector = mxcsr & ~0x3fu;
#elif defined(__aarch64__)
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode.vector));
#endif
  return mode;
}

// True if the thread's arithmetic keeps denormal numbers.
bool keepsDenormals() {
  volatile float tiny = FLT_MIN;
  tiny = tiny / 2;
  return tiny != 0;
}

const char kSource[] = R"(
__kernel void f(__global float *data, __local float *scratch) {
  int i = get_local_id(0);
  scratch[i] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = sqrt(fabs(scratch[get_local_size(0) - 1 - i])) / 3.0f + 1.0e-30f;
}
__kernel void on_fibers(__global float *data, __local float *scratch) {
  int k = 0;
again:
  scratch[get_local_id(0)] = data[get_global_id(0)] * 0.5f;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] += scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (++k < 3) goto again;
}
)";

class FloatingModeTest : public SourceTest {
 protected:
  void buildAndLaunch(const char* options) {
    ASSERT_RT_OK(rtModuleCreateFromSource(module_.out(), kSource, options, context_));
    const Buffer<float> data = buffer(std::vector<float>(99, 1.0e-20f));
    run("f", {3}, {33}, data, Local{132});
    run("on_fibers", {3}, {33}, data, Local{132});
    ASSERT_RT_OK(module_.reset());
  }
  FloatingMode modeInHostFunction() {
    FloatingMode mode;
    EXPECT_RT_OK(rtLaunchHostFunction([](void* user, rtStatus_t) { *static_cast<FloatingMode*>(user) = floatingMode(); }, &mode,
                                      stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return mode;
  }
};
INSTANTIATE_TEST_SUITE_P(, FloatingModeTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(FloatingModeTest, BuildsAndLaunchesLeaveItAlone) {
  const FloatingMode before = floatingMode(), host_before = modeInHostFunction();
  ASSERT_TRUE(keepsDenormals());
  for (const char* options : {"", "-cl-fast-relaxed-math", "-cl-denorms-are-zero", "-cl-unsafe-math-optimizations",
                              "-cl-finite-math-only -cl-no-signed-zeros -cl-mad-enable"}) {
    buildAndLaunch(options);
    EXPECT_TRUE(floatingMode() == before) << options;
    EXPECT_TRUE(modeInHostFunction() == host_before) << options;
    EXPECT_TRUE(keepsDenormals()) << options << ": loading the kernel has set the processor to flush";
  }
}

TEST_P(FloatingModeTest, AModeThatTheCallerHasSetStays) {
  const int rounding = std::fegetround();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const FloatingMode upward = floatingMode();
  buildAndLaunch("-cl-fast-relaxed-math");
  const FloatingMode after = floatingMode();
  ASSERT_EQ(std::fesetround(rounding), 0);
  EXPECT_TRUE(after == upward);
}

}  // namespace
}  // namespace rttest
