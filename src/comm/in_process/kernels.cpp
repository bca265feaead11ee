// The source of the kernels and their launches. One text serves all types. A few lines before it define an element, the number
// that it is calculated as, and how it is loaded and stored. host_reduction.cpp has the same arithmetic in C++.
#include "comm/in_process/kernels.h"

#include <string>

#include "comm/core_call.h"

namespace manyrt::comm {
namespace {

constexpr uint32_t kGroup = 128;

// T: in memory. N: as a number. W: as what sums and products are formed, an unsigned integer where overflow has to wrap. WIDE:
// of integers alone, as what they are divided.
constexpr const char* kElements[] = {
    "#define T char\n#define W uint\n#define WIDE long\n",
    "#define T uchar\n#define W uint\n#define WIDE ulong\n",
    "#define T short\n#define W uint\n#define WIDE long\n",
    "#define T ushort\n#define W uint\n#define WIDE ulong\n",
    "#define T int\n#define W uint\n#define WIDE long\n",
    "#define T uint\n#define W uint\n#define WIDE ulong\n",
    "#define T long\n#define W ulong\n#define WIDE long\n",
    "#define T ulong\n#define W ulong\n#define WIDE ulong\n",
    "#define T half\n#define N float\n#define LOAD(p, i) vload_half(i, p)\n"
    "#define STORE(p, i, v) vstore_half_rte(v, i, p)\n",
    "#define T ushort\n#define N float\n#define LOAD(p, i) as_float((uint)(p)[i] << 16)\n"
    "ushort rounded(float v) {\n"
    "  uint bits = as_uint(v);\n"
    "  if ((bits & 0x7fffffffu) > 0x7f800000u) return (ushort)(bits >> 16 | 0x40u);\n"
    "  return (ushort)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);\n"
    "}\n"
    "#define STORE(p, i, v) (p)[i] = rounded(v)\n",
    "#define T float\n",
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define T double\n",
};
static_assert(sizeof kElements / sizeof *kElements == kTypeCount);

constexpr const char* kSource = R"source(
#ifndef N
#define N T
#endif
#ifndef W
#define W N
#endif
#ifndef LOAD
#define LOAD(p, i) (p)[i]
#define STORE(p, i, v) (p)[i] = (v)
#endif
#ifdef WIDE
#define OR_NAN(b)
#else
#define OR_NAN(b) || (b) != (b)
#endif
#define COMBINE(name, expression)                                                                         \
  __kernel void name(__global T* out, __global const T* x, __global const T* y, ulong count) {            \
    ulong i = get_global_id(0);                                                                           \
    if (i < count) {                                                                                      \
      N a = LOAD(x, i), b = LOAD(y, i);                                                                   \
      STORE(out, i, expression);                                                                          \
    }                                                                                                     \
  }
COMBINE(sum, (N)((W)a + (W)b))
COMBINE(product, (N)((W)a * (W)b))
COMBINE(minimum, b < a OR_NAN(b) ? b : a)
COMBINE(maximum, b > a OR_NAN(b) ? b : a)
__kernel void quotient(__global T* data, ulong count, uint divisor) {
  ulong i = get_global_id(0);
#ifdef WIDE
  if (i < count) data[i] = (T)((WIDE)data[i] / (WIDE)divisor);
#else
  if (i < count) {
    N quotient = LOAD(data, i) / (N)divisor;
    STORE(data, i, quotient);
  }
#endif
}
)source";

constexpr const char* kNames[kReductionCount] = {"sum", "product", "minimum", "maximum", "sum"};

}  // namespace

Kernels::~Kernels() {
  // Launches that are under way keep a module's code until they have ended.
  for (const Module& built : modules_) (void)rtModuleDestroy(built.module);
}

Status Kernels::build(int32_t type) {
  const std::lock_guard lock(mutex_);
  Module& entry = modules_[type];
  // Built with the first operation of a type, before it is submitted: a batch in a stream builds nothing.
  if (entry.module != nullptr) return Status();
  Module made;
  RT_TRY_CORE(rtModuleCreateFromSource(&made.module, (std::string(kElements[type]) + kSource).c_str(), nullptr, context_));
  rtStatus_t code = rtModuleGetKernel(&made.divide, "quotient", made.module);
  for (int32_t i = 0; i < kReductionCount && code == RT_SUCCESS; ++i) {
    code = rtModuleGetKernel(&made.combine[i], kNames[i], made.module);
  }
  // The entry stays empty, so that the next operation tries again.
  if (code != RT_SUCCESS) {
    const Status status = fromCore(code);
    (void)rtModuleDestroy(made.module);
    return status;
  }
  entry = made;
  return Status();
}

Status Kernels::combine(int32_t type, int32_t reduction, void* out, const void* a, const void* b, uint64_t count,
                        rtStream_t stream) {
  // The count is that of a piece, which fits into 32 bits of groups.
  const uint32_t groups = static_cast<uint32_t>((count + kGroup - 1) / kGroup);
  void* const args[] = {&out, &a, &b, &count};
  RT_TRY_CORE(rtLaunchKernel(modules_[type].combine[reduction], groups, 1, 1, kGroup, 1, 1, 0, stream, args, 4));
  return Status();
}

Status Kernels::divide(int32_t type, void* data, uint64_t count, uint32_t divisor, rtStream_t stream) {
  const uint32_t groups = static_cast<uint32_t>((count + kGroup - 1) / kGroup);
  void* const args[] = {&data, &count, &divisor};
  RT_TRY_CORE(rtLaunchKernel(modules_[type].divide, groups, 1, 1, kGroup, 1, 1, 0, stream, args, 3));
  return Status();
}

}  // namespace manyrt::comm
