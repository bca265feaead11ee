// The targets of an image's parts, by name: "cpu:x86-64-v3", "cuda:sm_80,sm_90,ptx", "opencl". The command manyrt reads targets
// here and lists those that can be built on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ahead.h"

namespace manyrt::aot {

struct Target {
  enum class Kind : uint8_t { kCpu, kCuda, kOpenCl };
  Kind kind = Kind::kCpu;
  const compiler::CpuLevel* level = nullptr;  // kCpu
  uint32_t architecture = 0;                  // kCuda: 90
  bool ptx = false;                           // kCuda: for later devices, which compile it when it is loaded
  bool hidden_offsets = false;                // kOpenCl: pointers are a root and an offset

  std::string name() const;  // "cpu:x86-64-v3", "cuda:sm_90", "cuda:compute_90", "opencl:offsets"
  bool operator==(const Target&) const = default;
};

// Words as the command takes them, each once in the result and in the order given. "cuda:ptx" is for the newest architecture
// that is named beside it, or where none is for the oldest that NVRTC knows. INVALID_VALUE: a sentence with the targets that
// there are; COMPILER_NOT_FOUND: a target of CUDA, and there is no NVRTC.
Status parseTargets(std::vector<Target>* targets, const std::vector<std::string>& words);

struct Available {
  std::string name;  // "cpu:x86-64-v3"
  std::string note;  // what builds it, or why it cannot be built
  bool available = false;
};
std::vector<Available> listTargets();

}  // namespace manyrt::aot
