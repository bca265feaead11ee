// Sizes and names of the IR's types, in memory and as components of a value.
#include "compiler/ir/type.h"

namespace manyrt::compiler::ir {

uint32_t bitsOf(Kind kind) {
  switch (kind) {
    case Kind::kVoid:
      return 0;
    case Kind::kBool:
      return 1;
    case Kind::kI8:
      return 8;
    case Kind::kI16:
    case Kind::kF16:
      return 16;
    case Kind::kI32:
    case Kind::kF32:
      return 32;
    case Kind::kI64:
    case Kind::kF64:
    case Kind::kPointer:
      return 64;
  }
  return 0;
}

uint32_t bytesOf(Kind kind) { return bitsOf(kind) / 8; }

uint64_t bytesOf(Type type) { return uint64_t{bytesOf(type.kind)} * (type.components == 3 ? 4 : type.components); }

uint64_t packedBytesOf(Type type) { return uint64_t{bytesOf(type.kind)} * type.components; }

uint64_t maskOf(Kind kind) {
  const uint32_t bits = bitsOf(kind);
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

Kind integerOf(uint32_t bytes) {
  return bytes == 1 ? Kind::kI8 : bytes == 2 ? Kind::kI16 : bytes == 4 ? Kind::kI32 : Kind::kI64;
}

const char* spell(Kind kind) {
  static constexpr const char* kNames[] = {"void", "bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "pointer"};
  return kNames[static_cast<size_t>(kind)];
}

const char* spellSpace(AddressSpace space) {
  static constexpr const char* kNames[] = {"private", "global", "constant", "local"};
  return kNames[static_cast<size_t>(space)];
}

std::string spell(Type type) {
  std::string text = type.isPointer() ? spellSpace(type.space) + std::string("*") : spell(type.kind);
  if (type.isVector()) text += "x" + std::to_string(type.components);
  if (type.hasLanes()) text += "@" + std::to_string(type.lanes);
  return text;
}

}  // namespace manyrt::compiler::ir
