// One walk. A value is known from its instruction to the end of its region, also in the regions inside. A loaded value is known
// until something may store.
#include "compiler/passes/eliminate_common.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/passes/uses.h"

namespace manyrt::compiler::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Region;
using ir::Value;

bool isPureCall(const Instruction& i) {
  return i.op == Opcode::kBuiltin && i.signature.builtin != nullptr && i.signature.builtin->kind == BuiltinKind::kPure;
}

// Whether memory may have changed after it. Instructions that are not known to leave it alone count too.
bool mayStore(const Instruction& i) {
  if (ir::isPure(i.op) || isPureCall(i) || ir::isTerminator(i.op)) return false;
  return !(i.op == Opcode::kLoad && !i.is_volatile) && i.regions.empty();
}

bool mayStore(const Region& region) {
  bool found = false;
  ir::forEach(region, [&](const Instruction& i) { found = found || mayStore(i); });
  return found;
}

class Elimination {
 public:
  void region(Region& region) {
    const size_t begin = added_.size();
    std::vector<Instruction*> body;
    for (Instruction* i : region.body) {
      replaced_.apply(*i);
      if (Value* same = find(*i); same != nullptr) {
        replaced_.replace(i->result(), same);
        continue;
      }
      body.push_back(i);
      if (!i->regions.empty()) inside(*i);
      if (mayStore(*i)) ++memory_;
    }
    region.body = std::move(body);
    for (; added_.size() > begin; added_.pop_back()) known_.erase(added_.back());
  }

 private:
  // Instructions with the same key have the same result. A load's key has the number of the memory's state at that moment.
  using Key = std::tuple<Opcode, std::vector<const Value*>, std::vector<uint64_t>, uint64_t, const void*, std::string>;

  static uint64_t typeOf(const Instruction& i) {
    const ir::Type type = i.result()->type;
    return static_cast<uint64_t>(type.kind) | uint64_t{type.components} << 8 | uint64_t{type.lanes} << 16 |
           static_cast<uint64_t>(type.space) << 24 | static_cast<uint64_t>(i.work_item) << 32 |
           (i.op == Opcode::kLoad ? uint64_t{1} << 40 : 0);
  }

  // An instruction before it with the same result; null: it is the first.
  Value* find(const Instruction& i) {
    const bool is_load = i.op == Opcode::kLoad && !i.is_volatile;
    if (i.results.size() != 1 || !i.regions.empty() || (!ir::isPure(i.op) && !isPureCall(i) && !is_load)) return nullptr;
    std::vector<uint64_t> numbers = i.numbers;
    if (is_load) {
      numbers.push_back(memory_);
      numbers.push_back(i.alignment);
    }
    const auto [at, is_new] = known_.emplace(
        Key{i.op, {i.operands.begin(), i.operands.end()}, std::move(numbers), typeOf(i), i.object, i.signature.text},
        i.result());
    if (!is_new) return at->second;
    added_.push_back(at);
    return nullptr;
  }

  // A loop comes back to its beginning with what it has stored, and each side of an `if` begins as the other one did. Each time
  // memory has a number that it never had.
  void inside(const Instruction& i) {
    bool stores = false;
    for (const Region* inner : i.regions) stores = stores || mayStore(*inner);
    for (Region* inner : i.regions) {
      if (stores) ++memory_;
      region(*inner);
    }
    if (stores) ++memory_;
  }

  std::map<Key, Value*> known_;
  std::vector<std::map<Key, Value*>::iterator> added_;  // in the regions around, inner ones last
  uint64_t memory_ = 0;
  Replacements replaced_;
};

}  // namespace

void eliminateCommon(ir::Module& module) {
  for (ir::Function* function : module.functions) Elimination().region(*function->body);
}

}  // namespace manyrt::compiler::passes
