// Places, that is, expressions with an address: where they are, how they are aligned, and how values are loaded and stored.
#include <algorithm>

#include "compiler/ir/from_tree/tree_reader.h"
#include "compiler/parser/expressions/literal.h"

namespace manyrt::compiler::ir {
namespace {

// The alignment of what is `offset` bytes after a place, or at any whole number of such steps.
uint32_t alignedAt(uint32_t alignment, uint64_t offset) {
  if (offset == 0) return alignment;
  return static_cast<uint32_t>(std::min<uint64_t>(alignment, offset & (~offset + 1)));
}

}  // namespace

// pointer + index * size, the index taken at its own width and sign to 64 bits.
Value* TreeReader::elementAddress(Value* pointer, const Expr& index, uint64_t size, bool backwards) {
  Value* number = converted(out(), value(index), index.type.type, program_.types.scalar(Scalar::kLong));
  if (size != 1) number = out().binary(Opcode::kMul, number, out().constant(number->type, size));
  if (backwards) number = out().negative(number);
  return out().offset(pointer, number);
}

Place TreeReader::subscript(const Expr& e) {
  const bool is_volatile = e.type.is_volatile;
  if (e.a->type->isVector()) {
    const Place vector = place(*e.a);
    const uint64_t size = sizeOf(e.type);
    return {elementAddress(vector.address, *e.b, size, false),
            e.type.type,
            alignedAt(vector.alignment, size),
            is_volatile,
            nullptr,
            0};
  }
  // An array that lies where its type is not aligned has such elements too.
  const bool of_array = e.a->kind == ExprKind::kConvert && e.a->a->type->isArray();
  uint32_t alignment = alignmentOf(e.type);
  Value* base;
  if (of_array) {
    const Place array = place(*e.a->a);
    base = array.address;
    alignment = std::min(alignment, alignedAt(array.alignment, sizeOf(e.type)));
  } else {
    base = value(*e.a);
  }
  return {elementAddress(base, *e.b, sizeOf(e.type), false), e.type.type, alignment, is_volatile, nullptr, 0};
}

Place TreeReader::place(const Expr& e) {
  const bool is_volatile = e.type.is_volatile;
  switch (e.kind) {
    case ExprKind::kVariable: {
      Object* object = storageOf(*e.variable);
      return {out().address(object), e.type.type, object->alignment, is_volatile, nullptr, 0};
    }
    case ExprKind::kUnary:
      if (e.op == Op::kDereference) return {value(*e.a), e.type.type, alignmentOf(e.type), is_volatile, nullptr, 0};
      break;
    case ExprKind::kSubscript:
      return subscript(e);
    case ExprKind::kMember: {
      const Place record = place(*e.a);
      const uint64_t offset = e.a->type->record->fields[e.field].offset;
      return {out().offset(record.address, offset), e.type.type, alignedAt(record.alignment, offset), is_volatile, nullptr, 0};
    }
    case ExprKind::kSwizzle: {
      Place vector = place(*e.a);
      if (vector.components != nullptr) break;
      if (!e.type->isVector()) {
        const uint64_t offset = e.components[0] * sizeOf(e.type);
        return {out().offset(vector.address, offset),
                e.type.type,
                alignedAt(vector.alignment, sizeOf(e.type)),
                is_volatile,
                nullptr,
                0};
      }
      vector.components = e.components;
      vector.count = e.type->components();
      return vector;
    }
    case ExprKind::kString: {
      Object*& object = strings_[e.text];
      if (object == nullptr) {
        std::string bytes;
        unquote(&bytes, e.text);
        object = makeObject("", e.type, 1, AddressSpace::kConstant);
        object->bytes.assign(bytes.begin(), bytes.end());
        object->bytes.resize(object->size);
      }
      return {out().address(object), e.type.type, 1, false, nullptr, 0};
    }
    case ExprKind::kConvert:
    case ExprKind::kCast:
    case ExprKind::kCompoundLiteral:
    case ExprKind::kInitializer:
    default:
      break;
  }
  Value* made = value(e);
  if (isMemory(e.type.type)) return {made, e.type.type, alignmentOf(e.type), false, nullptr, 0};
  if (made == nullptr) {
    refuse(e.where, "a value of void where an object is needed");
    return stored(out().constant({Kind::kI32}, 0), QualType{program_.types.scalar(Scalar::kInt)});
  }
  return stored(made, e.type);
}

Place TreeReader::stored(Value* value, QualType type) {
  Object* object = temporary(out(), type.unqualified());
  const Place place{out().address(object), type.type, object->alignment, false, nullptr, 0};
  store(place, value);
  return place;
}

Value* TreeReader::load(const Place& place) {
  if (isMemory(place.type)) return place.address;
  Value* made = out().load(place.address, memoryType(place.type), place.alignment, place.is_volatile);
  if (place.components != nullptr) return out().shuffle(made, place.components, place.count);
  return valueType(place.type).isBool() ? isNotZero(out(), made) : made;
}

void TreeReader::store(const Place& place, Value* value) {
  if (isMemory(place.type)) {
    out().copy(place.address, value, sizeOf(QualType{place.type}));
    return;
  }
  // Memory that others see: components that are not named stay untouched.
  if (place.components != nullptr && (place.is_volatile || place.address->type.space != AddressSpace::kPrivate)) {
    const uint64_t size = bytesOf(value->type.kind);
    for (uint32_t i = 0; i < place.count; ++i) {
      const uint64_t offset = place.components[i] * size;
      Value* one = value->type.isVector() ? out().extract(value, i) : value;
      out().store(one, out().offset(place.address, offset), alignedAt(place.alignment, offset), place.is_volatile);
    }
    return;
  }
  if (place.components != nullptr) {
    Value* whole = out().load(place.address, memoryType(place.type), place.alignment, place.is_volatile);
    for (uint32_t i = 0; i < place.count; ++i) whole = out().insert(whole, out().extract(value, i), place.components[i]);
    value = whole;
  }
  if (value->type.isBool()) value = out().resize(value, Kind::kI8, false);
  out().store(value, place.address, place.alignment, place.is_volatile);
}

void TreeReader::initialize(const Place& place, const Expr& e) {
  if (!why_.empty()) return;
  const bool of_array = place.type->isArray();
  if (e.kind == ExprKind::kInitializer) {
    if (place.type->isArray() || place.type->isRecord() || place.type->isVector()) {
      fillIn(place, e);
    } else if (e.arguments.empty()) {
      store(place, out().constant(valueType(place.type), 0));
    } else {
      initialize(place, *e.arguments[0]);
    }
  } else if (of_array && e.kind == ExprKind::kString) {
    const Place text = this->place(e);
    const uint64_t room = sizeOf(QualType{place.type}), length = sizeOf(e.type);
    out().fill(place.address, room);
    out().copy(place.address, text.address, std::min(room, length));
  } else if (e.kind == ExprKind::kCompoundLiteral && e.a->kind == ExprKind::kInitializer) {
    initialize(place, *e.a);
  } else {
    store(place, value(e));
  }
}

// Zeros, and then what stands in the braces.
void TreeReader::fillIn(const Place& place, const Expr& braces) {
  const Tree type = place.type;
  out().fill(place.address, sizeOf(QualType{type}));
  for (size_t i = 0; i < braces.arguments.size(); ++i) {
    const uint64_t number = braces.elements[i];
    Tree inner;
    uint64_t offset;
    if (type->isRecord()) {
      const Field& field = type->record->fields[number];
      inner = field.type.type;
      offset = field.offset;
    } else {
      inner = type->isArray() ? type->inner.type : type->element;
      offset = number * sizeOf(QualType{inner});
    }
    initialize({out().offset(place.address, offset), inner, alignedAt(place.alignment, offset), place.is_volatile, nullptr, 0},
               *braces.arguments[i]);
  }
}

}  // namespace manyrt::compiler::ir
