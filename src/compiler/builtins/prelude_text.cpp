// Names and limits of scalars as C++ text; see prelude_text.h. Sizes are those of LP64 systems: long has 64 bits.
#include "compiler/builtins/prelude_text.h"

#include <algorithm>

namespace manyrt::compiler::prelude {

const char* cppName(Scalar scalar) {
  switch (scalar) {
    case Scalar::kBool:
      return "bool";
    case Scalar::kChar:
      return "signed char";
    case Scalar::kUChar:
      return "unsigned char";
    case Scalar::kShort:
      return "short";
    case Scalar::kUShort:
      return "unsigned short";
    case Scalar::kInt:
      return "int";
    case Scalar::kUInt:
      return "unsigned int";
    case Scalar::kLong:
      return "long";
    case Scalar::kULong:
      return "unsigned long";
    case Scalar::kHalf:
      return "mrt_half";
    case Scalar::kFloat:
      return "float";
    case Scalar::kDouble:
      break;
  }
  return "double";
}

std::string idOf(const Type* type) {
  switch (type->kind) {
    case TypeKind::kScalar:
      return scalarName(type->scalar);
    case TypeKind::kVector:
      return scalarName(type->scalar) + std::to_string(type->count);
    case TypeKind::kEnum:
      return "int";
    case TypeKind::kPointer:
    case TypeKind::kArray:
      return "p" + idOf(type->inner.type);
    case TypeKind::kEvent:
      return "event";
    default:
      return "";
  }
}

Scalar elementOf(const Type* type) { return type->kind == TypeKind::kEnum ? Scalar::kInt : type->scalar; }

const Type* pointeeOf(QualType type) { return type->inner.type; }

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
  return text;
}

std::string component(const std::string& object, const Type* type, uint32_t i) {
  return type->isVector() ? object + ".s" + kComponentDigits[std::min(i, type->count - 1)] : object;
}

uint32_t bitsOf(Scalar scalar) { return 8 * scalarSize(scalar); }

bool isFloat(Scalar scalar) { return scalar >= Scalar::kHalf; }

bool isSignedInteger(Scalar scalar) {
  return scalar == Scalar::kChar || scalar == Scalar::kShort || scalar == Scalar::kInt || scalar == Scalar::kLong;
}

Scalar unsignedOf(Scalar scalar) {
  switch (scalarSize(scalar)) {
    case 1:
      return Scalar::kUChar;
    case 2:
      return Scalar::kUShort;
    case 4:
      return Scalar::kUInt;
    default:
      return Scalar::kULong;
  }
}

Scalar signedOf(Scalar scalar) { return static_cast<Scalar>(static_cast<uint8_t>(unsignedOf(scalar)) - 1); }

const char* promotedUnsigned(Scalar scalar) { return scalarSize(scalar) == 8 ? "unsigned long" : "unsigned int"; }

const char* wideName(Scalar scalar, bool is_signed) {
  switch (scalarSize(scalar)) {
    case 1:
      return is_signed ? "short" : "unsigned short";
    case 2:
      return is_signed ? "int" : "unsigned int";
    case 4:
      return is_signed ? "long" : "unsigned long";
    default:
      return is_signed ? "__int128" : "unsigned __int128";
  }
}

std::string smallest(Scalar scalar) {
  switch (scalar) {
    case Scalar::kChar:
      return "(-128)";
    case Scalar::kShort:
      return "(-32768)";
    case Scalar::kInt:
      return "(-2147483647 - 1)";
    case Scalar::kLong:
      return "(-9223372036854775807l - 1)";
    case Scalar::kFloat:
      return "0x1p-126f";
    case Scalar::kDouble:
      return "0x1p-1022";
    default:
      return "0";
  }
}

std::string largest(Scalar scalar) {
  switch (scalar) {
    case Scalar::kBool:
      return "1";
    case Scalar::kChar:
      return "127";
    case Scalar::kUChar:
      return "255";
    case Scalar::kShort:
      return "32767";
    case Scalar::kUShort:
      return "65535";
    case Scalar::kInt:
      return "2147483647";
    case Scalar::kUInt:
      return "4294967295u";
    case Scalar::kLong:
      return "9223372036854775807l";
    case Scalar::kULong:
      return "18446744073709551615ul";
    case Scalar::kHalf:
      return "65504";
    case Scalar::kFloat:
      return "0x1.fffffep127f";
    case Scalar::kDouble:
      break;
  }
  return "0x1.fffffffffffffp1023";
}

}  // namespace manyrt::compiler::prelude
