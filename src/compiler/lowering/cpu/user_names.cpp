// Names by their blocks: a variable that stays where the source declares it hides others there as it does in the source.
#include "compiler/lowering/cpu/user_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

// Of C++ and not of OpenCL C, which refuses its own.
constexpr std::string_view kWords[] = {"alignas",
                                       "alignof",
                                       "and",
                                       "and_eq",
                                       "asm",
                                       "bitand",
                                       "bitor",
                                       "bool",
                                       "catch",
                                       "char16_t",
                                       "char32_t",
                                       "char8_t",
                                       "class",
                                       "compl",
                                       "concept",
                                       "co_await",
                                       "co_return",
                                       "co_yield",
                                       "const_cast",
                                       "consteval",
                                       "constexpr",
                                       "constinit",
                                       "decltype",
                                       "delete",
                                       "dynamic_cast",
                                       "explicit",
                                       "export",
                                       "false",
                                       "friend",
                                       "helpers",
                                       "inline",
                                       "kernels",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "noexcept",
                                       "not",
                                       "not_eq",
                                       "nullptr",
                                       "operator",
                                       "or",
                                       "or_eq",
                                       "private",
                                       "protected",
                                       "public",
                                       "register",
                                       "reinterpret_cast",
                                       "requires",
                                       "signed",
                                       "static_assert",
                                       "static_cast",
                                       "template",
                                       "this",
                                       "thread_local",
                                       "throw",
                                       "true",
                                       "try",
                                       "typeid",
                                       "typename",
                                       "using",
                                       "virtual",
                                       "wchar_t",
                                       "xor",
                                       "xor_eq"};

bool isLetter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// "f_scale_3" and its like are the library's.
bool endsInNumber(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[name.size() - 1 - digits])) != 0) ++digits;
  return digits != 0 && digits < name.size() && name[name.size() - 1 - digits] == '_';
}

}  // namespace

bool isFreeName(const std::string& name) {
  if (name.empty() || name.starts_with("mrt") || name.starts_with("MRT") || name.starts_with("__")) return false;
  if (!std::all_of(name.begin(), name.end(), isLetter) || endsInNumber(name)) return false;
  return std::find(std::begin(kWords), std::end(kWords), name) == std::end(kWords);
}

namespace {

// The variables of one name.
struct Same {
  std::vector<const Variable*> in_place;  // of the source, declared where the source does
  std::vector<const Variable*> moved;     // of the source, declared elsewhere
  std::vector<const Variable*> made;      // by the lowering: copies of parameters, variables of helpers in a kernel
  size_t ofSource() const { return in_place.size() + moved.size(); }
};

}  // namespace

void addUsersNames(std::set<const Variable*>* names, const Function& function, const GroupPlan* plan, uint32_t first_made) {
  std::map<std::string, Same> by_name;
  const auto add = [&](const Variable* variable, bool is_moved) {
    if (!isFreeName(variable->name)) return;
    Same& same = by_name[variable->name];
    (variable->id >= first_made ? same.made : is_moved ? same.moved : same.in_place).push_back(variable);
  };
  for (const Variable* parameter : function.parameters) add(parameter, plan != nullptr);
  for (const Variable* local : function.locals) add(local, true);
  visitStatements(function.body, [&](Stmt& statement) {
    for (const Variable* variable : statement.variables) {
      if (variable->type.space == AddressSpace::kLocal) continue;
      add(variable, plan != nullptr && plan->storage(*variable) != Storage::kRegion);
    }
  });
  // What the lowering makes is initialised with what the source has under the same name: one of the two has it. Of a parameter
  // that a kernel changes that is the copy.
  const auto isParameter = [&](const Variable* variable) {
    return std::find(function.parameters.begin(), function.parameters.end(), variable) != function.parameters.end();
  };
  for (const auto& [name, same] : by_name) {
    const bool is_copied =
        same.made.size() == 1 && same.in_place.empty() && same.moved.size() == 1 && isParameter(same.moved[0]);
    if (is_copied) {
      names->insert(same.made[0]);
      continue;
    }
    names->insert(same.in_place.begin(), same.in_place.end());
    if (same.moved.size() == 1 && same.ofSource() == 1) names->insert(same.moved[0]);
  }
}

}  // namespace manyrt::compiler
