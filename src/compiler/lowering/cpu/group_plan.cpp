// Splitting a kernel at its barriers, and finding out for each of its variables how it crosses from one part to another.
#include "compiler/lowering/cpu/group_plan.h"

#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/lowering/cpp/text.h"
#include "compiler/lowering/cpu/same_value.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kCheap = 24;  // nodes of an expression that is rather computed again than kept

bool isCheapBuiltin(const Builtin& builtin) {
  static constexpr std::string_view kCheapOnes[] = {"min",    "max",    "clamp", "mul24", "mad24",    "abs",
                                                    "select", "mad_hi", "hadd",  "rhadd", "convert_", "as_"};
  return builtin.kind == BuiltinKind::kPure &&
         std::find(std::begin(kCheapOnes), std::end(kCheapOnes), builtin.name) != std::end(kCheapOnes);
}

}  // namespace

class GroupPlanner {
 public:
  GroupPlanner(Program& program, Function& kernel) : program_(program), kernel_(kernel) {}

  std::unique_ptr<GroupPlan> make(std::string* why_not) {
    plan_ = std::make_unique<GroupPlan>();
    same_ = std::make_unique<SameValues>(*plan_);
    plan_->has_barrier_ = containsBarrier(*kernel_.body);
    if (plan_->has_barrier_ && !canSplit(why_not)) return nullptr;
    collectFacts();
    body_ = kernel_.body->body;
    plan_->limits_ = LimitFinder(*plan_, kernel_, false).take(&body_, [](const Variable&) { return false; });
    buildTree();
    if (failure_.empty()) {
      findHomes();
      chooseUniform();
      chooseSame();
      buildTree();  // again, now split where uniform variables change
    }
    if (!failure_.empty()) {
      *why_not = failure_;
      return nullptr;
    }
    findHomes();
    placeVariables();
    return std::move(plan_);
  }

 private:
  struct Facts {
    bool address_taken = false;
    bool partly_assigned = false;  // a field, an element, some components
    uint32_t assignments = 0;      // the initialiser counts
    std::vector<const Expr*> assigned_by;
    Stmt* declared_by = nullptr;
  };

  bool canSplit(std::string* why_not) {
    if (kernel_.has_goto) {
      *why_not = "it has a goto";
      return false;
    }
    size_t calls = 0;
    size_t statements = 0;
    visitExpressions(kernel_.body, [&](Expr& e) { calls += isBarrierCall(e); });
    visitStatements(kernel_.body, [&](Stmt& s) { statements += s.kind == StmtKind::kExpr && isBarrierCall(*s.a); });
    visitStatements(kernel_.body, [&](Stmt& s) {  // for (...; ...; barrier(...)) is not a statement of its own
      if (s.kind == StmtKind::kFor && s.b != nullptr && isBarrierCall(*s.b)) statements = SIZE_MAX;
    });
    if (calls != statements) {
      *why_not = "a barrier stands inside an expression";
      return false;
    }
    return true;
  }

  void collectFacts() {
    visitStatements(kernel_.body, [&](Stmt& s) {
      if (s.kind != StmtKind::kDeclare) return;
      for (Variable* variable : s.variables) {
        // Local and constant variables have one storage for the group already; only private ones can live across regions.
        if (variable->type.space == AddressSpace::kLocal) continue;
        if (variable->type.space == AddressSpace::kConstant && !variable->type->isPointer()) continue;
        declared_.push_back(variable);
        Facts& facts = facts_[variable];
        facts.declared_by = &s;
        if (variable->initializer != nullptr) {
          ++facts.assignments;
          facts.assigned_by.push_back(variable->initializer);
        }
      }
    });
    std::set<const Expr*> indexed;  // arrays that are only subscripted: no pointer to them is kept
    visitExpressions(kernel_.body, [&](Expr& e) {
      // A subscript is visited before its operands. So the conversion of an array to a pointer below is known to serve a
      // subscript alone, and no pointer escapes.
      if (e.kind == ExprKind::kSubscript) indexed.insert(e.a);
      if (e.kind == ExprKind::kConvert && e.a->type->isArray() && indexed.count(&e) == 0) {
        if (const Variable* root = rootVariable(*e.a)) facts_[root].address_taken = true;
      }
      if (e.kind == ExprKind::kUnary && e.op == Op::kAddressOf) {
        if (const Variable* root = rootVariable(*e.a)) facts_[root].address_taken = true;
      }
      // An assignment to a part keeps the rest of the variable, so that it cannot stand for the whole value. It therefore does
      // not count in `assignments`.
      const bool writes = e.kind == ExprKind::kAssign || (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement);
      if (!writes) return;
      if (const Variable* whole = assignedVariable(e)) {
        ++facts_[whole].assignments;
        facts_[whole].assigned_by.push_back(&e);
      } else if (const Variable* root = rootVariable(*e.a)) {
        facts_[root].partly_assigned = true;
      }
    });
  }

  // --- the tree
  std::unique_ptr<Node> node(NodeKind kind, Stmt* statement = nullptr) {
    auto made = std::make_unique<Node>();
    made->kind = kind;
    made->statement = statement;
    made->id = ++next_id_;
    return made;
  }

  void buildTree() {
    next_id_ = 0;
    top_level_.clear();
    in_loop_ = in_switch_ = false;
    plan_->has_masks_ = false;
    plan_->root_ = node(NodeKind::kSequence);
    build(body_, plan_->root_.get());
    bool seen_return = false;
    markMasks(*plan_->root_, &seen_return);
  }

  // A region with a return needs the mask only where something comes after it.
  void markMasks(const Node& at, bool* seen_return) {
    if (at.kind == NodeKind::kMask) plan_->has_masks_ = true;
    if (at.kind == NodeKind::kRegion && plan_->has_barrier_) {
      if (*seen_return) plan_->has_masks_ = true;
      for (Stmt* s : at.statements) *seen_return = *seen_return || containsReturn(*s);
    }
    for (const auto& child : at.children) markMasks(*child, seen_return);
    if (at.kind == NodeKind::kLoop && *seen_return) plan_->has_masks_ = true;
  }

  bool isStructural(const Stmt& s) const {
    return containsBarrier(s) || ((in_loop_ || in_switch_) && jumpsOut(s, in_loop_, in_switch_));
  }

  bool assignsUniform(const Stmt& s) const {
    if (s.kind != StmtKind::kExpr) return false;
    const Variable* variable = assignedVariable(*s.a);
    return variable != nullptr && uniform_.count(variable) != 0;
  }

  bool isMask(const Stmt& s) const {
    return s.kind == StmtKind::kIf && s.second == nullptr && onlyStatement(s.first)->kind == StmtKind::kReturn &&
           !hasEffects(*s.a);
  }

  void build(const std::vector<Stmt*>& statements, Node* sequence) {
    // Statements without barriers gather in `region`. Whatever the group executes as one ends the region first, so that the
    // order of statements is kept. No node is needed for a barrier: the loop over the items ends there.
    std::unique_ptr<Node> region;
    auto flush = [&] {
      if (region) sequence->children.push_back(std::move(region));
    };
    auto add = [&](std::unique_ptr<Node> fresh) {
      flush();
      sequence->children.push_back(std::move(fresh));
    };
    for (size_t i = 0; i < statements.size(); ++i) {
      Stmt* s = statements[i];
      // Only labels directly in the body of a split switch can become labels of the switch that the group executes. A label
      // deeper inside would jump into the loop over the items.
      while (in_switch_ && (s->kind == StmtKind::kCase || s->kind == StmtKind::kDefault) && case_level_) {
        add(node(NodeKind::kCase, s));
        if (s->first == nullptr) break;
        s = s->first;
      }
      if (s->kind == StmtKind::kCase || s->kind == StmtKind::kDefault) {
        if (s->first != nullptr && !case_level_) failure_ = "a case label stands inside another statement of the switch";
        continue;
      }
      if (s->kind == StmtKind::kEmpty) continue;
      if (s->kind == StmtKind::kExpr && isBarrierCall(*s->a)) {
        flush();
        continue;
      }
      if (plan_->has_barrier_ && s->kind == StmtKind::kReturn) {
        add(node(NodeKind::kReturn, s));
        continue;
      }
      // Some items may leave here while the others still meet barriers: a mask keeps the first ones out of later regions.
      // Without a later barrier, a return inside the region ends the item by itself.
      if (plan_->has_barrier_ && isMask(*s) && hasMore(statements, i)) {
        addMask(s, add);
        continue;
      }
      if (isStructural(*s)) {
        addStructural(s, add);
        continue;
      }
      // From here on `s` holds no barrier and no jump out of a split loop, so that items can run it one after the other.
      top_level_.insert(s);
      // All items would assign the same value to one scalar. Executed once, between regions, it changes when every item is at
      // this point.
      if (assignsUniform(*s)) {
        flush();
        if (!sequence->children.empty() && sequence->children.back()->kind == NodeKind::kUniform) {
          sequence->children.back()->statements.push_back(s);
        } else {
          add(node(NodeKind::kUniform));
          sequence->children.back()->statements.push_back(s);
        }
        continue;
      }
      if (!region) region = node(NodeKind::kRegion);
      region->statements.push_back(s);
    }
    flush();
  }

  // Whether a barrier may come after statement i: else a return in a region is enough.
  bool hasMore(const std::vector<Stmt*>& statements, size_t i) const {
    if (in_loop_) return true;
    for (size_t k = i + 1; k < statements.size(); ++k) {
      if (containsBarrier(*statements[k])) return true;
    }
    return nested_ != 0;
  }

  template <class Add>
  void addMask(Stmt* s, Add& add) {
    if (known_uniform_ && plan_->isUniform(*s->a)) {
      auto fresh = node(NodeKind::kIf, s);
      fresh->children.push_back(node(NodeKind::kSequence));
      fresh->children[0]->children.push_back(node(NodeKind::kReturn, s->first));
      add(std::move(fresh));
      return;
    }
    add(node(NodeKind::kMask, s));
  }

  std::unique_ptr<Node> part(Stmt* s) {
    auto sequence = node(NodeKind::kSequence);
    ++nested_;
    if (s->kind == StmtKind::kCompound) {
      build(s->body, sequence.get());
    } else {
      build({s}, sequence.get());
    }
    --nested_;
    return sequence;
  }

  template <class Add>
  void addStructural(Stmt* s, Add& add) {
    // The whole group takes the branches of a structural statement together. With a barrier inside, the language demands it;
    // otherwise the condition is checked to be uniform below. The flags say which statement a break, continue or case inside
    // belongs to, and are restored at the end.
    const bool loop = in_loop_, is_switch = in_switch_, case_level = case_level_;
    case_level_ = false;
    const bool chooses = s->kind == StmtKind::kIf || s->kind == StmtKind::kSwitch;
    if (chooses && known_uniform_ && !containsBarrier(*s) && !same_->isSame(*s->a)) {
      failure_ = "a break or continue in a loop or switch with a barrier may differ from work-item to work-item";
    }
    switch (s->kind) {
      case StmtKind::kCompound:
        add(part(s));
        break;
      case StmtKind::kIf: {
        auto fresh = node(NodeKind::kIf, s);
        fresh->children.push_back(part(s->first));
        if (s->second != nullptr) fresh->children.push_back(part(s->second));
        add(std::move(fresh));
        break;
      }
      case StmtKind::kFor:
      case StmtKind::kWhile:
      case StmtKind::kDo: {
        auto fresh = node(NodeKind::kLoop, s);
        if (s->init != nullptr) top_level_.insert(s->init);
        in_loop_ = true;
        in_switch_ = false;
        fresh->children.push_back(part(s->first));
        in_loop_ = loop;
        add(std::move(fresh));
        break;
      }
      case StmtKind::kSwitch: {
        auto fresh = node(NodeKind::kSwitch, s);
        in_switch_ = case_level_ = true;
        fresh->children.push_back(part(s->first));
        add(std::move(fresh));
        break;
      }
      case StmtKind::kBreak:
        add(node(NodeKind::kBreak, s));
        break;
      case StmtKind::kContinue:
        add(node(NodeKind::kContinue, s));
        break;
      default:
        failure_ = "a barrier stands where the kernel cannot be split";
        break;
    }
    in_loop_ = loop;
    in_switch_ = is_switch;
    case_level_ = case_level;
  }

  // --- where variables are used
  void use(const Expr* e, uint32_t home) {
    visit(const_cast<Expr*>(e), [&](Expr& inner) {
      if (inner.kind == ExprKind::kVariable && facts_.count(inner.variable) != 0) homes_[inner.variable].insert(home);
    });
  }
  void use(Stmt* s, uint32_t home) {
    visitExpressions(s, [&](Expr& inner) {
      if (inner.kind == ExprKind::kVariable && facts_.count(inner.variable) != 0) homes_[inner.variable].insert(home);
    });
    visitStatements(s, [&](Stmt& inner) {
      for (Variable* variable : inner.variables) {
        if (facts_.count(variable) != 0) homes_[variable].insert(home);
      }
    });
  }
  void findHomes() {
    homes_.clear();
    findHomes(*plan_->root_);
  }
  void findHomes(const Node& at) {
    for (Stmt* s : at.statements) use(s, at.id);
    if (at.statement != nullptr && at.kind != NodeKind::kRegion) {
      if (at.statement->a != nullptr && at.kind != NodeKind::kReturn) use(at.statement->a, at.id);
      if (at.kind == NodeKind::kLoop) {  // the three parts of a for are homes of their own
        if (at.statement->init != nullptr) {
          use(at.statement->init, at.id + kInit);
          for (Variable* variable : at.statement->init->variables) homes_[variable].insert(at.id);
        }
        if (at.statement->b != nullptr) use(at.statement->b, at.id + kStep);
      }
    }
    for (const auto& child : at.children) findHomes(*child);
  }
  // Also through a pointer: behind a barrier the variable itself need not be named.
  bool crosses(const Variable* variable) const {
    auto at = homes_.find(variable);
    if (at == homes_.end()) return false;
    const Facts& facts = facts_.at(variable);
    return at->second.size() > 1 || (plan_->has_barrier_ && facts.address_taken && top_level_.count(facts.declared_by) != 0);
  }

  // --- the classes
  static bool isValue(const Variable& variable) {
    return variable.type->isScalar() || variable.type->isVector() || variable.type->isPointer();
  }

  // All assignments stand where the group acts as one.
  bool assignedTogether(const Variable& variable, const Facts& facts) const {
    if (facts.address_taken || facts.partly_assigned || !isValue(variable) || variable.type.is_volatile) return false;
    if (facts.declared_by == nullptr || top_level_.count(facts.declared_by) == 0) return false;
    uint32_t seen = variable.initializer != nullptr ? 1 : 0;
    for (const auto& [expression, where] : together_) seen += assignedVariable(*expression) == &variable;
    return seen == facts.assignments;
  }

  void findTogether() {
    together_.clear();
    for (Stmt* s : top_level_) {
      if (s->kind == StmtKind::kExpr && assignedVariable(*s->a) != nullptr) together_.emplace(s->a, s);
    }
    findSteps(*plan_->root_);
  }
  void findSteps(const Node& at) {
    if (at.kind == NodeKind::kLoop && at.statement->b != nullptr && assignedVariable(*at.statement->b) != nullptr) {
      together_.emplace(at.statement->b, at.statement);
    }
    for (const auto& child : at.children) findSteps(*child);
  }

  // With what it is computed from: `other = from; from = to; to = other` needs all three.
  void addCandidate(const Variable& variable) {
    if (!uniform_.insert(&variable).second) return;
    for (const Expr* by : facts_[&variable].assigned_by) {
      visit(const_cast<Expr*>(by), [&](Expr& e) {
        if (e.kind != ExprKind::kVariable || e.variable->function != &kernel_ || e.variable->is_parameter) return;
        if (e.variable->type.space == AddressSpace::kPrivate && assignedTogether(*e.variable, facts_[e.variable])) {
          addCandidate(*e.variable);
        }
      });
    }
  }

  void chooseUniform() {
    uniform_.clear();
    known_uniform_ = true;
    if (!plan_->has_barrier_) return;
    findTogether();
    for (Variable* variable : declared_) {
      if (crosses(variable) && assignedTogether(*variable, facts_[variable])) addCandidate(*variable);
    }
    // All candidates start as uniform, and those with a varying assignment leave. One that leaves can make others varying, so
    // that this repeats until none does. What remains is consistent: each value is computed from uniform values alone.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Variable* v : uniform_) plan_->storage_[v] = Storage::kUniform;
      for (auto at = uniform_.begin(); at != uniform_.end();) {
        bool stays = true;
        for (const Expr* by : facts_[*at].assigned_by) stays = stays && isUniformAssignment(*by);
        if (stays) {
          ++at;
          continue;
        }
        plan_->storage_.erase(*at);
        at = uniform_.erase(at);
        changed = true;
      }
    }
  }

  // Collects what the whole group executes together: statements that all work-items reach, and what stands inside them, as long
  // as every condition there is uniform.
  void chooseSame() {
    if (!plan_->has_barrier_) return;
    std::map<const Expr*, size_t> sure;  // assignments, each with the index of such conditions
    std::set<const Stmt*> reached;
    std::vector<SameValues::Conditions> choices;
    const auto look = [&](const Expr* e) { visitSureAssignments(e, [&](const Expr& by) { sure[&by] = choices.size() - 1; }); };
    for (Stmt* s : top_level_) {
      choices.emplace_back();
      visitStatements(s, [&](Stmt& inner) {
        reached.insert(&inner);
        look(inner.a);
        look(inner.b);
        if (inner.kind != StmtKind::kExpr && inner.kind != StmtKind::kReturn && inner.a != nullptr) {
          choices.back().push_back(inner.a);
        }
        for (const Variable* variable : inner.variables) {
          if (variable->initializer == nullptr) continue;
          sure[variable->initializer] = choices.size() - 1;
          look(variable->initializer);
        }
      });
    }
    choices.emplace_back();  // conditions with barriers behind them: the language has them go the same way
    findConditions(*plan_->root_, look);
    std::vector<SameValues::Candidate> candidates;
    for (const Variable* variable : declared_) {
      const Facts& facts = facts_[variable];
      SameValues::Candidate candidate{variable, facts.assigned_by, {}};
      bool together = !facts.address_taken && !facts.partly_assigned && isValue(*variable) && !variable->type.is_volatile &&
                      reached.count(facts.declared_by) != 0;
      for (const Expr* by : facts.assigned_by) {
        const auto at = sure.find(by);
        together = together && at != sure.end();
        if (together) candidate.choices.push_back(at->second);
      }
      if (together) candidates.push_back(std::move(candidate));
    }
    same_->choose(candidates, choices);
  }
  template <class F>
  void findConditions(const Node& at, const F& look) {
    if (at.kind == NodeKind::kIf || at.kind == NodeKind::kLoop || at.kind == NodeKind::kSwitch) look(at.statement->a);
    if (at.kind == NodeKind::kLoop) look(at.statement->b);
    for (const auto& child : at.children) findConditions(*child, look);
  }

  bool isUniformAssignment(const Expr& e) const {
    if (e.kind == ExprKind::kAssign) return plan_->isUniform(*e.b);
    if (e.kind == ExprKind::kUnary && e.op >= Op::kPreIncrement) return true;
    return plan_->isUniform(e);
  }

  bool isPure(const Expr& root) const {
    // An expression can be computed again in a later region where its operands still have the values they had at the
    // declaration. Parameters that the kernel changes have become variables, and variables must be assigned once. Memory may
    // have changed since, so that nothing is read through a pointer, and `kCheap` bounds the repeated work.
    uint32_t nodes = 0;
    bool pure = true;
    visit(const_cast<Expr*>(&root), [&](Expr& e) {
      // What writes, calls or reads memory is refused; the rest is pure if its operands are.
      ++nodes;
      switch (e.kind) {
        case ExprKind::kVariable: {
          const Variable& v = *e.variable;
          if (v.is_parameter || isLocalArray(v)) break;
          const Storage storage = plan_->storage(v);
          const auto facts = facts_.find(&v);
          const bool once = facts != facts_.end() && facts->second.assignments == 1;
          if (!(storage == Storage::kRecomputed || (storage == Storage::kUniform && once))) pure = false;
          break;
        }
        case ExprKind::kUnary:
          pure = pure && e.op != Op::kDereference && e.op < Op::kPreIncrement;
          break;
        case ExprKind::kAssign:
        case ExprKind::kCall:
        case ExprKind::kSubscript:
        case ExprKind::kString:
        case ExprKind::kInitializer:
          pure = false;
          break;
        case ExprKind::kMember:
          pure = pure && rootVariable(e) != nullptr;
          break;
        case ExprKind::kBuiltinCall:
          pure = pure && (e.builtin->kind == BuiltinKind::kWorkItem || isCheapBuiltin(*e.builtin));
          break;
        default:
          break;
      }
    });
    return pure && nodes <= kCheap;
  }

  void placeVariables() {
    for (Variable* variable : declared_) {
      if (!crosses(variable) && uniform_.count(variable) == 0) continue;
      plan_->variables_.push_back(variable);
      if (uniform_.count(variable) != 0) continue;  // placed
      const Facts& facts = facts_[variable];
      Storage storage = Storage::kArray;
      if (!isValue(*variable) || facts.address_taken || variable->type.is_volatile) {
        storage = Storage::kInPlace;
      } else if (facts.assignments == 1 && variable->initializer != nullptr && !facts.partly_assigned &&
                 top_level_.count(facts.declared_by) != 0 && variable->initializer->kind != ExprKind::kInitializer &&
                 isPure(*variable->initializer)) {
        storage = Storage::kRecomputed;
      }
      plan_->storage_[variable] = storage;
    }
  }

  static constexpr uint32_t kInit = 1u << 30;
  static constexpr uint32_t kStep = 1u << 31;

  Program& program_;
  Function& kernel_;
  std::unique_ptr<GroupPlan> plan_;
  std::unique_ptr<SameValues> same_;
  std::vector<Variable*> declared_;
  std::map<const Variable*, Facts> facts_;
  std::map<const Variable*, std::set<uint32_t>> homes_;
  std::set<const Variable*> uniform_;
  std::set<Stmt*> top_level_;  // statements that the whole group reaches as one
  std::map<const Expr*, Stmt*> together_;
  std::string failure_;
  std::vector<Stmt*> body_;  // of the kernel, without what limits it
  uint32_t next_id_ = 0;
  uint32_t nested_ = 0;
  bool in_loop_ = false, in_switch_ = false, case_level_ = false, known_uniform_ = false;
};

std::unique_ptr<GroupPlan> GroupPlan::make(Program& program, Function& kernel, std::string* why_not) {
  return GroupPlanner(program, kernel).make(why_not);
}

Storage GroupPlan::storage(const Variable& variable) const {
  auto at = storage_.find(&variable);
  return at == storage_.end() ? Storage::kRegion : at->second;
}

bool GroupPlan::isUniform(const Expr& root) const {
  // Uniform is what no item can see differently: parameters, addresses of local arrays, and variables stored once for the
  // group. Memory is never uniform here, because another item may write it meanwhile. Assignments and calls have effects of
  // their own.
  bool uniform = true;
  visit(const_cast<Expr*>(&root), [&](Expr& e) {
    switch (e.kind) {
      case ExprKind::kVariable:
        uniform =
            uniform && (e.variable->is_parameter || isLocalArray(*e.variable) || storage(*e.variable) == Storage::kUniform);
        break;
      case ExprKind::kUnary:
        uniform = uniform && e.op != Op::kDereference && e.op < Op::kPreIncrement;
        break;
      case ExprKind::kMember:
        uniform = uniform && rootVariable(e) != nullptr && rootVariable(e)->is_parameter;
        break;
      case ExprKind::kAssign:
      case ExprKind::kCall:
      case ExprKind::kSubscript:
      case ExprKind::kString:
      case ExprKind::kInitializer:
        uniform = false;
        break;
      case ExprKind::kBuiltinCall:
        // Only the ids differ between the items of a group; sizes, offsets and the group's id are the same.
        if (e.builtin->kind == BuiltinKind::kWorkItem) {
          const WorkItem which = e.builtin->work_item;
          uniform = uniform && which != WorkItem::kGlobalId && which != WorkItem::kLocalId &&
                    which != WorkItem::kGlobalLinearId && which != WorkItem::kLocalLinearId;
        } else {
          uniform = uniform && e.builtin->kind == BuiltinKind::kPure;
        }
        break;
      default:
        break;
    }
  });
  return uniform;
}

}  // namespace manyrt::compiler
