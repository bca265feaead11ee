// Items have lanes along one dimension, and their vectors lie side by side along another one. In some loads and stores each
// lane has the element after that of its neighbour vector. For as many vectors as lanes that is a square of elements, each
// lane's in a row of memory. A transpose stores such squares, and the rows of the matrix that it loads are the vectors.
#pragma once

#include <unordered_set>
#include <vector>

#include "compiler/ir/module.h"
#include "compiler/passes/lanes/own_values.h"
#include "compiler/passes/lanes/turn_changes.h"

namespace manyrt::compiler::passes {

class Squares {
 public:
  // `region`: that of the items for whole vectors; `own`: the values that are each vector's own.
  Squares(const ir::Region& region, const OwnValues& own);

  // Whether to put as many vectors together as there are lanes.
  bool pay(uint8_t lanes) const { return !squares_.empty() && size_ * lanes <= kMostCopied; }
  // A load or a store of such elements.
  bool has(const ir::Instruction& i) const { return squares_.contains(&i); }
  // An if of which all vectors take the second side while the bounds are kept and no condition holds: indices do not wrap
  // there. Bounds and conditions follow from ids, arguments and constants alone.
  bool decides(const ir::Instruction& i) const { return decided_.contains(&i); }
  const Bounds& bounds() const { return bounds_; }
  const std::vector<ir::Value*>& conditions() const { return conditions_; }

 private:
  static constexpr size_t kMostCopied = 1200;  // instructions of all vectors

  void find(const ir::Region& region);
  bool decide(const ir::Instruction& i);
  bool isAlong(const ir::Instruction& i, Bounds* bounds) const;
  bool areKnownEarly(const Bounds& bounds) const;
  // Whether it can be computed at the beginning of the region.
  bool isKnownEarly(const ir::Value& value) const { return early_.contains(&value) || !inside_.contains(&value); }

  const OwnValues& own_;
  const TurnChanges changes_;
  std::unordered_set<const ir::Value*> inside_, early_;  // of the region, and those of them that are known at its beginning
  std::unordered_set<const ir::Instruction*> squares_, decided_;
  Bounds bounds_;
  std::vector<ir::Value*> conditions_;
  size_t size_ = 0;  // instructions that each vector has for itself
};

}  // namespace manyrt::compiler::passes
