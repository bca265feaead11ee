// The kernels of the random driver: a module of OpenCL C and one host kernel for each context, with the same effects on the
// host.
#pragma once

#include <cstdint>

#include "rt.h"

namespace rtrandom {

// The abilities of a context's device, and its kernels; kernels are nullptr where the device has none that run.
struct Kernels {
  rtModule_t module = nullptr;
  rtKernel_t add_constant = nullptr;
  rtKernel_t xor_copy = nullptr;
  rtKernel_t sum = nullptr;
  rtKernel_t reverse_groups = nullptr;
  rtKernel_t host_kernel = nullptr;  // xor_copy once more, as a function of this program
  bool cooperative = false;
  bool native = false;
};

inline constexpr uint32_t kMaxGroups = 8;
inline constexpr uint32_t kMaxGroupItems = 16;

bool hasCapability(rtDevice_t device, int32_t capability);
// Builds and finds what the device of a context allows.
Kernels makeKernels(rtContext_t context, rtDevice_t device);
// Destroys the module and the host kernel, if there are such.
void destroyKernels(Kernels* kernels);

}  // namespace rtrandom
