// A program as the parser leaves it: typed, with every name resolved and every implicit conversion written out. The lowerings
// read it; the one for the CPU also makes new nodes (inlined helpers). All nodes belong to the Program's arena.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/argument_use.h"
#include "compiler/parser/type.h"
#include "compiler/preprocessor/source.h"
#include "compiler/preprocessor/token.h"

namespace manyrt::compiler {

struct Builtin;  // builtins/builtins.h
class Builtins;
struct Expr;
struct Stmt;
struct Function;

struct Variable {
  std::string name;  // as the user wrote it; several may share one
  QualType type;     // its space says where it lives: kLocal, kConstant (program scope, and in functions), else kPrivate
  Expr* initializer = nullptr;
  Location where;
  Function* function = nullptr;  // null: program scope
  uint32_t id = 0;               // unique in the program
  bool is_parameter = false;
  bool is_named = false;   // an expression names it, or an attribute says that none may
  uint32_t alignment = 0;  // by attributes; 0: the type's
  ArgumentUse use;         // of a kernel's parameter, once the front end has looked (lowering/argument_use.h)
};

enum class Op : uint8_t {
  kNone,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kShl,
  kShr,
  kBitAnd,
  kBitOr,
  kBitXor,  // binary, also of compound assignments
  kLess,
  kGreater,
  kLessEqual,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kLogicalAnd,
  kLogicalOr,
  kComma,
  kPlus,
  kMinus,
  kBitNot,
  kLogicalNot,
  kDereference,
  kAddressOf,  // unary
  kPreIncrement,
  kPreDecrement,
  kPostIncrement,
  kPostDecrement
};

enum class ExprKind : uint8_t {
  kLiteral,          // integers, characters, enumerators, folded sizeof: `integer`; floating: `text` (as spelled) and `real`
  kString,           // `text`, with quotes; an array of const char in constant space
  kVariable,         // `variable`
  kUnary,            // op a
  kBinary,           // a op b: both operands have the common type but for shifts (and pointers); comparisons and logic of
                     // vectors give vectors of signed integers, of scalars int
  kAssign,           // a = b, or a op= b; b has a's type, but in compound ones of scalars, which convert as C says
  kConditional,      // a ? b : c; where a is a vector it selects by element (sign bits) and b and c have the result's type
  kCast,             // (type)a, as the user wrote it
  kConvert,          // the same, implicit: arithmetic, scalar to vector, array to pointer, null or void pointer to pointer
  kVectorLiteral,    // (type)(arguments): scalars of the element type and vectors of it, together the type's components; one
                     // scalar alone is for all components
  kCompoundLiteral,  // (type){...}: a is the kInitializer
  kInitializer,      // braces: arguments[i] initialises element or field elements[i] of `type`; the rest is zero
  kCall,             // function(arguments), arguments converted to the parameters' types
  kBuiltinCall,      // builtin(arguments), the same
  kMember,           // a.field (p->field is (*p).field); through unnamed records each step is a node
  kSwizzle,          // a.components of a vector: components[0..type's components)
  kSubscript         // a[b]: a is a pointer (arrays are converted), b an integer; or a vector lvalue (an extension of clang's)
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Op op = Op::kNone;
  bool lvalue = false;
  uint16_t height = 1;  // levels of the tree from here on; the parser bounds it, so that walks may recurse
  QualType type;
  Location where;     // of the operator or the name, where a message about it points
  TokenRange tokens;  // empty for what the parser added
  Expr* a = nullptr;
  Expr* b = nullptr;
  Expr* c = nullptr;
  std::vector<Expr*> arguments;
  std::vector<uint32_t> elements;  // kInitializer
  Variable* variable = nullptr;
  Function* function = nullptr;
  const Builtin* builtin = nullptr;
  uint32_t field = 0;  // kMember: index into a's record
  uint8_t components[16] = {};
  uint64_t integer = 0;  // bits of the value, in the type's width
  double real = 0;
  std::string_view text;
};

enum class StmtKind : uint8_t {
  kCompound,  // body
  kDeclare,   // variables, in order, each with its initialiser
  kExpr,      // a
  kIf,        // a; first, second (may be null)
  kFor,       // init (may be null; kDeclare or kExpr); a (may be null); b (may be null); first
  kWhile,     // a; first
  kDo,        // a; first
  kSwitch,    // a; first
  kCase,      // integer: the value; first: the statement after it
  kDefault,   // first
  kBreak,
  kContinue,
  kReturn,  // a may be null; converted to the result's type
  kGoto,    // label
  kLabel,   // label; first
  kEmpty
};

struct Stmt {
  StmtKind kind = StmtKind::kEmpty;
  Location where;
  TokenRange tokens;
  Expr* a = nullptr;
  Expr* b = nullptr;
  Stmt* init = nullptr;
  Stmt* first = nullptr;
  Stmt* second = nullptr;
  std::vector<Stmt*> body;
  std::vector<Variable*> variables;
  std::string_view label;
  uint64_t integer = 0;
  int32_t unroll = -1;  // loops: from #pragma unroll; -1: none, 0: as the compiler likes, else the factor
};

struct Function {
  std::string name;
  QualType result;
  std::vector<Variable*> parameters;
  Stmt* body = nullptr;  // null: declared only
  Location where;
  bool is_kernel = false;
  bool is_inline = false;
  uint32_t required_group_size[3] = {0, 0, 0};  // reqd_work_group_size; zeros: any
  uint32_t id = 0;
  const Type* type = nullptr;
  std::vector<Variable*> locals;         // its __local variables (kernels only), in order
  std::vector<Function*> callees;        // of the program, each once
  std::vector<const Builtin*> builtins;  // each once
  bool has_barrier = false;              // itself or what it calls: barriers, wait_group_events
  bool has_goto = false;
  std::vector<uint32_t> name_tokens;  // each token that names it: prototypes, the definition, calls
  // Tokens of the definition, for lowerings that print them again.
  TokenRange head;  // from the first token of the declaration to the one before "{"
  uint32_t name_token = 0;
  uint32_t open_token = 0;                   // the "("
  std::vector<TokenRange> parameter_tokens;  // one for each parameter
  uint32_t body_token = 0;                   // the "{"
};

// A declaration at program scope; they are kept in order.
struct Declaration {
  enum class Kind : uint8_t { kRecord, kVariable, kFunction };  // kFunction: its definition
  Kind kind;
  Record* record = nullptr;
  Variable* variable = nullptr;
  Function* function = nullptr;
};

// A compound literal that is used as an object. The innermost block around it declares `variable`, which gets its value where
// the literal stands.
struct LiteralObject {
  Variable* variable = nullptr;
  TokenRange tokens;       // from the "(" to the "}"
  uint32_t statement = 0;  // where the statement of that block begins which has it
};

// Owns everything that a parse made, the sources' texts excepted.
// Where one of several sources begins in the stream, and what its program scope declares, or more: every name that stands
// there outside of brackets.
struct SourcePart {
  uint32_t begin = 0;
  std::set<std::string_view> declared;
};

class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  TypeTable types;
  Tokens tokens;                          // the preprocessed stream
  std::vector<SourcePart> parts;          // of several sources (merge.h), in order; else none
  std::vector<Declaration> declarations;  // records before what uses them
  std::vector<Function*> kernels;         // with a body, in order
  uint32_t next_id = 1;                   // of variables and functions
  std::vector<LiteralObject> literals;
  std::vector<uint32_t> implicit_ints;  // tokens before which "int" was left out
  // Tokens that name an integer dot product, and which: "dot_us", "dot_acc_sat_4x8packed_uu_uint". Drivers have none.
  std::map<uint32_t, std::string> dot_products;
  std::shared_ptr<Builtins> builtins;  // what calls of built-in functions point to

  Expr* make(ExprKind kind) {
    Expr* expression = &exprs_.emplace_back();
    expression->kind = kind;
    return expression;
  }
  Stmt* make(StmtKind kind) {
    Stmt* statement = &stmts_.emplace_back();
    statement->kind = kind;
    return statement;
  }
  Expr* makeReference(Variable* variable, Location where) {
    Expr* expression = make(ExprKind::kVariable);
    expression->variable = variable;
    expression->type = variable->type;
    expression->where = where;
    expression->lvalue = true;
    return expression;
  }
  Variable* makeVariable() {
    Variable* variable = &variables_.emplace_back();
    variable->id = next_id++;
    return variable;
  }
  Function* makeFunction() {
    Function* function = &functions_.emplace_back();
    function->id = next_id++;
    return function;
  }
  const std::deque<Function>& functions() const { return functions_; }
  // A text that no source contains: adjacent strings as one.
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

 private:
  std::deque<std::string> texts_;
  std::deque<Expr> exprs_;
  std::deque<Stmt> stmts_;
  std::deque<Variable> variables_;
  std::deque<Function> functions_;
};

}  // namespace manyrt::compiler
