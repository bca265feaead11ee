// Calls: helpers of the program, and functions of the language. Loads and stores of vectors, reinterpretations, ids and
// barriers become operations of the IR; all other functions stay calls with their OpenCL types beside them.
#include <algorithm>
#include <utility>

#include "compiler/ir/from_tree/tree_reader.h"

namespace manyrt::compiler::ir {
namespace {

// As a program writes it: "convert_uchar4_sat_rte", "vstore_half4".
std::string writtenName(const Builtin& builtin) {
  std::string name = builtin.name;
  if (builtin.target != nullptr) name += spell(QualType{builtin.target});
  if (builtin.components > 1) name += std::to_string(builtin.components);
  if (builtin.saturate) name += "_sat";
  if (builtin.rounding != 0) name += std::string("_rt") + builtin.rounding;
  return name;
}

}  // namespace

Value* TreeReader::call(const Expr& e) {
  const auto callee = functions_.find(e.function);
  if (callee == functions_.end()) {
    refuse(e.where, "a call of a function without a body");
    return out().constant({Kind::kI32}, 0);
  }
  std::vector<Value*> arguments;
  Object* room = nullptr;
  if (e.type->isRecord()) {
    room = temporary(out(), e.type.unqualified());
    arguments.push_back(out().address(room));
  }
  for (const Expr* argument : e.arguments) {
    Value* made = value(*argument);
    if (argument->type->isRecord()) made = stored(made, argument->type).address;  // the callee may change its copy
    arguments.push_back(made);
  }
  Instruction* made = out().add(Opcode::kCall, arguments, callee->second->result);
  made->callee = callee->second;
  return room != nullptr ? arguments[0] : made->result();
}

Value* TreeReader::generalBuiltin(const Expr& e, std::vector<Value*> arguments, std::vector<QualType> types) {
  const Type result = e.type->isVoid() ? Type{} : valueType(e.type.type);
  const Opcode op = e.builtin->kind == BuiltinKind::kSubGroup ? Opcode::kSubGroup : Opcode::kBuiltin;
  Instruction* made = out().add(op, std::move(arguments), result);
  Signature& signature = made->signature;
  signature.builtin = e.builtin;
  signature.result = e.type.unqualified();
  signature.text = spell(signature.result) + " " + writtenName(*e.builtin) + "(";
  for (const QualType& type : types) signature.text += (&type == types.data() ? "" : ", ") + spell(type.unqualified());
  signature.text += ")";
  signature.parameters = std::move(types);
  return made->result();
}

// vloadN, vstoreN, and their like for halves. Programs give vloada and vstorea what has the alignment of an element alone, and
// drivers take it.
Value* TreeReader::vectorMemory(const Expr& e, bool is_store) {
  const std::string& name = e.builtin->name;
  const bool half = name.find("_half") != std::string::npos, aligned = name.starts_with(is_store ? "vstorea" : "vloada");
  const Expr& pointer = *e.arguments[is_store ? 2 : 1];
  const uint32_t count = std::max<uint32_t>(e.builtin->components, 1);
  const Type element = valueType(pointer.type->inner.type);
  const Type type{half ? Kind::kF16 : element.kind, static_cast<uint8_t>(count)};
  const uint64_t size = bytesOf(type.kind), room = (aligned && count == 3 ? 4 : count) * size;
  Value* data = is_store ? value(*e.arguments[0]) : nullptr;
  Value* offset = value(*e.arguments[is_store ? 1 : 0]);
  Value* base = value(pointer);
  Value* address = out().offset(base, out().binary(Opcode::kMul, offset, out().constant(offset->type, room)));
  const uint32_t alignment = static_cast<uint32_t>(size);
  if (!is_store) {
    Value* made = out().load(address, type, alignment, pointer.type->inner.is_volatile);
    return half ? out().unary(Opcode::kFPExt, made, valueType(e.type.type)) : made;
  }
  const bool nearest = name.find("_rt") == std::string::npos && (e.builtin->rounding == 0 || e.builtin->rounding == 'e');
  if (!half || nearest) {
    if (half) data = out().unary(Opcode::kFPTrunc, data, type);
    out().store(data, address, alignment, pointer.type->inner.is_volatile);
    return nullptr;
  }
  // Another rounding is the function's own: into a slot, and from there to its place.
  Object* slot = out().slot("", room, alignment);
  Value* at = out().address(slot);
  std::vector<QualType> types;
  for (const Expr* argument : e.arguments) types.push_back(argument->type);
  QualType inner = pointer.type->inner;
  inner.space = AddressSpace::kPrivate;
  types[2] = QualType{program_.types.pointer(inner)};
  generalBuiltin(e, {data, out().constant(offset->type, 0), at}, types);
  out().copy(address, at, count * size);
  return nullptr;
}

Value* TreeReader::memoryBuiltin(const Expr& e) {
  const std::string& name = e.builtin->name;
  if (name == "prefetch") {
    for (const Expr* argument : e.arguments) value(*argument);
    return nullptr;
  }
  if (name.starts_with("vload")) return vectorMemory(e, false);
  if (name.starts_with("vstore")) return vectorMemory(e, true);
  std::vector<Value*> arguments;
  std::vector<QualType> types;
  for (const Expr* argument : e.arguments) {
    arguments.push_back(value(*argument));
    types.push_back(argument->type);
  }
  return generalBuiltin(e, std::move(arguments), std::move(types));
}

// One call of each, so that no result goes through a pointer: lanes have forms for both.
Value* TreeReader::sineAndCosine(const Expr& e) {
  Value* angle = value(*e.arguments[0]);
  Value* to = value(*e.arguments[1]);
  const QualType type = e.arguments[0]->type;
  const auto call = [&](const char* name) {
    Expr one = e;
    one.builtin = program_.builtins->find(name);
    return generalBuiltin(one, {angle}, {type});
  };
  Value* cosine = call("cos");
  const QualType& inner = e.arguments[1]->type->inner;
  out().store(cosine, to, static_cast<uint32_t>(bytesOf(cosine->type.kind)), inner.is_volatile);
  return call("sin");
}

Value* TreeReader::builtinCall(const Expr& e) {
  const Builtin& builtin = *e.builtin;
  if (builtin.name == "sincos" && program_.builtins != nullptr) return sineAndCosine(e);
  switch (builtin.kind) {
    case BuiltinKind::kWorkItem: {
      std::vector<Value*> dimension;
      if (!e.arguments.empty()) dimension.push_back(value(*e.arguments[0]));
      Instruction* made = out().add(Opcode::kWorkItem, dimension, valueType(e.type.type));
      made->work_item = builtin.work_item == WorkItem::kEnqueuedLocalSize ? WorkItem::kLocalSize : builtin.work_item;
      return made->result();
    }
    case BuiltinKind::kBarrier:
    case BuiltinKind::kFence:
      for (const Expr* argument : e.arguments) value(*argument);
      out().add(builtin.kind == BuiltinKind::kBarrier ? Opcode::kBarrier : Opcode::kFence, {});
      return nullptr;
    case BuiltinKind::kSubGroup:
      return subGroupBuiltin(e);
    case BuiltinKind::kPure: {
      const bool bits =
          builtin.name == "as_" && bitsOf(valueType(e.type.type).kind) * e.type->components() ==
                                       bitsOf(valueType(e.arguments[0]->type.type).kind) * e.arguments[0]->type->components();
      if (!bits) return memoryBuiltin(e);
      Value* made = value(*e.arguments[0]);
      const Type type = valueType(e.type.type);
      return made->type == type ? made : out().unary(Opcode::kBitcast, made, type);
    }
    default:
      return memoryBuiltin(e);
  }
}

}  // namespace manyrt::compiler::ir
