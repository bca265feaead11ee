// Which prototype of a built-in function a call means. The rules are clang's for its overloadable functions. Each argument's
// conversion has a rank; the call means the form that is nowhere worse and somewhere better than every other one.
#include <algorithm>
#include <array>

#include "compiler/builtins/family.h"
#include "compiler/builtins/prototype.h"

namespace manyrt::compiler {
namespace {

enum class Rank : uint8_t { kExact, kPromotion, kConversion, kSplat, kImpossible };

Scalar widened(Scalar scalar) {
  return static_cast<Scalar>(static_cast<uint8_t>(scalar) + 2);  // char to short, uchar to ushort, and on
}

// The meaning of the word where gentype is `components` of `scalar`.
const Type* typeOf(TypeWord word, Scalar scalar, uint32_t components, const TypeTable& types) {
  switch (word) {
    case TypeWord::kGentype:
      return types.vector(scalar, components);
    case TypeWord::kSgentype:
      return types.scalar(scalar);
    case TypeWord::kIgentype:
      return types.vector(withSign(scalar, true), components);
    case TypeWord::kUgentype:
      return types.vector(withSign(scalar, false), components);
    case TypeWord::kIntn:
      return types.vector(Scalar::kInt, components);
    case TypeWord::kUshortn:
      return types.vector(Scalar::kUShort, components);
    case TypeWord::kWgentype:
      return types.vector(widened(scalar), components);
    case TypeWord::kRgentype:
      return components == 1 ? types.scalar(Scalar::kInt) : types.vector(withSign(scalar, true), components);
    case TypeWord::kInt:
      return types.scalar(Scalar::kInt);
    case TypeWord::kUint:
      return types.scalar(Scalar::kUInt);
    case TypeWord::kUint4:
      return types.vector(Scalar::kUInt, 4);
    case TypeWord::kChar4:
      return types.vector(Scalar::kChar, 4);
    case TypeWord::kUchar4:
      return types.vector(Scalar::kUChar, 4);
    case TypeWord::kSizeT:
      return types.scalar(Scalar::kULong);
    case TypeWord::kEvent:
      return types.eventType();
    case TypeWord::kFloat:
      return types.scalar(Scalar::kFloat);
    case TypeWord::kHalf:
      return types.scalar(Scalar::kHalf);
    default:
      return types.voidType();
  }
}

bool pointsInto(PointerWord pointer, AddressSpace space) {
  switch (pointer) {
    case PointerWord::kAny:
      return space != AddressSpace::kConstant;
    case PointerWord::kConst:
      return true;
    case PointerWord::kVolatile:
      return space == AddressSpace::kGlobal || space == AddressSpace::kLocal;
    case PointerWord::kLocal:
    case PointerWord::kConstLocal:
      return space == AddressSpace::kLocal;
    case PointerWord::kGlobal:
    case PointerWord::kConstGlobal:
      return space == AddressSpace::kGlobal;
    default:
      return space == AddressSpace::kPrivate;
  }
}

bool readsOnly(PointerWord pointer) {
  return pointer == PointerWord::kConst || pointer == PointerWord::kConstLocal || pointer == PointerWord::kConstGlobal;
}

QualType pointerTo(const Type* type, PointerWord pointer, AddressSpace space, TypeTable& types) {
  QualType pointee{type, space};
  pointee.is_const = readsOnly(pointer);
  pointee.is_volatile = pointer == PointerWord::kVolatile;
  return QualType{types.pointer(pointee)};
}

bool isPromotion(const Type& from, const Type& to) {
  const Scalar scalar = from.scalar;
  if (from.kind == TypeKind::kEnum || scalar < Scalar::kInt) return to.scalar == Scalar::kInt;
  return (scalar == Scalar::kFloat && to.scalar == Scalar::kDouble) || (scalar == Scalar::kHalf && to.scalar == Scalar::kFloat);
}

Rank rankOfValue(const Type& from, const Type& to) {
  if (&from == &to) return Rank::kExact;
  if (to.kind == TypeKind::kEvent) return from.isScalar() && from.isInteger() ? Rank::kConversion : Rank::kImpossible;
  if (!from.isScalar()) return Rank::kImpossible;
  if (to.isVector()) return Rank::kSplat;
  return isPromotion(from, to) ? Rank::kPromotion : Rank::kConversion;
}

Rank rankOfPointer(QualType from, PointerWord pointer, const Type& to) {
  if (!from->isPointer() && !from->isArray()) return Rank::kImpossible;
  const QualType pointee = from->inner;
  const AddressSpace space = from->isArray() ? from.space : pointee.space;
  if (pointee.type != &to || !pointsInto(pointer, space) || (pointee.is_const && !readsOnly(pointer))) return Rank::kImpossible;
  return pointee.is_volatile && pointer != PointerWord::kVolatile ? Rank::kImpossible : Rank::kExact;
}

// The scalars that gentype may be, as bits. A prototype without generic words is tried once, as if for int.
uint32_t scalarsOf(const Prototype& form, bool halves) {
  if (form.set == nullptr) return bit(Scalar::kInt);
  return halves ? form.set->scalars : form.set->scalars & ~kHalves;
}

struct Candidate {
  const Prototype* form;
  Scalar scalar;
  uint32_t components;
  std::array<Rank, Prototype::kMaxParameters> ranks;
};

bool rankAll(Candidate* candidate, const std::vector<QualType>& arguments, const TypeTable& types) {
  const Prototype& form = *candidate->form;
  for (size_t i = 0; i < form.count; ++i) {
    const Parameter pattern = form.parameters[i];
    const Type* type = typeOf(pattern.type, candidate->scalar, candidate->components, types);
    candidate->ranks[i] = pattern.pointer != PointerWord::kNone ? rankOfPointer(arguments[i], pattern.pointer, *type)
                                                                : rankOfValue(*arguments[i].type, *type);
    if (candidate->ranks[i] == Rank::kImpossible) return false;
  }
  return true;
}

bool isBetter(const Candidate& a, const Candidate& b, size_t count) {
  bool better = false;
  for (size_t i = 0; i < count; ++i) {
    if (a.ranks[i] > b.ranks[i]) return false;
    better = better || a.ranks[i] < b.ranks[i];
  }
  return better;
}

// The components that T must have: those of the first vector, by value or pointed to. Scalars alone mean the scalar form, which
// is better than any that needs a splat for each argument.
uint32_t componentsOf(const std::vector<QualType>& arguments) {
  for (QualType argument : arguments) {
    if (argument->isVector()) return argument->count;
    if ((argument->isPointer() || argument->isArray()) && argument->inner->isVector()) return argument->inner->count;
  }
  return 1;
}

std::vector<Candidate> viable(const std::vector<Prototype>& forms, const Builtin& builtin,
                              const std::vector<QualType>& arguments, bool halves, const TypeTable& types) {
  std::vector<Candidate> candidates;
  for (const Prototype& form : forms) {
    if (form.count != arguments.size()) continue;
    const bool generic = form.set != nullptr, of_name = generic && form.set->of_name;
    const uint32_t components = of_name ? builtin.components : generic ? componentsOf(arguments) : 1;
    if (generic && (form.set->components >> components & 1) == 0) continue;
    for (uint32_t scalar = 0; scalar <= static_cast<uint32_t>(Scalar::kDouble); ++scalar) {
      if ((scalarsOf(form, halves) >> scalar & 1) == 0) continue;
      Candidate candidate{&form, static_cast<Scalar>(scalar), components, {}};
      if (rankAll(&candidate, arguments, types)) candidates.push_back(candidate);
    }
  }
  return candidates;
}

const char* wordText(TypeWord word) {
  switch (word) {
    case TypeWord::kGentype:
      return "T";
    case TypeWord::kSgentype:
      return "T's scalar";
    case TypeWord::kIgentype:
      return "signed integers of T's size";
    case TypeWord::kUgentype:
      return "unsigned integers of T's size";
    case TypeWord::kIntn:
      return "int with T's components";
    case TypeWord::kUshortn:
      return "ushort with T's components";
    case TypeWord::kInt:
      return "int";
    case TypeWord::kUint:
      return "uint";
    case TypeWord::kUint4:
      return "uint4";
    case TypeWord::kSizeT:
      return "size_t";
    case TypeWord::kEvent:
      return "event_t";
    case TypeWord::kFloat:
      return "float";
    case TypeWord::kHalf:
      return "half";
    default:
      return "void";
  }
}

std::string patternText(Parameter pattern) {
  std::string type = wordText(pattern.type);
  switch (pattern.pointer) {
    case PointerWord::kNone:
      return type;
    case PointerWord::kAny:
      return type + " * (__global, __local or __private)";
    case PointerWord::kConst:
      return "const " + type + " *";
    case PointerWord::kVolatile:
      return "volatile " + type + " * (__global or __local)";
    case PointerWord::kLocal:
      return "__local " + type + " *";
    case PointerWord::kConstLocal:
      return "__local const " + type + " *";
    case PointerWord::kGlobal:
      return "__global " + type + " *";
    case PointerWord::kConstGlobal:
      return "__global const " + type + " *";
    default:
      return type + " *";
  }
}

// "(T, T), where T is float, double or a vector of them; or (T, T's scalar), where ..."
std::string formsText(const std::vector<Prototype>& forms) {
  std::string text;
  for (const Prototype& form : forms) {
    std::string parameters;
    bool generic = false;
    for (size_t i = 0; i < form.count; ++i) {
      appendListed(&parameters, patternText(form.parameters[i]));
      generic = generic || form.parameters[i].type <= TypeWord::kIntn;
    }
    text += (text.empty() ? "(" : "; or (") + parameters + ")";
    if (generic) text += std::string(", where T is ") + form.set->words;
  }
  return text;
}

QualType instance(Parameter pattern, const Candidate& candidate, QualType argument, TypeTable& types) {
  const Type* type = typeOf(pattern.type, candidate.scalar, candidate.components, types);
  if (pattern.pointer == PointerWord::kNone) return QualType{type};
  const AddressSpace space = argument->isArray() ? argument.space : argument->inner.space;
  return pointerTo(type, pattern.pointer, space, types);
}

std::string parametersText(const Candidate& candidate, const std::vector<QualType>& arguments, TypeTable& types) {
  std::vector<QualType> parameters;
  for (size_t i = 0; i < candidate.form->count; ++i) {
    parameters.push_back(instance(candidate.form->parameters[i], candidate, arguments[i], types));
  }
  return spellAll(parameters);
}

// Each with pointers into one space; a form whose pointers may go anywhere stands once for each.
void addInstances(std::vector<BuiltinForm>* forms, const Prototype& form, Scalar scalar, uint32_t components,
                  TypeTable& types) {
  for (AddressSpace space : {AddressSpace::kPrivate, AddressSpace::kGlobal, AddressSpace::kConstant, AddressSpace::kLocal}) {
    BuiltinForm made;
    bool varies = false;
    bool possible = true;
    for (size_t i = 0; i < form.count; ++i) {
      const Parameter pattern = form.parameters[i];
      const Type* type = typeOf(pattern.type, scalar, components, types);
      AddressSpace own = space;
      const PointerWord pointer = pattern.pointer;
      if (pointer == PointerWord::kLocal || pointer == PointerWord::kConstLocal) own = AddressSpace::kLocal;
      if (pointer == PointerWord::kGlobal || pointer == PointerWord::kConstGlobal) own = AddressSpace::kGlobal;
      if (pointer == PointerWord::kPrivate) own = AddressSpace::kPrivate;
      varies = varies || pointer == PointerWord::kAny || pointer == PointerWord::kConst || pointer == PointerWord::kVolatile;
      possible = possible && (pattern.pointer == PointerWord::kNone || pointsInto(pattern.pointer, own));
      made.parameters.push_back(pattern.pointer == PointerWord::kNone ? QualType{type}
                                                                      : pointerTo(type, pattern.pointer, own, types));
    }
    made.result = QualType{typeOf(form.result.type, scalar, components, types)};
    if (possible) forms->push_back(std::move(made));
    if (!varies) return;
  }
}

}  // namespace

bool Builtins::resolve(QualType* result, std::vector<QualType>* parameters, std::string* why, const Builtin& builtin,
                       const std::vector<QualType>& arguments) {
  parameters->clear();
  for (QualType argument : arguments) {
    if (argument.type != nullptr && !argument->isVoid()) continue;
    *why = "An argument of \"" + builtin.function->name + "\" has no value.";
    return false;
  }
  if (builtin.function->has_own_rules) return resolveFamily(result, parameters, why, builtin, arguments, types_);
  const std::vector<Prototype>& forms = builtin.function->prototypes;
  const std::vector<Candidate> candidates = viable(forms, builtin, arguments, halves_, types_);
  if (candidates.empty()) {
    *why = "\"" + builtin.function->name + "\" takes " + formsText(forms) + "; it was given " + spellAll(arguments) + ".";
    return false;
  }
  const size_t count = arguments.size();
  const Candidate* best = &candidates[0];
  for (const Candidate& candidate : candidates) {
    if (isBetter(candidate, *best, count)) best = &candidate;
  }
  for (const Candidate& candidate : candidates) {
    if (&candidate == best || isBetter(*best, candidate, count)) continue;
    *why = "Several forms of \"" + builtin.function->name + "\" fit " + spellAll(arguments) + " equally well, " +
           parametersText(*best, arguments, types_) + " and " + parametersText(candidate, arguments, types_) +
           " among them: convert the arguments to what you mean.";
    return false;
  }
  *result = QualType{typeOf(best->form->result.type, best->scalar, best->components, types_)};
  for (size_t i = 0; i < count; ++i) parameters->push_back(instance(best->form->parameters[i], *best, arguments[i], types_));
  return true;
}

std::vector<BuiltinForm> Builtins::forms(const Builtin& builtin) {
  std::vector<BuiltinForm> forms;
  if (builtin.function->has_own_rules) familyForms(&forms, builtin, halves_ ? kIntegers | kReals : kIntegers | kFloats, types_);
  for (const Prototype& form : builtin.function->prototypes) {
    for (uint32_t scalar = 0; scalar <= static_cast<uint32_t>(Scalar::kDouble); ++scalar) {
      if ((scalarsOf(form, halves_) >> scalar & 1) == 0) continue;
      for (uint32_t components : kComponentCounts) {
        const uint32_t allowed = form.set == nullptr ? 1u << 1
                                 : form.set->of_name ? 1u << builtin.components
                                                     : form.set->components;
        if ((allowed >> components & 1) == 0) continue;
        addInstances(&forms, form, static_cast<Scalar>(scalar), components, types_);
      }
    }
  }
  return forms;
}

}  // namespace manyrt::compiler
