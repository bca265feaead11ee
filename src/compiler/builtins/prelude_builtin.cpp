// Maps calls of built-in functions to functions of the library. A function for one lane, such as a conversion, is called for
// each lane of a vector. A function that takes vectors is written for the number of lanes of the call.
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"
#include "compiler/builtins/prototype.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

// The meaning of gentype in a call: the type of the first parameter that is one, or points to one, else that of the result.
const Type* gentypeOf(const Prototype& form, QualType result, const std::vector<QualType>& arguments) {
  for (size_t i = 0; i < form.count; ++i) {
    if (form.parameters[i].type != TypeWord::kGentype) continue;
    return form.parameters[i].pointer == PointerWord::kNone ? arguments[i].type : pointeeOf(arguments[i]);
  }
  return result.type;
}

}  // namespace

// name(a, b, ...) for vectors, from `one` for one lane; scalar arguments go to every lane, pointers to theirs. Tests give 1
// where the lane of a vector has -1.
std::string Prelude::laneByLane(const std::string& name, const std::string& one, bool is_test, const Type* result,
                                const std::vector<QualType>& arguments) {
  if (!result->isVector()) return one;
  std::string own = "mrt_" + name;
  std::string parameters;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type* argument = arguments[i].type;
    own += "_" + idOf(argument);
    const std::string type_name = argument->isPointer() ? type(pointeeOf(arguments[i])) + "*" : type(argument);
    parameters += (i == 0 ? "" : ", ") + type_name + " " + static_cast<char>('a' + i);
  }
  const auto call = [&](uint32_t i) {
    const std::string values = listed(static_cast<uint32_t>(arguments.size()), [&](uint32_t k) {
      const Type* argument = arguments[k].type;
      const std::string object(1, static_cast<char>('a' + k));
      return argument->isPointer() ? "&" + object + "->s" + kLaneDigits[i] : lane(object, argument, i);
    });
    const std::string value = one + "(" + values + ")";
    return is_test ? std::string("(") + cppName(result->scalar) + ")-" + value : value;
  };
  return define(own, type(result), parameters, [&] { return returned(result, call); });
}

std::string Prelude::converted(const Builtin& builtin, const Type* from) {
  std::string name = builtin.saturate ? "convert_sat" : "convert";
  if (builtin.rounding != 0) name += std::string("_rt") + builtin.rounding;
  const std::string one = libraryFunction(name, {builtin.target->scalar, 1, elementOf(from)});
  return laneByLane(name + "_" + idOf(builtin.target), one, false, builtin.target, {QualType{from}});
}

std::string Prelude::reinterpreted(const Type* to, const Type* from) {
  const Scalar target = elementOf(to), source = elementOf(from);
  if (to->lanes() != from->lanes()) return libraryFunction("as_block", {target, to->lanes(), source, from->lanes()});
  return laneByLane("as_" + idOf(to), libraryFunction("as", {target, 1, source}), false, to, {QualType{from}});
}

std::string Prelude::builtin(const Builtin& builtin, QualType result, const std::vector<QualType>& arguments) {
  const std::string& name = builtin.name;
  if (builtin.kind == BuiltinKind::kPrint) return printed(arguments);
  if (builtin.kind == BuiltinKind::kFence) return libraryFunction(name, {Scalar::kInt});
  if (builtin.kind == BuiltinKind::kAtomic) {  // atom_ and atomic_ are the same
    return libraryFunction("atomic" + name.substr(name.find('_')), {elementOf(pointeeOf(arguments[0]))});
  }
  if (name == "convert_") return converted(builtin, arguments[0].type);
  if (name == "as_") return reinterpreted(builtin.target, arguments[0].type);
  const bool has_form = !builtin.function->prototypes.empty();  // else it is a shuffle
  const Type* gentype = has_form ? gentypeOf(builtin.function->prototypes[0], result, arguments) : result.type;
  LibraryTypes types{elementOf(gentype), gentype->lanes()};
  types.from_lanes = arguments[0]->lanes();
  if (!arguments.back()->isPointer()) types.from = elementOf(arguments.back().type);
  const LibraryFunction* function = findLibraryFunction(name, types, dialect_ == Dialect::kCuda);
  if (function != nullptr && function->lanes != 0) return libraryFunction(name, types);
  const bool is_test = has_form && builtin.function->prototypes[0].result.type == TypeWord::kRgentype;
  types.lanes = 1;
  return laneByLane(name, libraryFunction(name, types), is_test, result.type, arguments);
}

}  // namespace manyrt::compiler
