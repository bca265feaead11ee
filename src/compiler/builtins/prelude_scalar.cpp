// The built-in functions of one lane: finds a function's body in prelude_table.h and writes it for a type, with what it uses
// before it. Vectors call these lane by lane.
#include <cstring>

#include "compiler/builtins/cuda_table.h"
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_table.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

bool isOf(char types, Scalar scalar) {
  const bool real = isFloat(scalar);
  const bool is_signed = isSignedInteger(scalar);
  const bool wide = scalarSize(scalar) == 8;
  switch (types) {
    case 'A':
      return true;
    case 'F':
      return real;
    case 'f':
      return scalar == Scalar::kFloat;
    case 'd':
      return scalar == Scalar::kDouble;
    case 'I':
      return !real;
    case 'S':
      return is_signed;
    case 's':
      return is_signed && !wide;
    case 'l':
      return is_signed && wide;
    case 'U':
      return !real && !is_signed;
    case 'm':
      return !real && !is_signed && wide;
    default:
      return false;
  }
}

template <size_t kCount>
const LaneRow* findLaneRow(const LaneRow (&rows)[kCount], std::string_view name, Scalar scalar) {
  for (const LaneRow& row : rows) {
    if (name == row.name && isOf(row.types, scalar)) return &row;
  }
  return nullptr;
}

std::string_view withoutAlias(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (name == alias.name) return alias.of;
  }
  return name;
}

template <size_t kCount>
bool contains(const char* const (&names)[kCount], std::string_view name) {
  for (const char* known : names) {
    if (name == known) return true;
  }
  return false;
}

std::string signatureType(char letter, Scalar scalar) {
  switch (letter) {
    case 'i':
      return cppName(signedOf(scalar));
    case 'u':
      return cppName(unsignedOf(scalar));
    case 'k':
      return "int";
    case 'w':
      return wideName(scalar, isSignedInteger(scalar));
    default:
      return cppName(scalar);
  }
}

std::string parameterList(const char* signature, Scalar scalar) {
  std::string text;
  char name = 'a';
  for (const char* at = signature + 1; *at != 0; ++at) {
    const bool pointer = *at == 'P';
    if (pointer) ++at;
    text += (name == 'a' ? "" : ", ") + signatureType(*at, scalar) + (pointer ? "* " : " ") + name;
    ++name;
  }
  return text;
}

// The value of a word behind a dollar sign; its length goes into `length`.
std::string wordValue(std::string_view word, Scalar scalar, size_t* length) {
  *length = 3;
  if (word.substr(0, 3) == "max") return largest(scalar);
  if (word.substr(0, 3) == "min") return smallest(scalar);
  *length = 1;
  switch (word[0]) {
    case 'T':
      return cppName(scalar);
    case 'I':
      return cppName(signedOf(scalar));
    case 'U':
      return cppName(unsignedOf(scalar));
    case 'W':
      return wideName(scalar, isSignedInteger(scalar));
    case 'V':
      return wideName(scalar, false);
    case 'P':
      return promotedUnsigned(scalar);
    case 'f':
      return scalar == Scalar::kFloat ? "f" : "";
    case 'b':
      return std::to_string(bitsOf(scalar));
    default:
      return std::to_string(bitsOf(scalar) - 1);
  }
}

}  // namespace

std::string Prelude::expand(std::string_view body, Scalar scalar) {
  std::string text;
  while (!body.empty()) {
    const size_t plain = body.find_first_of("$@");
    text += body.substr(0, plain);
    if (plain == std::string_view::npos) break;
    const bool call = body[plain] == '@';
    body.remove_prefix(plain + 1);
    if (call) {
      std::string_view name = body.substr(0, body.find('('));
      body.remove_prefix(name.size());
      const size_t colon = name.find(':');
      text += scalarFunction(name.substr(0, colon), colon == std::string_view::npos ? scalar : Scalar::kDouble);
    } else {
      size_t length = 0;
      text += wordValue(body, scalar, &length);
      body.remove_prefix(length);
    }
  }
  return text;
}

std::string Prelude::scalarFunction(std::string_view asked, Scalar scalar) {
  const LaneRow* cuda = dialect_ == Dialect::kCuda ? findLaneRow(kCudaRows, asked, scalar) : nullptr;
  if (cuda == nullptr && dialect_ == Dialect::kCuda) cuda = findLaneRow(kCudaRows, withoutAlias(asked), scalar);
  if (cuda != nullptr) {
    return define("mrt_" + std::string(cuda->name) + "_" + scalarName(scalar), signatureType(cuda->signature[0], scalar),
                  parameterList(cuda->signature, scalar), [&] { return expand(cuda->body, scalar); });
  }
  const std::string_view name = withoutAlias(asked);
  if (name == "fused") return multiplyAddLane(scalar);
  const std::string type = cppName(scalar);
  std::string own = "mrt_" + std::string(name) + "_" + scalarName(scalar);
  const std::string libm = "return __builtin_" + std::string(name) + (scalar == Scalar::kFloat ? "f" : "");
  if (contains(kLibm1, name)) return define(own, type, type + " a", [&] { return libm + "(a);"; });
  if (contains(kLibm2, name)) return define(own, type, type + " a, " + type + " b", [&] { return libm + "(a, b);"; });
  const LaneRow* row = findLaneRow(kLaneRows, name, scalar);
  if (row == nullptr) return own;
  if (name == "lgamma_r" && first("mrt_libm_lgamma_" + type)) {  // reentrant: lgamma itself writes a variable of libm's
    const std::string suffix = scalar == Scalar::kFloat ? "f" : "";
    text_ +=
        "extern \"C\" " + type + " mrt_libm_lgamma" + suffix + "(" + type + ", int*) __asm__(\"lgamma" + suffix + "_r\");\n";
  }
  return define(own, signatureType(row->signature[0], scalar), parameterList(row->signature, scalar),
                [&] { return expand(row->body, scalar); });
}

}  // namespace manyrt::compiler
