// Functions of a sub-group. Where an item stands, and what bits of a ballot say, is arithmetic on its id; the others are one
// operation each, at which the items of the sub-group meet.
#include <utility>

#include "compiler/ir/from_tree/tree_reader.h"
#include "compiler/unit.h"

namespace manyrt::compiler::ir {

// Sub-groups are neighbours in the order of the local linear id.
Value* TreeReader::subGroupPlace(const std::string& name) {
  const Type number{Kind::kI32}, wide{Kind::kI64};
  Value* whole = out().constant(number, kSubGroupItems);
  if (name == "get_max_sub_group_size") return whole;
  Value* items = nullptr;
  for (uint64_t d = 0; d < 3; ++d) {
    Instruction* size = out().add(Opcode::kWorkItem, {out().constant(number, d)}, wide);
    size->work_item = WorkItem::kLocalSize;
    items = items == nullptr ? size->result() : out().binary(Opcode::kMul, items, size->result());
  }
  items = out().resize(items, Kind::kI32, false);
  if (name.ends_with("num_sub_groups")) {
    Value* rounded = out().binary(Opcode::kAdd, items, out().constant(number, kSubGroupItems - 1));
    return out().binary(Opcode::kUDiv, rounded, whole);
  }
  Instruction* id = out().add(Opcode::kWorkItem, {}, wide);
  id->work_item = WorkItem::kLocalLinearId;
  Value* index = out().resize(id->result(), Kind::kI32, false);
  if (name == "get_sub_group_local_id") return out().binary(Opcode::kURem, index, whole);
  Value* own = out().binary(Opcode::kUDiv, index, whole);
  if (name == "get_sub_group_id") return own;
  Value* left = out().binary(Opcode::kSub, items, out().binary(Opcode::kMul, own, whole));  // get_sub_group_size
  return out().select(out().compare(Opcode::kULt, left, whole), left, whole);
}

// Bits of a ballot: those of its first component. Null: the function is another one.
Value* TreeReader::ofBallot(const Expr& e) {
  const std::string& name = e.builtin->name;
  const Type number{Kind::kI32};
  if (name == "sub_group_ballot" || name.find("ballot") == std::string::npos) return nullptr;
  Value* bits = out().extract(value(*e.arguments[0]), 0);
  Value* one = out().constant(number, 1);
  const auto own = [&] { return subGroupPlace("get_sub_group_local_id"); };
  const auto bitAt = [&](Value* at) { return out().binary(Opcode::kAnd, out().binary(Opcode::kLShr, bits, at), one); };
  const auto called = [&](const char* function, Value* argument) {
    Expr call = e;
    call.builtin = program_.builtins->find(function);
    call.type = QualType{program_.types.scalar(Scalar::kUInt)};
    return generalBuiltin(call, {argument}, {call.type});
  };
  if (name == "sub_group_inverse_ballot") return bitAt(own());
  if (name == "sub_group_ballot_bit_extract")
    return bitAt(out().binary(Opcode::kAnd, value(*e.arguments[1]), out().constant(number, 31)));
  if (name == "sub_group_ballot_bit_count") return called("popcount", bits);
  if (name.ends_with("_scan")) {  // those before the item, and itself
    const bool also = name.find("inclusive") != std::string::npos;
    Value* end = out().binary(Opcode::kShl, also ? out().constant(number, 2) : one, own());
    return called("popcount", out().binary(Opcode::kAnd, bits, out().binary(Opcode::kSub, end, one)));
  }
  if (name.ends_with("_lsb")) bits = out().binary(Opcode::kAnd, bits, out().negative(bits));
  return out().binary(Opcode::kSub, out().constant(number, 31), called("clz", bits));
}

Value* TreeReader::subGroupBuiltin(const Expr& e) {
  if (e.builtin->name.starts_with("get_")) return subGroupPlace(e.builtin->name);
  if (Value* made = ofBallot(e); made != nullptr) return made;
  std::vector<Value*> arguments;
  std::vector<QualType> types;
  for (const Expr* argument : e.arguments) {
    arguments.push_back(value(*argument));
    types.push_back(argument->type);
  }
  return generalBuiltin(e, std::move(arguments), std::move(types));
}

}  // namespace manyrt::compiler::ir
