// Which form of a built-in function a call means. The rules are clang's for its overloadable functions: each argument's
// conversion has a rank, and the form that is nowhere worse and somewhere better than every other one is taken.
#include <algorithm>
#include <array>

#include "compiler/builtins/family.h"
#include "compiler/builtins/table.h"

namespace manyrt::compiler {
namespace {

enum class Rank : uint8_t { kExact, kPromotion, kConversion, kSplat, kImpossible };

constexpr uint32_t kAllLanes = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 8 | 1u << 16;
constexpr uint32_t kVectors = kAllLanes & ~(1u << 1);
constexpr uint32_t kUpTo4 = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4;
constexpr uint32_t k3Or4 = 1u << 3 | 1u << 4;
constexpr uint32_t kOfName = 0;  // the lanes that the function's name says

struct Set {
  char letter;
  uint32_t scalars;
  uint32_t lanes;
  const char* text;  // for messages
};

constexpr Set kSets[] = {
    {'F', kFloats, kAllLanes, "float, double or a vector of them"},
    {'W', kFloats, kVectors, "a vector of float or double"},
    {'f', bit(Scalar::kFloat), kAllLanes, "float or a vector of it"},
    {'G', kFloats, kUpTo4, "float, double or a vector of up to four of them"},
    {'h', bit(Scalar::kFloat), kUpTo4, "float or a vector of up to four"},
    {'C', kFloats, k3Or4, "a vector of three or four float or double"},
    {'I', kIntegers, kAllLanes, "an integer type or a vector of one"},
    {'X', kIntegers, kVectors, "a vector of integers"},
    {'S', kSigned, kAllLanes, "a signed integer type or a vector of one"},
    {'J', k32Bits, kAllLanes, "int, uint or a vector of them"},
    {'j', k32Bits, 1u << 1, "int or uint"},
    {'N', kNarrow | k32Bits, kAllLanes, "an integer type of at most 32 bits or a vector of one"},
    {'K', k32Bits | k64Bits, 1u << 1, "int, uint, long or ulong"},
    {'A', kIntegers | kFloats, kAllLanes, "a number's type or a vector of one"},
    {'M', kIntegers | kFloats, kOfName, "a vector of as many lanes as the name says"},
    {'H', bit(Scalar::kFloat), kOfName, "float, with as many lanes as the name says"},
    {'D', kFloats, kOfName, "float or double, with as many lanes as the name says"},
    {'.', bit(Scalar::kInt), 1u << 1, ""},
};

const Set& setOf(char letter) {
  const Set* found = std::find_if(std::begin(kSets), std::end(kSets), [&](const Set& set) { return set.letter == letter; });
  return found != std::end(kSets) ? *found : kSets[0];
}

// One parameter (or the result) as the table writes it: "g", "Vs".
struct Pattern {
  char pointer = 0;
  char type = 0;
};

constexpr size_t kMostParameters = 5;

struct Form {
  const Set* set = nullptr;
  Pattern result;
  std::array<Pattern, kMostParameters> parameters;
  size_t count = 0;
};

constexpr bool isPointerLetter(char letter) { return std::string_view("PcVLlBbQ").find(letter) != std::string_view::npos; }

std::vector<Form> formsOf(const BuiltinRow& row) {
  std::vector<Form> forms;
  std::string_view text = row.forms;
  while (text.size() > 1) {
    Form form;
    form.set = &setOf(text[0]);
    text.remove_prefix(2);
    bool has_result = false;
    while (!text.empty() && text[0] != ' ') {
      Pattern pattern;
      if (isPointerLetter(text[0])) {
        pattern.pointer = text[0];
        text.remove_prefix(1);
      }
      pattern.type = text[0];
      text.remove_prefix(1);
      if (has_result) form.parameters[form.count++] = pattern;
      if (!has_result) form.result = pattern;
      has_result = true;
    }
    if (!text.empty()) text.remove_prefix(1);
    forms.push_back(form);
  }
  return forms;
}

Scalar widened(Scalar scalar) {
  return static_cast<Scalar>(static_cast<uint8_t>(scalar) + 2);  // char to short, uchar to ushort, and on
}

// What the letter means where T is `lanes` of `scalar`.
const Type* typeOf(char letter, Scalar scalar, uint32_t lanes, const TypeTable& types) {
  switch (letter) {
    case 'g':
      return types.vector(scalar, lanes);
    case 's':
      return types.scalar(scalar);
    case 'i':
      return types.vector(withSign(scalar, true), lanes);
    case 'u':
      return types.vector(withSign(scalar, false), lanes);
    case 'k':
      return types.vector(Scalar::kInt, lanes);
    case 'w':
      return types.vector(widened(scalar), lanes);
    case 'r':
      return lanes == 1 ? types.scalar(Scalar::kInt) : types.vector(withSign(scalar, true), lanes);
    case 'I':
      return types.scalar(Scalar::kInt);
    case 'U':
      return types.scalar(Scalar::kUInt);
    case 'Z':
      return types.scalar(Scalar::kULong);
    case 'E':
      return types.eventType();
    case 'x':
      return types.scalar(Scalar::kFloat);
    case 'q':
      return types.scalar(Scalar::kHalf);
    default:
      return types.voidType();
  }
}

bool pointsInto(char pointer, AddressSpace space) {
  switch (pointer) {
    case 'P':
      return space != AddressSpace::kConstant;
    case 'c':
      return true;
    case 'V':
      return space == AddressSpace::kGlobal || space == AddressSpace::kLocal;
    case 'L':
    case 'l':
      return space == AddressSpace::kLocal;
    case 'B':
    case 'b':
      return space == AddressSpace::kGlobal;
    default:
      return space == AddressSpace::kPrivate;
  }
}

QualType pointerTo(const Type* type, char pointer, AddressSpace space, TypeTable& types) {
  QualType pointee{type, space};
  pointee.is_const = pointer == 'c' || pointer == 'l' || pointer == 'b';
  pointee.is_volatile = pointer == 'V';
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

Rank rankOfPointer(QualType from, char pointer, const Type& to) {
  if (!from->isPointer() && !from->isArray()) return Rank::kImpossible;
  const QualType pointee = from->inner;
  const AddressSpace space = from->isArray() ? from.space : pointee.space;
  const bool reads_only = pointer == 'c' || pointer == 'l' || pointer == 'b';
  if (pointee.type != &to || !pointsInto(pointer, space) || (pointee.is_const && !reads_only)) return Rank::kImpossible;
  return pointee.is_volatile && pointer != 'V' ? Rank::kImpossible : Rank::kExact;
}

struct Candidate {
  const Form* form;
  Scalar scalar;
  uint32_t lanes;
  std::array<Rank, kMostParameters> ranks;
};

bool rankAll(Candidate* candidate, const std::vector<QualType>& arguments, const TypeTable& types) {
  const Form& form = *candidate->form;
  for (size_t i = 0; i < form.count; ++i) {
    const Pattern pattern = form.parameters[i];
    const Type* type = typeOf(pattern.type, candidate->scalar, candidate->lanes, types);
    candidate->ranks[i] =
        pattern.pointer != 0 ? rankOfPointer(arguments[i], pattern.pointer, *type) : rankOfValue(*arguments[i].type, *type);
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

// The lanes that T must have: those of the first vector, by value or pointed to. Scalars alone mean the scalar form, which is
// better than any that needs a splat for each argument.
uint32_t lanesOf(const std::vector<QualType>& arguments) {
  for (QualType argument : arguments) {
    if (argument->isVector()) return argument->count;
    if ((argument->isPointer() || argument->isArray()) && argument->inner->isVector()) return argument->inner->count;
  }
  return 1;
}

std::vector<Candidate> viable(const std::vector<Form>& forms, const Builtin& builtin, const std::vector<QualType>& arguments,
                              const TypeTable& types) {
  std::vector<Candidate> candidates;
  for (const Form& form : forms) {
    if (form.count != arguments.size()) continue;
    const uint32_t lanes = form.set->lanes == kOfName ? builtin.width : form.set->letter == '.' ? 1 : lanesOf(arguments);
    if (form.set->lanes != kOfName && (form.set->lanes >> lanes & 1) == 0) continue;
    for (uint32_t scalar = 0; scalar <= static_cast<uint32_t>(Scalar::kDouble); ++scalar) {
      if ((form.set->scalars >> scalar & 1) == 0) continue;
      Candidate candidate{&form, static_cast<Scalar>(scalar), lanes, {}};
      if (rankAll(&candidate, arguments, types)) candidates.push_back(candidate);
    }
  }
  return candidates;
}

const char* letterText(char letter) {
  switch (letter) {
    case 'g':
      return "T";
    case 's':
      return "T's scalar";
    case 'i':
      return "signed integers of T's size";
    case 'u':
      return "unsigned integers of T's size";
    case 'k':
      return "int with T's lanes";
    case 'I':
      return "int";
    case 'U':
      return "uint";
    case 'Z':
      return "size_t";
    case 'E':
      return "event_t";
    case 'x':
      return "float";
    case 'q':
      return "half";
    default:
      return "void";
  }
}

std::string patternText(Pattern pattern) {
  std::string type = letterText(pattern.type);
  switch (pattern.pointer) {
    case 0:
      return type;
    case 'P':
      return type + " * (__global, __local or __private)";
    case 'c':
      return "const " + type + " *";
    case 'V':
      return "volatile " + type + " * (__global or __local)";
    case 'L':
      return "__local " + type + " *";
    case 'l':
      return "__local const " + type + " *";
    case 'B':
      return "__global " + type + " *";
    case 'b':
      return "__global const " + type + " *";
    default:
      return type + " *";
  }
}

// "(T, T), where T is float, double or a vector of them; or (T, T's scalar), where ..."
std::string formsText(const std::vector<Form>& forms) {
  std::string text;
  for (const Form& form : forms) {
    std::string parameters;
    bool generic = false;
    for (size_t i = 0; i < form.count; ++i) {
      appendListed(&parameters, patternText(form.parameters[i]));
      generic = generic || std::string_view("gsiuk").find(form.parameters[i].type) != std::string_view::npos;
    }
    text += (text.empty() ? "(" : "; or (") + parameters + ")";
    if (generic) text += std::string(", where T is ") + form.set->text;
  }
  return text;
}

QualType instance(Pattern pattern, const Candidate& candidate, QualType argument, TypeTable& types) {
  const Type* type = typeOf(pattern.type, candidate.scalar, candidate.lanes, types);
  if (pattern.pointer == 0) return QualType{type};
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
void addInstances(std::vector<BuiltinForm>* forms, const Form& form, Scalar scalar, uint32_t lanes, TypeTable& types) {
  for (AddressSpace space : {AddressSpace::kPrivate, AddressSpace::kGlobal, AddressSpace::kConstant, AddressSpace::kLocal}) {
    BuiltinForm made;
    bool varies = false;
    bool possible = true;
    for (size_t i = 0; i < form.count; ++i) {
      const Pattern pattern = form.parameters[i];
      const Type* type = typeOf(pattern.type, scalar, lanes, types);
      AddressSpace own = space;
      if (pattern.pointer == 'L' || pattern.pointer == 'l') own = AddressSpace::kLocal;
      if (pattern.pointer == 'B' || pattern.pointer == 'b') own = AddressSpace::kGlobal;
      if (pattern.pointer == 'Q') own = AddressSpace::kPrivate;
      varies = varies || (pattern.pointer != 0 && std::string_view("PcV").find(pattern.pointer) != std::string_view::npos);
      possible = possible && (pattern.pointer == 0 || pointsInto(pattern.pointer, own));
      made.parameters.push_back(pattern.pointer == 0 ? QualType{type} : pointerTo(type, pattern.pointer, own, types));
    }
    made.result = QualType{typeOf(form.result.type, scalar, lanes, types)};
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
    *why = "An argument of \"" + builtin.name + "\" has no value.";
    return false;
  }
  if (isFamilyOfItsOwn(builtin)) return resolveFamily(result, parameters, why, builtin, arguments, types_);
  const std::vector<Form> forms = formsOf(*static_cast<const BuiltinRow*>(builtin.row));
  const std::vector<Candidate> candidates = viable(forms, builtin, arguments, types_);
  if (candidates.empty()) {
    *why = "\"" + builtin.name + "\" takes " + formsText(forms) + "; it was given " + spellAll(arguments) + ".";
    return false;
  }
  const size_t count = arguments.size();
  const Candidate* best = &candidates[0];
  for (const Candidate& candidate : candidates) {
    if (isBetter(candidate, *best, count)) best = &candidate;
  }
  for (const Candidate& candidate : candidates) {
    if (&candidate == best || isBetter(*best, candidate, count)) continue;
    *why = "Several forms of \"" + builtin.name + "\" fit " + spellAll(arguments) + " equally well, " +
           parametersText(*best, arguments, types_) + " and " + parametersText(candidate, arguments, types_) +
           " among them: convert the arguments to what you mean.";
    return false;
  }
  *result = QualType{typeOf(best->form->result.type, best->scalar, best->lanes, types_)};
  for (size_t i = 0; i < count; ++i) parameters->push_back(instance(best->form->parameters[i], *best, arguments[i], types_));
  return true;
}

std::vector<BuiltinForm> Builtins::forms(const Builtin& builtin) {
  std::vector<BuiltinForm> forms;
  if (isFamilyOfItsOwn(builtin)) familyForms(&forms, builtin, types_);
  for (const Form& form : formsOf(*static_cast<const BuiltinRow*>(builtin.row))) {
    for (uint32_t scalar = 0; scalar <= static_cast<uint32_t>(Scalar::kDouble); ++scalar) {
      if ((form.set->scalars >> scalar & 1) == 0) continue;
      for (uint32_t lanes : kLaneCounts) {
        const bool of_name = form.set->lanes == kOfName;
        if (of_name ? lanes != builtin.width : (form.set->lanes >> lanes & 1) == 0) continue;
        addInstances(&forms, form, static_cast<Scalar>(scalar), lanes, types_);
      }
    }
  }
  return forms;
}

}  // namespace manyrt::compiler
