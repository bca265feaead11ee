// Where the lanes of an lvalue are in memory: at one place, next to each other, a step apart, or each at an index of its own.
#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

// Unsigned ones of 32 bits as they are, signed ones without overflow.
std::string LaneText::first(const Expr& given) {
  const Expr& index = behindWidening(given);
  const bool wide = index.type->isSigned() || sizeOf(index.type) == 8;
  if (index.kind == ExprKind::kBinary && !shapes_.of(index).isUniform() && wide && !index.a->type->isPointer() &&
      (index.op == Op::kAdd || index.op == Op::kSub || index.op == Op::kMul)) {
    return "(" + first(*index.a) + " " + spell(index.op) + " " + first(*index.b) + ")";
  }
  const std::string cast = index.type->isSigned() || sizeOf(index.type) < 8 ? "(long)(" : "(long)(unsigned long)(";
  if (!hasFirstLane(index)) return refuse("it has an index without a first lane");
  const std::string text = text_.expression(index);
  return cast + (hasEffects(index) ? temporary(text) : text) + ")";
}

std::string LaneText::stepOf(const Expr& given) {
  const Expr& index = behindWidening(given);
  const Shape shape = shapes_.of(index);
  if (shape.isUniform()) return "0l";
  if (shape.isLinear()) return std::to_string(shape.stride) + "l";
  std::string step;
  if (index.kind != ExprKind::kBinary) {
    step = stepOf(*index.a);
  } else if (index.op == Op::kMul) {
    const bool left = shapes_.of(*index.a).isUniform();
    step = "(" + first(left ? *index.a : *index.b) + " * " + stepOf(left ? *index.b : *index.a) + ")";
  } else {
    step = "(" + stepOf(*index.a) + (index.op == Op::kSub ? " - " : " + ") + stepOf(*index.b) + ")";
  }
  return isUnsigned32(index) ? "(long)(int)" + step : step;  // the low bits are what counts
}

// An unsigned index may wrap between two lanes. The access asks at run time, and then takes the lanes' own indices. Several
// vectors ask once for all, and know their places by their distance from the first.
LaneText::Place LaneText::guarded(Place base, const Expr& index, bool negative, const std::vector<const Expr*>& wrapping) {
  const bool is_inside = std::count(out_->begin(), out_->end(), '{') != std::count(out_->begin(), out_->end(), '}');
  const bool shares = in_vector_ && !is_inside;  // what is declared within braces is not seen by the next vector
  std::string guard;
  for (const Expr* each : wrapping) {
    guard += (guard.empty() ? "" : " && ") + ("mrt_L::fits(" + first(*each) + ", " + stepOf(*each));
    guard += shares ? ", " + std::to_string(vectors_.size()) + ")" : ")";
  }
  const std::string pointer = "(" + base.pointer + (negative ? " - " : " + ") + first(index) + ")";
  Shared here;
  if (!shares) {
    here = {temporary(guard), pointer, first(index)};
  } else if (vector_ == 0) {
    here = {temporary(guard), temporary(pointer), temporary(first(index))};
    shared_.push_back(here);
  } else {
    here = shared_[next_shared_++];
    base.ahead = std::to_string(vector_) + " * mrt_L::n * (" + base.step + ") * " + base.scale;
  }
  base.guard = here.guard;
  base.pointer = here.pointer;
  base.index = std::string(negative ? "-" : "") + "(mrt_L::to<long>(" + value(index) + ") - " + here.first + ")";
  return base;
}

std::string LaneText::ahead(const Place& at) {
  return at.ahead.empty() ? at.pointer : "((char*)" + at.pointer + " + " + at.ahead + ")";
}

LaneText::Place LaneText::offset(Place base, const Expr& given, bool negative, uint64_t size) {
  const Expr& index = behindWidening(given);
  const std::string bytes = std::to_string(size) + "l";
  const std::string sign = negative ? " - " : " + ";
  const Shape shape = shapes_.of(index);
  // What an index does besides happens once, here: the text of a place is used again, for a store behind a load, for each
  // component, and for each lane.
  if (hasEffects(index) && !shape.isVarying()) {
    const std::string begin = temporary(first(index)), by = std::to_string(shape.stride) + "l";
    if (base.kind != Place::Kind::kOwn && shape.isUniform()) {
      base.pointer = "(" + base.pointer + sign + begin + ")";
      return base;
    }
    if (base.kind == Place::Kind::kOwn && shape.isUniform()) {
      base.step = "(" + base.step + sign + begin + " * " + bytes + ")";
      return base;
    }
    if (base.kind == Place::Kind::kOne && !shape.wraps) {
      base.kind = Place::Kind::kStep;
      base.step = (negative ? "-" : "") + by;
      base.scale = bytes;
      base.apart = (negative ? -shape.stride : shape.stride) * static_cast<int64_t>(size);
      base.pointer = "(" + base.pointer + sign + begin + ")";
      return base;
    }
    const std::string type = prelude_.type(index.type.type);
    const std::string line = "mrt_L::line<" + type + ">((" + type + ")" + begin + ", (" + type + ")" + by + ")";
    return apart(base, temporary(line), negative, size);
  }
  // An own object has its lanes inside itself: what all lanes add is a scalar, the rest a vector of 32 bits beside it.
  if (base.kind == Place::Kind::kOwn) {
    if (shape.isUniform()) {
      base.step = "(" + base.step + sign + first(index) + " * " + bytes + ")";
      return base;
    }
    return apart(base, value(index), negative, size);
  }
  std::vector<const Expr*> wrapping;
  // Scalars suffice while the lanes keep one distance: of a linear index, also on a place that steps by the same elements.
  if (!hasEffects(index) && shapes_.isStepped(index, &wrapping)) {
    const bool is_constant = shape.isLinear();  // the distance
    const int64_t more = (negative ? -shape.stride : shape.stride) * static_cast<int64_t>(size);
    if (shape.isUniform()) {
      base.pointer = "(" + base.pointer + sign + first(index) + ")";
      return base;
    }
    if (base.kind == Place::Kind::kOne) {
      base.kind = Place::Kind::kStep;
      base.step = (negative ? "-" : "") + stepOf(index);
      base.scale = bytes;
      base.apart = is_constant ? more : 0;
      if (!wrapping.empty()) return guarded(base, index, negative, wrapping);
      base.pointer = "(" + base.pointer + sign + first(index) + ")";
      return base;
    }
    if (base.kind == Place::Kind::kStep && base.guard.empty() && wrapping.empty()) {
      base.pointer = "(" + base.pointer + sign + first(index) + ")";
      base.apart = is_constant && base.apart != 0 ? base.apart + more : 0;
      base.step = base.apart != 0 ? std::to_string(base.apart) + "l"
                                  : "((" + base.step + ") * " + base.scale + sign + stepOf(index) + " * " + bytes + ")";
      base.scale = "1l";
      return base;
    }
  }
  const Expr* narrow = narrowOf(index);  // lanes are taken out of it one by one
  const bool likely = base.kind == Place::Kind::kOne && shapes_.isLikelyStepped(index);
  Place at = apart(base, value(narrow != nullptr ? *narrow : index), negative, size);
  at.likely = likely;
  return at;
}

// Each lane at an index of its own. On one place the index itself is enough, which keeps its 32 bits; else both parts become
// offsets in bytes of 64 bits, since their elements may differ in size. An own object has offsets of 32 bits.
LaneText::Place LaneText::apart(Place base, const std::string& index, bool negative, uint64_t size) {
  const std::string sign = negative ? " - " : " + ";
  if (base.kind == Place::Kind::kOwn) {
    const std::string more = "mrt_L::to<int>(" + index + ") * " + std::to_string(size);
    base.index = temporary(base.index.empty() ? (negative ? "-" : "") + more : base.index + sign + more);
    return base;
  }
  const std::string own = temporary(index), bytes = std::to_string(size) + "l";
  if (base.kind == Place::Kind::kOne && !negative) {
    base.kind = Place::Kind::kIndex;
    base.index = own;
    base.scale = bytes;
    return base;
  }
  const std::string more = "(mrt_L::to<long>(" + own + ") * " + bytes + ")";
  const bool steps = base.kind == Place::Kind::kStep && base.guard.empty();
  const std::string had = base.kind == Place::Kind::kOne ? "mrt_L::v<long>{}"
                          : steps                        ? "(mrt_L::line<long>(0l, " + base.step + ") * " + base.scale + ")"
                                                         : "(mrt_L::to<long>(" + base.index + ") * " + base.scale + ")";
  base.kind = Place::Kind::kIndex;
  base.index = temporary(had + sign + more);
  base.scale = "1l";
  base.apart = 0;
  base.guard.clear();
  base.ahead.clear();
  base.likely = false;
  return base;
}

LaneText::Place LaneText::prefetched(const Place& at, const Expr& e) {
  // Several vectors that go together read whole lines, and wait for each other's: asking for more made sums slower.
  const bool alone = vectors_.size() <= 1;
  const LaneShapes::Ahead ahead = shapes_.ahead(e);
  if (alone && ahead != LaneShapes::Ahead::kNothing && at.isNear(sizeOf(e.type)))
    put(std::string("mrt_L::prefetch") + (ahead == LaneShapes::Ahead::kGroups ? "_groups" : "") + "((const " +
        prelude_.type(e.type.type) + "*)" + at.pointer + ");\n");
  return at;
}

LaneText::Place LaneText::place(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kSubscript:
      return prefetched(offset(pointer(*e.a), *e.b, false, sizeOf(e.type)), e);
    case ExprKind::kUnary:
      if (e.op == Op::kDereference) return prefetched(pointer(*e.a), e);
      break;
    case ExprKind::kSwizzle:
      return component(place(*e.a), e.a->type.type, std::min<uint32_t>(e.components[0], e.a->type->count - 1));
    case ExprKind::kMember:
      return member(place(*e.a), *e.a->type->record, e.field);
    case ExprKind::kVariable:
      if (shapes_.isObject(*e.variable)) return object(*e.variable);
      break;
    case ExprKind::kCall:
    case ExprKind::kAssign:
      if (e.type->isRecord()) return recordPlace(e);
      break;
    case ExprKind::kBinary:
      if (e.op != Op::kComma) break;
      effect(*e.a);
      return place(*e.b);
    default:
      break;
  }
  Place at;
  const bool is_one = e.kind == ExprKind::kVariable || (e.kind == ExprKind::kUnary && e.op == Op::kDereference);
  at.pointer = is_one ? "(&" + scalar(e) + ")" : refuse("it has a place without a form");
  return at;
}

std::string LaneText::load(const Place& at, const Type* type) {
  const std::string own = number(type);
  const std::string from = "(const " + own + "*)" + at.pointer;
  const std::string on = mask_.empty() ? "" : ", " + mask_;
  switch (at.kind) {
    case Place::Kind::kOwn: {
      const std::string base = "(const " + own + "*)(" + at.pointer + " + " + at.step + " * mrt_L::n)";
      if (at.index.empty()) return temporary("mrt_L::near(" + base + ")");
      return temporary("mrt_L::at(" + base + ", mrt_L::own<" + own + ">(" + at.index + "), 1l" + on + ")");
    }
    case Place::Kind::kOne:
      return "mrt_L::all<" + own + ">(*(" + from + "))";
    case Place::Kind::kStep: {
      const std::string there = "(const " + own + "*)" + ahead(at);
      const std::string stepped = at.isNear(sizeOf(QualType{type}))
                                      ? "mrt_L::near(" + there + on + ")"
                                      : "mrt_L::far(" + there + ", (" + at.step + ") * " + at.scale + on + ")";
      if (at.guard.empty()) return temporary(stepped);
      const std::string result = fresh("mrt_c");
      put("mrt_L::v<" + own + "> " + result + ";\nif (__builtin_expect(" + at.guard + ", 1)) " + result + " = " + stepped +
          "; else " + result + " = mrt_L::at(" + from + ", " + at.index + ", " + at.scale + on + ");\n");
      return result;
    }
    case Place::Kind::kIndex:
      break;
  }
  return temporary("mrt_L::" + std::string(at.likely ? "likely_at(" : "at(") + from + ", " + at.index + ", " + at.scale + on +
                   ")");
}

void LaneText::store(const Place& at, const Type* type, const std::string& value, bool uniform) {
  const std::string own = number(type);
  const bool is_near = at.isNear(sizeOf(QualType{type}));
  const std::string to = "(" + own + "*)" + at.pointer;
  // Of lanes that write to one place, the last one's value stays, as if the items ran in their order.
  if (at.kind == Place::Kind::kOne) {
    put(uniform ? "*(" + to + ") = " + value + ";\n" : "mrt_L::put_one(" + to + ", " + value + ", " + mask() + ");\n");
    return;
  }
  const std::string lanes = uniform ? "mrt_L::all<" + own + ">(" + value + ")" : value;
  if (at.kind == Place::Kind::kOwn) {
    const std::string base = "(" + own + "*)(" + at.pointer + " + " + at.step + " * mrt_L::n)";
    if (!at.index.empty()) {
      put("mrt_L::put_at(" + base + ", mrt_L::own<" + own + ">(" + at.index + "), 1l, " + lanes + ", " + mask() + ");\n");
    } else if (mask_.empty() || at.whole) {
      put("mrt_L::put_near(" + base + ", " + lanes + ");\n");
    } else {
      // No other thread sees this memory, so that lanes that are off may be written with what they have: cheaper than a mask.
      put("mrt_L::put_near(" + base + ", mrt_L::pick(" + mask_ + ", " + lanes + ", mrt_L::near(" + base + ")));\n");
    }
    return;
  }
  // Where an index may wrap: by steps if it does not, else each lane to its own index.
  if (!at.guard.empty()) {
    const std::string there = "(" + own + "*)" + ahead(at);
    const std::string near = "mrt_L::put_near(" + there + ", " + lanes + (mask_.empty() ? "" : ", " + mask_) + ");\n";
    const std::string far =
        "mrt_L::put_far(" + there + ", (" + at.step + ") * " + at.scale + ", " + lanes + ", " + mask() + ");\n";
    put("if (__builtin_expect(" + at.guard + ", 1)) " + (is_near ? near : far) + "else mrt_L::put_at(" + to + ", " + at.index +
        ", " + at.scale + ", " + lanes + ", " + mask() + ");\n");
  } else if (is_near) {
    put("mrt_L::put_near(" + to + ", " + lanes + (mask_.empty() ? "" : ", " + mask_) + ");\n");
  } else if (at.kind == Place::Kind::kStep) {
    put("mrt_L::put_far(" + to + ", (" + at.step + ") * " + at.scale + ", " + lanes + ", " + mask() + ");\n");
  } else {
    put("mrt_L::" + std::string(at.likely ? "put_likely_at(" : "put_at(") + to + ", " + at.index + ", " + at.scale + ", " +
        lanes + ", " + mask() + ");\n");
  }
}

}  // namespace manyrt::compiler
