// Finds the control of a kernel with barriers that is the group's: instructions with a barrier inside. Those around a jump that
// goes on with one of these, or ends it, belong to it too. Says whether all items of a group are sure to go the same way there.
#pragma once

#include <cstddef>
#include <functional>
#include <unordered_set>

#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

bool hasBarrier(const ir::Region& region);

class GroupControl {
 public:
  using IsUniform = std::function<bool(const ir::Value*)>;  // whether a value is the same for all items

  explicit GroupControl(const ir::Function& kernel);

  bool contains(const ir::Instruction& instruction) const { return groups_.contains(&instruction); }
  bool isEmpty() const { return groups_.empty(); }
  bool agree(const IsUniform& is_uniform) const;  // of all of them

 private:
  bool agree(const ir::Instruction& instruction, const IsUniform& is_uniform) const;
  bool waits(const ir::Region& region, size_t from) const;
  bool partsBefore(const ir::Region& region, size_t from) const;
  bool staysToWait(const ir::Instruction& instruction) const;

  std::unordered_set<const ir::Instruction*> groups_;
};

}  // namespace manyrt::compiler::passes
