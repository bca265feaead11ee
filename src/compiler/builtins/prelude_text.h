// Small pieces of text that the files of the prelude share: names of scalars and components in C++ and in identifiers. Also
// what belongs to a scalar: its unsigned type, its wider type, its limits.
#pragma once

#include <string>

#include "compiler/parser/type.h"

namespace manyrt::compiler::prelude {

inline constexpr char kComponentDigits[] = "0123456789ABCDEF";

const char* cppName(Scalar scalar);    // "unsigned char"
std::string idOf(const Type* type);    // of names: "uchar4", "pfloat"; pointers to records are "p"
Scalar elementOf(const Type* type);    // of vectors and scalars; enums are int
const Type* pointeeOf(QualType type);  // of a pointer or an array

// Component i of a vector, or the scalar itself. For three components, .hi and .odd have a fourth, whose value is not
// specified: the last.
std::string component(const std::string& object, const Type* type, uint32_t i);

std::string replaced(std::string text, const std::string& word, const std::string& by);  // everywhere

uint32_t bitsOf(Scalar scalar);
bool isFloat(Scalar scalar);
bool isSignedInteger(Scalar scalar);
Scalar signedOf(Scalar scalar);  // the integer of the same size; of floating types too
Scalar unsignedOf(Scalar scalar);
const char* promotedUnsigned(Scalar scalar);  // what C++ can compute in without overflow: "unsigned int", "unsigned long"
const char* wideName(Scalar scalar, bool is_signed);  // of an integer: twice as wide
std::string smallest(Scalar scalar);  // of an integer: its lowest value; of floating types the smallest normal one
std::string largest(Scalar scalar);

// f(0), f(1), ... with commas between.
template <typename Function>
std::string listed(uint32_t count, Function f) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + f(i);
  return text;
}

// "return {...};" of f(0), f(1), ... for a vector, "return ...;" for a scalar.
template <typename Function>
std::string returned(const Type* type, Function f) {
  return type->isVector() ? "return {" + listed(type->count, f) + "};" : "return " + f(0) + ";";
}

}  // namespace manyrt::compiler::prelude
