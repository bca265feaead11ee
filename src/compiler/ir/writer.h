// Appends instructions to a region, with the result's type worked out from the operands: with lanes where one has them. The one
// way in which builders and passes make instructions. Instructions after a terminator are never reached and are dropped.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "compiler/ir/module.h"

namespace manyrt::compiler::ir {

class Writer {
 public:
  Writer(Module& module, Function& function) : module_(module), function_(function), region_(function.body) {}

  Module& module() { return module_; }
  Function& function() { return function_; }
  Region* region() const { return region_; }
  void moveTo(Region* region) { region_ = region; }
  bool reached() const { return !region_->ends(); }
  Location where;  // of what is made from here on

  Value* constant(Type type, uint64_t bits);  // of an integer, a bool or a pointer; a vector has it in each component
  Value* real(Type type, double value);       // rounded to the type
  Value* unary(Opcode op, Value* a, Type result);
  Value* binary(Opcode op, Value* a, Value* b);
  Value* compare(Opcode op, Value* a, Value* b);
  Value* fma(Value* a, Value* b, Value* c);
  Value* select(Value* condition, Value* a, Value* b);
  Value* negative(Value* a);  // 0 - a, or fneg
  // Between integers, by the sign of the one that is converted.
  Value* resize(Value* a, Kind to, bool is_signed);
  Value* splat(Value* element, uint8_t components);
  Value* build(std::vector<Value*> elements);
  Value* extract(Value* vector, uint32_t component);
  Value* insert(Value* vector, Value* element, uint32_t component);
  Value* shuffle(Value* vector, const uint8_t* components, uint32_t count);
  Value* address(Object* object);
  Value* offset(Value* pointer, Value* bytes);
  Value* offset(Value* pointer, uint64_t bytes);  // the pointer itself where they are 0
  Value* load(Value* pointer, Type type, uint32_t alignment, bool is_volatile);
  void store(Value* value, Value* pointer, uint32_t alignment, bool is_volatile);
  void copy(Value* to, Value* from, uint64_t bytes);
  void fill(Value* to, uint64_t bytes);
  Object* slot(std::string name, uint64_t size, uint32_t alignment);

  Instruction* add(Opcode op, std::vector<Value*> operands, Type result = {});
  void end(Opcode op, std::vector<Value*> operands = {});  // a terminator
  // A region of an if, a loop or a switch, made and moved to.
  Region* enter(Instruction* owner);

 private:
  Module& module_;
  Function& function_;
  Region* region_;
  Region dropped_;  // where unreachable instructions go
};

}  // namespace manyrt::compiler::ir
