// The program that images of these tests are made of, and what its kernels leave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aot/image_builder.h"

namespace manyrt::aot {

// Without contraction: processors that have no fused multiply-add would round a product and a sum apart.
inline constexpr char kSource[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#ifndef SCALE\n"
    "#define SCALE 2\n"
    "#endif\n"
    "__kernel void first(__global uint* out, uint add) { out[get_global_id(0)] = (uint)get_global_id(0) * SCALE + add; }\n"
    "__kernel void rooted(__global float* out, float by) {\n"
    "  const int i = get_global_id(0);\n"
    "  out[i] = sqrt((float)i) * by + fma(by, (float)i, 0.25f);\n"
    "}\n";
inline constexpr uint32_t kCount = 1000;  // work-items: no multiple of a vector

inline Program programOf(std::string text, std::vector<std::string> options = {}) {
  Program program;
  program.sources.push_back({"ours.cl", std::move(text)});
  program.options = std::move(options);
  return program;
}

// Throws nothing: a failure of the build is a sentence.
inline std::string built(std::string* image, Program program, const std::vector<std::string>& words, bool with_source) {
  std::vector<Target> targets;
  std::string failed;
  Status status = parseTargets(&targets, words);
  ImageBuilder builder(std::move(program));
  if (status.ok()) status = builder.check();
  if (status.ok()) status = builder.checkSelfContained();
  if (status.ok()) status = builder.build(&failed, targets);
  if (!status.ok()) return status.message()[0] != '\0' ? status.message() : "failed";
  *image = builder.image(with_source);
  return "";
}

}  // namespace manyrt::aot
