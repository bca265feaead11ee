// Types and pure operations of the IR as C++. An integer is the unsigned type of its width, a pointer is char*. A vector is the
// prelude's struct of unsigned components; a bool in it is a byte that is 0 or 1. Operations of vectors are functions that are
// written when they are first asked for.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/builtins/prelude.h"
#include "compiler/ir/module.h"

namespace manyrt::compiler::emit {

class CppOperations {
 public:
  CppOperations(TypeTable& types, Prelude& prelude) : types_(types), prelude_(prelude) {}

  std::string type(ir::Type type);
  // An expression for a pure operation but ids and addresses; `operands` are names.
  std::string value(const ir::Instruction& instruction, const std::vector<std::string>& operands);
  std::string constant(ir::Type type, const std::vector<uint64_t>& numbers);
  std::string load(const ir::Instruction& instruction, const std::string& pointer);
  std::string store(const ir::Instruction& instruction, const std::string& value, const std::string& pointer);
  // A call of a function of the language: IR values to its types, and its result back.
  std::string builtin(const ir::Instruction& instruction, const std::vector<std::string>& operands);

  const std::string& text() const { return text_; }  // the functions; stands after the prelude's text

 private:
  const Type* preludeType(ir::Type type);
  std::string component(const ir::Instruction& instruction, const std::vector<std::string>& operands);
  std::string converted(const ir::Instruction& instruction, const std::string& a);
  std::string number(ir::Kind kind, uint64_t bits);
  std::string toFloat(ir::Kind kind, const std::string& a);  // of a half; others stay
  std::string fromFloat(ir::Kind kind, const std::string& a);
  std::string sameBits(const std::string& to, const std::string& from, const std::string& a);
  std::string signedName(ir::Kind kind) const;
  std::string cppType(QualType type);

  TypeTable& types_;
  Prelude& prelude_;
  std::set<std::string> defined_;
  std::string text_;
};

}  // namespace manyrt::compiler::emit
