// Types are made here, once each, and laid out as C lays them out, with OpenCL C's vectors. Also how they are spelled in
// messages. Knows nothing of tokens.
#include "compiler/parser/type.h"

#include <algorithm>
#include <iterator>

namespace manyrt::compiler {
namespace {

constexpr uint32_t kCounts[] = {2, 3, 4, 8, 16};
constexpr uint32_t kScalarCount = static_cast<uint32_t>(Scalar::kDouble) + 1;
constexpr uint64_t kPointerBytes = 8;

struct ScalarRow {
  const char* name;
  uint32_t size;
};
constexpr ScalarRow kScalars[kScalarCount] = {{"bool", 1},   {"char", 1}, {"uchar", 1}, {"short", 2},
                                              {"ushort", 2}, {"int", 4},  {"uint", 4},  {"long", 8},
                                              {"ulong", 8},  {"half", 2}, {"float", 4}, {"double", 8}};

bool isIntegerScalar(Scalar scalar) { return scalar < Scalar::kHalf; }

void appendKey(std::vector<uint64_t>* key, const QualType& type) {
  key->push_back(reinterpret_cast<uintptr_t>(type.type));
  key->push_back(static_cast<uint64_t>(type.space) << 3 | uint64_t{type.is_const} << 2 | uint64_t{type.is_volatile} << 1 |
                 uint64_t{type.is_restrict});
}

uint64_t roundUp(uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

std::string baseName(const Type& type) {
  switch (type.kind) {
    case TypeKind::kVoid:
      return "void";
    case TypeKind::kEvent:
      return "event_t";
    case TypeKind::kVector:
      return scalarName(type.scalar) + std::to_string(type.count);
    case TypeKind::kRecord: {
      const std::string word = type.record->is_union ? "union " : "struct ";
      return word + (type.record->tag.empty() ? "(unnamed)" : type.record->tag);
    }
    case TypeKind::kEnum:
      return "enum " + (type.enumeration->tag.empty() ? "(unnamed)" : type.enumeration->tag);
    default:
      return scalarName(type.scalar);
  }
}

std::string qualifiers(const QualType& type) {  // each with a blank after it
  std::string text;
  if (type.space != AddressSpace::kPrivate) text.append(spaceName(type.space)).append(" ");
  if (type.is_const) text += "const ";
  if (type.is_volatile) text += "volatile ";
  if (type.is_restrict) text += "restrict ";
  return text;
}

std::string parameterList(const Type& function) {
  if (function.parameters.empty()) return "(void)";
  std::string text = "(";
  for (const QualType& parameter : function.parameters) {
    if (text.size() > 1) text += ", ";
    text += spell(parameter);
  }
  return text + ")";
}

}  // namespace

bool Type::isInteger() const { return kind == TypeKind::kEnum || (kind == TypeKind::kScalar && isIntegerScalar(scalar)); }
bool Type::isFloating() const { return kind == TypeKind::kScalar && !isIntegerScalar(scalar); }
bool Type::hasIntegerElements() const { return isInteger() || (isVector() && isIntegerScalar(scalar)); }
bool Type::hasFloatingElements() const { return isFloating() || (isVector() && !isIntegerScalar(scalar)); }

bool Type::isSigned() const {
  if (kind == TypeKind::kEnum) return true;
  if (kind != TypeKind::kScalar && kind != TypeKind::kVector) return false;
  switch (scalar) {
    case Scalar::kBool:
    case Scalar::kUChar:
    case Scalar::kUShort:
    case Scalar::kUInt:
    case Scalar::kULong:
      return false;
    default:
      return true;
  }
}

TypeTable::TypeTable() {
  event_.kind = TypeKind::kEvent;
  for (uint32_t i = 0; i < kScalarCount; ++i) {
    Type& type = scalars_.emplace_back();
    type.kind = TypeKind::kScalar;
    type.scalar = static_cast<Scalar>(i);
  }
  for (uint32_t i = 0; i < kScalarCount; ++i) {
    for (uint32_t count : kCounts) {
      Type& type = vectors_.emplace_back();
      type.kind = TypeKind::kVector;
      type.scalar = static_cast<Scalar>(i);
      type.count = count;
      type.element = &scalars_[i];
    }
  }
}

const Type* TypeTable::vector(Scalar scalar, uint32_t count) const {
  if (count == 1) return this->scalar(scalar);
  const size_t index = static_cast<size_t>(std::find(std::begin(kCounts), std::end(kCounts), count) - std::begin(kCounts));
  if (index == std::size(kCounts)) return nullptr;
  return &vectors_[static_cast<size_t>(scalar) * std::size(kCounts) + index];
}

const Type* TypeTable::derive(std::vector<uint64_t> key, Type type) {
  const Type*& known = derived_[std::move(key)];
  if (known == nullptr) known = &types_.emplace_back(std::move(type));
  return known;
}

const Type* TypeTable::pointer(QualType pointee) {
  std::vector<uint64_t> key{static_cast<uint64_t>(TypeKind::kPointer)};
  appendKey(&key, pointee);
  Type type;
  type.kind = TypeKind::kPointer;
  type.inner = pointee;
  type.depth = pointee->depth + 1;
  return derive(std::move(key), std::move(type));
}

const Type* TypeTable::array(QualType element, uint64_t length) {
  std::vector<uint64_t> key{static_cast<uint64_t>(TypeKind::kArray), length};
  appendKey(&key, element);
  Type type;
  type.kind = TypeKind::kArray;
  type.inner = element;
  type.length = length;
  type.depth = element->depth + 1;
  return derive(std::move(key), std::move(type));
}

const Type* TypeTable::function(QualType result, std::vector<QualType> parameters) {
  std::vector<uint64_t> key{static_cast<uint64_t>(TypeKind::kFunction)};
  appendKey(&key, result);
  uint32_t depth = result->depth;
  for (const QualType& parameter : parameters) {
    appendKey(&key, parameter);
    depth = std::max(depth, parameter->depth);
  }
  Type type;
  type.kind = TypeKind::kFunction;
  type.inner = result;
  type.parameters = std::move(parameters);
  type.depth = depth + 1;
  return derive(std::move(key), std::move(type));
}

QualType TypeTable::qualify(QualType type, AddressSpace space, bool is_const, bool is_volatile) {
  if (space != AddressSpace::kPrivate) type.space = space;
  type.is_const |= is_const;
  type.is_volatile |= is_volatile;
  if (type->isArray()) {
    const QualType element = qualify(type->inner, type.space, type.is_const, type.is_volatile);
    type.type = array(element, type->length);
  }
  return type;
}

Record* TypeTable::makeRecord(std::string tag, bool is_union, Location where) {
  Record& record = records_.emplace_back();
  Type& type = types_.emplace_back();
  type.kind = TypeKind::kRecord;
  type.record = &record;
  record.tag = std::move(tag);
  record.is_union = is_union;
  record.where = where;
  record.type = &type;
  record.id = static_cast<uint32_t>(records_.size());
  return &record;
}

Enum* TypeTable::makeEnum(std::string tag, Location where) {
  Enum& enumeration = enums_.emplace_back();
  Type& type = types_.emplace_back();
  type.kind = TypeKind::kEnum;
  type.enumeration = &enumeration;
  enumeration.tag = std::move(tag);
  enumeration.where = where;
  enumeration.type = &type;
  return &enumeration;
}

// Sizes stop at kMaxBytes, so that sums of any fields stay far from overflow; the parser refuses what reaches it.
void TypeTable::layOut(Record& record) {
  uint64_t end = 0;
  uint32_t alignment = std::max(record.asked_alignment, 1u);
  for (Field& field : record.fields) {
    uint32_t natural = field.type_alignment != 0 ? field.type_alignment : alignmentOf(field.type);
    if (record.packed || field.packed) natural = 1;
    const uint32_t asked = std::max(natural, field.alignment);
    const uint32_t wanted = record.field_limit != 0 ? std::min(asked, record.field_limit) : asked;
    alignment = std::max(alignment, wanted);
    field.offset = record.is_union ? 0 : roundUp(end, wanted);
    end = std::max(end, field.offset + std::min(sizeOf(field.type), kMaxBytes + 1));
    end = std::min(end, kMaxBytes + 1);
  }
  record.alignment = alignment;
  record.size = roundUp(end, alignment);
  record.complete = true;
}

uint64_t sizeOf(QualType type) {
  uint64_t count = 1;
  bool too_large = false;
  // Arrays of arrays multiply. An overflow is remembered and answered as the largest size, which is over every limit.
  while (type->isArray()) {
    if (type->length == Type::kUnknownLength) return 0;
    too_large |= __builtin_mul_overflow(count, type->length, &count);
    type = type->inner;
  }
  uint64_t size = 0;
  switch (type->kind) {
    case TypeKind::kScalar:
      size = scalarSize(type->scalar);
      break;
    case TypeKind::kEnum:
      size = scalarSize(Scalar::kInt);
      break;
    case TypeKind::kVector:
      // A vector of three has the size and alignment of one of four.
      size = uint64_t{scalarSize(type->scalar)} * (type->count == 3 ? 4 : type->count);
      break;
    case TypeKind::kPointer:
    case TypeKind::kEvent:
      size = kPointerBytes;
      break;
    case TypeKind::kRecord:
      size = type->record->complete ? type->record->size : 0;
      break;
    default:
      break;
  }
  too_large |= __builtin_mul_overflow(count, size, &count);
  return too_large ? ~uint64_t{0} : count;
}

uint32_t alignmentOf(QualType type) {
  while (type->isArray()) type = type->inner;
  if (type->isRecord()) return type->record->alignment;
  return static_cast<uint32_t>(std::max<uint64_t>(sizeOf(type), 1));
}

bool isLowered(const Field& field) { return field.type_alignment != 0 && field.type_alignment < alignmentOf(field.type); }

bool isComplete(QualType type) {
  while (type->isArray()) {
    if (type->length == Type::kUnknownLength) return false;
    type = type->inner;
  }
  if (type->isRecord()) return type->record->complete;
  if (type->kind == TypeKind::kEnum) return !type->enumeration->values.empty();
  return !type->isVoid() && !type->isFunction();
}

std::string spell(QualType type) {
  if (!type) return "nothing";
  std::string declarator;
  while (type->isPointer() || type->isArray() || type->isFunction()) {
    if (type->isPointer()) {
      std::string own = qualifiers(type);
      if (!own.empty() && declarator.empty()) own.pop_back();
      declarator = "*" + own + declarator;
      if (type->inner->isArray() || type->inner->isFunction()) declarator = "(" + declarator + ")";
      type = type->inner;
    } else if (type->isArray()) {
      declarator += type->length == Type::kUnknownLength ? "[]" : "[" + std::to_string(type->length) + "]";
      QualType element = type->inner;
      if (element.space == AddressSpace::kPrivate) element.space = type.space;
      element.is_const |= type.is_const;
      element.is_volatile |= type.is_volatile;
      type = element;
    } else {
      declarator += parameterList(*type.type);
      type = type->inner;
    }
  }
  const std::string base = qualifiers(type) + baseName(*type.type);
  return declarator.empty() ? base : base + " " + declarator;
}

const char* scalarName(Scalar scalar) { return kScalars[static_cast<size_t>(scalar)].name; }
uint32_t scalarSize(Scalar scalar) { return kScalars[static_cast<size_t>(scalar)].size; }

const char* spaceName(AddressSpace space) {
  constexpr const char* kNames[] = {"__private", "__global", "__constant", "__local"};
  return kNames[static_cast<size_t>(space)];
}

}  // namespace manyrt::compiler
