// Which function calls which, once everything is parsed: calls of what is never defined, recursion, and which functions wait at
// barriers through others. Without recursion itself, because chains of operators and of functions can be long.
#include <algorithm>
#include <unordered_map>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

// The lowerings walk trees recursively; this keeps their stacks small.
constexpr uint32_t kMaxTreeDepth = 2000;

struct Visit {
  const Expr* expression;
  const Stmt* statement;
  uint32_t depth;
};

struct Call {
  Function* function;
  Location where;
};

bool waits(const Builtin& builtin) { return builtin.kind == BuiltinKind::kBarrier; }

// Collects the calls of one body or initialiser.
class Collector {
 public:
  explicit Collector(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void collect(const Stmt* statement, const Expr* expression) {
    push(statement, 0);
    push(expression, 0);
    while (!pending_.empty()) {
      const Visit visit = pending_.back();
      pending_.pop_back();
      if (visit.depth > kMaxTreeDepth) {
        diagnostics_.error(visit.statement != nullptr ? visit.statement->where : visit.expression->where,
                           "This is nested more than %u levels deep: split the expression, or the chain of statements.",
                           kMaxTreeDepth);
        return;
      }
      if (visit.statement != nullptr) {
        walk(*visit.statement, visit.depth + 1);
      } else {
        walk(*visit.expression, visit.depth + 1);
      }
    }
  }

  std::vector<Call> calls;  // the first of each function
  std::vector<const Builtin*> builtins;

 private:
  void push(const Stmt* statement, uint32_t depth) {
    if (statement != nullptr) pending_.push_back({nullptr, statement, depth});
  }
  void push(const Expr* expression, uint32_t depth) {
    if (expression != nullptr) pending_.push_back({expression, nullptr, depth});
  }

  // Calls are pushed in reverse order, so that the first call in the text is found first.
  void walk(const Stmt& statement, uint32_t depth) {
    push(statement.second, depth);
    push(statement.first, depth);
    push(statement.b, depth);
    push(statement.a, depth);
    push(statement.init, depth);
    for (size_t i = statement.body.size(); i-- > 0;) push(statement.body[i], depth);
    for (size_t i = statement.variables.size(); i-- > 0;) push(statement.variables[i]->initializer, depth);
  }

  void walk(const Expr& expression, uint32_t depth) {
    for (size_t i = expression.arguments.size(); i-- > 0;) push(expression.arguments[i], depth);
    push(expression.c, depth);
    push(expression.b, depth);
    push(expression.a, depth);
    if (expression.kind == ExprKind::kCall && seen_.insert(expression.function).second) {
      calls.push_back({expression.function, expression.where});
    }
    if (expression.kind == ExprKind::kBuiltinCall && seen_.insert(expression.builtin).second) {
      builtins.push_back(expression.builtin);
    }
  }

  Diagnostics& diagnostics_;
  std::vector<Visit> pending_;
  std::set<const void*> seen_;
};

using Graph = std::unordered_map<Function*, std::vector<Call>>;

// Depth first from `root`: callees are finished before their callers, so that has_barrier reaches all of these.
class Walk {
 public:
  Walk(const Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {}

  void visit(Function* root) {
    if (!enter(root)) return;
    while (!stack_.empty()) {
      Function* function = stack_.back().function;
      const std::vector<Call>& calls = graph_.at(function);
      if (stack_.back().next == calls.size()) {
        for (const Call& call : calls) function->has_barrier |= call.function->has_barrier;
        states_[function] = State::kDone;
        stack_.pop_back();
        continue;
      }
      const Call& call = calls[stack_.back().next++];
      if (!enter(call.function) && states_[call.function] == State::kOpen) reportCycle(call);
    }
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Step {
    Function* function;
    size_t next;
  };

  bool enter(Function* function) {
    State& state = states_[function];
    if (state != State::kNew) return false;
    state = State::kOpen;
    stack_.push_back({function, 0});
    return true;
  }

  void reportCycle(const Call& call) {
    if (stack_.back().function == call.function) {
      diagnostics_.error(call.where, "\"%s\" calls itself; OpenCL C has no recursion: write a loop.",
                         call.function->name.c_str());
      return;
    }
    std::string chain = "\"" + call.function->name + "\"";
    bool on_cycle = false;
    for (const Step& step : stack_) {
      if (on_cycle) chain += ", which calls \"" + step.function->name + "\"";
      on_cycle |= step.function == call.function;
    }
    diagnostics_.error(call.where, "This call closes a circle: %s, which calls \"%s\"; OpenCL C has no recursion.",
                       chain.c_str(), call.function->name.c_str());
  }

  const Graph& graph_;
  Diagnostics& diagnostics_;
  std::unordered_map<Function*, State> states_;
  std::vector<Step> stack_;
};

}  // namespace

void Parser::checkCalls() {
  Graph graph;
  for (const Declaration& declaration : program_.declarations) {
    Collector collector(diagnostics_);
    if (declaration.kind == Declaration::Kind::kVariable) collector.collect(nullptr, declaration.variable->initializer);
    if (declaration.kind != Declaration::Kind::kFunction) continue;
    Function* function = declaration.function;
    collector.collect(function->body, nullptr);
    for (const Call& call : collector.calls) {
      function->callees.push_back(call.function);
      if (call.function->body != nullptr || diagnostics_.full()) continue;
      diagnostics_.error(call.where, "\"%s\" is called and never defined in this program.", call.function->name.c_str());
    }
    function->builtins = std::move(collector.builtins);
    function->has_barrier = std::any_of(function->builtins.begin(), function->builtins.end(),
                                        [](const Builtin* builtin) { return waits(*builtin); });
    graph[function] = std::move(collector.calls);
  }
  if (diagnostics_.failed()) return;
  Walk walk(graph, diagnostics_);
  for (const Declaration& declaration : program_.declarations) {
    if (declaration.kind == Declaration::Kind::kFunction && !diagnostics_.full()) walk.visit(declaration.function);
  }
}

}  // namespace manyrt::compiler
