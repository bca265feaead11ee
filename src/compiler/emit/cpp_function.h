// The body of one function of the IR as statements of C++. A value is a constant of C++ named by its number. If it is used in
// one place of the same region, it stands there instead. A value that control carries is a variable that is declared before.
// Regions are blocks, and a jump out of one goes to a label after it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/emit/cpp_lanes.h"
#include "compiler/emit/cpp_operations.h"
#include "compiler/emit/user_names.h"
#include "compiler/ir/module.h"

namespace manyrt::compiler::emit {

// The surroundings of a function's body: where objects lie, what an id is, what a return does.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual std::string address(const ir::Object& object) = 0;  // an expression of char*
  // `dimension` is a constant, or -1: the one that `expression` gives.
  virtual std::string workItem(WorkItem which, int dimension, const std::string& expression) = 0;
  virtual std::string firstItem() = 0;                         // whether this is the first item of its group
  virtual std::string name(const ir::Function& function) = 0;  // of a helper
  virtual std::string item(const ir::Function& callee) = 0;    // the last argument of its calls; empty: none
  virtual std::string returned(const std::string& value) = 0;  // a statement; `value` may be empty
  virtual std::string barrier() = 0;                           // a statement
  virtual std::string line(Location where) = 0;                // what stands before a statement; may be empty
  // Around the work of each item of a group; `label` ends an item's work. `limits`: their operands.
  virtual std::string itemsBegin(const ir::Instruction& items, const std::vector<std::string>& limits,
                                 const std::string& label) = 0;
  virtual std::string itemsEnd(const std::string& label) = 0;
  // The same for items with lanes: before vectors that go together, or whole ones where none do; between the two; between these
  // and the rest of a row, which gets a mask; and after all.
  virtual std::string lanesBegin(const ir::Instruction& items, const std::vector<std::string>& limits) = 0;
  virtual std::string lanesWhole(const ir::Instruction& items) = 0;
  virtual bool hasRest(const ir::Instruction&) const { return true; }  // false: whole vectors are all that there is
  virtual std::string lanesRest(const ir::Instruction& items, const std::string& mask) = 0;
  virtual std::string lanesEnd() = 0;
  virtual std::string endLanes(const ir::Instruction& end, const std::string& mask) = 0;  // a statement
  virtual std::string eachBegin(const std::string& lane) = 0;  // around what one lane does: ids are its own
  virtual std::string argument(const ir::Function& callee, size_t number, const std::string& value) = 0;
  virtual const UserNames* names() const = 0;  // null: slots are bytes under numbers
};

class CppFunction {
 public:
  CppFunction(CppOperations& operations, CppLanes& lanes, Surroundings& around)
      : operations_(operations), lanes_(lanes), around_(around) {}

  std::string slots(const ir::Function& function);  // declarations of those that are not each item's
  std::string body(const ir::Function& function);   // the parameters are declared by the surroundings

  static std::string name(const ir::Value& value) { return "v" + std::to_string(value.id); }
  static std::string name(const ir::Object& slot) { return "s" + std::to_string(slot.id); }

 private:
  struct Around {  // an instruction whose regions are being written
    const ir::Instruction* instruction;
    std::string label;
    size_t region = 0;
  };

  void region(const ir::Region& region);
  void instruction(const ir::Instruction& i);
  void define(const ir::Instruction& i, const std::string& value);
  void ifOf(const ir::Instruction& i);
  void loopOf(const ir::Instruction& i);
  void switchOf(const ir::Instruction& i);
  void itemsOf(const ir::Instruction& i);
  void lanesOf(const ir::Instruction& i);
  void eachOf(const ir::Instruction& i);
  bool ofLanes(const ir::Instruction& i);
  CppLanes::Places places(const ir::Value& pointer) const;
  bool isInLanes() const;
  std::string type(ir::Type type) { return type.hasLanes() ? lanes_.type(type) : operations_.type(type); }
  void end(const ir::Instruction& i);
  void groupCopy(const ir::Instruction& i);
  void declare(const std::vector<ir::Value*>& values);
  void pass(const std::vector<ir::Value*>& from, size_t first, const std::vector<ir::Value*>& to);
  const Around& innermost(ir::Shape shape) const;
  void findPlaces(const ir::Region& region);
  bool standsAtItsUse(const ir::Instruction& i) const;
  std::string text(const ir::Value& value) const;
  std::string operand(const ir::Instruction& i, size_t k) const { return text(*i.operands[k]); }

  CppOperations& operations_;
  CppLanes& lanes_;
  Surroundings& around_;
  std::vector<Around> stack_;
  std::unordered_map<const ir::Value*, const ir::Instruction*> user_;  // of values with one use; null: several
  std::unordered_map<const ir::Value*, std::string> texts_;            // of values that stand where they are used
  uint32_t labels_ = 0;
  std::string out_;
};

}  // namespace manyrt::compiler::emit
