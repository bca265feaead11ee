// Where the private objects of a vector of items lie: each item's after the other's. If all that is read and written has one
// size, they are interleaved: the same element of all items is one vector.
#pragma once

#include <unordered_map>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

class SlotLayouts {
 public:
  // For the slots that `items` in `function` use, and so many lanes. Makes slots beside them.
  SlotLayouts(ir::Module& module, ir::Function& function, const ir::Region& items, uint8_t lanes);

  // The slot that lanes have instead; an item's own slot of a kernel for groups is itself.
  ir::Object* of(ir::Object* slot) const { return made_.at(slot); }
  // Whether elements of a pointer's object lie side by side, so that an offset counts for all lanes.
  bool isSideBySide(const ir::Value& pointer) const { return pointers_.contains(&pointer); }

 private:
  std::unordered_map<const ir::Object*, ir::Object*> made_;
  std::unordered_map<const ir::Value*, const ir::Object*> pointers_;
};

}  // namespace manyrt::compiler::passes
