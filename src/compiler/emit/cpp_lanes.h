// Values with lanes as C++: vectors of the compiler, in the text of builtins/library/lanes. A number is mrt_L::v<T>, a bool a
// mask of -1 and 0, a pointer an unsigned long; what has components is mrt_L::w<T, C>, a vector for each. mrt_L is the type of
// the lanes around.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/cpp_operations.h"

namespace manyrt::compiler::emit {

class CppLanes {
 public:
  CppLanes(CppOperations& operations, Prelude& prelude) : operations_(operations), prelude_(prelude) {}

  static std::string name(uint32_t lanes) { return "mrt_lanes<" + std::to_string(lanes) + ">"; }
  std::string type(ir::Type type);
  std::string zero(ir::Type type) { return this->type(type) + "{}"; }
  // Whether it compares neighbouring numbers of 64 bits with one that all lanes share. For the neighbours, value() takes the
  // first one.
  static bool comparesNeighbours(const ir::Instruction& i);
  // A pure operation, or a call of a pure function of the language, with lanes in an operand or the result; `operands` are
  // names.
  std::string value(const ir::Instruction& i, const std::vector<std::string>& operands);
  // Where a pointer for each lane leads: base + index * by. An address as a whole has no base.
  struct Places {
    std::string base = "mrt_nowhere()", index, by = "1";
  };
  std::string load(const ir::Instruction& i, const std::vector<std::string>& operands, const Places& places);
  std::string store(const ir::Instruction& i, const std::vector<std::string>& operands, const Places& places);
  // An integer for each lane as an index.
  std::string index(ir::Kind kind, bool is_signed, const std::string& text);
  // A statement that puts what one lane has into a value; `lane` is a number.
  std::string put(ir::Type type, const std::string& to, const std::string& lane, const std::string& value);

  // Items in lanes need the library, whatever is in them.
  void use() { is_used_ = true; }
  bool isUsed() const { return is_used_; }
  bool usesTiles() const { return uses_tiles_; }
  bool usesApart() const { return uses_apart_; }
  bool hasRare() const { return has_rare_; }

 private:
  std::string element(ir::Kind kind);  // "unsigned int"; of a mask "int"
  std::string signedElement(ir::Kind kind);
  std::string vector(const std::string& element) { return "mrt_L::v<" + element + ">"; }
  std::string spread(ir::Kind kind, const std::string& value);
  std::string component(const ir::Instruction& i, const std::vector<std::string>& operands);
  std::string converted(const ir::Instruction& i, const std::string& a);
  std::string comparedNeighbours(const ir::Instruction& i, const std::vector<std::string>& operands);
  std::string builtin(const ir::Instruction& i, const std::vector<std::string>& operands);
  std::string lane(ir::Type type, const std::string& value, const std::string& lane);
  // A component of an operand, with lanes.
  std::string part(const ir::Value& value, const std::string& text, uint32_t component);
  std::string listed(ir::Type type, const std::vector<std::string>& parts);
  std::string pieces(const char* function, int64_t elements);
  std::string tile(const ir::Instruction& i, const std::vector<std::string>& operands);
  std::string mask(const ir::Instruction& i, const std::vector<std::string>& operands);

  CppOperations& operations_;
  Prelude& prelude_;
  bool is_used_ = false;
  bool uses_tiles_ = false;
  bool uses_apart_ = false;
  bool has_rare_ = false;
};

}  // namespace manyrt::compiler::emit
