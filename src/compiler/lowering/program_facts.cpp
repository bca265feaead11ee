// Looks over a whole program for the lowerings to C++: its calls, without recursion over them, its pragmas, its parameters.
#include "compiler/lowering/program_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/parser/visit.h"
#include "rt.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxCalls = 256;

// "OPENCL FP_CONTRACT OFF" or "STDC ...", however it is spaced.
bool isContractOff(std::string_view pragma) {
  std::string words;
  for (char letter : pragma) {
    if (letter != ' ' && letter != '\t') words += letter;
  }
  return words == "OPENCLFP_CONTRACTOFF" || words == "STDCFP_CONTRACTOFF";
}

const Function* firstTooDeep(const Program& program) {
  std::map<const Function*, uint32_t> depth;  // of what a function calls; there is no recursion
  std::vector<std::pair<const Function*, size_t>> path;
  for (const Function& start : program.functions()) {
    if (depth.count(&start) != 0) continue;
    path.push_back({&start, 0});
    while (!path.empty()) {
      auto& [function, next] = path.back();
      if (next < function->callees.size()) {
        const Function* callee = function->callees[next++];
        if (depth.count(callee) == 0) path.push_back({callee, 0});
        continue;
      }
      uint32_t deepest = 0;
      for (const Function* callee : function->callees) deepest = std::max(deepest, depth[callee] + 1);
      depth[function] = deepest;
      if (deepest > kMaxCalls) return function;
      path.pop_back();
    }
  }
  return nullptr;
}

std::string typeName(QualType type) { return type->isPointer() ? typeName(type->inner) + "*" : spell(type.unqualified()); }

}  // namespace

bool checkCallDepth(const Program& program, Diagnostics& diagnostics) {
  const Function* deep = firstTooDeep(program);
  if (deep == nullptr) return true;
  diagnostics.error(deep->where, "The calls inside \"%s\" are nested more than %u deep.", deep->name.c_str(), kMaxCalls);
  return false;
}

bool forbidsContraction(const Program& program) {
  return std::any_of(program.tokens.begin(), program.tokens.end(),
                     [](const Token& token) { return token.kind == TokenKind::kPragma && isContractOff(token.text); });
}

bool mayFollowAddresses(const Program& program) {
  const auto holds = [](QualType type) {  // an array's elements count
    while (type->isArray()) type = type->inner;
    return type->isPointer();
  };
  for (const Record& record : program.types.records()) {
    if (std::any_of(record.fields.begin(), record.fields.end(), [&](const Field& field) { return holds(field.type); })) {
      return true;
    }
  }
  bool found = false;
  for (const Function& function : program.functions()) {
    visitExpressions(function.body, [&](const Expr& expression) {
      if (!expression.type || !expression.type->isPointer()) return;
      const bool null = expression.a != nullptr && expression.a->kind == ExprKind::kLiteral && expression.a->integer == 0;
      const bool cast = expression.kind == ExprKind::kCast || expression.kind == ExprKind::kConvert;
      found = found || expression.type->inner->isPointer() || (cast && expression.a->type->isInteger() && !null);
    });
    if (found) return true;
  }
  return false;
}

ArgumentFacts argumentFacts(const Variable& parameter) {
  ArgumentFacts facts;
  facts.type_name = typeName(parameter.type);
  facts.use = parameter.use;
  if (parameter.type->isPointer()) {
    facts.size = 8;
    facts.kind = parameter.type->inner.space == AddressSpace::kLocal ? RT_ARG_LOCAL : RT_ARG_POINTER;
  } else {
    facts.size = static_cast<uint32_t>(sizeOf(parameter.type));
    facts.kind = RT_ARG_VALUE;
  }
  return facts;
}

bool anyReached(const Function& function, const std::function<bool(const Function&)>& is_such) {
  std::set<const Function*> seen{&function};
  std::vector<const Function*> left{&function};
  while (!left.empty()) {
    const Function& each = *left.back();
    left.pop_back();
    if (is_such(each)) return true;
    for (const Function* callee : each.callees) {
      if (seen.insert(callee).second) left.push_back(callee);
    }
  }
  return false;
}

uint32_t kernelSize(const Function& kernel) {
  uint32_t size = 0;
  anyReached(kernel, [&](const Function& each) {
    if (each.body != nullptr) visitExpressions(each.body, [&](Expr& e) { size += e.type->components(); });
    return false;
  });
  return size;
}

bool hasBarriers(const Function& function) {
  return anyReached(function, [](const Function& each) {
    return std::any_of(each.builtins.begin(), each.builtins.end(),
                       [](const Builtin* builtin) { return builtin->kind == BuiltinKind::kBarrier; });
  });
}

// Looks at one function, without what it calls.
static bool tellsGroupsApart(const Function& function) {
  const auto keeps = [](const Builtin* builtin) {
    switch (builtin->kind) {
      case BuiltinKind::kPure:
      case BuiltinKind::kMemory:
        return true;
      case BuiltinKind::kWorkItem:
        return builtin->work_item == WorkItem::kGlobalId || builtin->work_item == WorkItem::kGlobalSize ||
               builtin->work_item == WorkItem::kGlobalOffset || builtin->work_item == WorkItem::kWorkDim ||
               builtin->work_item == WorkItem::kGlobalLinearId;
      default:
        return false;
    }
  };
  const auto tells = [](const Variable* p) {  // of local memory, or of what another group may be waiting for
    return p->type->isPointer() && (p->type->inner.space == AddressSpace::kLocal || p->type->inner.is_volatile);
  };
  bool casts = false;
  if (function.body != nullptr) {
    visitExpressions(function.body, [&](const Expr& e) {
      const bool is_cast = e.kind == ExprKind::kCast || e.kind == ExprKind::kConvert;
      casts = casts || (is_cast && e.type->isPointer() && e.type->inner.is_volatile);
    });
  }
  return casts || !function.locals.empty() || std::any_of(function.parameters.begin(), function.parameters.end(), tells) ||
         !std::all_of(function.builtins.begin(), function.builtins.end(), keeps);
}

bool joinsGroups(const Function& function) { return !anyReached(function, tellsGroupsApart); }

bool changesGlobalMemoryAtomically(const Function& function) {
  return anyReached(function, [](const Function& each) {
    bool found = false;
    visitExpressions(each.body, [&](const Expr& e) {
      found = found || (e.kind == ExprKind::kBuiltinCall && e.builtin->kind == BuiltinKind::kAtomic &&
                        e.arguments[0]->type->inner.space == AddressSpace::kGlobal);
    });
    return found;
  });
}

bool mayLoop(const Function& function) {
  return anyReached(function, [](const Function& each) {
    bool found = each.has_goto;
    visitStatements(each.body, [&](const Stmt& s) {
      found = found || s.kind == StmtKind::kFor || s.kind == StmtKind::kWhile || s.kind == StmtKind::kDo;
    });
    return found;
  });
}

}  // namespace manyrt::compiler
