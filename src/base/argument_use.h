// The facts about a kernel's argument beside its name and size, as rtKernelArgInfo_t has them. Compilers find them out,
// entries of the cache and images keep them, backends hand them on.
#pragma once

#include <cstdint>

#include "rt.h"

namespace manyrt {

struct ArgumentUse {
  uint32_t qualifiers = 0;                   // RT_QUALIFIER_*
  int32_t space = RT_ADDRESS_SPACE_UNKNOWN;  // RT_ADDRESS_SPACE_*
  int32_t access = RT_ACCESS_UNKNOWN;        // RT_ACCESS_*
  bool operator==(const ArgumentUse&) const = default;
};

inline constexpr uint32_t kAllQualifiers = RT_QUALIFIER_CONST | RT_QUALIFIER_RESTRICT | RT_QUALIFIER_VOLATILE;

}  // namespace manyrt
