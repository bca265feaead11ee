// The beginning and the end of a unit for the CPU: the declarations of unit.h as text, and the table rtHostModule that the
// loader reads. They do not depend on how its kernels were made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/parser/ast.h"
#include "compiler/unit.h"

namespace manyrt::compiler {

// The entry of a kernel in the unit's tables, beside its name and arguments.
struct CpuKernel {
  std::string entry;  // name of the function
  uint32_t required_group_size[3] = {0, 0, 0};
  uint64_t local_bytes = 0;
  uint64_t scratch_bytes = 0;
  uint64_t scratch_bytes_per_item = 0;
  unsigned char traits = 0;  // as the table kTraitsSymbol of unit.h has them
  // UnitForm of unit.h.
  uint32_t lanes = 0, dimension = 0, loops = 0, lane_loops = 0, barriers = 0, no_lanes_code = 0;
  std::string no_lanes, fibers;
};

// An object that programs find by its name.
struct CpuGlobal {
  std::string name;
  std::string object;  // in C++
};

inline constexpr const char* kPlaceComment = "//@ ";  // "name:line" of a function follows, to the end of the line

extern const char kUnitHead[];       // mrt_group and its like
extern const char kUnitFibers[];     // the variable that the loader sets: of units with kernels on fibers
extern const char kUnitTableHead[];  // the types of the table

// The text of a statement may have several lines, which a compiler counts on from its #line. Here each of them repeats it.
std::string withExactLines(const std::string& text);

// The rows of the table: kernels in the order of the program.
std::string unitRows(const Program& program, const std::vector<CpuKernel>& kernels, const std::vector<CpuGlobal>& globals);
// The table itself, after the rows and outside of any namespace.
std::string unitTable(const Program& program, const std::vector<CpuKernel>& kernels, const std::vector<CpuGlobal>& globals);

}  // namespace manyrt::compiler
