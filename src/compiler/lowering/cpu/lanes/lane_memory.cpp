// Where the lanes of an lvalue are in memory: at one place, next to each other, a step apart, or each at an index of its own.
#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/lane_text.h"

namespace manyrt::compiler {
namespace {

const Expr& behindWidening(const Expr& e) {  // of an index
  const Expr* inner = &e;
  while (inner->kind == ExprKind::kConvert && inner->type->isInteger() && inner->a->type->isInteger() &&
         inner->a->type->isScalar() && sizeOf(inner->a->type) >= 4 && sizeOf(inner->type) > sizeOf(inner->a->type)) {
    inner = inner->a;
  }
  return *inner;
}

}  // namespace

// Whether an index grows by the same amount from lane to lane. `sure`: no step of it wraps, as a guard has found.
bool LaneText::isStepped(const Expr& given, bool sure) const {
  const Expr& index = behindWidening(given);
  const Shape shape = shapes_.of(index);
  if (shape.isUniform()) return true;
  if (!sure && !index.type->isSigned() && sizeOf(index.type) == 4) {
    if (!indices_.cannotWrap(index)) return shape.isLinear() && !shape.wraps;
    sure = true;
  }
  if (shape.isLinear()) return true;
  if (index.kind != ExprKind::kBinary || !index.type->isInteger()) return false;
  switch (index.op) {
    case Op::kAdd:
    case Op::kSub:
      return isStepped(*index.a, sure) && isStepped(*index.b, sure);
    case Op::kMul:
      return (shapes_.of(*index.a).isUniform() && isStepped(*index.b, sure)) ||
             (shapes_.of(*index.b).isUniform() && isStepped(*index.a, sure));
    default:
      return false;
  }
}

// Of 32 unsigned bits as they are: where they might wrap between lanes, there is one lane.
std::string LaneText::first(const Expr& given) {
  const Expr& index = behindWidening(given);
  const bool wide = index.type->isSigned() || sizeOf(index.type) == 8;
  if (index.kind == ExprKind::kBinary && !shapes_.of(index).isUniform() && wide &&
      (index.op == Op::kAdd || index.op == Op::kSub || index.op == Op::kMul)) {
    return "(" + first(*index.a) + " " + spell(index.op) + " " + first(*index.b) + ")";
  }
  const std::string cast = index.type->isSigned() || sizeOf(index.type) < 8 ? "(long)(" : "(long)(unsigned long)(";
  return cast + scalar(index) + ")";
}

std::string LaneText::stepOf(const Expr& given) {
  const Expr& index = behindWidening(given);
  const Shape shape = shapes_.of(index);
  if (shape.isUniform()) return "0l";
  if (shape.isLinear()) return std::to_string(shape.stride) + "l";
  if (index.op == Op::kMul) {
    const bool left = shapes_.of(*index.a).isUniform();
    return "(" + first(left ? *index.a : *index.b) + " * " + stepOf(left ? *index.b : *index.a) + ")";
  }
  return "(" + stepOf(*index.a) + (index.op == Op::kSub ? " - " : " + ") + stepOf(*index.b) + ")";
}

LaneText::Place LaneText::offset(Place base, const Expr& given, bool negative, const Type* element) {
  const Expr& index = behindWidening(given);
  const std::string bytes = std::to_string(sizeOf(QualType{element})) + "l";
  const std::string sign = negative ? " - " : " + ";
  if (isStepped(index, false)) {
    base.pointer = "(" + base.pointer + sign + first(index) + ")";
    if (shapes_.of(index).isUniform()) return base;
    if (base.kind == Place::Kind::kOne) {
      base.kind = Place::Kind::kStep;
      base.step = (negative ? "-" : "") + stepOf(index);
      base.scale = bytes;
      base.unit = base.step == "1l";
      return base;
    }
    if (base.kind == Place::Kind::kStep && base.scale == bytes) {
      base.step = "(" + base.step + sign + stepOf(index) + ")";
      base.unit = false;
      return base;
    }
    const std::string more = "(mrt_L::line<long>(0l, " + stepOf(index) + ") * " + bytes + ")";
    const std::string had = base.kind == Place::Kind::kStep ? "(mrt_L::line<long>(0l, " + base.step + ") * " + base.scale + ")"
                                                            : "(mrt_L::to<long>(" + base.index + ") * " + base.scale + ")";
    base.kind = Place::Kind::kIndex;
    base.index = temporary(had + sign + more);
    base.scale = "1l";
    base.unit = false;
    return base;
  }
  const std::string own = temporary(value(index));
  if (base.kind == Place::Kind::kOne && !negative) {
    base.kind = Place::Kind::kIndex;
    base.index = own;
    base.scale = bytes;
    return base;
  }
  const std::string more = "(mrt_L::to<long>(" + own + ") * " + bytes + ")";
  const std::string had = base.kind == Place::Kind::kOne    ? "mrt_L::v<long>{}"
                          : base.kind == Place::Kind::kStep ? "(mrt_L::line<long>(0l, " + base.step + ") * " + base.scale + ")"
                                                            : "(mrt_L::to<long>(" + base.index + ") * " + base.scale + ")";
  base.kind = Place::Kind::kIndex;
  base.index = temporary(had + sign + more);
  base.scale = "1l";
  base.unit = false;
  return base;
}

LaneText::Place LaneText::pointer(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kConvert:
    case ExprKind::kCast:
      if (e.a->type->isArray()) {
        Place at = place(*e.a);
        at.pointer = "(" + text_.typeName(e.type.unqualified()) + ")(" + at.pointer + ")";
        at.unit = false;
        return at;
      }
      if (e.a->type->isPointer() && !shapes_.of(e).isUniform()) {
        Place at = pointer(*e.a);
        at.pointer = "(" + text_.typeName(e.type.unqualified()) + ")(" + at.pointer + ")";
        at.unit = false;
        return at;
      }
      break;
    case ExprKind::kBinary:
      if (e.op == Op::kAdd || e.op == Op::kSub) {
        const bool left = e.a->type->isPointer();
        return offset(pointer(left ? *e.a : *e.b), left ? *e.b : *e.a, e.op == Op::kSub, e.type->inner.type);
      }
      break;
    case ExprKind::kUnary:
      if (e.op == Op::kAddressOf) return place(*e.a);
      break;
    case ExprKind::kVariable: {
      const Shape shape = shapes_.of(e);
      if (!shape.isLinear()) break;
      Place at;
      at.pointer = text_.name(*e.variable);
      at.kind = Place::Kind::kStep;
      at.step = std::to_string(shape.stride) + "l";
      at.scale = std::to_string(sizeOf(e.type->inner)) + "l";
      at.unit = shape.stride == 1;
      return at;
    }
    default:
      break;
  }
  Place at;
  at.pointer = "(" + scalar(e) + ")";
  return at;
}

LaneText::Place LaneText::place(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kSubscript:
      return offset(pointer(*e.a), *e.b, false, e.type.type);
    case ExprKind::kUnary:
      if (e.op == Op::kDereference) return pointer(*e.a);
      break;
    case ExprKind::kMember: {
      Place at = place(*e.a);
      const Record& record = *e.a->type->record;
      const bool unnamed = record.fields[e.field].name.empty();
      at.pointer = "(&(" + at.pointer + ")->" +
                   (unnamed ? "unnamed_" + std::to_string(e.field) : CppText::fieldName(record, e.field)) + ")";
      at.unit = false;
      return at;
    }
    default:
      break;
  }
  Place at;
  at.pointer = "(&" + scalar(e) + ")";
  return at;
}

std::string LaneText::load(const Place& at, const Type* type) {
  const std::string own = prelude_.type(type);
  const std::string from = "(const " + own + "*)" + at.pointer;
  const std::string on = mask_.empty() ? "" : ", " + mask_;
  switch (at.kind) {
    case Place::Kind::kOne:
      return "mrt_L::all<" + own + ">(*(" + from + "))";
    case Place::Kind::kStep:
      if (at.unit) return temporary("mrt_L::near(" + from + on + ")");
      return temporary("mrt_L::far(" + from + ", (" + at.step + ") * " + at.scale + on + ")");
    case Place::Kind::kIndex:
      break;
  }
  return temporary("mrt_L::at(" + from + ", " + at.index + ", " + at.scale + on + ")");
}

void LaneText::store(const Place& at, const Type* type, const std::string& value, bool uniform) {
  const std::string own = prelude_.type(type);
  const std::string to = "(" + own + "*)" + at.pointer;
  if (at.kind == Place::Kind::kOne) {
    put(uniform ? "*(" + to + ") = " + value + ";\n" : "mrt_L::put_one(" + to + ", " + value + ", " + mask() + ");\n");
    return;
  }
  const std::string lanes = uniform ? "mrt_L::all<" + own + ">(" + value + ")" : value;
  if (at.kind == Place::Kind::kStep && at.unit) {
    put("mrt_L::put_near(" + to + ", " + lanes + (mask_.empty() ? "" : ", " + mask_) + ");\n");
  } else if (at.kind == Place::Kind::kStep) {
    put("mrt_L::put_far(" + to + ", (" + at.step + ") * " + at.scale + ", " + lanes + ", " + mask() + ");\n");
  } else {
    put("mrt_L::put_at(" + to + ", " + at.index + ", " + at.scale + ", " + lanes + ", " + mask() + ");\n");
  }
}

}  // namespace manyrt::compiler
