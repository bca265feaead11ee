// Vector types for vectors of work-items: each component is a vector of lanes of its own, and an operation on float4 becomes
// four operations. Loads and stores take vectors that lie next to each other whole, and take them apart or put them together.
#include <algorithm>
#include <set>

#include "compiler/builtins/builtins.h"
#include "compiler/builtins/lane_call.h"
#include "compiler/builtins/prototype.h"
#include "compiler/lowering/cpu/lanes/lane_text.h"

namespace manyrt::compiler {
namespace {

constexpr char kDigits[] = "0123456789ABCDEF";

bool isComparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }
bool isLogical(Op op) { return op == Op::kLogicalAnd || op == Op::kLogicalOr; }
bool isShift(Op op) { return op == Op::kShl || op == Op::kShr; }

const Type* elementOf(const Type* type) { return type->isVector() ? type->element : type; }

// The scalar that all components come from; null: they differ.
const Expr* splatOf(const Expr& e) {
  const bool converts = (e.kind == ExprKind::kConvert || e.kind == ExprKind::kCast) && e.a->type->isScalar();
  return e.type->isVector() && converts ? e.a : nullptr;
}

std::string partName(const std::string& variable, uint32_t k) { return variable + "_" + kDigits[k]; }

}  // namespace

LaneText::Parts LaneText::uniformParts(const Type* type, const std::string& value) {
  const std::string own = temporary(value);
  Parts result;
  for (uint32_t k = 0; k < type->count; ++k) {
    result.push_back("mrt_L::all<" + prelude_.type(type->element) + ">(" + own + ".s" + kDigits[k] + ")");
  }
  return result;
}

LaneText::Parts LaneText::parts(const Expr& e) {
  const Type* type = e.type.type;
  if (!type->isVector()) return {value(e)};
  // The same for all lanes: computed once as a vector of the language. Not so where a scalar is spread over the components:
  // that is one vector of lanes.
  const Expr* same = splatOf(e);
  if (!shapes_.of(e).isVarying() && same == nullptr) {
    return uniformParts(type, e.kind == ExprKind::kInitializer ? prelude_.type(type) + text_.initializer(e) : scalar(e));
  }
  Parts result;
  switch (e.kind) {
    case ExprKind::kVariable:
      if (e.variable->type.space == AddressSpace::kLocal || shapes_.isObject(*e.variable)) return loadParts(place(e), type);
      for (uint32_t k = 0; k < type->count; ++k) result.push_back(partName(text_.name(*e.variable), k));
      return result;
    case ExprKind::kUnary: {
      if (e.op >= Op::kPreIncrement) return assignParts(e);
      if (e.op == Op::kDereference) return loadParts(place(e), type);
      const std::string own = lane(type->element);
      for (const std::string& each : parts(*e.a)) {
        if (e.op == Op::kPlus) {
          result.push_back(each);
        } else if (e.op == Op::kLogicalNot) {
          result.push_back(temporary("(" + own + ")(" + each + " == " + lane(e.a->type->element) + "{})"));
        } else {
          result.push_back(temporary(spell(e.op) + each));
        }
      }
      return result;
    }
    case ExprKind::kBinary:
      return binaryParts(e);
    case ExprKind::kAssign:
      return assignParts(e);
    case ExprKind::kConditional:
      return conditionalParts(e);
    case ExprKind::kCast:
    case ExprKind::kConvert:
      return convertedParts(e);
    case ExprKind::kVectorLiteral:
    case ExprKind::kInitializer:
      return literalParts(e);
    case ExprKind::kSwizzle: {
      const Parts from = parts(*e.a);
      for (uint32_t k = 0; k < type->count; ++k) result.push_back(from[std::min<size_t>(e.components[k], from.size() - 1)]);
      return result;
    }
    case ExprKind::kCall:
      return inlined(e);
    case ExprKind::kBuiltinCall:
      return callParts(e);
    default:
      return loadParts(place(e), type);
  }
}

LaneText::Parts LaneText::binaryParts(const Expr& e) {
  Parts result;
  if (const Fused with = contraction_.ofBinary(e); with.kind != Fused::Kind::kNone) {
    const Parts a = parts(*with.product->a), b = parts(*with.product->b), c = parts(*with.addend);
    for (size_t k = 0; k < a.size(); ++k) {
      result.push_back(temporary("mrt_L::fused(" + std::string(with.kind == Fused::Kind::kNegate ? "-" : "") + a[k] + ", " +
                                 b[k] + ", " + (with.kind == Fused::Kind::kSubtract ? "-" : "") + c[k] + ")"));
    }
    return result;
  }
  if (e.op == Op::kComma) {
    effect(*e.a);
    return parts(*e.b);
  }
  const Parts a = parts(*e.a);
  const Parts b = parts(*e.b);
  // Comparisons of the compiler's vectors give masks of -1 and 0 in elements of that size, as OpenCL C says of its own.
  const Type* element = elementOf(e.a->type.type);
  const std::string zero = lane(element) + "{}", own = lane(e.type->element);
  for (size_t k = 0; k < a.size(); ++k) {
    const std::string& right = b[b.size() == 1 ? 0 : k];
    if (isComparison(e.op)) {
      result.push_back(temporary("(" + own + ")(" + a[k] + " " + spell(e.op) + " " + right + ")"));
    } else if (isLogical(e.op)) {
      result.push_back(temporary("(" + own + ")((" + a[k] + " != " + zero + ") " + (e.op == Op::kLogicalAnd ? "&" : "|") +
                                 " (" + right + " != " + zero + "))"));
    } else {
      result.push_back(temporary(arithmetic(e.op, element, a[k], right, splatOf(*e.b), elementOf(e.b->type.type))));
    }
  }
  return result;
}

LaneText::Parts LaneText::conditionalParts(const Expr& e) {
  Parts result;
  if (e.a->type->isVector()) {  // by the sign of each component
    const Parts a = parts(*e.a), b = parts(*e.b), c = parts(*e.c);
    const std::string zero = lane(e.a->type->element) + "{}";
    for (size_t k = 0; k < a.size(); ++k) {
      result.push_back(temporary("(" + a[k] + " < " + zero + ") ? " + b[k] + " : " + c[k]));
    }
    return result;
  }
  const uint32_t count = e.type->count;
  const std::string own = lane(e.type->element);
  for (uint32_t k = 0; k < count; ++k) result.push_back(fresh("mrt_c"));
  const auto take = [&](const Parts& from, const std::string& on) {
    for (uint32_t k = 0; k < count; ++k) {
      put(result[k] + " = " + (on.empty() ? from[k] : "mrt_L::pick(" + on + ", " + from[k] + ", " + result[k] + ")") + ";\n");
    }
  };
  const auto declared = [&] {
    for (const std::string& each : result) put(own + " " + each + " = {};\n");
  };
  if (shapes_.of(*e.a).isUniform()) {
    declared();
    put("if (" + scalar(*e.a) + ") {\n");
    take(parts(*e.b), "");
    put("} else {\n");
    take(parts(*e.c), "");
    put("}\n");
    return result;
  }
  const std::string chosen = temporary(condition(*e.a));
  if (isSafeForAllLanes(*e.b) && isSafeForAllLanes(*e.c)) {
    const Parts b = parts(*e.b), c = parts(*e.c);
    for (uint32_t k = 0; k < count; ++k) result[k] = temporary("mrt_L::pick(" + chosen + ", " + b[k] + ", " + c[k] + ")");
    return result;
  }
  declared();
  const std::string outer = mask_;
  const auto part = [&](const Expr& inner, const std::string& lanes) {
    const std::string on = fresh("mrt_m");
    put("{ mrt_L::m " + on + " = " + (outer.empty() ? lanes : outer + " & " + lanes) + ";\nif (mrt_L::any(" + on + ")) {\n");
    mask_ = on;
    take(parts(inner), on);
    put("}\n}\n");
    mask_ = outer;
  };
  part(*e.b, chosen);
  part(*e.c, "~" + chosen);
  return result;
}

LaneText::Parts LaneText::convertedParts(const Expr& e) {
  const Expr* same = splatOf(e);
  if (same == nullptr) return parts(*e.a);
  const std::string own = prelude_.type(e.type->element);
  const std::string from = prelude_.type(same->type.type);
  std::string one = value(*same);
  if (from != own) one = "mrt_L::to<" + own + ">(" + one + ")";
  return Parts(e.type->count, temporary(one));
}

LaneText::Parts LaneText::literalParts(const Expr& e) {
  const Type* type = e.type.type;
  if (e.kind == ExprKind::kInitializer) {
    Parts result(type->count, lane(type->element) + "{}");
    for (size_t i = 0; i < e.arguments.size(); ++i) result[e.elements[i]] = temporary(value(*e.arguments[i]));
    return result;
  }
  Parts result;
  for (const Expr* argument : e.arguments) {
    for (const std::string& each : parts(*argument)) result.push_back(argument->type->isVector() ? each : temporary(each));
  }
  if (result.size() == 1) result = Parts(type->count, result[0]);
  return result;
}

// --- calls

// Calls whose arguments or results are vectors; of a scalar result: one part.
LaneText::Parts LaneText::callParts(const Expr& e) {
  const std::string& name = e.builtin->name;
  if (name == "vload") return loadParts(wholes(*e.arguments[1], *e.arguments[0], e.builtin->components), e.type.type);
  if (name == "vstore") {
    const Expr& data = *e.arguments[0];
    Parts values = parts(data);
    storeParts(wholes(*e.arguments[2], *e.arguments[1], e.builtin->components), data.type.type, values);
    return {};
  }
  std::vector<Parts> given;
  std::vector<QualType> types;
  for (const Expr* argument : e.arguments) {
    Parts own = parts(*argument);
    if (own.size() == 1) own[0] = temporary(own[0]);
    given.push_back(std::move(own));
    types.push_back(argument->type);
  }
  const std::string own = prelude_.type(elementOf(e.type.type));
  Parts result = laneCallParts(prelude_, *e.builtin, e.type, types, given);
  for (std::string& each : result) each = temporary(each);
  if (!result.empty()) return result;
  // Lane by lane.
  std::string values;
  for (size_t i = 0; i < given.size(); ++i) {
    const Type* type = e.arguments[i]->type.type;
    std::string one;
    for (const std::string& each : given[i]) one += (one.empty() ? "(" : ", (") + each + ")[mrt_i]";
    if (type->isVector()) one = prelude_.make(type, std::vector<const Type*>(type->count, type->element)) + "(" + one + ")";
    values += (i == 0 ? "" : ", ") + one;
  }
  const std::string called = prelude_.builtin(*e.builtin, e.type, types) + "(" + values + ")";
  const uint32_t count = e.type->isVector() ? e.type->count : 1;
  for (uint32_t k = 0; k < count; ++k) {
    result.push_back(fresh("mrt_c"));
    put("mrt_L::v<" + own + "> " + result[k] + ";\n");
  }
  put("for (int mrt_i = 0; mrt_i < mrt_L::n; ++mrt_i) { const auto mrt_r = " + called + ";");
  for (uint32_t k = 0; k < count; ++k) {
    put(" " + result[k] + "[mrt_i] = mrt_r" + (e.type->isVector() ? std::string(".s") + kDigits[k] : "") + ";");
  }
  put(" }\n");
  return result;
}

// --- assignments to vectors and to some components of them

LaneText::Parts LaneText::assignParts(const Expr& e) {
  const Expr& target = *e.a;
  const Type* type = target.type.type;
  const uint32_t count = type->count;
  const bool is_unary = e.kind == ExprKind::kUnary, changes = is_unary || e.op != Op::kNone;
  const Variable* variable = shapes_.changed(e);
  if (variable != nullptr && !shapes_.of(*variable).isVarying()) return uniformParts(type, scalar(e));
  // Which components: of the variable, or of the vector that lies in memory.
  std::vector<uint32_t> components;
  for (uint32_t k = 0; k < count; ++k) components.push_back(k);
  const Expr* vector = &target;
  for (; vector->kind == ExprKind::kSwizzle; vector = vector->a) {
    for (uint32_t& each : components) each = std::min<uint32_t>(vector->components[each], vector->a->type->count - 1);
  }
  const Fused with = is_unary ? Fused() : contraction_.ofAssign(e);
  Parts factors[2], right;
  if (with.kind != Fused::Kind::kNone) {
    factors[0] = parts(*with.product->a);
    factors[1] = parts(*with.product->b);
  } else if (!is_unary) {
    right = parts(*e.b);
    for (std::string& each : right) each = temporary(each);  // they may be what is assigned to
  }
  Place where;
  Parts before;
  if (variable != nullptr) {
    for (uint32_t each : components) before.push_back(partName(text_.name(*variable), each));
  } else {
    where = place(*vector);
    if (changes) {
      const Parts all = loadParts(where, vector->type.type);
      for (uint32_t each : components) before.push_back(all[each]);
    }
  }
  const std::string own = prelude_.type(type->element);
  Parts after, old;
  for (uint32_t k = 0; k < count; ++k) {
    std::string one;
    if (is_unary) {
      const bool up = e.op == Op::kPreIncrement || e.op == Op::kPostIncrement;
      one = before[k] + (up ? " + " : " - ") + "mrt_L::all<" + own + ">(1)";
    } else if (with.kind != Fused::Kind::kNone) {
      one = "mrt_L::fused(" + std::string(with.kind == Fused::Kind::kNegate ? "-" : "") + factors[0][k] + ", " + factors[1][k] +
            ", " + (with.kind == Fused::Kind::kSubtract ? "-" : "") + before[k] + ")";
    } else if (changes) {
      const std::string by = right[right.size() == 1 ? 0 : k];
      one = arithmetic(e.op, type->element, before[k], by, splatOf(*e.b),
                       isShift(e.op) ? elementOf(e.b->type.type) : type->element);
    } else {
      one = right[k];
    }
    after.push_back(temporary(one));
    if (is_unary) old.push_back(temporary(before[k]));
  }
  if (variable != nullptr) {
    for (uint32_t k = 0; k < count; ++k) put(store(*variable, before[k], after[k]));
  } else if (vector == &target) {
    storeParts(where, type, after);
  } else {
    for (uint32_t k = 0; k < count; ++k)
      store(component(where, vector->type.type, components[k]), type->element, after[k], false);
  }
  return e.op == Op::kPostIncrement || e.op == Op::kPostDecrement ? old : after;
}

// --- memory

LaneText::Place LaneText::component(Place at, const Type* vector, uint32_t number) {
  if (at.kind == Place::Kind::kOwn) {
    at.step = "(" + at.step + " + " + std::to_string(number * sizeOf(QualType{vector->element})) + "l)";
    return at;
  }
  at.pointer = "((" + prelude_.type(vector->element) + "*)" + at.pointer + " + " + std::to_string(number) + ")";
  at.likely = false;
  return at;
}

// vloadn reads n elements from n times its index on.
LaneText::Place LaneText::wholes(const Expr& from, const Expr& index, uint32_t count) {
  const std::string element = prelude_.type(from.type->inner.type);
  Place at = pointer(from);
  if (at.kind != Place::Kind::kOwn) at.pointer = "((" + element + "(*)[" + std::to_string(count) + "])" + at.pointer + ")";
  return offset(at, index, false, count * sizeOf(QualType{from.type->inner.type}));
}

// Vectors of three components are not read whole: they lie like four, or like three where vload3 reads them.
LaneText::Parts LaneText::loadParts(const Place& at, const Type* type) {
  if (!type->isVector()) return {load(at, type)};
  const std::string own = prelude_.type(type->element), count = std::to_string(type->count);
  Parts result;
  if (at.kind == Place::Kind::kOne) {
    for (uint32_t k = 0; k < type->count; ++k) {
      result.push_back(
          temporary("mrt_L::all<" + own + ">(((const " + own + "*)" + at.pointer + ")[" + std::to_string(k) + "])"));
    }
    return result;
  }
  // Neighbours are one block that shuffles take apart; of vectors at places of their own each is one load. No element is
  // fetched by itself. Where an index may wrap, the lanes' own indices are the other way.
  if (type->count != 3 && at.kind != Place::Kind::kOwn) {
    const std::string head = "_parts<" + count + ">((const " + own + "*)", from = head + at.pointer, there = head + ahead(at);
    const std::string own_places = "mrt_L::at" + from + ", " + at.index + ", " + at.scale + ", " + mask() + ")";
    std::string whole = own_places;
    if (at.isNear(sizeOf(QualType{type}))) {
      whole = "mrt_L::near" + there + (mask_.empty() ? "" : ", " + mask_) + ")";
    } else if (at.kind == Place::Kind::kStep) {
      whole = "mrt_L::far" + there + ", (" + at.step + ") * " + at.scale + ", " + mask() + ")";
    }
    if (at.guard.empty()) {
      whole = temporary(whole);
    } else {
      const std::string either = fresh("mrt_c");
      put("mrt_L::w<" + own + ", " + count + "> " + either + ";\nif (__builtin_expect(" + at.guard + ", 1)) " + either + " = " +
          whole + "; else " + either + " = " + own_places + ";\n");
      whole = either;
    }
    for (uint32_t k = 0; k < type->count; ++k) result.push_back(whole + ".s[" + std::to_string(k) + "]");
    return result;
  }
  for (uint32_t k = 0; k < type->count; ++k) result.push_back(load(component(at, type, k), type->element));
  return result;
}

void LaneText::storeParts(const Place& at, const Type* vector, const Parts& values) {
  if (vector->count == 3 || (at.kind != Place::Kind::kStep && at.kind != Place::Kind::kIndex)) {
    for (uint32_t k = 0; k < vector->count; ++k) store(component(at, vector, k), vector->element, values[k], false);
    return;
  }
  const std::string own = prelude_.type(vector->element), head = "_parts((" + own + "*)";
  const std::string to = head + at.pointer, there = head + ahead(at);
  std::string all;
  for (const std::string& each : values) all += (all.empty() ? "" : ", ") + each;
  all = ", mrt_L::w<" + own + ", " + std::to_string(vector->count) + ">{{" + all + "}}";
  const std::string own_places = "mrt_L::put_at" + to + ", " + at.index + ", " + at.scale + all + ", " + mask() + ");\n";
  if (at.kind == Place::Kind::kIndex) return put(own_places);
  if (!at.guard.empty()) put("if (__builtin_expect(" + at.guard + ", 1)) ");
  if (at.isNear(sizeOf(QualType{vector}))) {
    put("mrt_L::put_near" + there + all + (mask_.empty() ? "" : ", " + mask_) + ");\n");
  } else {
    put("mrt_L::put_far" + there + ", (" + at.step + ") * " + at.scale + all + ", " + mask() + ");\n");
  }
  if (!at.guard.empty()) put("else " + own_places);
}

}  // namespace manyrt::compiler
