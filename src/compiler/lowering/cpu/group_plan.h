// A kernel as a work-group runs it. Each work-item runs a region by itself, one work-item after the other. The control flow
// around the regions contains barriers, so that the whole group executes it once. Made by splitting the body at its barriers
// (loop fission); the variables then fall into the four classes below.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compiler/lowering/cpu/item_limits.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler {

enum class NodeKind : uint8_t {
  kRegion,    // statements, for each work-item
  kUniform,   // statements that assign uniform variables: once
  kMask,      // statement: `if (condition) return;` of each work-item, which then takes no more part
  kSequence,  // children
  kIf,        // statement; children: then, else
  kLoop,      // statement (for, while, do); children: body
  kSwitch,    // statement; children: body
  kCase,      // statement: a label of the switch around it
  kBreak,
  kContinue,
  kReturn
};

struct Node {
  NodeKind kind;
  Stmt* statement = nullptr;
  std::vector<Stmt*> statements;
  std::vector<std::unique_ptr<Node>> children;
  uint32_t id = 0;
};

// Where a private variable of the kernel is kept.
enum class Storage : uint8_t {
  kRegion,      // lives in one region: declared there
  kUniform,     // the same for all: a scalar around the loops
  kRecomputed,  // a cheap function of the ids: computed again wherever it is used
  kArray,       // one element for each work-item; values are loaded at a region's head and stored at its end
  kInPlace      // the same, but used in place: arrays, structs, what has its address taken
};

class GroupPlan {
 public:
  // `why_not` receives the reason where a kernel with barriers cannot be split.
  static std::unique_ptr<GroupPlan> make(Program& program, Function& kernel, std::string* why_not);

  const Node& root() const { return *root_; }
  Storage storage(const Variable& variable) const;
  const std::vector<Variable*>& variables() const { return variables_; }  // that are not kRegion, in order of declaration
  const std::vector<ItemLimit>& limits() const { return limits_; }        // of the whole kernel
  bool hasMasks() const { return has_masks_; }
  bool hasBarrier() const { return has_barrier_; }
  // The same for every work-item of a group, with no effects, and without reading memory.
  bool isUniform(const Expr& expression) const;

 private:
  friend class GroupPlanner;
  std::unique_ptr<Node> root_;
  std::map<const Variable*, Storage> storage_;
  std::vector<Variable*> variables_;
  std::vector<ItemLimit> limits_;
  bool has_masks_ = false;
  bool has_barrier_ = false;
};

// Helpers with barriers (and kernels that are called and have local variables) become part of the kernel. False, with the
// reason: one of them is called where that cannot be done.
bool inlineHelpers(Program& program, Function& kernel, std::string* why_not);
// Parameters that the kernel changes or takes the address of become variables of its body.
void separateParameters(Program& program, Function& kernel);

}  // namespace manyrt::compiler
