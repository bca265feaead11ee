// Maps calls of built-in functions to functions of the library. A function for one component, such as a conversion, is called
// for each component of a vector. A function that takes vectors is written for the number of components of the call.
#include <algorithm>
#include <iterator>

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

// name(a, b, ...) for vectors, from `one` for one component; scalar arguments go to every component, pointers to theirs. Tests
// give 1 where the component of a vector has -1.
std::string Prelude::byComponents(const std::string& name, const std::string& one, bool is_test, const Type* result,
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
      return argument->isPointer() ? "&" + object + "->s" + kComponentDigits[i] : component(object, argument, i);
    });
    const std::string value = one + "(" + values + ")";
    return is_test ? std::string("(") + cppName(result->scalar) + ")-" + value : value;
  };
  return define(own, type(result), parameters, [&] { return returned(result, call); });
}

// One component of a conversion from halves or to them. A half is a float, exactly; an integer that a float does not hold is
// beyond the largest half, in every direction of rounding.
std::string Prelude::convertedHalf(const Builtin& builtin, Scalar from) {
  const Scalar to = builtin.target->scalar;
  const std::string rounding = builtin.rounding != 0 ? std::string("_rt") + builtin.rounding : "";
  if (to == Scalar::kHalf && from != Scalar::kHalf) {
    return libraryFunction("to_half" + (rounding == "_rte" ? "" : rounding), {from == Scalar::kDouble ? from : Scalar::kFloat});
  }
  const std::string name = std::string("convert") + (builtin.saturate ? "_sat" : "") + rounding;
  const Type* half = types_.scalar(Scalar::kHalf);
  return define("mrt_" + name + "_" + scalarName(to) + "_half", type(types_.scalar(to)), type(half) + " a", [&] {
    if (to == Scalar::kHalf) return std::string("return a;");
    return "return " + libraryFunction(name, {to, 1, Scalar::kFloat}) + "(" + halfToFloat() + "(a));";
  });
}

std::string Prelude::converted(const Builtin& builtin, const Type* from) {
  std::string name = builtin.saturate ? "convert_sat" : "convert";
  if (builtin.rounding != 0) name += std::string("_rt") + builtin.rounding;
  const bool halves = builtin.target->scalar == Scalar::kHalf || elementOf(from) == Scalar::kHalf;
  const std::string one =
      halves ? convertedHalf(builtin, elementOf(from)) : libraryFunction(name, {builtin.target->scalar, 1, elementOf(from)});
  return byComponents(name + "_" + idOf(builtin.target), one, false, builtin.target, {QualType{from}});
}

std::string Prelude::reinterpreted(const Type* to, const Type* from) {
  const Scalar target = elementOf(to), source = elementOf(from);
  if (to->components() != from->components())
    return libraryFunction("as_block", {target, to->components(), source, from->components()});
  return byComponents("as_" + idOf(to), libraryFunction("as", {target, 1, source}), false, to, {QualType{from}});
}

// The function that a call becomes: with relaxed mathematics a native_ one, which is faster and not much coarser.
std::string Prelude::chosenName(const Builtin& builtin, const Type* gentype) const {
  constexpr std::string_view kRelaxed[] = {"cos", "exp", "exp2", "exp10", "log", "log2", "log10", "sin", "tan"};
  if (!relaxed || dialect_ == Dialect::kCuda || elementOf(gentype) != Scalar::kFloat) return builtin.name;
  const bool has = std::find(std::begin(kRelaxed), std::end(kRelaxed), builtin.name) != std::end(kRelaxed);
  return (has ? "native_" : "") + builtin.name;
}

// A function of one component that is computed in float and rounded at the end, also what it stores through pointers.
std::string Prelude::halfFunction(const std::string& name, const Prototype& form, const LibraryTypes& types) {
  const auto isHalf = [](const Parameter& each) { return each.type == TypeWord::kGentype || each.type == TypeWord::kSgentype; };
  const std::string half = type(types_.scalar(Scalar::kHalf));
  std::string parameters, values, before, after;
  for (size_t i = 0; i < form.count; ++i) {
    const Parameter& each = form.parameters[i];
    const std::string own(1, static_cast<char>('a' + i));
    const bool pointer = each.pointer != PointerWord::kNone;
    parameters += (i == 0 ? "" : ", ") + (isHalf(each) ? half : std::string("int")) + (pointer ? "* " : " ") + own;
    values += i == 0 ? "" : ", ";
    if (!isHalf(each)) {
      values += own;
    } else if (!pointer) {
      values += halfToFloat() + "(" + own + ")";
    } else {
      values += "&" + own + "_float";
      before += "float " + own + "_float; ";
      after += "*" + own + " = " + toHalf(Scalar::kFloat) + "(" + own + "_float); ";
    }
  }
  // A result through a pointer is a float during the call, and is rounded once, after it.
  LibraryTypes single = types;
  single.scalar = Scalar::kFloat;
  single.components = 1;
  if (single.from == Scalar::kHalf) single.from = Scalar::kFloat;
  const bool gives_half = isHalf(form.result);
  return define("mrt_" + name + "_half", gives_half ? half : "int", parameters, [&] {
    const std::string call = libraryFunction(name, single) + "(" + values + ")";
    const std::string value = gives_half ? toHalf(Scalar::kFloat) + "(" + call + ")" : call;
    if (before.empty()) return "return " + value + ";";
    return before + "const auto r = " + value + "; " + after + "return r;";
  });
}

// A function that takes vectors whole: dot, length and their like.
std::string Prelude::halfVectorFunction(const std::string& name, QualType result, const std::vector<QualType>& arguments) {
  std::string parameters, values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type* argument = arguments[i].type;
    const Type* wide = types_.vector(Scalar::kFloat, argument->components());
    const std::string own(1, static_cast<char>('a' + i));
    parameters += (i == 0 ? "" : ", ") + type(argument) + " " + own;
    values += (i == 0 ? "" : ", ") + byComponents("convert_" + idOf(wide), halfToFloat(), false, wide, {arguments[i]}) + "(" +
              own + ")";
  }
  const uint32_t components = arguments[0]->components();
  return define("mrt_" + name + "_" + idOf(arguments[0].type), type(result.type), parameters, [&] {
    const std::string call = libraryFunction(name, {Scalar::kFloat, components}) + "(" + values + ")";
    const QualType wide{types_.vector(Scalar::kFloat, result->components())};
    const std::string narrow = byComponents("convert_" + idOf(result.type), toHalf(Scalar::kFloat), false, result.type, {wide});
    return "return " + narrow + "(" + call + ");";
  });
}

// Ballots are vectors of four ints; the others move one scalar, or a test.
std::string Prelude::subGroup(const Builtin& builtin, QualType result) {
  if (builtin.name.find("ballot") != std::string::npos) return libraryFunction(builtin.name, {Scalar::kUInt, 4});
  return libraryFunction(builtin.name, {result->isVoid() ? Scalar::kInt : elementOf(result.type)});
}

std::string Prelude::builtin(const Builtin& builtin, QualType result, const std::vector<QualType>& arguments) {
  std::string name = builtin.name;
  if (builtin.kind == BuiltinKind::kSubGroup) return subGroup(builtin, result);
  if (builtin.kind == BuiltinKind::kPrint) return printed(arguments);
  if (builtin.kind == BuiltinKind::kFence) return libraryFunction(name, {Scalar::kInt});
  if (builtin.kind == BuiltinKind::kAtomic) {  // atom_ and atomic_ are the same
    const bool alone = dialect_ != Dialect::kCuda && arguments[0]->inner.space == AddressSpace::kLocal;
    return libraryFunction((alone ? "local_atomic" : "atomic") + name.substr(name.find('_')),
                           {elementOf(pointeeOf(arguments[0]))});
  }
  if (name == "convert_") return converted(builtin, arguments[0].type);
  if (name == "as_") return reinterpreted(builtin.target, arguments[0].type);
  const bool has_form = !builtin.function->prototypes.empty();  // else it is a shuffle
  const Type* gentype = has_form ? gentypeOf(builtin.function->prototypes[0], result, arguments) : result.type;
  if (has_form) name = chosenName(builtin, gentype);
  LibraryTypes types{elementOf(gentype), gentype->components()};
  types.from_components = arguments[0]->components();
  if (!arguments.back()->isPointer()) types.from = elementOf(arguments.back().type);
  const LibraryFunction* function = findLibraryFunction(name, types, dialect_ == Dialect::kCuda);
  if (function != nullptr && function->components != 0) return libraryFunction(name, types);
  const bool is_test = has_form && builtin.function->prototypes[0].result.type == TypeWord::kRgentype;
  if (function == nullptr && types.scalar == Scalar::kHalf) {
    LibraryTypes single = types;
    single.scalar = Scalar::kFloat;
    function = findLibraryFunction(name, single, dialect_ == Dialect::kCuda);
    if (function != nullptr && function->components != 0) return halfVectorFunction(name, result, arguments);
    return byComponents(name, halfFunction(name, builtin.function->prototypes[0], types), is_test, result.type, arguments);
  }
  types.components = 1;
  return byComponents(name, libraryFunction(name, types), is_test, result.type, arguments);
}

std::string Prelude::wholeBuiltin(const Builtin& builtin, QualType result, const std::vector<QualType>& arguments,
                                  bool* is_test) {
  if (dialect_ != Dialect::kHost || builtin.kind != BuiltinKind::kPure || builtin.function->prototypes.empty()) return "";
  const Prototype& form = builtin.function->prototypes[0];
  const Type* gentype = gentypeOf(form, result, arguments);
  if (gentype->isVector()) return "";
  LibraryTypes types{elementOf(gentype)};
  types.in_lanes = true;
  const std::string name = chosenName(builtin, gentype);
  const LibraryFunction* function = findLibraryFunction(name, types, false);
  if (function == nullptr || !function->for_lanes) return "";
  *is_test = form.result.type == TypeWord::kRgentype;
  return prelude::replaced(libraryFunction(name, types), "<L>", "<mrt_L>");
}

}  // namespace manyrt::compiler
