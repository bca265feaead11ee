// The library's functions for an interpreted run. The system's compiler compiles those that a module calls, as it does quick
// code, and they are called one by one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/interpret.h"
#include "compiler/parser/ast.h"

class IrNatives : public manyrt::compiler::ir::Natives {
 public:
  ~IrNatives() override;
  // Finds the calls of a module that was made from `program`, and compiles what they call.
  manyrt::Status load(const manyrt::compiler::ir::Module& module, manyrt::compiler::Program& program, std::string* log);
  bool call(const manyrt::compiler::ir::Signature& signature, const std::vector<const void*>& arguments, void* result) override;

 private:
  using Function = void (*)(const void* const* arguments, void* result);
  void* library_ = nullptr;
  std::map<std::string, Function, std::less<>> functions_;
};
