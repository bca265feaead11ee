// The exchange of dimensions in a kernel's tree, and what is known of the groups that it is launched in.
#include "compiler/lowering/cpu/turn.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool isWorkItem(const Expr& e) { return e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kWorkItem; }

bool asksWorkItem(const Function& function) {
  return std::any_of(function.builtins.begin(), function.builtins.end(),
                     [](const Builtin* builtin) { return builtin->kind == BuiltinKind::kWorkItem; });
}

// The number of its dimension, where it stands there. None: a linear id, or how many dimensions there are.
std::optional<int64_t> dimensionOf(const Expr& e) {
  return e.arguments.size() == 1 ? constantOf(*e.arguments[0]) : std::nullopt;
}

constexpr double kHalf = 0.8;  // of what a vector costs, where a row has half of its lanes at most

}  // namespace

bool canTurn(const Program& program, const Function& kernel) {
  bool possible = kernel.turned == 0 && !callsSubGroups(kernel);
  visitExpressions(kernel.body, [&](const Expr& e) { possible = possible && (!isWorkItem(e) || dimensionOf(e).has_value()); });
  for (const Function* callee : kernel.callees) possible = possible && !anyReached(*callee, asksWorkItem);
  for (const Declaration& declaration : program.declarations) {
    if (declaration.kind != Declaration::Kind::kFunction) continue;
    const auto& calls = declaration.function->callees;
    possible = possible && std::find(calls.begin(), calls.end(), &kernel) == calls.end();
  }
  return possible;
}

bool isTurnable(const Program& program, const Function& kernel) {
  return (idDimensions(kernel) & ~1u) != 0 && !joinsGroups(kernel) && canTurn(program, kernel);
}

void turn(Program& program, Function& kernel, uint32_t dimension) {
  std::set<Expr*> ids;  // each once, though several expressions may share one
  visitExpressions(kernel.body, [&](Expr& e) {
    if (isWorkItem(e)) ids.insert(&e);
  });
  for (Expr* id : ids) {
    const int64_t named = *dimensionOf(*id);
    if (named != 0 && named != dimension) continue;
    Expr* const other = program.make(ExprKind::kLiteral);
    other->type = id->arguments[0]->type;
    other->where = id->arguments[0]->where;
    other->integer = named == 0 ? dimension : 0;
    id->arguments[0] = other;
  }
  std::swap(kernel.required_group_size[0], kernel.required_group_size[dimension]);
  kernel.turned = kernel.turned == dimension ? 0 : dimension;
}

GroupSize knownGroupSize(const Function& kernel, const BuildOptions& options) {
  GroupSize size;
  const auto launched = options.launched_groups.find(kernel.name);
  for (uint32_t d = 0; d < 3; ++d) {
    size.items[d] = kernel.required_group_size[0] != 0          ? kernel.required_group_size[turnedDimension(kernel, d)]
                    : options.group_size[0] != 0                ? options.group_size[d]
                    : launched != options.launched_groups.end() ? launched->second[d]
                                                                : 0;
  }
  return size;
}

std::string turnsPay(double across, double down, uint32_t lanes) {
  const auto vectors = [&](const std::string& items) {
    const std::string count = std::to_string(lanes);
    return "(2 * " + items + " <= " + count + " ? " + std::to_string(kHalf) + " : (double)((" + items + " + " +
           std::to_string(lanes - 1) + ") / " + count + "))";
  };
  const std::string x = "mrt_g->group_size[0]", y = "mrt_g->group_size[1]";
  return y + " >= 4 && " + std::to_string(down) + " * " + vectors(y) + " * " + x + " < " + std::to_string(0.9 * across) +
         " * " + vectors(x) + " * " + y;
}

double emptyLanes(uint32_t items, uint32_t lanes) {
  const double vectors = 2 * items <= lanes ? kHalf : (items + lanes - 1) / lanes;
  return vectors * lanes / items;
}

}  // namespace manyrt::compiler
