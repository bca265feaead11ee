// Webs: a use belongs together with all definitions that reach it, and with the other uses of these. What belongs to several
// webs of one name are independent variables. A definition is a declaration, or an assignment of the whole variable; `x += 1`,
// `x++` and `x.y = 1` use what is there, so that they stay in its web.
#include "compiler/lowering/cpu/live_ranges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr size_t kMaxDefinitions = 64;   // of a variable: bits of a mask
constexpr uint32_t kMaxNodes = 100'000;  // of a function: beyond it the names stay

// Number, vector or pointer, which nothing reaches but by its name.
using Hidden = std::set<const Variable*>;

Hidden hiddenVariables(Function& function) {
  Hidden all;
  visitStatements(function.body, [&](Stmt& s) {
    for (const Variable* variable : s.variables) {
      const Type& type = *variable->type.type;
      const bool simple = !type.isArray() && !type.isRecord() && !variable->type.is_volatile && variable->alignment == 0;
      if (simple && variable->type.space == AddressSpace::kPrivate) all.insert(variable);
    }
  });
  visitExpressions(function.body, [&](Expr& e) {
    if (e.kind == ExprKind::kUnary && e.op == Op::kAddressOf) {
      if (const Variable* root = rootVariable(*e.a)) all.erase(root);
    }
  });
  return all;
}

// The variable that an expression replaces by another value as a whole.
Variable* replaced(const Expr& e) {
  return e.kind == ExprKind::kAssign && e.op == Op::kNone && e.a->kind == ExprKind::kVariable ? e.a->variable : nullptr;
}

bool names(Expr* e, const Variable& variable) {
  bool found = false;
  visit(e, [&](Expr& inner) { found = found || inner.variable == &variable; });
  return found;
}

bool names(Stmt* s, const Variable& variable) {
  bool found = false;
  visitExpressions(s, [&](Expr& inner) { found = found || inner.variable == &variable; });
  return found;
}

// --- webs

// Follows a function's control flow and keeps, for each variable, which definitions may have given it its value.
class Webs {
 public:
  Webs(Program& program, Function& function, const Hidden& hidden) : program_(program), function_(function) {
    std::map<const Variable*, size_t> counts;
    std::set<const Variable*> in_head;  // of a loop: declared anew by nothing
    visitStatements(function.body, [&](Stmt& s) {
      if (s.init != nullptr) in_head.insert(s.init->variables.begin(), s.init->variables.end());
      for (const Variable* variable : s.variables) ++counts[variable];
    });
    visitExpressions(function.body, [&](Expr& e) {
      if (const Variable* variable = replaced(e)) ++counts[variable];
    });
    for (const auto& [variable, count] : counts) {
      if (count < 2 || count > kMaxDefinitions || hidden.count(variable) == 0 || in_head.count(variable) != 0) continue;
      Name name;
      name.web.resize(count);
      for (size_t i = 0; i < count; ++i) name.web[i] = i;
      names_[variable] = all_.size();
      all_.push_back(std::move(name));
    }
  }

  void split() {
    if (all_.empty()) return;
    State state(all_.size(), 0);
    go(function_.body, &state);
    std::map<const Variable*, std::vector<Variable*>> made;
    for (const auto& [variable, index] : names_) {
      Name& name = all_[index];
      std::map<size_t, Variable*> fresh;
      fresh[root(name, 0)] = const_cast<Variable*>(variable);  // the declaration's own web keeps it
      for (const auto& [node, definition] : name.nodes) {
        Variable*& own = fresh[root(name, definition)];
        if (own == nullptr) {
          own = copyOf(*variable);
          made[variable].push_back(own);
        }
        node->variable = own;
      }
    }
    declare(function_.body, made);
  }

 private:
  using State = std::vector<uint64_t>;  // of each name: bits of the definitions that reach this point

  struct Name {
    std::vector<size_t> web;              // of a definition: another one of its web, itself if it is the root
    std::map<Expr*, size_t> nodes;        // that name the variable, and a definition of their web
    std::map<const Expr*, size_t> sites;  // assignments, as definitions; the declaration is 0
  };

  struct Frame {  // of a loop or switch
    bool is_loop;
    State entry;  // of a switch
    State broken, continued;
  };

  static size_t root(const Name& name, size_t definition) {
    while (name.web[definition] != definition) definition = name.web[definition];
    return definition;
  }

  static bool add(State* to, const State& from) {
    bool changed = false;
    for (size_t i = 0; i < to->size(); ++i) {
      changed = changed || (from[i] & ~(*to)[i]) != 0;
      (*to)[i] |= from[i];
    }
    return changed;
  }

  Variable* copyOf(const Variable& variable) {
    Variable* own = program_.makeVariable();
    const uint32_t id = own->id;
    *own = variable;
    own->id = id;
    own->initializer = nullptr;
    return own;
  }

  // Before the declaration of the name, whose initialisers may assign it: `int a, b = (a = 3) + 1;`. Without a value; sinking
  // moves them to their first assignment.
  void declare(Stmt* s, const std::map<const Variable*, std::vector<Variable*>>& made) {
    visitStatements(s, [&](Stmt& around) {
      std::vector<Stmt*> result;
      for (Stmt* inner : around.body) {
        for (const Variable* variable : inner->variables) {
          const auto at = made.find(variable);
          if (at == made.end()) continue;
          Stmt* declaration = program_.make(StmtKind::kDeclare);
          declaration->where = inner->where;
          declaration->variables = at->second;
          result.push_back(declaration);
        }
        result.push_back(inner);
      }
      around.body = std::move(result);
    });
  }

  void use(Expr* node, size_t index, const State& state) {
    Name& name = all_[index];
    uint64_t left = state[index];
    if (left == 0) {  // code that nothing reaches
      name.nodes.emplace(node, 0);
      return;
    }
    const size_t first = static_cast<size_t>(__builtin_ctzll(left));
    for (left &= left - 1; left != 0; left &= left - 1) {
      name.web[root(name, static_cast<size_t>(__builtin_ctzll(left)))] = root(name, first);
    }
    name.nodes[node] = first;
  }

  void go(Expr* e, State* state) {
    if (e == nullptr) return;
    if (e->kind == ExprKind::kVariable) {
      if (const auto at = names_.find(e->variable); at != names_.end()) use(e, at->second, *state);
      return;
    }
    if (const Variable* variable = replaced(*e)) {
      go(e->b, state);
      const auto at = names_.find(variable);
      if (at == names_.end()) return;
      Name& name = all_[at->second];
      const size_t definition = name.sites.emplace(e, name.sites.size() + 1).first->second;
      name.nodes[e->a] = definition;
      (*state)[at->second] = uint64_t{1} << definition;
      return;
    }
    const bool lazy = e->kind == ExprKind::kConditional ||
                      (e->kind == ExprKind::kBinary && (e->op == Op::kLogicalAnd || e->op == Op::kLogicalOr));
    go(e->a, state);
    if (lazy) {
      State other = *state, third = *state;
      go(e->b, &other);
      go(e->c, &third);
      add(state, other);
      add(state, third);
      return;
    }
    go(e->b, state);
    go(e->c, state);
    for (Expr* argument : e->arguments) go(argument, state);
  }

  void leave(bool loop, State* state) {  // by break, or by continue to the next loop
    for (size_t i = frames_.size(); i-- > 0;) {
      if (loop && !frames_[i].is_loop) continue;
      add(loop ? &frames_[i].continued : &frames_[i].broken, *state);
      break;
    }
    std::fill(state->begin(), state->end(), 0);
  }

  // Until what reaches the head of the loop grows no more.
  void loop(Stmt& s, State* state) {
    const State nothing(state->size(), 0);
    if (s.init != nullptr) go(s.init, state);
    State head = *state, out = nothing;
    bool grows = true;
    while (grows) {
      State now = head;
      if (s.kind != StmtKind::kDo) {
        go(s.a, &now);
        out = s.a != nullptr ? now : nothing;
      }
      frames_.push_back({true, {}, nothing, nothing});
      go(s.first, &now);
      const Frame frame = std::move(frames_.back());
      frames_.pop_back();
      add(&now, frame.continued);
      if (s.kind == StmtKind::kDo) {
        go(s.a, &now);
        out = now;
      }
      go(s.b, &now);
      add(&out, frame.broken);
      grows = add(&head, now);
    }
    *state = out;
  }

  void go(Stmt* s, State* state) {
    if (s == nullptr) return;
    switch (s->kind) {
      case StmtKind::kCompound:
        for (Stmt* inner : s->body) go(inner, state);
        break;
      case StmtKind::kDeclare:
        for (const Variable* variable : s->variables) {
          go(variable->initializer, state);
          if (const auto at = names_.find(variable); at != names_.end()) (*state)[at->second] = 1;
        }
        break;
      case StmtKind::kIf: {
        go(s->a, state);
        State other = *state;
        go(s->first, state);
        go(s->second, &other);
        add(state, other);
        break;
      }
      case StmtKind::kFor:
      case StmtKind::kWhile:
      case StmtKind::kDo:
        loop(*s, state);
        break;
      case StmtKind::kSwitch: {
        go(s->a, state);
        const State nothing(state->size(), 0);
        frames_.push_back({false, *state, nothing, nothing});
        State now = nothing;
        go(s->first, &now);
        add(state, now);  // what came here may also find no label
        add(state, frames_.back().broken);
        frames_.pop_back();
        break;
      }
      case StmtKind::kCase:
      case StmtKind::kDefault:
        for (size_t i = frames_.size(); i-- > 0;) {
          if (frames_[i].is_loop) continue;
          add(state, frames_[i].entry);
          break;
        }
        go(s->first, state);
        break;
      case StmtKind::kBreak:
        leave(false, state);
        break;
      case StmtKind::kContinue:
        leave(true, state);
        break;
      case StmtKind::kReturn:
        go(s->a, state);
        std::fill(state->begin(), state->end(), 0);
        break;
      default:
        go(s->a, state);
        break;
    }
  }

  Program& program_;
  Function& function_;
  std::map<const Variable*, size_t> names_;
  std::vector<Name> all_;
  std::vector<Frame> frames_;
};

// --- sinking

// Moves a declaration without a value to the assignment that gives it its first one.
class Sinker {
 public:
  Sinker(Program& program, const Hidden& hidden) : program_(program), hidden_(hidden) {}

  void run(Stmt* s) {
    if (s == nullptr) return;
    if (s->kind == StmtKind::kCompound && !hasLabel(*s)) list(s->body);
    run(s->first);
    run(s->second);
    for (Stmt* inner : s->body) run(inner);
  }

 private:
  static bool hasLabel(const Stmt& s) {
    return std::any_of(s.body.begin(), s.body.end(),
                       [](const Stmt* inner) { return inner->kind == StmtKind::kCase || inner->kind == StmtKind::kDefault; });
  }

  void list(std::vector<Stmt*>& statements) {
    for (size_t i = 0; i < statements.size(); ++i) {
      Stmt& s = *statements[i];
      if (s.kind != StmtKind::kDeclare) continue;
      std::vector<Variable*> left;
      for (Variable* variable : s.variables) {
        // Not if the statement itself uses it, as above.
        const bool stays = variable->initializer != nullptr || hidden_.count(variable) == 0 || names(&s, *variable);
        if (stays || !place(*variable, statements, i + 1)) left.push_back(variable);
      }
      if (left.size() == s.variables.size()) continue;
      s.variables = std::move(left);
      if (s.variables.empty()) s.kind = StmtKind::kEmpty;
    }
  }

  // Whether the statements from `from` on make their first use of it by an assignment, which becomes its declaration.
  bool place(Variable& variable, std::vector<Stmt*>& statements, size_t from) {
    const auto uses = [&](Stmt* s) { return names(s, variable); };
    const auto first = std::find_if(statements.begin() + static_cast<std::ptrdiff_t>(from), statements.end(), uses);
    if (first == statements.end()) return true;  // it has no use
    Stmt& s = **first;
    if (s.kind == StmtKind::kExpr && begins(*s.a, variable)) {
      variable.initializer = s.a->b;
      s.kind = StmtKind::kDeclare;
      s.a = nullptr;
      s.variables = {&variable};
      return true;
    }
    if (std::any_of(first + 1, statements.end(), uses)) return false;
    return inside(variable, s);
  }

  static bool begins(const Expr& e, const Variable& variable) { return replaced(e) == &variable && !names(e.b, variable); }

  // The only statement that uses it. What a loop's body assigns first, no round needs from the one before.
  bool inside(Variable& variable, Stmt& s) {
    switch (s.kind) {
      case StmtKind::kCompound:
        return !hasLabel(s) && place(variable, s.body, 0);
      case StmtKind::kIf:
        if (names(s.a, variable) || (names(s.first, variable) && s.second != nullptr && names(s.second, variable)))
          return false;
        return inside(variable, names(s.first, variable) ? *s.first : *s.second);
      case StmtKind::kFor:
        if (s.init != nullptr && s.init->kind == StmtKind::kExpr && begins(*s.init->a, variable)) {
          variable.initializer = s.init->a->b;
          s.init->kind = StmtKind::kDeclare;
          s.init->a = nullptr;
          s.init->variables = {&variable};
          return true;
        }
        if (s.init != nullptr && names(s.init, variable)) return false;
        [[fallthrough]];
      case StmtKind::kWhile:
      case StmtKind::kDo:
        return !names(s.a, variable) && !names(s.b, variable) && inside(variable, *s.first);
      default:
        return false;
    }
  }

  Program& program_;
  const Hidden& hidden_;
};

}  // namespace

void splitLiveRanges(Program& program, Function& function) {
  if (function.body == nullptr || function.has_goto) return;
  uint32_t nodes = 0;
  visitExpressions(function.body, [&](Expr&) { ++nodes; });
  if (nodes > kMaxNodes) return;
  Webs(program, function, hiddenVariables(function)).split();
  const Hidden hidden = hiddenVariables(function);
  Sinker(program, hidden).run(function.body);
}

}  // namespace manyrt::compiler
