// Levels of optimisation by the size of kernels, flags that no result depends on, and those that the lowering counts on.
#include "compiler/pipeline/cpu_flags.h"

#include <iterator>

namespace manyrt::compiler {
namespace {

// gcc uses registers and removes dead code, in half the time of -O1. clang takes this for -O1.
constexpr char kQuickLevel[] = "-Og";

// For kernels above kLongKernel, where the time of a compiler grows with the square of their size and more. With this level 1 s
// for quick code and 3 s for optimised code are left at four times that size.
constexpr char kLongLevel[] = "-O1";
constexpr uint32_t kLongestQuick = 10000;  // above it quick code is not optimised at all

// Instructions of the IR with lanes. The work of vectors is settled by then: -O1 gives code as fast as -O3, in half the time.
constexpr uint32_t kManyInstructions = 4000;

const char* levelOf(const CpuUnit& unit, CpuForm form) {
  if (form == CpuForm::kOptimized)
    return unit.largest > kLongKernel || unit.instructions > kManyInstructions ? kLongLevel : "-O3";
  return unit.largest > kLongestQuick ? "-O0" : unit.largest > kLongKernel ? kLongLevel : kQuickLevel;
}

// A sanitizer sees each access of a loop that is no vector, and hardly any that the compiler's vectoriser has made.
constexpr char kWatchedLevel[] = "-O1";

}  // namespace

std::vector<std::string> cpuFlags(const BuildOptions& options, const CpuUnit& unit, CpuForm form,
                                  const KernelSanitizer& sanitizer, const KeptFiles& kept, const CpuLevel& level) {
  const bool quick = form == CpuForm::kQuick;
  std::vector<std::string> flags = {"-std=c++17", !options.optimize || kept.debugs() ? "-O0"
                                                  : !quick && sanitizer.watches()    ? kWatchedLevel
                                                                                     : levelOf(unit, form)};
  flags.insert(flags.end(), level.flags.begin(), level.flags.end());
  constexpr const char* kCommon[] = {"-pipe", "-fPIC", "-w", "-Wno-psabi",
                                     // These change no result: kernels see neither errno nor floating-point exceptions. The
                                     // lowering says which products and sums are rounded once.
                                     "-fno-math-errno", "-ffp-contract=off",
                                     // The lowering counts on these in each form: integers wrap, and memory has no type. Bytes
                                     // that an item has written as one type it may read as another.
                                     "-fwrapv", "-fno-strict-aliasing",
                                     // Unwind tables stay: what fibers throw passes through a kernel.
                                     "-fno-exceptions", "-fasynchronous-unwind-tables", "-fno-rtti", "-fvisibility=hidden",
                                     "-fno-semantic-interposition", "-fno-stack-protector", "-fno-ident"};
  flags.insert(flags.end(), std::begin(kCommon), std::end(kCommon));
#if defined(__x86_64__)
  if (!quick && level.gathers && !sanitizer.watches()) flags.emplace_back("-DMRT_FAST_GATHERS=1");
  // Quick code has no vectors, and compilers prepare each register that there is. Under valgrind this process has no AVX-512,
  // and compilers, which run outside of it, find the processor's.
  const bool is_native = &level == &nativeCpuLevel();
  if (quick || (is_native && !__builtin_cpu_supports("avx512f"))) flags.emplace_back("-mno-avx512f");
#endif
  // gcc follows what may be the same memory a thousand stores back, in a third of the time of a long kernel. In a quarter it
  // looks for loads that its choice of registers has made twice. Code is as fast without. clang ignores both.
  if (!quick) flags.insert(flags.end(), {"--param", "sccvn-max-alias-queries-per-access=20", "-fno-gcse-after-reload"});
  if (unit.fibers) flags.emplace_back("-fstack-clash-protection");  // no frame skips the guard of a fiber's stack
  if (options.debug || kept.debugs()) flags.emplace_back("-g");
  if (kept.debugs()) flags.emplace_back("-fno-omit-frame-pointer");
  if (kept.profiles() && !options.debug && !kept.debugs() && !sanitizer.watches()) flags.emplace_back("-g1");
  if (sanitizer.watches()) {
    if (!options.debug) flags.emplace_back("-g1");
    flags.insert(flags.end(), sanitizer.flags.begin(), sanitizer.flags.end());
    if (unit.fibers) flags.insert(flags.end(), sanitizer.fiber_flags.begin(), sanitizer.fiber_flags.end());
  }
  if (options.no_signed_zeros || options.unsafe_math) flags.emplace_back("-fno-signed-zeros");
  if (options.finite_math) flags.emplace_back("-ffinite-math-only");
  if (options.unsafe_math) {
    flags.insert(flags.end(), {"-fassociative-math", "-freciprocal-math", "-funsafe-math-optimizations", "-DMRT_REORDERS=1"});
  }
  return flags;
}

}  // namespace manyrt::compiler
