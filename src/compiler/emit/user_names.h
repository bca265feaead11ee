// Slots that are the source's variables under their names and with their types, declared in blocks as the source has them: for
// debuggers. Where a name would hide what is used beside it, a number stands after it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/module.h"
#include "compiler/lowering/cpp/text.h"

namespace manyrt::compiler::emit {

// Whether a name means nothing else in C++ and in generated text.
bool isFreeName(const std::string& name);

class UserNames {
 public:
  explicit UserNames(const CppText& types) : types_(types) {}

  void choose(const ir::Function& function);  // for the function whose text comes next

  // The name of a slot of that function, or of an object in local memory that it uses; null: it has none of the source.
  const std::string* of(const ir::Object& object) const;
  std::string before(const ir::Instruction& i) const;  // blocks that begin before it, and what is declared there
  std::string after(const ir::Instruction& i) const;   // the blocks that end after it
  // A helper's parameter that is a variable of the source from the first: its declaration, and what a call gives for `value`.
  // Empty, and the value: it is stored into its slot.
  std::string parameter(const ir::Function& function, size_t number) const;
  std::string argument(const ir::Function& function, size_t number, const std::string& value) const;
  bool isBound(const ir::Instruction& i) const { return bound_.contains(&i); }  // such a store, and its pointer
  // A reference to an object in local memory, which lies at an address.
  std::string bound(const ir::Object& object, const std::string& address) const;

 private:
  struct Place {
    const ir::Region* region = nullptr;
    size_t at = 0;
  };
  using Path = std::vector<Place>;  // from the function's body to an instruction
  struct Slot {
    const ir::Object* object = nullptr;
    std::vector<Path> uses;
    bool escapes = false;  // a pointer to it goes elsewhere: no block ends before the function does
    const ir::Region* home = nullptr;
    size_t depth = 0, first = 0, last = 0;  // of the home; instructions in it
  };

  static const ir::Instruction* storeOf(const ir::Function& function, size_t number);
  void find(const ir::Region& region, Path* path);
  void use(const ir::Value& value, const Path& path, bool escapes);
  void settle(Slot* slot) const;
  static bool isClear(const Slot& slot, const std::vector<const Slot*>& same);
  void extend(Slot* slot) const;
  void nest(Slot* slot, const std::vector<const Slot*>& blocks) const;
  std::string declared(const Slot& slot, const std::string& name) const;

  const CppText& types_;
  std::map<const ir::Object*, Slot> slots_;
  std::map<const ir::Value*, const ir::Object*> pointers_;  // into slots
  std::map<const ir::Value*, std::vector<Path>> readers_;
  std::map<const ir::Object*, std::string> names_;
  std::map<const ir::Instruction*, std::string> before_, after_;
  std::set<const ir::Instruction*> bound_;
};

}  // namespace manyrt::compiler::emit
