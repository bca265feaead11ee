// The macros that OpenCL C 1.2 predefines. A program looks a name up in this table when it first uses it, so that unused macros
// cost nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace manyrt::compiler {

// Macros whose text depends on where they are used.
enum class DynamicMacro : uint8_t { kNone, kLine, kFile, kCounter };

struct PredefinedMacro {
  std::string_view name;
  const char* text;  // what would stand after #define and the name
  DynamicMacro dynamic = DynamicMacro::kNone;
};

const PredefinedMacro* findPredefined(std::string_view name);  // null: none

}  // namespace manyrt::compiler
