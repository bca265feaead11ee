// A program in the IR: functions of structured regions. A region is a list of instructions with a terminator at its end; an
// instruction may have regions of its own, and its values are seen from there on, also inside of later regions. Control leaves
// a region by its terminator alone. Storage is an Object: a slot of a function, one for each call, or an object of the module,
// in constant or local memory. All parts belong to the Module; what a pass takes out of a region stays there unused.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/opcode.h"
#include "compiler/ir/type.h"
#include "compiler/preprocessor/source.h"

namespace manyrt::compiler {
struct Variable;
}

namespace manyrt::compiler::ir {

struct Instruction;
struct Region;
struct Function;

struct Value {
  Type type;
  uint32_t id = 0;            // unique in its function
  Instruction* by = nullptr;  // null: a parameter of a region
};

struct Object {
  std::string name;
  uint64_t size = 0;
  uint32_t alignment = 1;
  AddressSpace space = AddressSpace::kPrivate;  // kPrivate: a slot
  std::vector<uint8_t> bytes;  // what a constant begins as; empty: zeros, or what the function `constants` stores
  uint32_t id = 0;             // unique in its function, or in the module
  bool is_exported = false;    // of program scope: a program may ask for it by its name
  bool per_item = false;       // a slot of a kernel for groups: each work-item has one
  // A slot that each work-item has, as lanes see it: bytes from one's to the next one's. A slot of a vector of items, whose
  // size is that for all of them, or, `per_item`, of all items in a row. 0: lanes do not see it.
  uint64_t lane_stride = 0;
  const Variable* variable = nullptr;  // of the source; null: none
};

// A call of a function of the language: what is called, in OpenCL C's types, which have signs.
struct Signature {
  const Builtin* builtin = nullptr;  // null where the IR comes from text
  QualType result;
  std::vector<QualType> parameters;
  std::string text;  // "uint max(uint, uint)": the same for the same call
};

struct Instruction {
  Opcode op = Opcode::kConstant;
  Location where;
  std::vector<Value*> operands;
  std::vector<Value*> results;
  std::vector<Region*> regions;
  Region* parent = nullptr;

  std::vector<uint64_t> numbers;  // as the shape says
  uint32_t alignment = 1;         // kLoad, kStore: that the address is known to have
  bool is_volatile = false;
  bool is_rare = false;                // kLoad, kStore with lanes: as a rule it is not reached, and may take long
  bool in_order = false;               // the same of a row of vectors: component k has the k-th part of the row as it lies
  uint64_t bytes = 0;                  // kCopy, kFill
  uint8_t lanes = 1;                   // kItems: how many go side by side,
  uint8_t dimension = 0;               // and along which dimension;
  uint8_t jam = 1;                     // how many vectors of them go together,
  uint8_t jam_dimension = 0;           // and along which dimension
  const char* why_no_lanes = nullptr;  // kItems: a reason that lasts; null: they have lanes, or nothing looked
  Object* object = nullptr;
  Function* callee = nullptr;
  WorkItem work_item = WorkItem::kNone;
  Signature signature;
  std::vector<std::vector<uint64_t>> cases;  // kSwitch: the values of each region
  int32_t otherwise = -1;                    // kSwitch: the region of all other values; -1: none

  Value* result() const { return results.empty() ? nullptr : results[0]; }
  // The operands that a load or a store may have beside its pointer; null: it has none.
  Value* step() const;
  Value* mask() const;
};

struct Region {
  std::vector<Value*> parameters;
  std::vector<Instruction*> body;
  Instruction* owner = nullptr;  // null: the body of a function

  bool ends() const { return !body.empty() && isTerminator(body.back()->op); }
};

struct Function {
  std::string name;
  Type result;
  Region* body = nullptr;  // its parameters are the function's
  std::vector<std::string> parameter_names;
  std::vector<uint64_t> parameter_bytes;  // a kernel's records by value: their size, the parameter being their address; else 0
  std::vector<Object*> slots;
  bool is_kernel = false;
  bool for_groups = false;               // a kernel whose body runs once for a group; in its `items` each work-item acts
  std::string why_fibers;                // why a kernel with barriers has none; empty: it has, or nothing has tried
  uint32_t group_size[3] = {0, 0, 0};    // that it requires; zeros: any
  uint32_t likely_group[3] = {0, 0, 0};  // what groups are known to be most often; zeros: nothing is known
  uint32_t next_value = 0;
};

class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::vector<Function*> functions;  // in the order of the source
  std::vector<Object*> objects;      // of constant and local memory
  Function* constants = nullptr;     // stores what constants begin as, before a launch; null: nothing to store
  bool keeps_items = false;          // items of kernels with barriers run side by side, each with its own slots: for debuggers
  uint32_t vector_bytes = 0;         // of the processor's vectors, which lanes are to fill; 0: work-items go one by one
  uint32_t long_items = 150;         // with more instructions, the items that vectors leave have no second form with lanes
  int32_t lanes_along = -1;  // for tests: along this dimension if that can be, also where they cost more; -1: as they cost

  Function* find(std::string_view name) const;

  Function* makeFunction() { return &functions_.emplace_back(); }
  Object* makeObject() { return &objects_.emplace_back(); }
  Region* makeRegion(Instruction* owner);
  Instruction* makeInstruction(Opcode op);
  Value* makeValue(Function& function, Type type, Instruction* by);

 private:
  std::deque<Function> functions_;
  std::deque<Object> objects_;
  std::deque<Region> regions_;
  std::deque<Instruction> instructions_;
  std::deque<Value> values_;
};

// Every instruction of a region and of those inside, outer ones first.
template <typename F>
void forEach(const Region& region, F&& call) {
  for (Instruction* instruction : region.body) {
    call(*instruction);
    for (const Region* inner : instruction->regions) forEach(*inner, call);
  }
}

}  // namespace manyrt::compiler::ir
