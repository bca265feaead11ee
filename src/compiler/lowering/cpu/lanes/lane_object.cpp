// Private arrays and records for vectors of work-items: memory in which each number of an item is a vector of lanes, so that
// what all lanes take from the same place is one load. Also where they point to, how they are copied, and what they begin with.
#include "compiler/lowering/cpu/lanes/lane_text.h"

namespace manyrt::compiler {

LaneText::Place LaneText::object(const Variable& variable) {
  const std::string own = text_.name(variable);
  Place at;
  if (plan_.storage(variable) == Storage::kInPlace) {  // an array over the items, in memory of the group
    at.kind = Place::Kind::kStep;
    at.pointer = "(mrt_x_" + own + " + mrt_l)";
    at.step = "1l";
    at.scale = "(long)sizeof *mrt_x_" + own;
    at.apart = static_cast<int64_t>(sizeOf(variable.type));
    return at;
  }
  if (shapes_.isContiguous(variable)) {  // one object after the other
    at.kind = Place::Kind::kStep;
    at.pointer = "((" + text_.declare(variable.type.unqualified(), "(*)") + ")" + own + ")";
    at.step = std::to_string(sizeOf(variable.type)) + "l";
    at.scale = "1l";
    at.apart = static_cast<int64_t>(sizeOf(variable.type));
    return at;
  }
  at.kind = Place::Kind::kOwn;
  at.pointer = own;
  at.step = "0l";
  at.whole = isWhole(variable);
  return at;
}

// Memory for an object of each lane. Where lanes keep addresses as numbers, the compiler is told that the memory may be reached
// by them: it does not follow pointers through vectors.
void LaneText::declareObject(const Variable& variable) {
  const std::string own = text_.name(variable);
  put("alignas(64) char " + own + "[" + std::to_string(sizeOf(variable.type)) + " * mrt_L::n];\n");
  if (shapes_.isContiguous(variable)) put("__asm__ volatile(\"\" : : \"r\"(" + own + ") : \"memory\");\n");
  kept_[&variable] = mask_;
}

LaneText::Place LaneText::fixed(Place at) {
  at.pointer = temporary(at.pointer);
  if (!at.step.empty()) at.step = temporary(at.step);
  if (!at.index.empty()) at.index = temporary(at.index);
  at.whole = false;
  return at;
}

LaneText::Place LaneText::member(Place at, const Record& record, uint32_t field) {
  if (at.kind == Place::Kind::kOwn) {
    at.step = "(" + at.step + " + " + std::to_string(record.fields[field].offset) + "l)";
    return at;
  }
  const bool unnamed = record.fields[field].name.empty();
  at.pointer =
      "(&(" + at.pointer + ")->" + (unnamed ? "unnamed_" + std::to_string(field) : CppText::fieldName(record, field)) + ")";
  return at;
}

// Of an array that is a whole object: `at` is where the array is.
LaneText::Place LaneText::element(Place at, const Type* array, uint64_t index) {
  const std::string bytes = std::to_string(index * sizeOf(array->inner)) + "l";
  if (at.kind == Place::Kind::kOwn) {
    at.step = "(" + at.step + " + " + bytes + ")";
    return at;
  }
  at.pointer = "((" + text_.declare(array->inner.unqualified(), "(*)") + ")((char*)" + at.pointer + " + " + bytes + "))";
  return at;
}

// A record that an expression gives.
LaneText::Place LaneText::recordPlace(const Expr& e) {
  if (e.kind == ExprKind::kConvert || e.kind == ExprKind::kCast) return recordPlace(*e.a);
  if (e.kind == ExprKind::kAssign) {
    const Place from = fixed(recordPlace(*e.b)), to = place(*e.a);
    copy(to, from, e.type.type);
    return to;
  }
  if (e.kind == ExprKind::kBinary) {  // a comma
    effect(*e.a);
    return recordPlace(*e.b);
  }
  if (e.kind != ExprKind::kCall) return place(e);
  if (shapes_.of(e).isUniform()) {  // one call for all
    Place at;
    at.pointer = "(&" + temporary(scalar(e)) + ")";
    return at;
  }
  Place at;
  at.kind = Place::Kind::kOwn;
  at.pointer = inlined(e)[0];
  at.step = "0l";
  return at;
}

void LaneText::copy(const Place& to, const Place& from, const Type* type) {
  if (type->isRecord()) {
    const Record& record = *type->record;
    for (uint32_t i = 0; i < record.fields.size(); ++i) {
      copy(member(to, record, i), member(from, record, i), record.fields[i].type.type);
    }
  } else if (type->isArray()) {
    for (uint64_t i = 0; i < type->length; ++i) copy(element(to, type, i), element(from, type, i), type->inner.type);
  } else if (type->isVector()) {
    storeParts(to, type, loadParts(from, type));
  } else {
    store(to, type, load(from, type), false);
  }
}

// The object is zero, but for what the braces say.
void LaneText::initialize(const Place& to, const Type* type, const Expr& e) {
  if (e.kind != ExprKind::kInitializer) {
    if (type->isRecord()) {
      copy(to, fixed(recordPlace(e)), type);
    } else if (type->isVector()) {
      storeParts(to, type, parts(e));
    } else {
      store(to, type, value(e), false);
    }
    return;
  }
  for (size_t i = 0; i < e.arguments.size(); ++i) {
    const uint32_t at = e.elements[i];
    const Expr& each = *e.arguments[i];
    if (type->isRecord()) {
      initialize(member(to, *type->record, at), type->record->fields[at].type.type, each);
    } else if (type->isArray()) {
      initialize(element(to, type, at), type->inner.type, each);
    } else if (type->isVector()) {
      initialize(component(to, type, at), type->element, each);
    } else {
      initialize(to, type, each);
    }
  }
}

}  // namespace manyrt::compiler
