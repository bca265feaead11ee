// The parser's inside, shared by its files: a cursor over the tokens, the scopes, a builder of expressions, and the grammar.
// The functions of the grammar stand in the file of their subject:
//   parser.cpp        program scope, pragmas                      function.cpp     functions, kernels, program variables
//   specifier.cpp     types, qualifiers                           record.cpp       structs, unions, enums
//   declarator.cpp    declarators, parameters                     attribute.cpp    attributes
//   local.cpp         declarations in functions                   statement.cpp    statements
//   call_graph.cpp    which function calls which, after the parse
//   expressions/expression.cpp     from the comma down to the binary operators
//   expressions/primary.cpp, postfix.cpp, cast.cpp, literal.cpp   what stands between operators
//   expressions/initializer.cpp    braces and what they initialise
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/parser/ast.h"
#include "compiler/parser/cursor.h"
#include "compiler/parser/expressions/builder.h"
#include "compiler/parser/parser.h"
#include "compiler/parser/scopes.h"

namespace manyrt::compiler {

// The type of the elements of an array of any number of dimensions; other types themselves.
inline const Type* elementType(const Type* type) {
  while (type->isArray()) type = type->inner.type;
  return type;
}

// The specifiers of a declaration, before its declarators.
struct Specifiers {
  QualType type;
  bool is_typedef = false, is_static = false, is_extern = false, is_inline = false, is_kernel = false;
  bool has_space = false;       // an address space was written
  uint32_t alignment = 0;       // by attributes that stand here
  uint32_t type_alignment = 0;  // by those of the typedef; 0: the type's own
  uint32_t required_group_size[3] = {0, 0, 0};
  bool packed = false;                     // of a member: by an attribute
  const char* kernel_attribute = nullptr;  // one that only kernels may have
  bool is_word_size = false;               // size_t and its kin, which kernels may not take
  bool may_be_unused = false;              // by an attribute
  Record* made = nullptr;                  // a record that was completed here
  Location where;
};

struct Declarator {
  std::string_view name;  // empty: abstract
  QualType type;
  Location where;
  uint32_t name_token = 0;
  uint32_t alignment = 0;
  bool packed = false;                // of a member: by an attribute
  bool is_function = false;           // the outermost derivation is a parameter list
  std::vector<Variable*> parameters;  // of it
  uint32_t open_token = 0;
  std::vector<TokenRange> parameter_tokens;
};

struct SpecifierWords;  // specifier.cpp
struct Derivation;      // declarator.cpp

// A switch whose body is parsed.
struct OpenSwitch {
  const Type* type = nullptr;  // of its condition, promoted
  std::set<uint64_t> values;
  bool has_default = false;
};

struct Label {
  bool defined = false;
  Location where;  // of the label, else of the first goto
};

class Parser : private Cursor, private Scopes, private ExpressionBuilder {
 public:
  Parser(Program& program, const LanguageOptions& options, Diagnostics& diagnostics);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  bool parseProgram();  // parser.cpp
  // Calls point to what was found: it stays with the program, at the same addresses. Throws bad_alloc.
  void keepBuiltins() { program_.builtins = std::make_shared<Builtins>(std::move(builtins_)); }

 private:
  friend class Depth;
  static constexpr uint32_t kMaxDepth = 256;  // of nesting: parentheses, statements, declarators, braces
  using ExpressionBuilder::diagnostics_;

  bool acceptPragma();  // reads a #pragma; false: none is here
  bool setFieldLimit(std::string_view text);
  void switchExtension(std::string_view text, Location where);
  bool parseDeclaration();  // of program scope
  bool acceptStaticAssert();
  // The rest of what the file of that name offers: function.cpp
  Function* declareFunction(const Specifiers& specifiers, Declarator& declarator);  // null after an error
  bool parseDefinition(Function* function, Declarator& declarator, uint32_t first);
  bool declareProgramVariable(const Specifiers& specifiers, Declarator& declarator);
  static uint32_t typedefAlignment(const Specifiers& specifiers, QualType type);
  bool declareType(const Specifiers& specifiers, const Declarator& declarator);
  bool checkObject(QualType type, std::string_view name, Location where);  // an object of this type may exist
  void checkKernel(const Function& function);
  bool agrees(const Function& function, const Specifiers& specifiers, const Declarator& declarator);
  void checkExterns();
  // call_graph.cpp
  void checkCalls();

  // --- types (declarator.cpp)
  bool startsType(const Token& token) const;  // a type's or qualifier's keyword, or a typedef name
  bool isTypeName(uint32_t ahead) const { return startsType(peek(ahead)); }
  bool parseSpecifiers(Specifiers* specifiers);
  bool parseSpecifier(Specifiers* specifiers, SpecifierWords* words, bool* more);
  bool secondType(const Token& token);  // false, after an error, as the next
  bool missingType();
  bool meansInt(size_t begin) const;
  bool parseDeclarator(Declarator* declarator, const Specifiers& specifiers, bool may_be_abstract);
  bool parseTypeName(QualType* type);  // of casts and sizeof, without the parentheses
  // All __attribute__((...)) that are here; what is null may not be set by them.
  bool parseAttributes(Specifiers* specifiers, uint32_t* alignment, bool* packed);
  // For those of a member: where "packed" goes. Null outside of structs and unions, where it means nothing.
  bool* memberOnly(bool* packed) const { return open_records_.empty() ? nullptr : packed; }
  bool parseAttribute(Specifiers* specifiers, uint32_t* alignment, bool* packed);
  bool parseAlignment(uint32_t* alignment);
  bool parseGroupSize(uint32_t size[3], const char* attribute);
  uint32_t afterAttributes() const;  // how far ahead the first token after attributes is
  bool parseTypeHint();
  bool parseUnrollHint();
  bool parseRecord(Specifiers* specifiers);
  bool parseFields(Record* record);
  bool parseField(Record* record, std::set<std::string, std::less<>>* names);
  bool addField(Record* record, std::set<std::string, std::less<>>* names, const Specifiers& specifiers,
                const Declarator& declarator);
  bool addUnnamedRecord(Record* record, std::set<std::string, std::less<>>* names, const Specifiers& specifiers);
  bool parseEnum(Specifiers* specifiers);
  bool parseEnumerators(Enum* enumeration);
  bool parseEnumerator(Enum* enumeration, int64_t* value, bool* is_huge);
  Scalar settleEnum(const Enum& enumeration);
  bool parsePointers(std::vector<Derivation>* chain, Declarator* declarator);
  bool parseDeclaratorPart(std::vector<Derivation>* chain, Declarator* declarator, bool may_be_abstract);
  bool parseDeclaratorSuffixes(std::vector<Derivation>* chain);
  bool parseArraySuffix(Derivation* derivation);
  bool parseParameters(Derivation* derivation);
  bool parseParameter(Derivation* derivation);
  bool applyDerivation(QualType* type, const Derivation& derivation, const Declarator& declarator);

  // --- statements (statement.cpp)
  Stmt* parseStatement();
  Stmt* parseCompound(bool own_scope);
  void warnOfUnused();  // variables of the function that was parsed
  Stmt* parseLocalDeclaration();
  bool parseFunctionBody(Function* function);
  Stmt* parseItem();  // of a block: a declaration or a statement
  Stmt* parsePlainStatement();
  Stmt* parseLabel();  // a label, case or default without the statement after it
  Stmt* parseIf();
  Stmt* parseWhile();
  Stmt* parseDo();
  Stmt* parseFor();
  Stmt* parseSwitch();
  Stmt* parseReturn();
  Stmt* parseGoto();
  Stmt* parseLoopBody();
  Stmt* parseExpressionStatement();
  bool parseCaseValue(Stmt* statement);
  bool parseHeaderCondition(Expr** condition, const char* of);
  void checkLabels();
  int32_t takeUnroll() {
    const int32_t unroll = unroll_;
    unroll_ = -1;
    return unroll;
  }
  Stmt* finish(Stmt* statement, size_t begin) const {  // its tokens end here
    statement->tokens = {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
    return statement;
  }
  bool declareLocal(Stmt* statement, const Specifiers& specifiers, Declarator& declarator);  // local.cpp
  bool checkLocalStorage(const Specifiers& specifiers, const Declarator& declarator);
  bool checkLocalSpace(const Variable& variable);
  bool initializeLocal(Variable* variable);

  // --- expressions (expression.cpp); null after an error.
  // An error may be about the meaning of an operand whose tokens are read to the end. Then the parse of the expression around
  // it goes on, so that its other operands are examined too. failOperand() marks such an error; goesOn() holds until another
  // error or token, and is asked only where there is no operand.
  Expr* failOperand() {
    failed_ = {at_, diagnostics_.errorCount()};
    return nullptr;
  }
  // Inside of brackets that are not read to their end: the parse does not go on after it.
  Expr* failInside() {
    failed_.at = SIZE_MAX;
    return nullptr;
  }
  bool goesOn() const { return failed_.at == at_ && failed_.errors == diagnostics_.errorCount(); }
  Expr* parseExpression();  // with commas
  Expr* parseAssignment();
  Expr* parseConditional();
  Expr* parseCondition(const char* of);  // scalar, for if, while, for, do, switch has its own check
  Expr* parseBinary(uint32_t lowest);
  Expr* spanned(Expr* expression, size_t begin) const;  // stands for the tokens from `begin` to the cursor; may be null
  // primary.cpp, postfix.cpp, cast.cpp, literal.cpp
  Expr* parseUnary();
  Expr* parsePrefixed(Op op);
  Expr* parsePostfix(Expr* base, size_t begin);
  Expr* skipPostfix();  // after an operand that has failed: its subscripts are examined
  Expr* parsePrimary();
  Expr* parseName();
  Expr* parseSubscript(Expr* base);
  Expr* parseMember(Expr* base);
  Expr* parseSwizzle(Expr* base, const Token& name);
  Expr* parseCall();  // at the name, or at parentheses around it
  Expr* callBuiltin(const Builtin& builtin, const Token& name, std::vector<Expr*> arguments);
  Expr* integerDot(Expr* call, const Token& name);
  bool parseArguments(std::vector<Expr*>* arguments, const Token& name);
  Expr* failUndeclared(const Token& name, bool is_function);  // one error for each name of a function
  Expr* parseSizeof();                                        // and vec_step and the spellings of alignof
  Expr* parseOffsetOf();
  Expr* parseParenthesised();  // casts, vector and compound literals
  Expr* parseCompoundLiteral(QualType type, Location where, size_t begin);
  Expr* parseVectorLiteral(const Type* vector, Location where);
  Expr* parseNumber();
  Expr* parseInteger(const Token& token);
  Expr* parseReal(const Token& token);
  Expr* parseCharacter();
  Expr* parseString();

  bool parseIntegerConstant(int64_t* value, const char* what);  // expressions/constant.cpp

  // --- initialisers (initializer.cpp): braces or an expression, for an object of this type; an array of unknown length gets
  // one. Null after an error.
  Expr* parseInitializer(QualType* type, const char* name);
  struct Filling;  // braces that are being read
  Expr* parseBraces(QualType type, const char* what);
  Expr* parseBraced(QualType type, const char* what);
  Expr* parseBracedScalar(QualType type, const char* what);
  Expr* parseBracedVector(QualType type, const char* what);
  bool parseDesignated(Filling& filling, const char* what);
  bool placeDesignated(Filling& filling, const std::vector<uint32_t>& steps, size_t step, const char* what);
  bool parseDesignator(std::vector<uint32_t>* steps, const Filling& filling);
  Expr* parseElement(QualType type, Expr* first, const char* what);
  bool fill(Filling& filling, Expr* first, const char* what);
  bool skipExcess(bool* warned, const char* kind, Location where);

  const LanguageOptions& options_;
  Builtins builtins_;
  uint32_t depth_ = 0;
  uint32_t loops_ = 0;
  std::vector<OpenSwitch> switches_;
  std::map<std::string_view, Label> labels_;            // of the function
  std::set<std::string_view> undeclared_;               // names in it that errors were about
  std::vector<const Variable*> variables_of_function_;  // in order, without its parameters
  struct {
    size_t at = SIZE_MAX;
    uint32_t errors = 0;
  } failed_;                                  // the last failOperand()
  std::vector<uint32_t> field_limits_ = {0};  // of #pragma pack, the innermost last
  int32_t unroll_ = -1;                       // a pragma or attribute that waits for its loop
  std::vector<Record*> open_records_;         // whose fields are parsed
  struct RecordTraits {
    bool has_pointer = false, has_unfit = false;  // has a bool, half or size_t, in whatever depth
  };
  std::map<const Record*, RecordTraits> record_traits_;
  std::set<const Variable*> word_size_parameters_;  // of type size_t and its kin
  std::vector<Variable*> externs_;                  // declared, not yet defined
};

// Counts nesting; `ok` is false, after an error, when it is too deep.
class Depth {
 public:
  explicit Depth(Parser& parser) : parser_(parser) {
    ok = ++parser_.depth_ <= Parser::kMaxDepth;
    if (!ok && parser_.depth_ == Parser::kMaxDepth + 1) {
      parser_.diagnostics_.error(parser_.peek().where, "The program is nested more than %u levels deep here.",
                                 Parser::kMaxDepth);
    }
  }
  ~Depth() { --parser_.depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  bool ok;

 private:
  Parser& parser_;
};

}  // namespace manyrt::compiler
