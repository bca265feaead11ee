// A kernel for tests of the lowering to lanes: what the build log says about its region, and its text.
#pragma once

#include <string>

#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {

inline std::string lanesKernel(const std::string& body) {
  return "__kernel void f(__global float* a, __global float4* v, __global int* o, int n, uint by) {\n"
         "int i = get_global_id(0);\n" +
         body + "\n}";
}

// The remarks of a kernel whose body this is; `before`: helpers and types.
inline std::string remarksOf(const std::string& body, const std::string& before = "") {
  Lowered it(before + lanesKernel(body));
  it.unit();
  std::string all;
  for (const std::string& each : it.remarks) all += each + "\n";
  return all;
}

inline std::string textOf(const std::string& body) { return Lowered(lanesKernel(body)).unit(); }

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace manyrt::test
