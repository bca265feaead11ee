// The list of passes, and the run of one or all of them with a verification after each.
#include "compiler/passes/passes.h"

#include <iterator>

#include "compiler/ir/verify.h"
#include "compiler/passes/eliminate_common.h"
#include "compiler/passes/flatten_ifs.h"
#include "compiler/passes/fold.h"
#include "compiler/passes/inline_calls.h"
#include "compiler/passes/join_jumps.h"
#include "compiler/passes/lanes/jam_items.h"
#include "compiler/passes/lanes/keep_rows.h"
#include "compiler/passes/lanes/narrow_lanes.h"
#include "compiler/passes/lanes/pack_components.h"
#include "compiler/passes/lanes/prefetch_rows.h"
#include "compiler/passes/lanes/tile_loops.h"
#include "compiler/passes/lanes/widen_carried.h"
#include "compiler/passes/lanes/widen_items.h"
#include "compiler/passes/limit_items.h"
#include "compiler/passes/narrow_floats.h"
#include "compiler/passes/promote_slots.h"
#include "compiler/passes/propagate_copies.h"
#include "compiler/passes/remove_dead.h"
#include "compiler/passes/split_at_barriers.h"
#include "compiler/passes/split_slots.h"
#include "compiler/passes/unroll_loops.h"

namespace manyrt::compiler::passes {
namespace {

constexpr Pass kPasses[] = {
    {"cut", removeDead, "the reader leaves what follows a break; nothing is carried yet, so that all of it can go"},
    {"inline_calls", inlineCalls, "arguments and slots of what is called are the caller's from here on"},
    {"fold_indices", fold, "an index that is constant is one number"},
    {"drop_indices", removeDead, "an address that folding has replaced is no use of its slot"},
    {"split_slots", splitSlots, "what has elements is not promoted"},
    {"promote_slots", promoteSlots, "all that follows sees values, not memory"},
    {"fold", fold, "constants have met their operations"},
    {"narrow_floats", narrowFloats, "constants are numbers, and what is converted is a value"},
    {"drop_tests", removeDead, "what tests are made of is gone where they are one comparison"},
    {"unroll_loops", unrollLoops, "counters are values, and their limits constants"},
    {"fold_turns", fold, "counters are constant"},
    {"drop_turns", removeDead, "an address that folding has replaced is no use of its slot"},
    {"split_again", splitSlots, "indices were values of slots"},
    {"promote_again", promoteSlots, "as before"},
    {"propagate_copies", propagateCopies, "what is carried is values, and what is the same all along can be the group's"},
    {"eliminate_common", eliminateCommon, "addresses are operations on values"},
    {"shrink", removeDead, "what folding has left counts for nothing"},
    {"flatten_ifs", flattenIfs, "what is short is short by now"},
    {"remove_dead", removeDead, "what was folded and what is carried for nothing"},
    {"split_at_barriers", splitAtBarriers, "what is kept from part to part is what is left"},
    {"limit_items", limitItems, "there are items, and a condition of several ids is one value"},
    {"join_jumps", joinJumps, "what ends an item early is a limit by now, and conditions are one value each"},
    {"sweep", removeDead, "conditions that are limits now, and what was hoisted for nothing"},
    {"widen_items", widenItems, "a row is whole between its limits, and what is counted as cost is what runs"},
    {"copy_lanes", propagateCopies, "masks that a loop carries and that no lane leaves are those before it"},
    {"fold_lanes", fold, "masks that have all lanes on are none"},
    {"common_lanes", eliminateCommon, "each access has asked for itself whether its lanes have a step"},
    {"narrow_lanes", narrowLanes, "what is cut and made wider again is one mask"},
    {"clear", removeDead, "lanes of linear values that nothing asks for, and what has become narrow"},
    {"widen_carried", widenCarried, "selects by masks and what loops carry are those of one vector"},
    {"jam_items", jamItems, "what is left of a loop is what it does"},
    {"tile_loops", tileLoops, "rows are those of one vector, or of none"},
    {"clear_tiles", removeDead, "addresses of elements that a tile has"},
    {"pack_components", packComponents, "which vectors are loaded and stored"},
    {"clear_components", removeDead, "a component that nothing asks for any more keeps no row from its order"},
    {"keep_rows", keepRows, "what lies between loads and stores is operations on vectors"},
    {"prefetch_rows", prefetchRows, "all accesses are there by now, and none is for nothing"},
};

}  // namespace

const Pass* begin() { return std::begin(kPasses); }
const Pass* end() { return std::end(kPasses); }

bool run(ir::Module* module, std::string_view name, std::string* why) {
  bool found = false;
  for (const Pass& pass : kPasses) {
    if (name != "all" && name != pass.name) continue;
    found = true;
    pass.run(*module);
    if (ir::verify(*module, why)) continue;
    *why = std::string("after ") + pass.name + ": " + *why;
    return false;
  }
  if (!found) *why = "there is no pass " + std::string(name);
  return found;
}

}  // namespace manyrt::compiler::passes
