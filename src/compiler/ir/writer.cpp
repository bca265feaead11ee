// Instructions as a builder asks for them: operands, attributes and the type of the result.
#include "compiler/ir/writer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/parser/half.h"

namespace manyrt::compiler::ir {

namespace {

// The type of an operation's result: it has lanes where one of the operands has them.
Type lanesOf(Type result, std::initializer_list<const Value*> operands) {
  for (const Value* each : operands) result.lanes = std::max(result.lanes, each->type.lanes);
  return result;
}

}  // namespace

Instruction* Writer::add(Opcode op, std::vector<Value*> operands, Type result) {
  Instruction* made = module_.makeInstruction(op);
  Region& into = reached() ? *region_ : dropped_;
  made->where = where;
  made->operands = std::move(operands);
  made->parent = region_;
  if (!result.isVoid()) module_.makeValue(function_, result, made);
  into.body.push_back(made);
  if (&into == &dropped_) dropped_.body.clear();
  return made;
}

void Writer::end(Opcode op, std::vector<Value*> operands) { add(op, std::move(operands)); }

Region* Writer::enter(Instruction* owner) {
  region_ = module_.makeRegion(owner);
  return region_;
}

Value* Writer::constant(Type type, uint64_t bits) {
  Instruction* made = add(Opcode::kConstant, {}, type);
  made->numbers.assign(type.components, bits & maskOf(type.kind));
  return made->result();
}

Value* Writer::real(Type type, double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if (type.kind == Kind::kF32) bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type.kind == Kind::kF16) bits = halfBits(value);
  return constant(type, bits);
}

Value* Writer::unary(Opcode op, Value* a, Type result) { return add(op, {a}, result)->result(); }

Value* Writer::binary(Opcode op, Value* a, Value* b) { return add(op, {a, b}, lanesOf(a->type, {b}))->result(); }

Value* Writer::compare(Opcode op, Value* a, Value* b) {
  return add(op, {a, b}, lanesOf(a->type.with(Kind::kBool), {b}))->result();
}

Value* Writer::fma(Value* a, Value* b, Value* c) { return add(Opcode::kFma, {a, b, c}, a->type)->result(); }

Value* Writer::select(Value* condition, Value* a, Value* b) {
  return add(Opcode::kSelect, {condition, a, b}, lanesOf(a->type, {condition, b}))->result();
}

Value* Writer::negative(Value* a) {
  if (a->type.isFloating()) return unary(Opcode::kFNeg, a, a->type);
  return binary(Opcode::kSub, constant(a->type, 0), a);
}

Value* Writer::resize(Value* a, Kind to, bool is_signed) {
  const uint32_t from = bitsOf(a->type.kind), bits = bitsOf(to);
  if (from == bits) return a;
  if (bits < from) return unary(Opcode::kTrunc, a, a->type.with(to));
  return unary(is_signed ? Opcode::kSExt : Opcode::kZExt, a, a->type.with(to));
}

Value* Writer::splat(Value* element, uint8_t components) {
  if (components == 1) return element;
  return unary(Opcode::kSplat, element,
               element->type.kind == Kind::kPointer ? element->type : Type{element->type.kind, components});
}

Value* Writer::build(std::vector<Value*> elements) {
  const Type type{elements[0]->type.kind, static_cast<uint8_t>(elements.size())};
  return add(Opcode::kBuild, std::move(elements), type)->result();
}

Value* Writer::extract(Value* vector, uint32_t component) {
  Instruction* made = add(Opcode::kExtract, {vector}, vector->type.element());
  made->numbers = {component};
  return made->result();
}

Value* Writer::insert(Value* vector, Value* element, uint32_t component) {
  Instruction* made = add(Opcode::kInsert, {vector, element}, vector->type);
  made->numbers = {component};
  return made->result();
}

Value* Writer::shuffle(Value* vector, const uint8_t* components, uint32_t count) {
  if (count == 1) return extract(vector, components[0]);
  Instruction* made = add(Opcode::kShuffle, {vector}, {vector->type.kind, static_cast<uint8_t>(count)});
  made->numbers.assign(components, components + count);
  return made->result();
}

Value* Writer::address(Object* object) {
  Instruction* made = add(Opcode::kAddress, {}, Type::pointer(object->space));
  made->object = object;
  return made->result();
}

Value* Writer::offset(Value* pointer, Value* bytes) {
  return add(Opcode::kOffset, {pointer, bytes}, lanesOf(pointer->type, {bytes}))->result();
}

Value* Writer::offset(Value* pointer, uint64_t bytes) {
  return bytes == 0 ? pointer : offset(pointer, constant({Kind::kI64}, bytes));
}

Value* Writer::load(Value* pointer, Type type, uint32_t alignment, bool is_volatile) {
  Instruction* made = add(Opcode::kLoad, {pointer}, type);
  made->alignment = alignment;
  made->is_volatile = is_volatile;
  return made->result();
}

void Writer::store(Value* value, Value* pointer, uint32_t alignment, bool is_volatile) {
  Instruction* made = add(Opcode::kStore, {value, pointer});
  made->alignment = alignment;
  made->is_volatile = is_volatile;
}

void Writer::copy(Value* to, Value* from, uint64_t bytes) {
  if (bytes != 0) add(Opcode::kCopy, {to, from})->bytes = bytes;
}

void Writer::fill(Value* to, uint64_t bytes) {
  if (bytes != 0) add(Opcode::kFill, {to})->bytes = bytes;
}

Object* Writer::slot(std::string name, uint64_t size, uint32_t alignment) {
  Object* object = module_.makeObject();
  object->name = std::move(name);
  object->size = size;
  object->alignment = alignment;
  object->id = static_cast<uint32_t>(function_.slots.size());
  function_.slots.push_back(object);
  return object;
}

}  // namespace manyrt::compiler::ir
