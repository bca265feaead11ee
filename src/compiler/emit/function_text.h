// Parts that the functions of a unit share: facts about each, and those surroundings of a body that are the same for all.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/fault.h"
#include "compiler/builtins/builtins.h"
#include "compiler/emit/cpp_function.h"
#include "compiler/emit/unit_table.h"
#include "compiler/emit/user_names.h"
#include "compiler/emit/work_items.h"
#include "compiler/ir/module.h"
#include "compiler/preprocessor/source.h"

namespace manyrt::compiler::emit {

constexpr uint64_t roundUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

inline std::string identifier(const std::string& name) {
  std::string text;
  for (const char letter : name) text += letter == '$' || letter == '.' ? '_' : letter;
  return text;
}

// Facts about each function, with those that it calls: ids and local memory that it asks for, barriers, and exchanges within a
// sub-group.
class Facts {
 public:
  explicit Facts(const ir::Module& module) {
    for (const ir::Function* function : module.functions) names_[function] = static_cast<uint32_t>(names_.size());
  }
  bool asksItem(const ir::Function& function) {
    return reaches(asks_, function, [](const ir::Instruction& i) {
      return i.op == ir::Opcode::kWorkItem || usesLocal(i) ||
             (i.op == ir::Opcode::kBuiltin && i.signature.builtin != nullptr &&
              i.signature.builtin->kind == BuiltinKind::kGroupCopy);
    });
  }
  bool waits(const ir::Function& function) {
    return reaches(waits_, function, [](const ir::Instruction& i) { return i.op == ir::Opcode::kBarrier; }) ||
           exchanges(function);
  }
  bool exchanges(const ir::Function& function) {
    return reaches(exchanges_, function, [](const ir::Instruction& i) { return i.op == ir::Opcode::kSubGroup; });
  }
  // Local memory of kernels that are called as functions: where it lies is the same for all that call them.
  bool usesShared(const ir::Function& function) {
    return reaches(shares_, function,
                   [&](const ir::Instruction& i) { return i.object != nullptr && shared_.contains(i.object); });
  }
  void share(const ir::Function& called) {
    ir::forEach(*called.body, [&](const ir::Instruction& i) {
      if (!usesLocal(i) || shared_.contains(i.object)) return;
      shared_bytes_ = roundUp(shared_bytes_, std::max<uint64_t>(i.object->alignment, 16));
      shared_[i.object] = shared_bytes_;
      shared_bytes_ += i.object->size;
    });
  }
  const std::map<const ir::Object*, uint64_t>& shared() const { return shared_; }
  uint64_t sharedBytes() const { return shared_bytes_; }

  std::string name(const ir::Function& function) const {
    return "f_" + identifier(function.name) + "_" + std::to_string(names_.at(&function));
  }
  std::string entry(const ir::Function& kernel) const {
    return "k_" + identifier(kernel.name) + "_" + std::to_string(names_.at(&kernel));
  }

 private:
  using Known = std::map<const ir::Function*, bool>;
  static bool usesLocal(const ir::Instruction& i) { return i.object != nullptr && i.object->space == AddressSpace::kLocal; }
  template <typename Is>
  bool reaches(Known& known, const ir::Function& function, Is is) {
    const auto [at, is_new] = known.emplace(&function, false);
    if (!is_new) return at->second;
    bool found = false;
    ir::forEach(*function.body, [&](const ir::Instruction& i) {
      found = found || is(i) || (i.callee != nullptr && reaches(known, *i.callee, is));
    });
    return known[&function] = found;
  }

  std::map<const ir::Function*, uint32_t> names_;
  Known asks_, waits_, exchanges_, shares_;
  std::map<const ir::Object*, uint64_t> shared_;
  uint64_t shared_bytes_ = 0;
};

struct Unit {
  CppOperations& operations;
  CppLanes& lanes;
  Facts& facts;
  const Sources& sources;
  bool has_lanes;    // lanes were looked for
  bool lines;        // each statement has its place in the source
  UserNames* names;  // null: slots are bytes under numbers
};

inline std::string objectName(const ir::Object& object) { return "c_" + std::to_string(object.id); }

// The surroundings that all functions of a unit share.
class FunctionText : public Surroundings {
 public:
  explicit FunctionText(const Unit& unit)
      : operations_(unit.operations),
        lanes_(unit.lanes),
        facts_(unit.facts),
        sources_(unit.sources),
        lines_(unit.lines),
        names_(unit.names) {}

  std::string address(const ir::Object& object) override {
    const std::string* users = names_ != nullptr ? names_->of(object) : nullptr;
    if (users != nullptr) return "(char*)&" + *users;
    if (object.space == AddressSpace::kPrivate) return "(char*)" + CppFunction::name(object);
    if (object.space == AddressSpace::kLocal) return "mrt_i.m + " + std::to_string(facts_.shared().at(&object));
    return "(char*)" + objectName(object);
  }
  std::string workItem(WorkItem which, int dimension, const std::string& expression) override {
    return workItemText(which, dimension, expression, false, false);
  }
  std::string firstItem() override { return firstItemText(false); }
  std::string name(const ir::Function& function) override { return facts_.name(function); }
  std::string item(const ir::Function& callee) override { return facts_.asksItem(callee) ? itemText(is_kernel_, joins_) : ""; }
  std::string returned(const std::string& value) override { return "return " + value + ";\n"; }
  std::string barrier() override { return "rtHostFibers->wait();\n"; }
  std::string itemsBegin(const ir::Instruction&, const std::vector<std::string>&, const std::string&) override { return ""; }
  std::string itemsEnd(const std::string&) override { return ""; }
  std::string lanesBegin(const ir::Instruction&, const std::vector<std::string>&) override { return ""; }
  std::string lanesWhole(const ir::Instruction&) override { return ""; }
  std::string lanesRest(const ir::Instruction&, const std::string&) override { return ""; }
  std::string lanesEnd() override { return ""; }
  std::string endLanes(const ir::Instruction&, const std::string&) override { return ""; }
  std::string eachBegin(const std::string&) override { return ""; }
  std::string argument(const ir::Function& callee, size_t number, const std::string& value) override {
    return names_ != nullptr ? names_->argument(callee, number, value) : value;
  }
  const UserNames* names() const override { return names_; }
  std::string line(Location where) override {
    if (!lines_ || where.line == 0 || (where.line == last_.line && where.file == last_.file)) return "";
    last_ = where;
    return "#line " + std::to_string(where.line) + " \"" + printable(sources_.name(where.file), true) + "\"\n";
  }
  // Before a function: its place for the compiler's messages (pipeline/failure.h).
  std::string place(Location where) {
    const std::string spoiled = fault::fails("kernels.text") ? "mrt_spoiled " : "";  // what no compiler takes
    if (lines_) return "\n" + line(where) + spoiled;
    return "\n" + std::string(kPlaceComment) + printable(sources_.name(where.file), false) + ":" + std::to_string(where.line) +
           "\n" + spoiled;
  }

 protected:
  static std::string printable(const std::string& name, bool quotes) {
    std::string text;
    for (const char letter : name) {
      if (quotes && (letter == '"' || letter == '\\')) text += '\\';
      text += static_cast<unsigned char>(letter) >= ' ' ? letter : ' ';
    }
    return text;
  }

  CppOperations& operations_;
  CppLanes& lanes_;
  Facts& facts_;
  const Sources& sources_;
  const bool lines_;
  UserNames* const names_;
  bool is_kernel_ = false;
  bool joins_ = false;  // a kernel whose calls may be for several groups (JoinedGroups of unit.h)
  Location last_;
};

// A function that is called.
std::string helperSignature(const Unit& unit, const ir::Function& function);
std::string helperText(const Unit& unit, const ir::Function& function, Location where);

// Constants get their values when the unit is loaded.
std::string constructor(const ir::Function& function, Unit unit);

}  // namespace manyrt::compiler::emit
