// Compares the divergence analysis of a kernel with an interpreted run of it. A value that is called uniform or linear along a
// dimension has to be so in neighbouring items. They are compared at the same turns of the loops around it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/divergence.h"
#include "compiler/ir/interpret.h"

namespace manyrt::compiler::analysis {

class DivergenceCheck : public ir::Observer {
 public:
  // All outlive it.
  DivergenceCheck(const ir::Function& kernel, const Divergence& divergence, uint32_t dimension);

  void seen(const uint64_t group[3], const uint64_t item[3], const ir::Value& value,
            const std::array<uint64_t, ir::kMaxComponents>& bits, const Turns& turns) override;

  const std::string& wrong() const { return wrong_; }  // the first value that is not as it was said; empty: all are
  uint64_t compared() const { return compared_; }      // pairs of neighbours

 private:
  static constexpr size_t kMost = 4'000'000;  // values that are kept; more are not looked at

  void note(const ir::Region& region, std::vector<const ir::Instruction*> loops);
  void compare(uint64_t lower, uint64_t upper, const ir::Value& value, Pace pace, const uint64_t item[3]);

  const Divergence& divergence_;
  const uint32_t dimension_;
  std::unordered_map<const ir::Value*, std::vector<const ir::Instruction*>> loops_;  // around it
  std::unordered_map<uint64_t, uint64_t> found_;  // by value, item and turns: the value, of vectors a hash of it
  std::string wrong_;
  uint64_t compared_ = 0;
};

}  // namespace manyrt::compiler::analysis
