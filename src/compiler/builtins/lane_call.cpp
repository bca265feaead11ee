// What has a form of its own for lanes comes first; the last lines serve all others.
#include "compiler/builtins/lane_call.h"

#include <set>

namespace manyrt::compiler {
namespace {

bool isBool(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kBool; }

}  // namespace

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
  static const std::set<std::string> kWhole = {"abs", "abs_diff", "hadd", "rhadd", "add_sat", "sub_sat"};
  if (kWhole.count(name) != 0 || name == "clz") {
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

}  // namespace manyrt::compiler
