// How each value differs between neighbouring work-items that run side by side: the one result that passes ask. An item's
// neighbours are those along one dimension; they go through control together, and one that has left a loop or skips a region
// is off meanwhile. A statement about a value holds for the items that are on.
//
// A linear value is m modulo the width of its type, and m, a whole number without bounds, grows by `stride` from item to item.
// A conversion to more bits keeps that only where m lies in the type, which `low` and `high` show.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::analysis {

struct Pace {
  enum class Kind : uint8_t { kUnknown, kUniform, kLinear, kVarying };  // in the order in which they get worse
  Kind kind = Kind::kUnknown;                                           // kUnknown: nothing reaches it so far
  int64_t stride = 0;                                                   // kLinear; of a pointer in bytes
  int64_t low = INT64_MIN, high = INT64_MAX;                            // of m; the limits: not known

  bool operator==(const Pace&) const = default;
  bool isUniform() const { return kind == Kind::kUniform || kind == Kind::kUnknown; }
  bool isLinear() const { return kind == Kind::kLinear; }
  bool isVarying() const { return kind == Kind::kVarying; }
  bool isBounded() const { return low != INT64_MIN && high != INT64_MAX; }
};

class Divergence {
 public:
  // `kernel`: a function whose arguments are the same for all items, as a kernel's are. `most`: ids are less than this.
  Divergence(const ir::Function& kernel, uint32_t dimension, int64_t most);

  // Varying for values that the function did not have, and for those that nothing reaches.
  Pace of(const ir::Value& value) const;
  // Whether neighbours may go different ways: at an if or a switch, or that leave a loop in different turns.
  bool diverges(const ir::Instruction& control) const { return diverging_.contains(&control); }

 private:
  using Targets = std::set<size_t>;  // of jumps, by their numbers in `around_`
  Targets region(const ir::Region& region, Targets parted);
  void instruction(const ir::Instruction& instruction);
  void control(const ir::Instruction& instruction);
  void terminator(const ir::Instruction& instruction);
  Pace computed(const ir::Instruction& instruction) const;
  Pace integer(const ir::Instruction& instruction) const;
  Pace widened(const ir::Instruction& instruction) const;
  Pace id(const ir::Instruction& instruction) const;
  Pace joined(Pace a, Pace b) const;
  void give(const ir::Value& value, Pace pace);
  void receive(const ir::Value& value, const ir::Value& from, bool divides);
  void mark(const ir::Instruction& control);
  bool isDivided(const ir::Instruction& target) const;
  void noteRegions(const ir::Region& region);
  bool isMadeIn(const ir::Value& value, const ir::Instruction& loop) const;

  const uint32_t dimension_;
  const int64_t most_;
  std::unordered_map<const ir::Value*, Pace> paces_;
  std::unordered_map<const ir::Value*, const ir::Value*>
      only_;  // of a carried value: the one that it comes from; null: several
  std::unordered_map<const ir::Value*, const ir::Region*> regions_;  // of their parameters
  std::unordered_set<const ir::Instruction*> diverging_;
  std::vector<const ir::Instruction*> around_;
  // For each region around the current instruction: the targets that some neighbours have jumped to while others come here.
  std::vector<Targets> parted_;
  bool changed_ = false;
  bool is_over_ = false;
};

}  // namespace manyrt::compiler::analysis
