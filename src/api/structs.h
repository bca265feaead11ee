// The versioned structs of rt.h, read and written by the rules that all headers of the project share (base/structs.h).
#pragma once

#include <cstddef>

#include "base/structs.h"
#include "rt.h"

namespace manyrt::api {

using manyrt::checkLabel;
using manyrt::checkResult;
using manyrt::readOptions;
using manyrt::writeResult;

// The size that a struct of options had in its first release.
template <class T>
constexpr size_t firstSizeOf() {
  return sizeof(T);
}
template <>
constexpr size_t firstSizeOf<rtLaunchOptions_t>() {
  return offsetof(rtLaunchOptions_t, global_offset);
}
template <>
constexpr size_t firstSizeOf<rtGraphKernelParams_t>() {
  return offsetof(rtGraphKernelParams_t, global_offset);
}
template <>
constexpr size_t firstSizeOf<rtGraphChildParams_t>() {
  return offsetof(rtGraphChildParams_t, value_binding_count);
}

template <>
constexpr size_t firstSizeOf<rtModuleOptions_t>() {
  return offsetof(rtModuleOptions_t, tier);
}
// And those of results.
template <>
constexpr size_t firstSizeOf<rtKernelInfo_t>() {
  return offsetof(rtKernelInfo_t, tier);
}
template <>
constexpr size_t firstSizeOf<rtKernelArgInfo_t>() {
  return offsetof(rtKernelArgInfo_t, qualifiers);
}

}  // namespace manyrt::api
