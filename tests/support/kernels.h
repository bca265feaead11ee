// Host kernels that several tests launch, and makeKernel, which makes rtKernel_t objects of them. Each comment names the
// arguments in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "rt.h"
#include "support/handles.h"

namespace rttest {

template <typename T>
T& argument(void* const* args, int index) {
  return *static_cast<T*>(args[index]);
}

inline uint64_t groupIndex(const rtHostGroup_t* group) {
  return group->group_id[0] + static_cast<uint64_t>(group->group_count[0]) *
                                  (group->group_id[1] + static_cast<uint64_t>(group->group_count[1]) * group->group_id[2]);
}

// uint32_t* out, uint32_t count, uint32_t base: out[i] = base + i, over x.
inline void iotaKernel(const rtHostGroup_t* group, void* const* args) {
  uint32_t* out = argument<uint32_t*>(args, 0);
  const uint32_t count = argument<uint32_t>(args, 1);
  const uint32_t base = argument<uint32_t>(args, 2);
  const uint32_t first = group->group_id[0] * group->group_size[0];
  for (uint32_t item = 0; item < group->group_size[0] && first + item < count; ++item) out[first + item] = base + first + item;
}

// uint32_t* data, uint32_t count, uint32_t factor: data[i] = data[i] * factor + 1, over x.
inline void affineKernel(const rtHostGroup_t* group, void* const* args) {
  uint32_t* data = argument<uint32_t*>(args, 0);
  const uint32_t count = argument<uint32_t>(args, 1);
  const uint32_t factor = argument<uint32_t>(args, 2);
  const uint32_t first = group->group_id[0] * group->group_size[0];
  for (uint32_t item = 0; item < group->group_size[0] && first + item < count; ++item) {
    data[first + item] = data[first + item] * factor + 1;
  }
}

// std::atomic<uint32_t>* counter: counts the groups that ran.
inline void countKernel(const rtHostGroup_t*, void* const* args) { argument<std::atomic<uint32_t>*>(args, 0)->fetch_add(1); }

// std::atomic<uint32_t>* entered, std::atomic<uint32_t>* leave: says that it runs, then waits for leave to become nonzero.
inline void blockKernel(const rtHostGroup_t*, void* const* args) {
  std::atomic<uint32_t>* entered = argument<std::atomic<uint32_t>*>(args, 0);
  std::atomic<uint32_t>* leave = argument<std::atomic<uint32_t>*>(args, 1);
  entered->fetch_add(1);
  entered->notify_all();
  leave->wait(0);
}

inline void throwingKernel(const rtHostGroup_t*, void* const*) { throw std::runtime_error("boom"); }

inline void emptyKernel(const rtHostGroup_t*, void* const*) {}

inline constexpr rtHostArg_t kPointerArg = {8, RT_ARG_POINTER};
inline constexpr rtHostArg_t kUintArg = {4, RT_ARG_VALUE};
inline constexpr rtHostArg_t kLocalArg = {8, RT_ARG_LOCAL};

inline rtStatus_t makeKernel(Kernel* kernel, rtContext_t context, rtHostKernelFunction_t function,
                             std::initializer_list<rtHostArg_t> args, const char* name) {
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = function;
  host.args = args.begin();
  host.arg_count = static_cast<uint32_t>(args.size());
  host.name = name;
  return rtKernelCreateFromHost(kernel->out(), &host, context);
}

// Launches over x with the values in place: launchOver(kernel, stream, groups, items, a, b, c).
template <typename... Values>
rtStatus_t launchOver(rtKernel_t kernel, rtStream_t stream, uint32_t groups, uint32_t items, Values... values) {
  void* args[sizeof...(values) + 1] = {static_cast<void*>(&values)..., nullptr};
  return rtLaunchKernel(kernel, groups, 1, 1, items, 1, 1, 0, stream, args, static_cast<uint32_t>(sizeof...(values)));
}

}  // namespace rttest
