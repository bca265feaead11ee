// The macros that OpenCL C 1.2 predefines, as a table that is looked up when a program first uses a name: a program pays for
// what it uses and nothing at its start.
#pragma once

#include <cstdint>
#include <string_view>

namespace manyrt::compiler {

// Macros whose text depends on where they are used.
enum class DynamicMacro : uint8_t { kNone, kLine, kFile, kCounter };

struct PredefinedMacro {
  std::string_view name;
  const char* text;  // what would stand behind #define and the name
  DynamicMacro dynamic = DynamicMacro::kNone;
};

const PredefinedMacro* findPredefined(std::string_view name);  // null: none

}  // namespace manyrt::compiler
