// Functions with a form of their own for lanes come first; the last lines serve all others.
#include "compiler/builtins/lane_call.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "compiler/builtins/prototype.h"

namespace manyrt::compiler {
namespace {

// Names stand in arrays: objects with a destructor would be gone at the end of the process before the last build.
template <size_t kCount>
bool isOneOf(const std::string_view (&names)[kCount], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool isBool(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kBool; }

const Type* componentOf(const Type* type) { return type->isVector() ? type->element : type; }

// As many components in all vectors as in the result.
bool isAlike(QualType result, const std::vector<QualType>& types) {
  return result->isVector() && std::all_of(types.begin(), types.end(),
                                           [&](QualType each) { return !each->isVector() || each->count == result->count; });
}

// Functions that take or give a vector as a whole.
bool isWhole(const std::string& name) {
  static constexpr std::string_view kWhole[] = {"cross",  "normalize", "fast_normalize", "shuffle",       "shuffle2", "as_",
                                                "length", "distance",  "fast_length",    "fast_distance", "any",      "all"};
  return isOneOf(kWhole, name);
}

LaneParts eachComponent(Prelude& prelude, const Builtin& one, QualType vector, const std::vector<QualType>& types,
                        const std::vector<LaneParts>& given, bool is_test) {
  const Type* element = vector->element;
  std::vector<QualType> elements;
  for (const QualType type : types) elements.push_back(QualType{componentOf(type.type)});
  LaneParts result;
  for (uint32_t k = 0; k < vector->count; ++k) {
    LaneParts own;
    for (const LaneParts& each : given) own.push_back(each[each.size() == 1 ? 0 : k]);
    // Tests of a scalar give 1 in an int, those of a vector -1 in integers of its elements' size.
    if (is_test) {
      static const Type* const truth_type = [] {  // never destroyed: builds go on at the end of the process
        auto* const type = new Type;
        type->kind = TypeKind::kScalar;
        return type;  // int
      }();
      const std::string truth = laneCall(prelude, one, QualType{truth_type}, elements, own);
      result.push_back("-mrt_L::to<" + prelude.type(element) + ">(" + truth + ")");
    } else {
      result.push_back(laneCall(prelude, one, QualType{element}, elements, own));
    }
  }
  return result;
}

}  // namespace

bool isElementary(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan",  "atan2", "atan2pi", "atanh", "atanpi", "cbrt",
      "cos",  "cosh",  "cospi",  "erf",  "erfc",  "exp",    "exp10", "exp2",  "expm1",   "log",   "log10",  "log1p",
      "log2", "pow",   "pown",   "powr", "rootn", "sin",    "sinh",  "sinpi", "tan",     "tanh",  "tanpi"};
  for (const std::string_view prefix : {"native_", "half_"}) {
    if (name.substr(0, prefix.size()) == prefix) name.remove_prefix(prefix.size());
  }
  return isOneOf(kNames, name);
}

std::string laneCall(Prelude& prelude, const Builtin& builtin, QualType result, const std::vector<QualType>& types,
                     const std::vector<std::string>& given) {
  const auto lane = [&](const Type* type) { return "mrt_L::v<" + prelude.type(type) + ">"; };
  const std::string own = prelude.type(result.type);
  const std::string& name = builtin.name;
  const bool floating = result->isFloating();
  bool is_test = false;
  if (const std::string whole = prelude.wholeBuiltin(builtin, result, types, &is_test); !whole.empty()) {
    std::string list;
    for (const std::string& each : given) list += (list.empty() ? "" : ", ") + each;
    const std::string called = whole + "(" + list + ")";
    return is_test ? "(mrt_L::mask(" + called + ") & 1)" : called;
  }
  if (builtin.kind == BuiltinKind::kPure && name.compare(0, 3, "as_") == 0 && sizeOf(types[0]) == sizeOf(result)) {
    return "((" + lane(result.type) + ")" + given[0] + ")";
  }
  if (name == "select") {
    return "mrt_L::pick(" + given[2] + " != " + lane(types[2].type) + "{}, " + given[1] + ", " + given[0] + ")";
  }
  if ((name == "fma" || name == "mad") && given.size() == 3 && floating) {
    return (name == "mad" ? "mrt_L::fused(" : "mrt_L::fma(") + given[0] + ", " + given[1] + ", " + given[2] + ")";
  }
  if ((name == "mul_hi" || name == "mad_hi") && sizeOf(result) == 4) {
    const std::string sign = result->isSigned() ? "true" : "false";
    const std::string high = "mrt_high_products<mrt_L::n, " + sign + ">(" + given[0] + ", " + given[1] + ")";
    if (name == "mul_hi") return high;
    const std::string sum = "((mrt_L::v<unsigned int>)" + high + " + (mrt_L::v<unsigned int>)" + given[2] + ")";
    return "((" + lane(result.type) + ")" + sum + ")";
  }
  static constexpr std::string_view kWhole[] = {"abs", "abs_diff", "hadd", "rhadd", "add_sat", "sub_sat"};
  if (isOneOf(kWhole, name) || name == "clz") {
    return "mrt_i_" + name + "<mrt_L::n>(" + given[0] + (given.size() == 1 ? "" : ", " + given[1]) + ")";
  }
  if ((name == "min" || name == "max") && given.size() == 2) {
    return "mrt_L::" + name + "(" + given[0] + ", " + given[1] + ")";
  }
  std::string names, values;
  for (size_t i = 0; i < given.size(); ++i) {
    names += std::string(i == 0 ? "" : ", ") + "auto mrt_a" + std::to_string(i);
    values += ", " + given[i];
  }
  std::string arguments;
  for (size_t i = 0; i < given.size(); ++i) {
    const bool truth = isBool(types[i].type);
    arguments += std::string(i == 0 ? "" : ", ") + (truth ? "(bool)" : "") + "mrt_a" + std::to_string(i);
  }
  const std::string function = prelude.builtin(builtin, result, types);
  return "mrt_L::each<" + own + ">([](" + names + ") __attribute__((always_inline)) { return " + function + "(" + arguments +
         "); }" + values + ")";
}

bool hasLaneParts(const Builtin& builtin, QualType result, const std::vector<QualType>& types) {
  const std::string& name = builtin.name;
  if (builtin.function == nullptr || builtin.kind != BuiltinKind::kPure) return false;
  if (name == "dot") return types[0]->isVector();
  if (name == "any" || name == "all") return types[0]->isVector();
  if (name == "as_") return isAlike(result, types) && types[0]->isVector() && types[0]->count == result->count;
  if (!isAlike(result, types)) return false;
  return name == "convert_" || name == "select" || (!isWhole(name) && !builtin.function->prototypes.empty());
}

LaneParts laneCallParts(Prelude& prelude, const Builtin& builtin, QualType result, const std::vector<QualType>& types,
                        const std::vector<LaneParts>& given) {
  const std::string& name = builtin.name;
  if (!hasLaneParts(builtin, result, types)) return {};
  const auto lane = [&](const Type* type) { return "mrt_L::v<" + prelude.type(type) + ">"; };
  LaneParts made;
  if (name == "as_") {
    for (const std::string& each : given[0]) made.push_back("(" + lane(result->element) + ")" + each);
    return made;
  }
  if (name == "convert_") {
    Builtin one = builtin;
    one.target = result->element;
    return eachComponent(prelude, one, result, types, given, false);
  }
  if (name == "select") {
    const Type* tested = componentOf(types[2].type);
    const std::string type = prelude.type(tested);
    // The highest bit decides: the sign, or what is above the greatest number without it.
    const std::string chosen =
        tested->isSigned() ? " < " + lane(tested) + "{}" : " > mrt_L::all<" + type + ">((" + type + ")((" + type + ")-1 >> 1))";
    for (uint32_t k = 0; k < result->count; ++k)
      made.push_back("(" + given[2][k] + chosen + ") ? " + given[1][k] + " : " + given[0][k]);
    return made;
  }
  if (name == "dot") {
    std::string sum = "(" + given[0][0] + " * " + given[1][0] + ")";
    for (size_t k = 1; k < given[0].size(); ++k) sum = "mrt_L::fused(" + given[0][k] + ", " + given[1][k] + ", " + sum + ")";
    return {sum};
  }
  if (name == "any" || name == "all") {
    std::string all;
    for (const std::string& each : given[0]) all += (all.empty() ? "" : name == "any" ? " | " : " & ") + each;
    return {"mrt_L::mask((" + all + ") < " + lane(componentOf(types[0].type)) + "{}) & 1"};
  }
  return eachComponent(prelude, builtin, result, types, given,
                       builtin.function->prototypes[0].result.type == TypeWord::kRgentype);
}

}  // namespace manyrt::compiler
