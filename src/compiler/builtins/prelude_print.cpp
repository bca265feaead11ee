// printf. Each call becomes a function that knows the types of its arguments. It passes them to the printer of library/print.h,
// which reads the format at run time. Vectors print component by component.
#include "compiler/builtins/library.h"
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

bool isText(const Type* pointee) { return pointee->kind == TypeKind::kScalar && pointee->scalar == Scalar::kChar; }

}  // namespace

std::string Prelude::printed(const std::vector<QualType>& arguments) {
  std::string own = "mrt_printf";
  std::string parameters = "const void* f";
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Type* argument = arguments[i].type;
    const bool pointer = argument->isPointer();
    own += "_" + (!pointer ? idOf(argument) : isText(pointeeOf(arguments[i])) ? "text" : "p");
    parameters += ", " + (pointer ? std::string("const volatile void*") : type(argument)) + " a" + std::to_string(i);
  }
  if (first("mrt_out")) text_ += libraryBody("print.h");
  // Reals go to the printer as double, and integers as long with their size: it has one function for each kind.
  if (!first(own)) return own;
  text_ += "mrt_print_fn int " + own + "(" + parameters + ") { mrt_out o; o.at = (const char*)f; o.used = 0; o.failed = false;";
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Type* argument = arguments[i].type;
    const std::string name = "a" + std::to_string(i);
    if (argument->isPointer()) {
      text_ += " mrt_print_pointer(o, " + name + (isText(pointeeOf(arguments[i])) ? ", true);" : ", false);");
      continue;
    }
    const bool real = isFloat(elementOf(argument));
    const std::string element = real ? "double" : "long";
    const bool is_half = elementOf(argument) == Scalar::kHalf;
    const std::string widen = is_half ? halfToFloat() + "(" : "", close = is_half ? ")" : "";
    text_ += " { const " + element + " v[] = {" +
             listed(argument->components(),
                    [&](uint32_t k) { return "(" + element + ")" + widen + component(name, argument, k) + close; }) +
             "}; mrt_print_" + (real ? "reals" : "integers") + "(o, v, " + std::to_string(argument->components());
    text_ += (real ? "" : ", " + std::to_string(scalarSize(elementOf(argument)))) + "); }";
  }
  text_ += " return mrt_print_end(o); }\n";
  return own;
}

}  // namespace manyrt::compiler
