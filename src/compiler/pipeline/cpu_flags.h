// The compiler's flags for a unit for the CPU: what the options, the size of the unit and the kind of processor decide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/pipeline/cpu_unit.h"
#include "compiler/pipeline/kept_files.h"
#include "compiler/pipeline/sanitizer.h"
#include "compiler/toolchain/cpu_target.h"

namespace manyrt::compiler {

// By kernelSize(): above it kernels are compiled with fewer optimisations.
inline constexpr uint32_t kLongKernel = 6000;

std::vector<std::string> cpuFlags(const BuildOptions& options, const CpuUnit& unit, CpuForm form,
                                  const KernelSanitizer& sanitizer, const KeptFiles& kept, const CpuLevel& level);

}  // namespace manyrt::compiler
