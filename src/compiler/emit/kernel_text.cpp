// A kernel as loops over the items of a group, or as an item on a fiber.
#include "compiler/emit/kernel_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/builtins/lane_call.h"
#include "compiler/emit/work_items.h"
#include "compiler/ir/no_lanes.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/unit.h"

namespace manyrt::compiler::emit {
namespace {

using ir::Instruction;
using ir::Opcode;

class KernelText : public FunctionText {
 public:
  // `source`: the same kernel as it was written.
  KernelText(const Unit& unit, const ir::Function& kernel, const Function& source, const BuildOptions& options)
      : FunctionText(unit),
        kernel_(kernel),
        looks_for_lanes_(unit.has_lanes),
        optimizes_(options.optimize),
        has_barrier_(hasBarriers(source)) {
    is_kernel_ = true;
    for (int d = 0; d < 3; ++d)
      row_.required_group_size[d] = kernel.group_size[0] != 0 ? kernel.group_size[d] : options.group_size[d];
    for (const Variable* variable : source.locals) {  // what programs ask for, whatever is left of it
      declared_ = roundUp(declared_, std::max<uint64_t>({alignmentOf(variable->type), variable->alignment, 16}));
      declared_ += sizeOf(variable->type);
    }
    declared_ = roundUp(declared_, 64);
    row_.entry = facts_.entry(kernel);
    joins_ = joinsGroups(source);
    if (changesGlobalMemoryAtomically(source)) row_.traits = kSharesAtomics;
    bool along_1 = false;
    forEachLoop(*kernel.body,
                [&](const Instruction& items) { along_1 = along_1 || (items.lanes > 1 && items.dimension == 1); });
    if (joins_) row_.traits |= (along_1 ? kJoinsAlong1 : kJoinsAlong0) | (mayLoop(source) ? 0 : kJoinsMany);
  }

  std::string write(Location where) {
    on_fibers_ = !kernel_.for_groups;
    row_.barriers = on_fibers_ ? kOnFibers : has_barrier_ ? kSplitAtBarriers : kNoBarriers;
    row_.fibers = kernel_.why_fibers;
    noteLoops();
    if (names_ != nullptr) names_->choose(kernel_);
    const bool is_named = names_ != nullptr && isFreeName(kernel_.name);  // the entry calls it by its name then
    std::string text = place(where);
    std::string storage = locals();
    storage += slotsOfItems();  // after local memory
    CppFunction function(operations_, lanes_, *this);
    const std::string slots = function.slots(kernel_);
    if (on_fibers_) {
      const std::string frame = "mrt_frame_" + row_.entry, item = "i_" + row_.entry;
      text += "struct " + frame + " { const mrt_group* g; void* const* a; };\n" + "static void " + item +
              "(void* mrt_u, unsigned int mrt_x) {\n" + "const mrt_group* const mrt_g = ((" + frame +
              "*)mrt_u)->g;\nvoid* const* const mrt_a = ((" + frame + "*)mrt_u)->a;\n" + ids() +
              "const long mrt_l0 = mrt_x % mrt_n0, mrt_l1 = mrt_x / mrt_n0 % mrt_n1, mrt_l2 = mrt_x / mrt_n0 / mrt_n1;\n" +
              storage + arguments() + records() + slots + function.body(kernel_) + "}\n" + (is_named ? place(where) : "");
      return text +
             named(is_named, where,
                   frame + " mrt_f{mrt_g, mrt_a};\nrtHostFibers->" + (facts_.exchanges(kernel_) ? "run_sub_groups(" : "run(") +
                       item + ", &mrt_f, mrt_g->group_size[0] * mrt_g->group_size[1] * mrt_g->group_size[2]);\n");
    }
    return text + named(is_named, where, ids() + storage + arguments() + slots + function.body(kernel_));
  }

  // For a debugger a function of the kernel's name has the body, and the entry calls it.
  std::string named(bool is_named, Location where, const std::string& body) {
    const std::string parameters = "(const mrt_group* mrt_g, void* const* mrt_a) {\n";
    const std::string entry = "extern \"C\" void " + row_.entry + parameters;
    if (!is_named) return entry + body + "}\n";
    return "namespace kernels { static void " + kernel_.name + parameters + body + "}\n}\n" + place(where) + entry +
           "kernels::" + kernel_.name + "(mrt_g, mrt_a);\n}\n";
  }

  const char* noLanes(const Instruction& items) const {
    if (!optimizes_) return ir::kOptionsForbid;
    if (!looks_for_lanes_) return ir::kQuickCode;
    return items.why_no_lanes != nullptr ? items.why_no_lanes : ir::kNotTried;
  }

  // For UnitForm of unit.h.
  void noteLoops() {
    forEachLoop(*kernel_.body, [&](const Instruction& i) {
      ++row_.loops;
      if (i.lanes > 1) ++row_.lane_loops;
      if (i.lanes <= 1) row_.no_lanes = noLanes(i);
      if (i.lanes <= 1 || i.lanes <= row_.lanes) return;
      row_.lanes = i.lanes;
      row_.dimension = i.dimension;
    });
    const int32_t code = on_fibers_                      ? RT_LANES_FIBERS
                         : row_.lane_loops == row_.loops ? RT_LANES_ALL
                                                         : ir::noLanesCode(row_.no_lanes);
    row_.no_lanes_code = static_cast<uint32_t>(code);
  }

  const CpuKernel& row() const { return row_; }
  bool onFibers() const { return on_fibers_; }

  std::string address(const ir::Object& object) override {
    if (object.per_item) return "mrt_x" + std::to_string(object.id) + " + " + std::to_string(roomOf(object)) + " * mrt_l";
    if (object.space == AddressSpace::kLocal && (names_ == nullptr || names_->of(object) == nullptr))
      return "mrt_m + " + std::to_string(local_offsets_.at(&object));
    return FunctionText::address(object);
  }
  std::string workItem(WorkItem which, int dimension, const std::string& expression) override {
    return workItemText(which, dimension, expression, true, joins_);
  }
  std::string firstItem() override { return firstItemText(true); }
  std::string returned(const std::string&) override {
    if (items_label_.empty()) return "return;\n";
    return (ends_early_ ? "mrt_gone[mrt_l] = 1; --mrt_left;\n" : "") + ("goto " + items_label_) + ";\n";
  }
  std::string itemsBegin(const Instruction& items, const std::vector<std::string>& limits, const std::string& label) override {
    items_label_ = label;
    std::string text = rows(items, limits, 0) + loop(0) + itemHead(0);
    if (ends_early_) text += "if (mrt_gone[mrt_l]) continue;\n";
    return text + "{\n";
  }
  std::string itemsEnd(const std::string& label) override {
    items_label_.clear();
    return "}\n" + label + ": ;\n}\n" + afterRows();
  }
  // Vectors that end early take the rest's form from then on: it asks for each item.
  std::string lanesBegin(const Instruction& items, const std::vector<std::string>& limits) override {
    items_ = &items;
    const std::string text = rows(items, limits, items.dimension) + "using mrt_L = " + CppLanes::name(items.lanes) +
                             ";\nlong mrt_x = mrt_f" + std::to_string(items.dimension) + ";\n";
    if (items.jam == 1) return text + vectors(items, 1);
    if (jamsAlong(items)) return text + vectors(items, items.jam);
    return text + "if (mrt_j == " + std::to_string(items.jam) + ")\n" + vectors(items, 1);
  }
  // Rows that went together have a rest each.
  std::string lanesWhole(const Instruction& items) override {
    if (jamsAlong(items)) return "}\n}\n" + vectors(items, 1);
    const std::string n = std::to_string(items.jam_dimension);
    return "}\n}\nconst long mrt_r = mrt_l" + n + ", mrt_s = mrt_x;\nfor (long mrt_k = 0; mrt_k < mrt_j; ++mrt_k) {\n" +
           "const long mrt_l" + n + " = mrt_r + mrt_k;\n" + note(items.jam_dimension) + "mrt_x = mrt_s;\n" + vectors(items, 1);
  }
  bool hasRest(const Instruction& items) const override {
    const uint32_t size = row_.required_group_size[items.dimension];
    const bool is_empty = items.regions[1]->body.size() == 1;
    return !is_empty && (size == 0 || size % items.lanes != 0 || joins_ || ends_early_ || !items.operands.empty());
  }
  std::string lanesRest(const Instruction& items, const std::string& mask) override {
    const std::string n = std::to_string(items.dimension), head = "mrt_L::head(mrt_e" + n + " - mrt_x)";
    std::string text = "}\n}\nfor (; mrt_x < mrt_e" + n + "; mrt_x += " + std::to_string(items.lanes) + ") {\n" +
                       kKeepsBranches + "const long mrt_l" + n + " = mrt_x;\n" + itemHead(items.dimension) + "const mrt_L::m " +
                       mask + " = " + head;
    if (ends_early_) {
      text += " & ~mrt_L::mask(mrt_L::far((const unsigned char*)mrt_gone + mrt_l, " + itemStride() + ", " + head +
              ") != 0);\n" + "if (!mrt_L::any(" + mask + ")) continue";
    }
    return text + ";\n{\n";
  }
  std::string lanesEnd() override {
    return std::string("}\n}\n") + (items_->jam > 1 && !jamsAlong(*items_) ? "}\n" : "") + afterRows();
  }
  std::string endLanes(const Instruction& end, const std::string& mask) override {
    if (!ends_early_) return "";
    const std::string bits = "mrt_b_" + std::to_string(end.operands[0]->id);
    return "for (unsigned int " + bits + " = mrt_L::bits(" + mask + "); " + bits + " != 0; " + bits + " &= " + bits +
           " - 1) mrt_gone[mrt_l + __builtin_ctz(" + bits + ") * " + itemStride() + "] = 1, --mrt_left;\n";
  }
  std::string eachBegin(const std::string& lane) override {
    const std::string own = lane + "_l", n = std::to_string(items_->dimension);
    return "const long " + own + " = mrt_x + " + lane + ", mrt_l" + n + " = " + own + ";\n" + itemHead(items_->dimension);
  }

 private:
  // Visits each loop over the items once. Where the size of the group chooses between two dimensions (widen_items), that is the
  // second loop, for groups with room for the lanes.
  template <typename Do>
  static void forEachLoop(const ir::Region& region, const Do& look) {
    const auto isOneLoop = [](const ir::Region* side) {
      return side->body.size() == 2 && side->body[0]->op == Opcode::kItems && side->body[0]->lanes > 1;
    };
    for (const Instruction* i : region.body) {
      if (i->op == Opcode::kItems) {
        look(*i);
        continue;
      }
      const bool is_choice = i->op == Opcode::kIf && i->regions.size() == 2 && isOneLoop(i->regions[0]) &&
                             isOneLoop(i->regions[1]) && i->regions[0]->body[0]->dimension != i->regions[1]->body[0]->dimension;
      for (size_t k = is_choice ? 1 : 0; k < i->regions.size(); ++k) forEachLoop(*i->regions[k], look);
    }
  }
  // Whether vectors that go together lie in one row.
  static bool jamsAlong(const Instruction& items) { return items.jam_dimension == items.dimension; }
  std::string vectors(const Instruction& items, uint32_t together) const {
    const std::string n = std::to_string(items.dimension), count = std::to_string(items.lanes * together);
    return (ends_early_ ? "if (mrt_left == mrt_items)\n" : "") + ("for (; mrt_x + " + count) + " <= mrt_e" + n +
           "; mrt_x += " + count + ") {\n" + kKeepsBranches + "const long mrt_l" + n + " = mrt_x;\n" +
           itemHead(items.dimension) + "{\n";
  }
  // From an item to its neighbour in the lanes around.
  std::string itemStride() const {
    return items_->dimension == 0 ? "1" : items_->dimension == 1 ? "mrt_n0" : "(mrt_n0 * mrt_n1)";
  }

  // The beginning of an item, or of the first one of a vector. The ids of its row are noted once, before the row.
  static std::string itemHead(uint64_t along) {
    return note(along) + "const long mrt_l = (mrt_l2 * mrt_n1 + mrt_l1) * mrt_n0 + mrt_l0;\n";
  }
  static std::string note(uint64_t d) {
    const std::string n = std::to_string(d);
    return "mrt_g->item[" + n + "] = (unsigned int)mrt_l" + n + ";\n";
  }
  static std::string loop(uint64_t d) {
    const std::string n = std::to_string(d);
    return "for (long mrt_l" + n + " = mrt_f" + n + "; mrt_l" + n + " < mrt_e" + n + "; ++mrt_l" + n + ") {\n";
  }
  static std::string jammedLoop(uint64_t d, uint32_t jam) {
    const std::string own = "mrt_l" + std::to_string(d), end = "mrt_e" + std::to_string(d), count = std::to_string(jam);
    return "for (long " + own + " = mrt_f" + std::to_string(d) + ", mrt_j; " + own + " < " + end + "; " + own +
           " += mrt_j) {\nmrt_j = " + own + " + " + count + " <= " + end + " ? " + count + " : 1;\n";
  }
  // Limits, and the loops over the rows between them: over all dimensions but one.
  static std::string rows(const Instruction& items, const std::vector<std::string>& limits, uint64_t along) {
    std::string text = "{\n";
    for (uint64_t d = 0; d < 3; ++d) {
      const std::string n = std::to_string(d);
      text += "long mrt_f" + n + " = 0, mrt_e" + n + " = mrt_n" + n + ";\n";
      for (size_t k = 0; k < limits.size(); ++k) {
        if (items.numbers[k] / 2 != d) continue;
        const bool is_end = items.numbers[k] % 2 != 0;
        const std::string own = (is_end ? "mrt_e" : "mrt_f") + n, limit = "(long)" + limits[k];
        text += "if (" + limit + (is_end ? " < " : " > ") + own + ") " + own + " = " + limit + ";\n";
      }
    }
    for (const uint64_t d : {2, 1, 0}) {
      if (d != along) text += items.jam > 1 && d == items.jam_dimension ? jammedLoop(d, items.jam) : loop(d);
    }
    for (const uint64_t d : {2, 1, 0}) text += d == along ? "" : note(d);
    return text;
  }
  std::string afterRows() const {
    return std::string("}\n}\n}\nmrt_g->item[0] = ~0u;\n") + (ends_early_ ? "if (mrt_left == 0) return;\n" : "");
  }

  static uint64_t roomOf(const ir::Object& slot) {
    return roundUp(std::max<uint64_t>(slot.size, 1), std::max(slot.alignment, 1u));
  }

  // Ids and sizes; of a call for several groups, those that JoinedGroups has.
  std::string ids() const {
    std::string text;
    if (joins_) {
      text = "const unsigned int* const mrt_h = mrt_g->worker & " + std::to_string(kJoinedGroups) +
             "u ? (unsigned int*)mrt_g->local_memory : 0;\n";
    }
    for (int d = 0; d < 3; ++d) {
      const std::string n = std::to_string(d), fixed = std::to_string(row_.required_group_size[d]);
      const bool is_fixed = row_.required_group_size[0] != 0 && !joins_;
      text += "const long mrt_n" + n + " = " + (is_fixed ? fixed : "mrt_g->group_size[" + n + "]") + ";\n";
      if (!facts_.asksItem(kernel_)) continue;
      const std::string id = "mrt_g->group_id[" + n + "]", count = "mrt_g->group_count[" + n + "]";
      const std::string base = "(long)" + id + " * mrt_n" + n + " + mrt_z" + n;
      text += "const long mrt_z" + n + " = mrt_g->global_offset[" + n + "];\nconst long mrt_b" + n + " = ";
      if (joins_) {
        text += "mrt_h ? mrt_h[" + n + "] : " + base + ";\nconst unsigned long mrt_k" + n + " = mrt_h ? mrt_h[3 + " + n +
                "] : (unsigned long)" + count + " * mrt_n" + n + ";\n";
      } else {
        text += base + ";\nconst unsigned long mrt_w" + n + " = " + id + ", mrt_k" + n + " = " + count + ";\n";
      }
    }
    return text;
  }

  std::string arguments() {
    std::string text;
    const auto& parameters = kernel_.body->parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::string own = CppFunction::name(*parameters[i]);
      if (kernel_.parameter_bytes[i] != 0) {  // items of a group copy it
        if (!on_fibers_) text += "char* const " + own + " = (char*)mrt_a[" + std::to_string(i) + "];\n";
        continue;
      }
      text += operations_.type(parameters[i]->type) + " " + own + "; __builtin_memcpy((void*)&" + own + ", mrt_a[" +
              std::to_string(i) + "], sizeof " + own + ");\n";
    }
    return text;
  }

  // On a fiber: a record that is an argument is the item's own, which may change it.
  std::string records() const {
    std::string text;
    const auto& parameters = kernel_.body->parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (kernel_.parameter_bytes[i] == 0) continue;
      const std::string own = CppFunction::name(*parameters[i]), bytes = std::to_string(kernel_.parameter_bytes[i]);
      text += "alignas(128) char " + own + "_bytes[" + bytes + "]; __builtin_memcpy(" + own + "_bytes, mrt_a[" +
              std::to_string(i) + "], " + bytes + ");\nchar* const " + own + " = " + own + "_bytes;\n";
    }
    return text;
  }

  std::string locals() {
    uint64_t offset = 0;
    if (facts_.usesShared(kernel_)) {
      local_offsets_ = facts_.shared();
      offset = facts_.sharedBytes();
    }
    ir::forEach(*kernel_.body, [&](const Instruction& i) {
      if (i.object == nullptr || i.object->space != AddressSpace::kLocal || local_offsets_.contains(i.object)) return;
      offset = roundUp(offset, std::max<uint64_t>(i.object->alignment, 16));
      local_offsets_[i.object] = offset;
      offset += i.object->size;
    });
    row_.local_bytes = std::max(roundUp(offset, 64), declared_);
    if (local_offsets_.empty()) return "";
    std::string text = "char* const mrt_m = (char*)mrt_g->local_memory;\n";
    for (const auto& [object, at] : local_offsets_) {
      if (names_ != nullptr && names_->of(*object) != nullptr) text += names_->bound(*object, "mrt_m + " + std::to_string(at));
    }
    return text;
  }

  // After local memory: an array over the items for each slot that every item has.
  std::string slotsOfItems() {
    std::string text;
    const auto add = [&](const std::string& declared, uint64_t room) {
      text += declared + " = mrt_s; mrt_s += (" + std::to_string(room) + " * mrt_items + 127) & ~127l;\n";
      row_.scratch_bytes += 128;
      row_.scratch_bytes_per_item += room;
    };
    for (const ir::Object* slot : kernel_.slots) {
      if (slot->per_item) add("char* const mrt_x" + std::to_string(slot->id), roomOf(*slot));
    }
    ends_early_ = kernel_.for_groups && someEndEarly();
    if (ends_early_) add("char* const mrt_gone", 1);
    if (text.empty()) return text;
    text = "const long mrt_items = mrt_n0 * mrt_n1 * mrt_n2;\nchar* mrt_s = (char*)(((unsigned long)mrt_g->local_memory + " +
           std::to_string(row_.local_bytes) + " + 127) & ~127ul);\n" + text;
    row_.scratch_bytes += 128;
    if (ends_early_) text += "long mrt_left = mrt_items; __builtin_memset(mrt_gone, 0, mrt_items);\n";
    return text;
  }

  // Whether an item may end where others go on to further `items`: not in those that the kernel ends with.
  bool someEndEarly() const {
    std::vector<const Instruction*> last;
    findLast(*kernel_.body, &last);
    bool found = false;
    ir::forEach(*kernel_.body, [&](const Instruction& i) {
      if (i.op != Opcode::kItems || std::find(last.begin(), last.end(), &i) != last.end()) return;
      for (const ir::Region* region : i.regions)
        ir::forEach(*region, [&](const Instruction& inner) {
          found = found || inner.op == Opcode::kReturn || inner.op == Opcode::kEnd;
        });
    });
    return found;
  }

  // Adds the last instruction of a region, and if that is an `if`, those of its sides.
  static void findLast(const ir::Region& region, std::vector<const Instruction*>* last) {
    if (region.body.size() < 2) return;
    const Instruction* i = region.body[region.body.size() - 2];
    last->push_back(i);
    if (i->op != Opcode::kIf) return;
    for (const ir::Region* inner : i->regions) findLast(*inner, last);
  }

  const ir::Function& kernel_;
  const bool looks_for_lanes_, optimizes_;
  CpuKernel row_;
  std::map<const ir::Object*, uint64_t> local_offsets_;
  uint64_t declared_ = 0;               // bytes of local variables, used or not
  std::string items_label_;             // of the items around
  const Instruction* items_ = nullptr;  // the same, with lanes
  bool on_fibers_ = false;
  const bool has_barrier_;   // as it was written
  bool ends_early_ = false;  // an item may end before others
};

}  // namespace

KernelCpp kernelText(const Unit& unit, const ir::Function& kernel, const Function& source, const BuildOptions& options) {
  KernelText text(unit, kernel, source, options);
  KernelCpp made;
  made.text = text.write(source.where);
  made.row = text.row();
  made.on_fibers = text.onFibers();
  return made;
}

}  // namespace manyrt::compiler::emit
