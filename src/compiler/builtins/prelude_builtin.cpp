// Calls of built-in functions: says which kind of text each needs. Most go lane by lane through the functions of one lane;
// those that mix lanes, or touch memory, have their own.
#include "compiler/builtins/library.h"
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

bool isTest(const std::string& name) { return name.compare(0, 2, "is") == 0 || name == "signbit"; }

}  // namespace

// name(a, b, ...) for vectors, from the function of one lane; scalar arguments go to every lane, pointers to theirs.
std::string Prelude::laneByLane(const std::string& name, const Type* result, const std::vector<QualType>& arguments) {
  const Scalar scalar = elementOf(name == "nan" ? result : arguments[0].type);
  if (!result->isVector()) return libraryFunction(name, {scalar});
  std::string own = "mrt_" + name;
  std::string parameters;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type* argument = arguments[i].type;
    own += "_" + idOf(argument);
    const std::string name_of = argument->isPointer() ? type(pointeeOf(arguments[i])) + "*" : type(argument);
    parameters += (i == 0 ? "" : ", ") + name_of + " " + static_cast<char>('a' + i);
  }
  return define(own, type(result), parameters, [&] {
    const std::string one = libraryFunction(name == "select" ? "select_lane" : name, {scalar});
    return "return {" +
           listed(result->lanes(),
                  [&](uint32_t i) {
                    std::string call = one + "(";
                    for (size_t k = 0; k < arguments.size(); ++k) {
                      const Type* argument = arguments[k].type;
                      const std::string object(1, static_cast<char>('a' + k));
                      call += k == 0 ? "" : ", ";
                      call += argument->isPointer() ? "&" + object + "->s" + kLaneDigits[i] : lane(object, argument, i);
                    }
                    return isTest(name) ? std::string("(") + cppName(elementOf(result)) + ")-" + call + ")" : call + ")";
                  }) +
           "};";
  });
}

// any, all: of the lanes' sign bits.
std::string Prelude::reduced(const std::string& name, const Type* operand) {
  return define("mrt_" + name + "_" + idOf(operand), "int", type(operand) + " a", [&] {
    std::string text = "return (";
    for (uint32_t i = 0; i < operand->lanes(); ++i) {
      text += (i == 0 ? "" : name == "any" ? " | " : " & ") + lane("a", operand, i);
    }
    return text + ") < 0;";
  });
}

std::string Prelude::shuffled(const Type* result, const std::vector<QualType>& arguments) {
  const Type* from = arguments[0].type;
  const Type* mask = arguments.back().type;
  const bool two = arguments.size() == 3;
  const std::string own = "mrt_shuffle_" + idOf(from) + (two ? "_" + idOf(from) : "") + "_" + idOf(mask);
  const std::string parameters = type(from) + " a, " + (two ? type(from) + " b, " : "") + type(mask) + " m";
  return define(own, type(result), parameters, [&] {
    const auto lanes = [&](const std::string& object) {
      return listed(from->count, [&](uint32_t i) { return lane(object, from, i); });
    };
    const uint32_t count = from->count * (two ? 2 : 1);
    return std::string(cppName(from->scalar)) + " v[] = {" + lanes("a") + (two ? ", " + lanes("b") : "") + "}; return {" +
           listed(mask->count,
                  [&](uint32_t i) { return "v[" + lane("m", mask, i) + " & " + std::to_string(count - 1) + "]"; }) +
           "};";
  });
}

std::string Prelude::builtin(const Builtin& builtin, QualType result, const std::vector<QualType>& arguments) {
  const std::string& name = builtin.name;
  if (builtin.kind == BuiltinKind::kFence) return libraryFunction(name, {Scalar::kInt});
  if (builtin.kind == BuiltinKind::kPrint) return printed(arguments);
  if (builtin.kind == BuiltinKind::kAtomic) return atomic(name, elementOf(pointeeOf(arguments[0])));
  if (name == "convert_") return converted(builtin, arguments[0].type);
  if (name == "as_") return reinterpreted(builtin.target, arguments[0].type);
  if (name == "prefetch") return prefetched(pointeeOf(arguments[0]));
  if (name.compare(0, 5, "vload") == 0) return loaded(builtin, result.type, pointeeOf(arguments[1]));
  if (name.compare(0, 6, "vstore") == 0) return stored(builtin, arguments[0].type, pointeeOf(arguments[2]));
  if (name.compare(0, 7, "shuffle") == 0) return shuffled(result.type, arguments);
  if (name == "any" || name == "all") return reduced(name, arguments[0].type);
  const Scalar scalar = elementOf(arguments[0].type);
  const uint32_t lanes = arguments[0]->lanes();
  const LibraryFunction* function = findLibraryFunction(name, scalar, lanes, dialect_ == Dialect::kCuda);
  if (function != nullptr && function->lanes != 0) return libraryFunction(name, {scalar, lanes});
  return laneByLane(name, result.type, arguments);
}

}  // namespace manyrt::compiler
