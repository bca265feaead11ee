// A slot's pointers are followed through offsets; what else takes one may make anything of it.
#include "compiler/passes/lanes/slot_layouts.h"

#include <algorithm>
#include <map>

namespace manyrt::compiler::passes {

using ir::Instruction;
using ir::Object;
using ir::Opcode;
using ir::Value;

namespace {

constexpr uint64_t roundUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

struct Uses {
  uint64_t element = 0;  // bytes of what is read and written; 0: nothing so far
  bool is_known = true;  // all pointers are followed, and all elements have one size and lie at multiples of it
};

}  // namespace

SlotLayouts::SlotLayouts(ir::Module& module, ir::Function& function, const ir::Region& items, uint8_t lanes) {
  std::map<uint32_t, Uses> uses;  // by the slot's number
  const auto access = [&](const Value& pointer, const Instruction& i, ir::Type type) {
    const auto at = pointers_.find(&pointer);
    if (at == pointers_.end()) return;
    Uses& own = uses[at->second->id];
    const uint64_t bytes = ir::bytesOf(type.kind);
    if (own.element == 0) own.element = bytes;
    if (own.element != bytes || i.alignment < bytes || i.is_volatile) own.is_known = false;
  };
  ir::forEach(items, [&](const Instruction& i) {
    if (i.op == Opcode::kAddress && i.object->space == AddressSpace::kPrivate) {
      pointers_[i.result()] = i.object;
      uses[i.object->id];
    }
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const auto at = pointers_.find(i.operands[k]);
      if (at == pointers_.end()) continue;
      if (i.op == Opcode::kOffset && k == 0) {
        const Object* object = at->second;
        pointers_[i.result()] = object;
      } else if ((i.op != Opcode::kLoad || k != 0) && (i.op != Opcode::kStore || k != 1)) {
        uses[at->second->id].is_known = false;
      }
    }
    if (i.op == Opcode::kLoad) access(*i.operands[0], i, i.result()->type);
    if (i.op == Opcode::kStore) access(*i.operands[1], i, i.operands[0]->type);
  });
  for (const auto& [number, own] : uses) {
    Object* slot = function.slots[number];
    const uint64_t room = roundUp(std::max<uint64_t>(slot->size, 1), slot->alignment);
    if (slot->per_item) {
      slot->lane_stride = room;
      made_[slot] = slot;
      continue;
    }
    const bool side_by_side = own.is_known && own.element != 0 && slot->size % own.element == 0;
    Object* made = module.makeObject();
    made->name = slot->name;
    made->size = room * lanes;
    made->alignment = std::max(slot->alignment, 64u);
    made->lane_stride = side_by_side ? own.element : room;
    made->id = static_cast<uint32_t>(function.slots.size());
    function.slots.push_back(made);
    made_[slot] = made;
  }
  std::erase_if(pointers_, [&](const auto& each) {
    const auto made = made_.find(each.second);
    return made == made_.end() || made->second->per_item || !uses[each.second->id].is_known ||
           made->second->lane_stride != uses[each.second->id].element;
  });
}

}  // namespace manyrt::compiler::passes
