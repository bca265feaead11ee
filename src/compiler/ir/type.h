// The types of values in the IR. Integers have no sign: operations have. A pointer is an address in bytes and knows its address
// space, not what it points to: loads and stores say that. Records and arrays are memory, never values. A value that differs
// between the work-items of a vector has lanes: one value of its type for each of them.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/parser/type.h"

namespace manyrt::compiler::ir {

enum class Kind : uint8_t { kVoid, kBool, kI8, kI16, kI32, kI64, kF16, kF32, kF64, kPointer };

inline constexpr uint32_t kMaxComponents = 16;
inline constexpr uint32_t kMaxLanes = 64;

struct Type {
  Kind kind = Kind::kVoid;
  uint8_t components = 1;                       // 2, 3, 4, 8, 16: a vector
  AddressSpace space = AddressSpace::kPrivate;  // kPointer
  uint8_t lanes = 1;                            // a power of two; 1: the same for all items

  bool operator==(const Type&) const = default;
  bool isVoid() const { return kind == Kind::kVoid; }
  bool isBool() const { return kind == Kind::kBool; }
  bool isInteger() const { return kind >= Kind::kI8 && kind <= Kind::kI64; }
  bool isFloating() const { return kind >= Kind::kF16 && kind <= Kind::kF64; }
  bool isPointer() const { return kind == Kind::kPointer; }
  bool isVector() const { return components > 1; }
  bool hasLanes() const { return lanes > 1; }
  Type element() const { return {kind, 1, space, lanes}; }
  Type with(Kind other) const { return {other, components, AddressSpace::kPrivate, lanes}; }
  Type with(uint8_t count) const { return {kind, components, space, count}; }  // lanes
  Type plain() const { return with(uint8_t{1}); }
  static Type pointer(AddressSpace space) { return {Kind::kPointer, 1, space}; }
};

uint32_t bitsOf(Kind kind);                  // of a component: 1 of kBool, 64 of a pointer
uint32_t bytesOf(Kind kind);                 // the same in memory; 0 of kVoid and kBool, which no memory holds
uint64_t bytesOf(Type type);                 // in memory, of a lane; three components take the room of four
uint64_t packedBytesOf(Type type);           // the same without the room of a fourth one
uint64_t maskOf(Kind kind);                  // the bits that a component has
Kind integerOf(uint32_t bytes);              // kI8 to kI64
const char* spell(Kind kind);                // "i32"
std::string spell(Type type);                // "f32x4", "global*", with 16 lanes "f32x4@16"
const char* spellSpace(AddressSpace space);  // "global"

}  // namespace manyrt::compiler::ir
