// Loads or stores of an item that together fill the step to the next item's place: p[3 * i], p[3 * i + 1] and p[3 * i + 2].
// With lanes they are one access of a vector of components, and the memory of all lanes is read or written whole. Where the step
// is longer, as for rows of nine, four that lie together are such an access. Two are what is left of a row, or one alone.
//
// The loads of such a group are made where the first of them stands, the stores where the last does. So nothing that stands
// between may touch their memory, for any lane.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/divergence.h"
#include "compiler/ir/module.h"

namespace manyrt::compiler::passes {

struct NeighbourGroup {
  std::vector<const ir::Instruction*> members;              // as they lie in memory
  const ir::Instruction *first = nullptr, *last = nullptr;  // as they stand in the program
  int64_t step = 0;                                         // bytes from one item's to the next one's
  bool is_certain = true;                                   // false: numbers of 32 bits may wrap from one to the next
};

class Neighbours {
 public:
  // `region` is of items that have no lanes yet; `divergence` is along the dimension that gets them.
  Neighbours(const ir::Region& region, const analysis::Divergence& divergence);

  // Null: it is alone.
  const NeighbourGroup* of(const ir::Instruction& i) const {
    const auto at = groups_.find(&i);
    return at == groups_.end() ? nullptr : at->second;
  }

 private:
  struct Access;
  void region(const ir::Region& region);
  void segment(std::vector<Access>& accesses);
  void find(std::vector<Access>& accesses, bool loads);
  void group(std::vector<Access>& accesses, std::vector<size_t> members);
  static bool mayMeet(const Access& a, const Access& b);

  const analysis::Divergence& divergence_;
  std::deque<NeighbourGroup> all_;
  std::unordered_map<const ir::Instruction*, const NeighbourGroup*> groups_;
};

}  // namespace manyrt::compiler::passes
