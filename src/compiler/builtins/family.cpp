// Resolves the built-in functions whose types no prototype can express. They are convert_ (from any number with as many
// components), as_ (the bits of one type as another), shuffles of any two lengths, and printf.
#include "compiler/builtins/family.h"

namespace manyrt::compiler {
namespace {

bool isNumber(const Type& type) { return type.isScalar() || type.isVector(); }

bool resolveConvert(QualType* result, std::vector<QualType>* parameters, std::string* why, const Builtin& builtin,
                    const std::vector<QualType>& arguments, const TypeTable& types) {
  const Type* target = builtin.target;
  *result = QualType{target};
  const Type* from = arguments.size() == 1 ? arguments[0].type : nullptr;
  if (from == nullptr || !isNumber(*from) || from->components() != target->components()) {
    *why = "A conversion to " + spell(*result) + " takes one number or vector with " + std::to_string(target->components()) +
           (target->components() == 1 ? " component" : " components") + ", and was given " + spellAll(arguments) + ".";
    return false;
  }
  const bool promotes = from->isScalar() && (from->kind == TypeKind::kEnum || from->scalar == Scalar::kBool);
  parameters->push_back(QualType{promotes ? types.scalar(Scalar::kInt) : from});
  return true;
}

bool resolveAs(QualType* result, std::vector<QualType>* parameters, std::string* why, const Builtin& builtin,
               const std::vector<QualType>& arguments) {
  *result = QualType{builtin.target};
  const uint64_t size = sizeOf(*result);
  const Type* from = arguments.size() == 1 ? arguments[0].type : nullptr;
  const bool number = from != nullptr && isNumber(*from) && !(from->kind == TypeKind::kScalar && from->scalar == Scalar::kBool);
  if (!number || sizeOf(arguments[0].unqualified()) != size) {
    *why = "The bits of " + spellAll(arguments) + " cannot be taken as " + spell(*result) +
           ": that takes one number or vector of " + std::to_string(size) + " bytes.";
    return false;
  }
  parameters->push_back(arguments[0].unqualified());
  return true;
}

constexpr bool isShuffled(uint32_t components) {
  return components == 2 || components == 4 || components == 8 || components == 16;
}

bool resolveShuffle(QualType* result, std::vector<QualType>* parameters, std::string* why, const Builtin& builtin,
                    const std::vector<QualType>& arguments, const TypeTable& types) {
  const size_t vectors = builtin.name == "shuffle2" ? 2 : 1;
  bool fits = arguments.size() == vectors + 1;
  const Type* from = fits ? arguments[0].type : nullptr;
  const Type* mask = fits ? arguments[vectors].type : nullptr;
  fits = fits && from->isVector() && mask->isVector() && isShuffled(from->count) && isShuffled(mask->count);
  fits = fits && mask->scalar == withSign(from->scalar, false);
  if (fits && vectors == 2) fits = arguments[1].type == from || arguments[1]->isScalar();
  if (!fits) {
    *why = "\"" + builtin.name + "\" takes " + (vectors == 2 ? "two vectors of one type" : "a vector") +
           " and a mask of unsigned integers of its components' size, each with 2, 4, 8 or 16 components, and was given " +
           spellAll(arguments) + ".";
    return false;
  }
  parameters->assign(vectors, QualType{from});
  parameters->push_back(QualType{mask});
  *result = QualType{types.vector(from->scalar, mask->count)};
  return true;
}

// The format, and whatever C passes for "...": small integers as int, float as double.
bool resolvePrintf(QualType* result, std::vector<QualType>* parameters, std::string* why,
                   const std::vector<QualType>& arguments, TypeTable& types) {
  *result = QualType{types.scalar(Scalar::kInt)};
  const Type* format = arguments.empty() ? nullptr : arguments[0].type;
  const bool is_text = format != nullptr && (format->isPointer() || format->isArray()) &&
                       format->inner.type == types.scalar(Scalar::kChar) &&
                       (format->isArray() ? arguments[0].space : format->inner.space) == AddressSpace::kConstant;
  if (!is_text) {
    *why = "\"printf\" takes a string literal first, and was given " + spellAll(arguments) + ".";
    return false;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type* type = arguments[i].type;
    if (type->isArray()) {
      QualType pointee = type->inner;
      pointee.space = arguments[i].space;
      type = types.pointer(pointee);
    } else if (type->kind == TypeKind::kEnum || (type->isScalar() && type->scalar < Scalar::kInt)) {
      type = types.scalar(Scalar::kInt);
    } else if (type->isScalar() && type->isFloating()) {
      type = types.scalar(Scalar::kDouble);
    } else if (!isNumber(*type) && !type->isPointer()) {
      *why = "\"printf\" prints numbers, vectors, strings and pointers; argument " + std::to_string(i + 1) + " is of type " +
             spell(arguments[i]) + ".";
      return false;
    }
    parameters->push_back(QualType{type});
  }
  return true;
}

void convertForms(std::vector<BuiltinForm>* forms, const Builtin& builtin, uint32_t numbers, const TypeTable& types) {
  for (uint32_t scalar = 0; scalar <= static_cast<uint32_t>(Scalar::kDouble); ++scalar) {
    if ((numbers >> scalar & 1) == 0) continue;
    const Type* from = types.vector(static_cast<Scalar>(scalar), builtin.target->components());
    forms->push_back({QualType{builtin.target}, {QualType{from}}});
  }
}

void shuffleForms(std::vector<BuiltinForm>* forms, const Builtin& builtin, uint32_t numbers, const TypeTable& types) {
  for (uint32_t number = 0; number <= static_cast<uint32_t>(Scalar::kDouble); ++number) {
    if ((numbers >> number & 1) == 0) continue;
    const Scalar scalar = static_cast<Scalar>(number);
    for (uint32_t from : kComponentCounts) {
      for (uint32_t to : kComponentCounts) {
        if (!isShuffled(from) || !isShuffled(to)) continue;
        BuiltinForm form{QualType{types.vector(scalar, to)}, {QualType{types.vector(scalar, from)}}};
        if (builtin.name == "shuffle2") form.parameters.push_back(form.parameters[0]);
        form.parameters.push_back(QualType{types.vector(withSign(scalar, false), to)});
        forms->push_back(std::move(form));
      }
    }
  }
}

}  // namespace

Scalar withSign(Scalar scalar, bool is_signed) {
  static constexpr Scalar kBySize[9][2] = {
      {}, {Scalar::kUChar, Scalar::kChar}, {Scalar::kUShort, Scalar::kShort}, {}, {Scalar::kUInt, Scalar::kInt}, {}, {},
      {}, {Scalar::kULong, Scalar::kLong}};
  return kBySize[scalarSize(scalar)][is_signed ? 1 : 0];
}

void appendListed(std::string* text, const std::string& part) { *text += (text->empty() ? "" : ", ") + part; }

std::string spellAll(const std::vector<QualType>& types) {
  std::string text;
  for (QualType type : types) appendListed(&text, spell(type.type != nullptr && type->isPointer() ? type : type.unqualified()));
  return "(" + text + ")";
}

bool resolveFamily(QualType* result, std::vector<QualType>* parameters, std::string* why, const Builtin& builtin,
                   const std::vector<QualType>& arguments, TypeTable& types) {
  if (builtin.name == "convert_") return resolveConvert(result, parameters, why, builtin, arguments, types);
  if (builtin.name == "as_") return resolveAs(result, parameters, why, builtin, arguments);
  if (builtin.name == "printf") return resolvePrintf(result, parameters, why, arguments, types);
  return resolveShuffle(result, parameters, why, builtin, arguments, types);
}

void familyForms(std::vector<BuiltinForm>* forms, const Builtin& builtin, uint32_t numbers, const TypeTable& types) {
  if (builtin.name == "convert_") convertForms(forms, builtin, numbers, types);
  if (builtin.name == "shuffle" || builtin.name == "shuffle2") shuffleForms(forms, builtin, numbers, types);
}

}  // namespace manyrt::compiler
