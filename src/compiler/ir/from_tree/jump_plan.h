// How the statements of a function have to be written because of gotos, and of cases inside of inner statements. A statement
// that something jumps into is open: it is written as blocks that control may begin at. The smallest statements around a goto
// and its label, or around a switch and its cases, are written as a set of blocks; all else stays as it is structured.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/parser/ast.h"

namespace manyrt::compiler::ir {

class JumpPlan {
 public:
  explicit JumpPlan(const compiler::Function& function);

  // Statements of a compound, from the first to the last number, that hold a goto and its label. `skips`: all that they hold is
  // jumps from the others to a label that the last one begins with.
  struct Range {
    size_t first, last;
    const Stmt* skips = nullptr;
  };

  bool isOpen(const Stmt& statement) const { return flags(statement).is_open; }
  bool isRoot(const Stmt& statement) const { return flags(statement).is_root; }  // open, and a set of blocks of its own
  bool isTarget(const Stmt& label) const { return flags(label).is_target; }
  const std::vector<Range>& rangesOf(const Stmt& compound) const;
  const std::vector<const Stmt*>& casesOf(const Stmt& open_switch) const;  // with its default, in the order of the source
  const Stmt& labelOf(const Stmt& jump) const { return *labels_.at(jump.label); }
  // Whether a statement stands in one of those from `first` to `last`, which have the same parent.
  bool isInside(const Stmt& statement, const Stmt& first, const Stmt& last) const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Flags {
    bool is_open = false, is_root = false, is_target = false;
  };
  struct Node {
    const Stmt* statement;
    uint32_t parent, depth, position;  // among the statements of a compound
    uint32_t around;                   // the switch that a case belongs to
    uint32_t end = 0;                  // after all that stands inside
    Flags flags;
  };
  struct Found {  // a goto and its label, in two statements of a compound
    uint32_t from, to;
    const Stmt* label;
    bool is_alone;  // the label stands at the beginning of its statement
  };

  void walk(const Stmt& statement, uint32_t parent, uint32_t position, uint32_t around);
  void addGoto(uint32_t jump);
  void addRoot(uint32_t statement);
  void openUpTo(uint32_t statement, uint32_t around);
  uint32_t liftedOverCases(uint32_t statement) const;
  bool isInner(uint32_t label) const;
  void openCases();
  void makeRanges();
  Flags flags(const Stmt& statement) const;
  bool isLabel(uint32_t node) const;

  std::vector<Node> nodes_;  // outer ones first, in the order of the source
  std::unordered_map<const Stmt*, uint32_t> numbers_;
  std::unordered_map<std::string_view, const Stmt*> labels_;
  std::vector<uint32_t> gotos_, cases_;
  std::map<uint32_t, std::vector<Found>> found_;  // by the compound
  std::unordered_map<const Stmt*, std::vector<Range>> ranges_;
  std::unordered_map<const Stmt*, std::vector<const Stmt*>> open_cases_;
};

}  // namespace manyrt::compiler::ir
