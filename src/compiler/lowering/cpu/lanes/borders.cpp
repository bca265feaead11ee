// Conditions on which the lanes of a vector mostly agree. A row of items is cut once by `x < n`, and `x == n` holds for one of
// them: few vectors have lanes on both sides. A value that grows from lane to lane, or shrinks, has its least and its greatest
// at the ends, unless it has begun at its other end again between them. So scalars can tell what a vector would.
#include <algorithm>
#include <utility>

#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/operator.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {

LaneText::Agreement LaneText::agreement(const Expr& e) {
  if (hasEffects(e)) return {};
  const bool is_safe = isSafeForAllLanes(e);  // not all lanes may come to the second part of a condition
  if (is_safe && shapes_.of(e).isUniform()) return {scalar(e), "!(" + scalar(e) + ")"};
  if (e.kind == ExprKind::kUnary && e.op == Op::kLogicalNot) {
    const Agreement inner = agreement(*e.a);
    return {inner.none, inner.all};
  }
  if (e.kind != ExprKind::kBinary) return {};
  if (e.op == Op::kLogicalAnd || e.op == Op::kLogicalOr) {
    const Agreement a = agreement(*e.a), b = agreement(*e.b);
    const auto both = [](const std::string& x, const std::string& y) {
      return x.empty() || y.empty() ? "" : "(" + x + " && " + y + ")";
    };
    const auto either = [](const std::string& x, const std::string& y) {
      return x.empty() || y.empty() ? x + y : "(" + x + " || " + y + ")";
    };
    if (e.op == Op::kLogicalAnd) return {both(a.all, b.all), either(a.none, b.none)};
    return {either(a.all, b.all), both(a.none, b.none)};
  }
  const bool compares = e.op >= Op::kLess && e.op <= Op::kNotEqual, left = shapes_.of(*e.a).isLinear();
  const Expr &line = left ? *e.a : *e.b, &other = left ? *e.b : *e.a;
  if (!is_safe || !compares || !isInteger(line) || sizeOf(line.type) < 4 || !shapes_.of(line).isLinear() ||
      !shapes_.of(other).isUniform())
    return {};
  const std::string type = prelude_.type(line.type.type), first = "(" + scalar(line) + ")", bound = "(" + scalar(other) + ")";
  const int64_t stride = shapes_.of(line).stride;
  constexpr int64_t kMostStride = 1 << 24;  // then the lanes of a vector wrap once at most
  if (stride > kMostStride || stride < -kMostStride) return {};
  const std::string last =
      "((" + type + ")((unsigned long)" + first + " + (unsigned long)(" + std::to_string(stride) + "l * (mrt_L::n - 1))))";
  const std::string in_order = " && " + first + (stride > 0 ? " <= " : " >= ") + last;
  const auto ends = [&](const std::string& op) {
    const std::string ask = left ? " " + op + " " + bound : "", asked = left ? "" : bound + " " + op + " ";
    return std::make_pair("(" + asked + first + ask + ")", "(" + asked + last + ask + ")");
  };
  if (e.op == Op::kEqual || e.op == Op::kNotEqual) {
    const auto less = ends("<"), more = ends(">");
    const std::string apart =
        "((" + less.first + " && " + less.second + ") || (" + more.first + " && " + more.second + "))" + in_order;
    return e.op == Op::kEqual ? Agreement{"", "(" + apart + ")"} : Agreement{"(" + apart + ")", ""};
  }
  const auto at = ends(spell(e.op));
  return {"(" + at.first + " && " + at.second + in_order + ")", "(!" + at.first + " && !" + at.second + in_order + ")"};
}

// Whether the parts of an `if` are short enough for that, and long enough to gain by it.
bool LaneText::isWrittenTwice(const Stmt& s) const {
  constexpr uint32_t kMostNodes = 80;
  uint32_t nodes = 0, few = 0, others = 0;
  bool fine = mask_.empty() && !containsReturn(s);
  if (isCheap(*s.first, &few) && (s.second == nullptr || isCheap(*s.second, &others))) return false;
  visitStatements(const_cast<Stmt*>(&s), [&](Stmt& each) {
    fine = fine && !isLoop(each) && each.kind != StmtKind::kBreak && each.kind != StmtKind::kContinue &&
           each.kind != StmtKind::kSwitch && each.kind != StmtKind::kGoto && each.kind != StmtKind::kLabel;
  });
  visitExpressions(const_cast<Stmt*>(&s), [&](Expr& e) { nodes += e.type->components(); });
  return fine && nodes <= kMostNodes;
}

}  // namespace manyrt::compiler
