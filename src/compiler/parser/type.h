// The types of OpenCL C 1.2. A TypeTable makes each type once, so that equal types are equal pointers; records and enums are
// what they are by their declaration. typedef names are gone here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/preprocessor/source.h"

namespace manyrt::compiler {

struct Type;
struct Record;
struct Enum;

enum class AddressSpace : uint8_t { kPrivate, kGlobal, kConstant, kLocal };

// A type with what may stand around it. The address space is that of the object itself: of what a pointer points to.
struct QualType {
  const Type* type = nullptr;
  AddressSpace space = AddressSpace::kPrivate;
  bool is_const = false;
  bool is_volatile = false;
  bool is_restrict = false;

  const Type* operator->() const { return type; }
  explicit operator bool() const { return type != nullptr; }
  bool operator==(const QualType&) const = default;
  QualType unqualified() const { return QualType{type}; }
};

enum class TypeKind : uint8_t { kVoid, kScalar, kVector, kPointer, kArray, kRecord, kEnum, kFunction, kEvent };

// In the order of the usual arithmetic conversions' rank. size_t is kULong, ptrdiff_t and intptr_t are kLong.
enum class Scalar : uint8_t { kBool, kChar, kUChar, kShort, kUShort, kInt, kUInt, kLong, kULong, kHalf, kFloat, kDouble };

struct Type {
  TypeKind kind = TypeKind::kVoid;
  Scalar scalar = Scalar::kInt;      // kScalar; of a kVector's elements
  uint32_t count = 0;                // kVector: 2, 3, 4, 8, 16
  QualType inner;                    // kPointer: the pointee; kArray: the element; kFunction: the result
  uint64_t length = 0;               // kArray; kUnknownLength: []
  Record* record = nullptr;          // kRecord
  Enum* enumeration = nullptr;       // kEnum; its values are int
  std::vector<QualType> parameters;  // kFunction
  const Type* element = nullptr;     // kVector: the scalar type
  uint32_t depth = 0;                // of pointers, arrays and functions in each other

  static constexpr uint64_t kUnknownLength = ~uint64_t{0};

  bool isVoid() const { return kind == TypeKind::kVoid; }
  bool isScalar() const { return kind == TypeKind::kScalar || kind == TypeKind::kEnum; }
  bool isVector() const { return kind == TypeKind::kVector; }
  bool isPointer() const { return kind == TypeKind::kPointer; }
  bool isArray() const { return kind == TypeKind::kArray; }
  bool isRecord() const { return kind == TypeKind::kRecord; }
  bool isFunction() const { return kind == TypeKind::kFunction; }
  bool isInteger() const;   // scalar, bool and enums included
  bool isFloating() const;  // scalar
  bool isArithmetic() const { return isInteger() || isFloating(); }
  bool hasIntegerElements() const;   // integer scalar or vector of them
  bool hasFloatingElements() const;  // floating scalar or vector of them
  bool isSigned() const;             // elements; enums are
  uint32_t components() const { return isVector() ? count : 1; }
};

struct Field {
  std::string name;  // empty: an unnamed record or union, whose fields are the outer one's too
  QualType type;
  uint64_t offset = 0;
  Location where;
  uint32_t alignment = 0;       // by attributes; 0: the type's
  bool packed = false;          // by an attribute of its own: the type's alignment does not count
  uint32_t type_alignment = 0;  // by attributes of the typedef, in place of the type's own; 0: none
};

struct Record {
  std::string tag;  // empty: none
  bool is_union = false;
  bool complete = false;
  bool packed = false;
  uint32_t field_limit = 0;      // alignment that no field goes beyond, by #pragma pack; 0: none
  uint32_t asked_alignment = 0;  // by attributes; 0: none
  std::vector<Field> fields;
  uint64_t size = 0;
  uint32_t alignment = 1;
  const Type* type = nullptr;
  uint32_t id = 0;  // unique in the program
  Location where;
};

struct Enumerator {
  std::string name;
  int64_t value = 0;
};

struct Enum {
  std::string tag;
  std::vector<Enumerator> values;
  const Type* type = nullptr;
  Location where;
};

class TypeTable {
 public:
  TypeTable();
  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;

  const Type* voidType() const { return &void_; }
  const Type* eventType() const { return &event_; }
  const Type* scalar(Scalar scalar) const { return &scalars_[static_cast<size_t>(scalar)]; }
  const Type* vector(Scalar scalar, uint32_t count) const;  // count 1: the scalar
  const Type* pointer(QualType pointee);
  const Type* array(QualType element, uint64_t length);
  const Type* function(QualType result, std::vector<QualType> parameters);
  // The type with these qualifiers added. An array and its elements always carry the same ones, so that both ways to ask agree.
  QualType qualify(QualType type, AddressSpace space, bool is_const, bool is_volatile);
  Record* makeRecord(std::string tag, bool is_union, Location where);
  Enum* makeEnum(std::string tag, Location where);
  // Lays the fields out as C does (float3 as float4); sets size, alignment, complete.
  static void layOut(Record& record);

  const std::deque<Record>& records() const { return records_; }

 private:
  const Type* derive(std::vector<uint64_t> key, Type type);

  Type void_;
  Type event_;
  std::deque<Type> scalars_;
  std::deque<Type> vectors_;
  std::deque<Type> types_;
  std::map<std::vector<uint64_t>, const Type*> derived_;  // by kind, inner type with qualifiers, and length or parameters
  std::deque<Record> records_;
  std::deque<Enum> enums_;
};

// Objects are no larger than this; declarations of larger ones are errors.
inline constexpr uint64_t kMaxBytes = uint64_t{1} << 40;

uint64_t sizeOf(QualType type);  // 0: incomplete, void, functions; never overflows
bool isComplete(QualType type);  // an object of it can be declared; an array of unknown length cannot
uint32_t alignmentOf(QualType type);
bool isLowered(const Field& field);     // by its typedef, to less than the type's own alignment
std::string spell(QualType type);       // as OpenCL C: "__global const float4 *"
const char* scalarName(Scalar scalar);  // "uchar"
uint32_t scalarSize(Scalar scalar);
const char* spaceName(AddressSpace space);  // "__global"

}  // namespace manyrt::compiler
