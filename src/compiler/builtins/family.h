// Shared by the two files that resolve calls of built-in functions. overload.cpp chooses among the prototypes of the table;
// family.cpp has the functions whose types no prototype can express.
#pragma once

#include <string>
#include <vector>

#include "compiler/builtins/builtins.h"

namespace manyrt::compiler {

// Sets of scalar types, as bits.
inline constexpr uint32_t bit(Scalar scalar) { return 1u << static_cast<uint32_t>(scalar); }
inline constexpr uint32_t kHalves = bit(Scalar::kHalf);
inline constexpr uint32_t kFloats = bit(Scalar::kFloat) | bit(Scalar::kDouble);
inline constexpr uint32_t kReals = kHalves | kFloats;  // half: only where a program has enabled cl_khr_fp16
inline constexpr uint32_t k32Bits = bit(Scalar::kInt) | bit(Scalar::kUInt);
inline constexpr uint32_t k64Bits = bit(Scalar::kLong) | bit(Scalar::kULong);
inline constexpr uint32_t kNarrow = bit(Scalar::kChar) | bit(Scalar::kUChar) | bit(Scalar::kShort) | bit(Scalar::kUShort);
inline constexpr uint32_t kIntegers = kNarrow | k32Bits | k64Bits;
inline constexpr uint32_t kSigned = bit(Scalar::kChar) | bit(Scalar::kShort) | bit(Scalar::kInt) | bit(Scalar::kLong);
inline constexpr uint32_t kComponentCounts[] = {1, 2, 3, 4, 8, 16};

// The integer of a scalar's size.
Scalar withSign(Scalar scalar, bool is_signed);
inline Scalar scalarOf(const Type& type) { return type.kind == TypeKind::kEnum ? Scalar::kInt : type.scalar; }

// With commas between, for messages: "(int4, float)".
void appendListed(std::string* text, const std::string& part);
std::string spellAll(const std::vector<QualType>& types);

// convert_, as_, shuffle, shuffle2, printf.
bool resolveFamily(QualType* result, std::vector<QualType>* parameters, std::string* why, const Builtin& builtin,
                   const std::vector<QualType>& arguments, TypeTable& types);
void familyForms(std::vector<BuiltinForm>* forms, const Builtin& builtin, uint32_t numbers, const TypeTable& types);

}  // namespace manyrt::compiler
