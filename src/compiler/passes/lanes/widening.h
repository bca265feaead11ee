// One region of `items` in the form for lanes. A value of the old region is, in the new one: a value without lanes, where it is
// the same for all neighbours; the first neighbour's, where it is linear; or one with lanes. Values that control carries go
// through slots of the new region, which become values at the end (promote_slots).
//
// Where control may part, the lanes that are on are the value of one such slot, `on_`. A region runs only while one of them is.
// After an instruction that lanes may have left for good, the rest of a region stands in an `if (any)`.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/analysis/divergence.h"
#include "compiler/ir/module.h"
#include "compiler/ir/no_lanes.h"
#include "compiler/ir/writer.h"
#include "compiler/passes/lanes/neighbours.h"
#include "compiler/passes/lanes/slot_layouts.h"

namespace manyrt::compiler::passes {

class Widening {
 public:
  // `divergence`: of the function, along dimension 0.
  Widening(ir::Module& module, ir::Function& function, const analysis::Divergence& divergence, const Neighbours& neighbours,
           SlotLayouts& layouts, uint8_t lanes)
      : module_(module),
        divergence_(divergence),
        neighbours_(neighbours),
        layouts_(layouts),
        lanes_(lanes),
        writer_(module, function) {}

  // Writes `from`, the region of items, into `to`. `mask`: which lanes are on; null: all. False: there is no form.
  bool write(const ir::Region& from, ir::Region& to, ir::Value* mask);
  const char* whyNot() const { return why_not_; }

 private:
  using Instruction = ir::Instruction;
  using Region = ir::Region;
  using Type = ir::Type;
  using Value = ir::Value;

  struct Slot {
    ir::Object* object = nullptr;
    Type type;
  };
  using Slots = std::vector<Slot>;

  // A loop, a switch or the items, as terminators see it.
  struct Around {
    explicit Around(const Instruction* which, bool masked = false) : instruction(which), is_masked(masked) {}
    const Instruction* instruction;
    bool is_masked;  // lanes leave it, or go on in it, at different times
    Slots results;
    Slots body, step;            // of a loop: the parameters of its regions
    std::vector<Slots> regions;  // of a switch: the same
    size_t region = 0;           // of a switch: which one is being written
    Slot left;                   // lanes that have left it by a break or a leave
    Slot waiting;                // lanes on their way to the step, or to the next region
  };

  // A pointer or a number with a step: its value in the first lane, and the difference from each lane to the next.
  struct Place {
    Value* first = nullptr;
    int64_t stride = 0;
    Value* more = nullptr;       // added to the stride, of the number's type, an i64 for a pointer; null: nothing
    std::vector<Value*> unless;  // conditions under which it has no such step
    bool is_guess = false;       // these may well hold
  };

  // widening.cpp: values and instructions
  using Instructions = std::vector<Instruction*>::const_iterator;
  void region(const Region& region, const std::function<void()>& at_end);
  void part(Instructions from, Instructions to, const std::function<void()>& at_end);
  void instruction(const Instruction& i);
  void pure(const Instruction& i);
  void copied(const Instruction& i);
  void eachLane(const Instruction& i);
  Instruction* made(const Instruction& i, std::vector<Value*> operands, Type result);
  void define(const Value& old, Value* value);
  Value* now(const Value& old) const;  // its form in the new region
  Value* narrow(const Value& old);     // without lanes
  Value* wide(const Value& old);       // with lanes, or the same for all
  Value* withLanes(Value* value);
  bool isShared(const Value& old) const;  // it is the same for all lanes, not just the first one's
  bool hasForm(const Instruction& i) const;
  void refuse(const char* why = ir::kNoForm) { why_not_ = why; }

  // widening_memory.cpp
  void load(const Instruction& i);
  void store(const Instruction& i);
  void loadAlone(const Instruction& i);
  void storeAlone(const Instruction& i);
  bool findRow(const NeighbourGroup& group, Place* place);
  bool loadRow(const NeighbourGroup& group);
  void storeRow(const NeighbourGroup& group);
  void eitherWay(const Place& place, const std::function<void()>& rarely, const std::function<void()>& often);
  Value* loadAll(const Instruction& i, Value* pointer, const Place* place);
  void storeAll(const Instruction& i, Value* pointer, const Place* place);
  static bool isTogether(const Place* place, Type type, bool apart);
  bool isOwnRow(const Value& pointer, const Place* place, Type type) const;
  Value* loadOne(const Instruction& i, Value* pointer, const Place* place, Type type);
  void storeOne(const Instruction& i, Value* value, Value* pointer, const Place* place);
  void addStep(std::vector<Value*>* operands, const Place* place);
  bool findPlace(const Value& pointer, Place* place);
  bool fitsRow(int64_t stride, ir::Kind kind) const;
  bool findNumber(const Value& number, Place* place);
  bool findStep(const Value& number, Place* place);
  bool findWider(const Instruction& by, Place* place);
  bool isSame(const Value& value) const;
  bool findQuotient(const Instruction& by, Place* place);
  bool findBits(const Instruction& by, Place* place);
  bool findProduct(const Instruction& by, Place* place);
  bool findBounded(const Instruction& by, Place* place);
  bool findChosen(const Instruction& by, Place* place);
  Value* sum(Value* a, Value* b);
  Value* stepOf(const Place& place, Type type);
  Value* condition(const Place& place);

  // widening_control.cpp
  void ifOf(const Instruction& i);
  void uniformIf(const Instruction& i, const Slots& results);
  struct Agreement {
    Value *all, *none;
  };
  Agreement agreement(const Value& condition);
  Agreement ofRow(const Instruction& asked);
  bool isBorder(const Value& condition) const;
  bool isBorder(const Instruction& i) const;
  void borderIf(const Instruction& i, const Slots& results);
  void dividedIf(const Instruction& i, const Slots& results);
  void loopOf(const Instruction& i);
  static const Instruction* onlyExit(const Instruction& loop);
  Value* unlessInRow(const Value& condition);
  void commonTurns(const Instruction& i, const Instruction& exit, const Around& around);
  void switchOf(const Instruction& i);
  void terminator(const Instruction& i);
  static bool goesOnOnce(const Instruction& loop);
  void give(const std::vector<Value*>& values, size_t first, const Slots& to, bool chooses);
  void leaveBy(const Slot* lanes, const Instruction* target);
  void beginControl();
  void endControl(const Instruction& i);
  void giveYield(const Region& from, const Slots& results, bool chooses);
  void breakUnlessAny();
  static bool isShort(const Region& side);
  void openGuard();
  Around& innermost(ir::Shape shape);
  bool isPlain(const Instruction& loop) const;
  static bool isInside(const Instruction& i, const Instruction& outer);
  bool isPlainInside(const Region& region, const Instruction& loop, bool divided) const;
  bool parts(const Instruction& i) const;
  bool anythingParts(const Region& region) const;
  Slots slotsFor(const std::vector<Value*>& values);
  void take(const std::vector<Value*>& values, const Slots& from);

  Type mask() const { return Type{ir::Kind::kBool}.with(lanes_); }
  Slot slot(Type type);
  void put(const Slot& slot, Value* value);
  Value* get(const Slot& slot);
  Value* on();     // null: all lanes
  Value* allOn();  // the same as a value
  Value* none();
  Value* both(Value* a, Value* b) { return writer_.binary(ir::Opcode::kAnd, a, b); }
  Value* either(Value* a, Value* b) { return writer_.binary(ir::Opcode::kOr, a, b); }
  Value* negated(Value* a);

  ir::Module& module_;
  const analysis::Divergence& divergence_;
  const Neighbours& neighbours_;
  SlotLayouts& layouts_;
  const uint8_t lanes_;
  ir::Writer writer_;
  std::unordered_map<const Value*, Value*> values_;
  std::unordered_map<const Value*, Value*> steps_;          // the forms of linear values with lanes
  std::unordered_map<const NeighbourGroup*, bool> joined_;  // whether its loads, written last, are one
  std::vector<ir::Object*> slots_;                          // that become values
  std::vector<Around> around_;
  std::vector<std::set<const Instruction*>> escapes_;     // for each control around: targets that lanes have left for
  std::vector<std::pair<Region*, Instruction*>> guards_;  // regions whose rest stands in an if
  Slot on_;
  bool is_masked_ = false;
  bool is_rare_ = false;           // loads and stores are being written for indices that wrap
  bool on_border_ = false;         // inside of a border's masked form, where no other border has two
  bool escaped_ = false;           // the last instruction may have left no lane on
  const char* why_not_ = nullptr;  // why there is no form for lanes; null: there is one so far
};

}  // namespace manyrt::compiler::passes
