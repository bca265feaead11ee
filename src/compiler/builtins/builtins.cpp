// Finding a built-in function by its name: a function of the table, or a conversion, whose name says which type and rounding it
// has.
#include "compiler/builtins/builtins.h"

#include <algorithm>

#include "compiler/builtins/family.h"
#include "compiler/builtins/prototype.h"

namespace manyrt::compiler {
namespace {

struct NamedScalar {
  const char* name;
  Scalar scalar;
  bool has_vectors;
};

constexpr NamedScalar kScalars[] = {
    {"char", Scalar::kChar, true},        {"uchar", Scalar::kUChar, true},     {"short", Scalar::kShort, true},
    {"ushort", Scalar::kUShort, true},    {"int", Scalar::kInt, true},         {"uint", Scalar::kUInt, true},
    {"long", Scalar::kLong, true},        {"ulong", Scalar::kULong, true},     {"float", Scalar::kFloat, true},
    {"double", Scalar::kDouble, true},    {"half", Scalar::kHalf, true},       {"size_t", Scalar::kULong, false},
    {"uintptr_t", Scalar::kULong, false}, {"ptrdiff_t", Scalar::kLong, false}, {"intptr_t", Scalar::kLong, false},
};
constexpr size_t kConvertible = 11;  // of them; the others are for as_ alone

constexpr const char* kComponents[] = {"", "2", "3", "4", "8", "16"};
constexpr const char* kRoundings[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

bool take(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// "16" before "1...": the longest of the counts; 1 where there is none.
uint32_t takeComponents(std::string_view* text) {
  for (size_t i = std::size(kComponents); i-- > 1;) {
    if (take(text, kComponents[i])) return kComponentCounts[i];
  }
  return 1;
}

char takeRounding(std::string_view* text) {
  for (size_t i = 1; i < std::size(kRoundings); ++i) {
    if (take(text, kRoundings[i])) return kRoundings[i][3];
  }
  return 0;
}

// float4, of "float4_sat".
bool takeType(std::string_view* text, const Type** type, const TypeTable& types, bool convertible) {
  for (size_t i = 0; i < (convertible ? kConvertible : std::size(kScalars)); ++i) {
    std::string_view rest = *text;
    if (!take(&rest, kScalars[i].name)) continue;
    const uint32_t components = kScalars[i].has_vectors ? takeComponents(&rest) : 1;
    if (!rest.empty() && rest[0] != '_') continue;
    *type = types.vector(kScalars[i].scalar, components);
    *text = rest;
    return true;
  }
  return false;
}

bool findConversion(Builtin* builtin, std::string_view name, const TypeTable& types) {
  const bool converts = take(&name, "convert_");
  if (!converts && !take(&name, "as_")) return false;
  builtin->name = converts ? "convert_" : "as_";
  if (!takeType(&name, &builtin->target, types, converts)) return false;
  if (converts) {
    builtin->saturate = builtin->target->hasIntegerElements() && take(&name, "_sat");
    builtin->rounding = takeRounding(&name);
  }
  return name.empty();
}

}  // namespace

const Builtin* Builtins::find(std::string_view name) {
  if (!halves_ && (name.starts_with("convert_half") || name.starts_with("as_half"))) return nullptr;
  auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second;
  Builtin builtin;
  const BuiltinFunction* function = findBuiltinFunction(name);
  if (function != nullptr && !function->is_conversion) {
    builtin.name = function->common;
  } else if (findConversion(&builtin, name, types_)) {
    function = findBuiltinFunction(builtin.name);
  } else {
    return nullptr;
  }
  builtin.kind = function->kind;
  builtin.work_item = function->work_item == WorkItem::kEnqueuedLocalSize ? WorkItem::kLocalSize : function->work_item;
  builtin.components = function->components;
  builtin.function = function;
  const Builtin* found = &found_.emplace_back(std::move(builtin));
  by_name_.emplace(std::string(name), found);
  return found;
}

std::vector<std::string> Builtins::names() {
  std::vector<std::string> names;
  for (const BuiltinFunction& function : builtinFunctions()) {
    if (!function.is_conversion) names.push_back(function.name);
  }
  for (size_t i = 0; i < std::size(kScalars); ++i) {
    const bool integer = kScalars[i].scalar < Scalar::kHalf;
    for (const char* components : kComponents) {
      if (components[0] != 0 && !kScalars[i].has_vectors) continue;
      const std::string type = std::string(kScalars[i].name) + components;
      names.push_back("as_" + type);
      for (const char* rounding : kRoundings) {
        if (i < kConvertible) names.push_back("convert_" + type + rounding);
        if (i < kConvertible && integer) names.push_back("convert_" + type + "_sat" + rounding);
      }
    }
  }
  return names;
}

}  // namespace manyrt::compiler
