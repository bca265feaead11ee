// What the work-items of a row have in common in each expression of a region. Neighbouring items become the lanes of vectors: a
// value that is the same for all of them stays a scalar, one that grows by a constant from lane to lane is a scalar too, and
// only the rest needs a vector. Control flow that differs between the lanes is found here as well.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/lowering/cpu/group_plan.h"

namespace manyrt::compiler {

struct Shape {
  enum class Kind : uint8_t { kUnknown, kUniform, kLinear, kVarying };
  Kind kind = Kind::kUnknown;  // kUnknown: of a variable that nothing has been assigned to so far
  int64_t stride = 0;          // kLinear: from one lane to the next; of pointers in elements
  bool wraps = false;          // kLinear, 32 unsigned bits: perhaps between two lanes

  bool isUniform() const { return kind == Kind::kUniform || kind == Kind::kUnknown; }
  bool isLinear() const { return kind == Kind::kLinear; }
  bool isVarying() const { return kind == Kind::kVarying; }
  bool operator==(const Shape&) const = default;
  static Shape uniform() { return {Kind::kUniform, 0, false}; }
  static Shape linear(int64_t stride, bool wraps = false) {
    return stride == 0 ? uniform() : Shape{Kind::kLinear, stride, wraps};
  }
  static Shape varying() { return {Kind::kVarying, 0, false}; }
};

class LaneShapes {
 public:
  explicit LaneShapes(const GroupPlan& plan) : plan_(plan) {}

  // Looks at the statements of a region. False: something in them has no form in lanes yet; `why_not` says what.
  bool find(const std::vector<Stmt*>& statements, std::string* why_not);

  Shape of(const Expr& expression) const;
  Shape of(const Variable& variable) const;
  // Whether the lanes may take an `if` differently, or leave a loop at different times.
  bool diverges(const Stmt& statement) const { return diverging_.count(&statement) != 0; }
  // Bytes of the widest value that needs a vector.
  uint32_t widest() const { return widest_; }

 private:
  bool supports(const Stmt& statement);
  bool supports(const Expr& expression);
  bool supportsVariable(const Variable& variable);
  void declare(const Variable& variable);
  void look(const Stmt& statement);
  void look(const Expr* expression);
  void assign(const Variable& variable, Shape shape);
  void jump(StmtKind kind);
  void within(const Stmt& statement, const Stmt* inner);
  Shape binary(const Expr& expression) const;
  Shape call(const Expr& expression) const;
  void measure(const Expr& expression);
  void count(const Stmt* statement, double weight);
  void count(const Expr* expression, double weight);

  const GroupPlan& plan_;
  std::string why_not_;
  std::map<const Variable*, Shape> variables_;
  std::map<const Variable*, size_t> depths_;  // how many frames are around the declaration
  std::set<const Stmt*> diverging_;
  std::vector<const Stmt*> frames_;  // statements around, from the outside in
  bool changed_ = false;
  uint32_t widest_ = 4;
  double alone_ = 0, together_ = 0;  // what an item costs by itself, and as a lane
};

// No effects, and nothing that could fail for a lane that is off: no memory is read.
bool isSafeForAllLanes(const Expr& expression);

}  // namespace manyrt::compiler
