// Programs as C++ text: names, types, expressions and statements of what runs for one work-item, without any thought of
// groups. The lowering to CUDA puts a thread around it; debuggers of the CPU's code see its types.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "compiler/builtins/prelude.h"
#include "compiler/lowering/cpp/contraction.h"
#include "compiler/parser/ast.h"
#include "compiler/parser/operator.h"

namespace manyrt::compiler {

class CppText {
 public:
  CppText(Program& program, const Sources& sources, Prelude& prelude, Diagnostics& diagnostics);

  // --- names: unique in the program, so that nothing shadows and no word of C++ is in the way
  std::string name(const Variable& variable) const { return identifier(variable.name) + "_" + std::to_string(variable.id); }
  std::string name(const Function& function) const {
    return "f_" + identifier(function.name) + "_" + std::to_string(function.id);
  }
  static std::string name(const Record& record) { return "r_" + record.tag + "_" + std::to_string(record.id); }
  static std::string fieldName(const Record& record, uint32_t field);

  // --- types: `declare` puts a name into a type: "float (*x)[4]". References bind a name to storage elsewhere.
  std::string declare(QualType type, const std::string& declared) const;
  std::string typeName(QualType type) const { return declare(type, ""); }
  std::string reference(QualType type, const std::string& declared) const;

  std::string forwards() const;                             // a declaration of each record: pointers may come before it
  std::string record(const Record& record) const;           // its definition
  std::string signature(const Function& function);          // up to the closing parenthesis
  std::string definition(const Function& function);         // a helper, whole
  void inBody(const Function& function, std::string* out);  // its body alone
  std::string constant(const Variable& variable);           // of program scope, or __constant in a function

  std::string expression(const Expr& expression);
  std::string initializer(const Expr& expression);  // of a variable: braces stay braces
  void statement(const Stmt& statement, std::string* out);
  void declareVariable(const Variable& variable, std::string* out);  // with its initialiser and the semicolon

  // Before a statement: its place for the compiler's messages.
  void line(Location where, std::string* out) const;
  std::string place(const Function& function) const;  // before a function: the same

  // --- what the surroundings decide
  // C++ for a work-item function of a constant dimension (-1: `dimension` is a C++ expression).
  std::function<std::string(WorkItem, int dimension, const std::string& expression)> work_item;
  std::function<std::string()> barrier_call;             // a whole expression
  std::function<bool(const Variable&)> is_bound;         // declared by the surroundings: only its initialiser is printed
  std::function<std::string(const Expr&)> builtin_text;  // another form of a call of a builtin; empty: as it is
  std::string item = "mrt_i";                            // what helpers are given; empty: nothing
  std::function<bool(const Builtin&)> asks_item;         // which functions need it; null: all of a work-item
  std::string first_item = "(mrt_i.l0 | mrt_i.l1 | mrt_i.l2) == 0";

  uint32_t sub_group_items = 16;  // of a whole sub-group

  std::string helper_words = "static ";  // before a helper's result
  std::string inline_words = "inline __attribute__((always_inline)) ";
  std::string constant_words = "static const ";  // before the type of what __constant declares
  std::string unroll_words = "GCC unroll ";      // of the pragma; the number follows
  std::string unroll_freely = "16";              // the number where the source leaves it open

  Prelude& prelude() { return prelude_; }
  const Contraction& contraction() const { return contraction_; }
  bool usesItem(const Function& function);  // whether a helper takes the item: itself or what it calls
  bool may_jump = false;                    // declarations may be jumped over: C++ then allows no initialiser

 private:
  static std::string identifier(const std::string& name);
  std::string baseName(const Type* type) const;
  std::string braces(const Expr& expression);
  std::string groupCopy(const Expr& expression);
  std::string unary(const Expr& expression);
  std::string binary(const Expr& expression);
  std::string assign(const Expr& expression);
  std::string convert(const Expr& expression);
  std::string converted(const Type* to, const Type* from, const std::string& value);
  std::string literal(const Expr& expression) const;
  std::string call(const Expr& expression);
  std::string builtinCall(const Expr& expression);
  std::string subGroupPlace(const std::string& name) const;
  std::string vectorLiteral(const Expr& expression);
  std::string fused(const Fused& fused, const std::string& addend);
  std::string vectorStep(const Expr& expression);
  std::string changed(const Expr& target, const std::string& change, const std::string& parameters = "",
                      const std::string& arguments = "");
  std::string assignPacked(const Expr& target, const std::string& value);
  std::string assignFused(const Expr& expression, const Fused& fused);
  std::string arithmetic(Op op, const Type* type, const Type* amount, const std::string& a, const std::string& b);
  void body(const Stmt* statement, std::string* out);

  Program& program_;
  const Sources& sources_;
  Prelude& prelude_;
  Diagnostics& diagnostics_;
  const Contraction contraction_;
  std::map<const Function*, bool> uses_item_;
};

bool isHalf(const Type* type);  // the scalar

bool hasEffects(const Expr& expression);  // assignments, calls that write: what must not run twice or never
bool isPackedStorage(const Expr& target);
bool isSimpleLvalue(const Expr& expression);  // may be evaluated twice: no effects in it

// Whether the scalar operator of C++ would trap or have no defined value, and whether a constant on its right side rules that
// out.
bool needsCare(Op op, const Type* type);
bool isPlainDivisor(Op op, const Expr& right);
// The value of a literal of an integer, or one that conversions keep; false: they do not, or it is something else.
bool literalValue(const Expr& expression, int64_t* value);
const Expr& behindConversions(const Expr& expression);  // an integer without the casts around it; a literal that they keep

}  // namespace manyrt::compiler
