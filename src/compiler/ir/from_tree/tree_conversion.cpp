// Conversions between the types of the tree, each one or two operations. Integers and halves meet by way of float, as the
// language's half does.
#include "compiler/ir/from_tree/tree_reader.h"

namespace manyrt::compiler::ir {

Value* TreeReader::isNotZero(Value* value) {
  const Type type = value->type;
  if (type.isBool()) return value;
  if (type.isFloating()) return out().compare(Opcode::kFNe, value, out().real(type, 0));
  return out().compare(Opcode::kNe, value, out().constant(type, 0));
}

Value* TreeReader::convertedScalar(Value* value, Tree from, Tree to) {
  const Type target = valueType(to);
  if (value->type == target) return value;  // of integers a change of sign, of pointers one of what they point to
  if (target.isBool()) return isNotZero(value);
  if (value->type.isPointer()) {
    if (target.isPointer()) return out().unary(Opcode::kIntToPtr, out().unary(Opcode::kPtrToInt, value, {Kind::kI64}), target);
    return out().resize(out().unary(Opcode::kPtrToInt, value, {Kind::kI64}), target.kind, false);
  }
  if (target.isPointer()) {
    return out().unary(Opcode::kIntToPtr, out().resize(value, Kind::kI64, isSigned(from)), target);
  }
  const Type source = value->type;
  if (!source.isFloating() && !target.isFloating()) return out().resize(value, target.kind, !source.isBool() && isSigned(from));
  if (source.isFloating() && target.isFloating()) {
    const bool narrow = bitsOf(target.kind) < bitsOf(source.kind);
    return out().unary(narrow ? Opcode::kFPTrunc : Opcode::kFPExt, value, target);
  }
  const Type single{Kind::kF32};
  if (source.isFloating()) {
    if (source.kind == Kind::kF16) value = out().unary(Opcode::kFPExt, value, single);
    return out().unary(isSigned(to) ? Opcode::kFPToSI : Opcode::kFPToUI, value, target);
  }
  if (source.isBool()) value = out().resize(value, Kind::kI32, false);
  const Opcode op = source.isBool() || isSigned(from) ? Opcode::kSIToFP : Opcode::kUIToFP;
  if (target.kind == Kind::kF16) return out().unary(Opcode::kFPTrunc, out().unary(op, value, single), target);
  return out().unary(op, value, target);
}

Value* TreeReader::converted(Value* value, Tree from, Tree to) {
  if (to->isVoid() || value == nullptr) return nullptr;
  if (from == to || isMemory(to)) return value;
  if (to->isVector()) {
    if (from->isVector()) return value;  // its own type: others take a function of the language
    return out().splat(convertedScalar(value, from, to->element), static_cast<uint8_t>(to->components()));
  }
  return convertedScalar(value, from, to);
}

}  // namespace manyrt::compiler::ir
