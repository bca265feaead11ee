// Helpers as functions of C++, and the constructor that gives constants their values before the first launch.
#include "compiler/emit/function_text.h"

namespace manyrt::compiler::emit {
namespace {

class HelperText : public FunctionText {
 public:
  using FunctionText::FunctionText;

  std::string signature(const ir::Function& function) {
    if (names_ != nullptr) names_->choose(function);
    std::string text = "static " + operations_.type(function.result) + " " + facts_.name(function) + "(";
    for (size_t k = 0; k < function.body->parameters.size(); ++k) {
      const ir::Value& parameter = *function.body->parameters[k];
      const std::string users = names_ != nullptr ? names_->parameter(function, k) : "";
      text += (k == 0 ? "" : ", ") +
              (users.empty() ? operations_.type(parameter.type) + " " + CppFunction::name(parameter) : users);
    }
    if (facts_.asksItem(function)) text += std::string(function.body->parameters.empty() ? "" : ", ") + "const mrt_item& mrt_i";
    return text + ")";
  }
  std::string definition(const ir::Function& function, Location where) {
    const std::string head = signature(function);
    CppFunction text(operations_, lanes_, *this);
    std::string bound;
    for (const auto& [object, offset] : facts_.shared()) {
      if (names_ != nullptr && names_->of(*object) != nullptr)
        bound += names_->bound(*object, "mrt_i.m + " + std::to_string(offset));
    }
    const std::string slots = text.slots(function);
    return place(where) + head + " {\n" + bound + slots + text.body(function) + "}\n";
  }
};

}  // namespace

std::string helperSignature(const Unit& unit, const ir::Function& function) { return HelperText(unit).signature(function); }

std::string helperText(const Unit& unit, const ir::Function& function, Location where) {
  return HelperText(unit).definition(function, where);
}

std::string constructor(const ir::Function& function, Unit unit) {
  unit.lines = false;
  unit.names = nullptr;
  FunctionText around(unit);
  CppFunction text(unit.operations, unit.lanes, around);
  const std::string slots = text.slots(function);
  return "__attribute__((constructor)) static void mrt_constants() {\n" + slots + text.body(function) + "}\n";
}

}  // namespace manyrt::compiler::emit
