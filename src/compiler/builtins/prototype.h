// The table of OpenCL C's functions, read once from library/prototypes.cl: what the specification's words in a prototype are,
// as values. builtins.cpp finds names in it, overload.cpp the prototype that a call means. Knows no program and no type table.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/builtins/builtins.h"

namespace manyrt::compiler {

// The types that gentype stands for, as a line "where gentype is ..." says in these words.
struct TypeSet {
  const char* words;
  uint32_t scalars;      // bits, by Scalar
  uint32_t components;   // bits, by number
  bool of_name = false;  // of the components the function's name says which
};

enum class TypeWord : uint8_t {
  kGentype,
  kSgentype,  // the scalar of its elements
  kIgentype,  // signed integers of its size
  kUgentype,  // unsigned ones
  kIntn,      // ints, as many as it has components
  kUshortn,   // the same of ushorts
  kWgentype,  // integers of twice its size
  kRgentype,  // what comparisons of it give
  kVoid,
  kInt,
  kUint,
  kSizeT,
  kEvent,
  kUint4,
  kChar4,
  kUchar4,
  kFloat,
  kHalf,
  kOwnRule  // destType, gentypem and their like: family.cpp
};

// Which memory a pointer points to.
enum class PointerWord : uint8_t {
  kNone,      // it is no pointer
  kAny,       // global, local or private
  kConst,     // any space, for reading alone
  kVolatile,  // global or local
  kLocal,
  kConstLocal,
  kGlobal,
  kConstGlobal,
  kPrivate
};

struct Parameter {
  TypeWord type = TypeWord::kVoid;
  PointerWord pointer = PointerWord::kNone;
};

struct Prototype {
  static constexpr size_t kMaxParameters = 5;
  const TypeSet* set = nullptr;  // null: no word of it is generic
  Parameter result;
  std::array<Parameter, kMaxParameters> parameters;
  size_t count = 0;
};

struct BuiltinFunction {
  std::string name;         // as a program writes it: "vload4"; of conversions the beginning: "convert_", "as_"
  std::string common;       // what names of all components share: "vload"; else the name
  uint32_t components = 0;  // that the name says; 0: none
  BuiltinKind kind = BuiltinKind::kPure;
  WorkItem work_item = WorkItem::kNone;
  bool is_conversion = false;  // a type follows in the name
  bool has_own_rules = false;  // of types: no prototype serves
  std::vector<Prototype> prototypes;
};

const std::vector<BuiltinFunction>& builtinFunctions();             // by name
const BuiltinFunction* findBuiltinFunction(std::string_view name);  // null: there is none

}  // namespace manyrt::compiler
