// The values that differ between vectors of items that lie side by side along a dimension: a set that only grows. All others
// are the same for them and are computed once.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

class OwnValues {
 public:
  // `region`: that of the items.
  OwnValues(const ir::Region& region, uint8_t dimension);

  bool is(const ir::Value& value) const { return values_.contains(&value); }
  bool is(const ir::Instruction& i) const;
  // Whether a vector takes its own way through an instruction with regions.
  bool isControl(const ir::Instruction& i) const { return control_.contains(&i); }
  bool isId(const ir::Instruction& i) const;
  // Whether ids or slots of items are asked for in control that a vector takes alone: there they are the first vector's.
  bool isAskedInControl(const ir::Region& region) const;

 private:
  void add(const ir::Value& value) { changed_ |= values_.insert(&value).second; }
  void addControl(const ir::Instruction& i);
  void visit(const ir::Region& region);
  void terminator(const ir::Instruction& i);
  void carry(const std::vector<ir::Value*>& values, const std::vector<ir::Value*>& to);

  const uint8_t dimension_;
  std::unordered_set<const ir::Value*> values_;
  std::unordered_set<const ir::Instruction*> control_;
  bool changed_ = false;
};

}  // namespace manyrt::compiler::passes
