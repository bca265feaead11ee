// The kernels of kernels.h and a few more in OpenCL C, for tests that run on every device with RT_CAPABILITY_KERNELS. They
// write to memory that the device reaches: never to a variable of the test.
#pragma once

#include <cstdint>

#include "rt.h"
#include "support/handles.h"

namespace rttest {

inline constexpr char kPortableSource[] = R"(
__kernel void iota(__global uint* out, uint count, uint base) {
  const uint i = get_global_id(0);
  if (i < count) out[i] = base + i;
}
__kernel void affine(__global uint* data, uint count, uint factor) {
  const uint i = get_global_id(0);
  if (i < count) data[i] = data[i] * factor + 1;
}
__kernel void count(__global uint* counter) {
  if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0) atomic_inc(counter);
}
__kernel void empty(void) {}
/* Each item counts itself once, at its place in the whole grid, and notes a wrong id or size. */
__kernel void look(__global uint* seen, __global uint* wrong, uint4 grid, uint4 group) {
  const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const uint width = grid.x * group.x, height = grid.y * group.y;
  atomic_inc(seen + (z * height + y) * width + x);
  if (get_num_groups(0) != grid.x || get_num_groups(1) != grid.y || get_num_groups(2) != grid.z ||
      get_local_size(0) != group.x || get_local_size(1) != group.y || get_local_size(2) != group.z ||
      get_global_size(0) != width || x != get_group_id(0) * group.x + get_local_id(0) ||
      y != get_group_id(1) * group.y + get_local_id(1) || z != get_group_id(2) * group.z + get_local_id(2) ||
      get_work_dim() == 0 || get_global_id(3) != 0 || get_local_size(3) != 1) {
    atomic_inc(wrong);
  }
}
typedef struct { float values[40]; } Wide;
__kernel void wide(char a, Wide b, short c, __global float* out, float3 d, double e) {
  float sum = a;
  for (int i = 0; i < 40; ++i) sum += b.values[i];
  out[0] = sum + c + d.x + d.y * d.z + (float)e;
}
__kernel void locals(__local uint* first, __local uint* second, __global uint* out) {
  const uint item = get_local_id(0), items = get_local_size(0);
  for (uint i = item; i < 100; i += items) first[i] = get_group_id(0);
  for (uint i = item; i < 10; i += items) second[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0) return;
  uint sum = 0;
  for (uint i = 0; i < 100; ++i) sum += first[i];
  out[get_group_id(0)] = sum + second[9];
}
/* Returns when every group of the launch has come: only a cooperative launch is sure to end. */
__kernel void meet(__global volatile uint* arrived) {
  if (get_local_id(0) != 0) return;
  atomic_inc(arrived);
  while (atomic_add(arrived, 0) < get_num_groups(0)) {}
}
)";

// A kernel of that source, with the module that it belongs to.
class PortableKernel {
 public:
  rtStatus_t make(rtContext_t context, const char* name) {
    const rtStatus_t status = rtModuleCreateFromSource(module_.out(), kPortableSource, nullptr, context);
    return status != RT_SUCCESS ? status : rtModuleGetKernel(&kernel_, name, module_);
  }
  rtStatus_t reset() {
    kernel_ = nullptr;
    return module_.reset();
  }
  operator rtKernel_t() const { return kernel_; }  // NOLINT: as Owned

 private:
  Module module_;
  rtKernel_t kernel_ = nullptr;
};

}  // namespace rttest
