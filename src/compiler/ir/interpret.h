// Runs a kernel of the IR, work-item by work-item: the oracle beside compiled code, and before and after each pass. It checks
// what compiled code cannot: accesses inside of live objects, items of a group at the same barriers, divisors and shifts in
// range.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::ir {

// Functions of the language that the IR only names. Values are as C++ of the library has them: a vector as its components in a
// row, three taking the room of four; pointers are addresses of the host.
class Natives {
 public:
  virtual ~Natives() = default;
  virtual bool call(const Signature& signature, const std::vector<const void*>& arguments, void* result) = 0;
};

// Sees each value of the kernel itself, not of functions that it calls, as an item gets it. Results of analyses are compared
// with these. `turns`: of each loop that the item is in or has been in, counted from 0 each time that it is entered.
class Observer {
 public:
  using Turns = std::unordered_map<const Instruction*, uint64_t>;
  virtual ~Observer() = default;
  virtual void seen(const uint64_t group[3], const uint64_t item[3], const Value& value,
                    const std::array<uint64_t, kMaxComponents>& bits, const Turns& turns) = 0;
};

struct Argument {
  enum class Kind : uint8_t { kBuffer, kLocal, kValue };
  Kind kind = Kind::kValue;
  std::vector<uint8_t> bytes;  // of a buffer, which the run changes; of a value
  uint64_t size = 0;           // of local memory
};

struct Run {
  uint32_t group_count[3] = {1, 1, 1};
  uint32_t group_size[3] = {1, 1, 1};
  uint64_t global_offset[3] = {0, 0, 0};
  std::vector<Argument> arguments;
  Natives* natives = nullptr;  // null: calls of the language's functions are refused
  Observer* observer = nullptr;
  bool fuses = true;                   // fma rounds once
  uint64_t steps = uint64_t{1} << 34;  // instructions, after which a run is given up
};

// False: `why` says what went wrong, in which item and line.
bool interpret(Run* run, const Module& module, const Function& kernel, std::string* why);

}  // namespace manyrt::compiler::ir
