// The parser's inside, shared by its files: the cursor, the scopes, and what each file offers to the others.
//   parser.cpp        cursor, scopes, program scope, pragmas      function.cpp     functions, kernels, program variables
//   specifier.cpp     types, qualifiers                           record.cpp       structs, unions, enums
//   declarator.cpp    declarators, parameters                     attribute.cpp    attributes
//   local.cpp         declarations in functions                   statement.cpp    statements
//   call_graph.cpp    who calls whom, after the parse             expression.cpp   expressions
//   conversion.cpp    what converts to what                       constant.cpp     constant expressions
//   initializer.cpp   braces and what they initialise
//   expression_binary.cpp, expression_unary.cpp   types of operators
//   primary.cpp, postfix.cpp, cast.cpp, literal.cpp   what stands between operators
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/front/ast.h"
#include "kernels/front/builtins.h"
#include "kernels/front/parser.h"

namespace manyrt::kernels {

// An ordinary name in a scope; tags of records and enums have a map of their own.
struct Symbol {
  enum class Kind : uint8_t { kVariable, kFunction, kType, kEnumerator };
  Kind kind = Kind::kVariable;
  Variable* variable = nullptr;
  Function* function = nullptr;
  QualType type;      // kType; kEnumerator: int, or what holds the values of its enum
  int64_t value = 0;  // kEnumerator
  Location where;
  uint32_t alignment = 0;     // kType: by attributes
  bool is_word_size = false;  // kType: size_t and its kin
};

struct Scope {
  std::map<std::string_view, Symbol> names;
  std::map<std::string_view, const Type*> tags;
};

// What stands before the declarators of a declaration.
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

class Parser {
 public:
  Parser(Program& program, const LanguageOptions& options, Diagnostics& diagnostics);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  // Calls point to what was found: it stays with the program, at the same addresses.
  ~Parser() { program_.builtins = std::make_shared<Builtins>(std::move(builtins_)); }
  bool parseProgram();  // parser.cpp

 private:
  friend class Depth;
  static constexpr uint32_t kMostDepth = 256;    // of nesting: parentheses, statements, declarators, braces
  static constexpr uint32_t kMostHeight = 1000;  // of an expression's tree: chains of operators grow it without nesting

  // --- the cursor (inline: on every path)
  const Token& peek(uint32_t ahead = 0) const {
    size_t index = at_ + ahead;
    return index < tokens_.size() ? tokens_[index] : tokens_.back();
  }
  bool at(std::string_view spelling) const { return peek().is(spelling); }
  bool atEnd() const { return peek().kind == TokenKind::kEnd; }
  const Token& next() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_.back(); }
  bool accept(std::string_view spelling) {
    if (!at(spelling)) return false;
    next();
    return true;
  }
  // parser.cpp: an error "expected ... before ..." if the next token is another.
  bool expect(std::string_view spelling, const char* after);
  void skipTo(std::string_view closing);  // behind an error: to the matching ; or }, never past the end
  void recover(size_t begin);             // behind an error in what began at this token: to its end
  void skipParentheses(size_t open);      // behind an error in the ( at token `open`: to the token behind its )
  bool acceptPragma();                    // reads a #pragma; false: none is here
  bool setFieldLimit(std::string_view text);
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

  // --- scopes (parser.cpp)
  static constexpr size_t kLanguageScope = 0, kProgramScope = 1, kFunctionScope = 2;  // of scopes_
  Scope& scope() { return scopes_.back(); }
  const Symbol* find(std::string_view name) const;
  bool declare(std::string_view name, Symbol symbol);  // an error where the scope has that name already as something else

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
  bool parseTypeHint();
  bool parseUnrollHint();
  bool atAttribute(uint32_t ahead) const { return peek(ahead).is("__attribute__") || peek(ahead).is("__attribute"); }
  uint32_t behindAttributes() const;  // how far ahead the first token behind attributes is
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
  const Type* findTag(std::string_view tag, bool here) const;
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
  Stmt* parseLocalDeclaration();
  bool parseFunctionBody(Function* function);
  Stmt* parseItem();  // of a block: a declaration or a statement
  Stmt* parsePlainStatement();
  Stmt* parseLabel();  // a label, case or default without the statement behind it
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

  // --- expressions (expression.cpp); null after an error
  Expr* parseExpression();  // with commas
  Expr* parseAssignment();
  Expr* parseConditional();
  Expr* parseCondition(const char* of);  // scalar, for if, while, for, do, switch has its own check
  Expr* parseBinary(uint32_t lowest);
  // A node over a, b, c; null after an error where the tree would be higher than kMostHeight.
  Expr* node(ExprKind kind, QualType type, Location where, Expr* a = nullptr, Expr* b = nullptr, Expr* c = nullptr);
  bool grow(Expr* expression, const Expr* child);       // the height of a node that got one more child; false after an error
  Expr* spanned(Expr* expression, size_t begin) const;  // stands for the tokens from `begin` to the cursor; may be null
  Expr* integerLiteral(Scalar scalar, uint64_t value, Location where);
  // expression_binary.cpp, expression_unary.cpp: operators, once their operands are there; null after an error
  Expr* makeBinary(Op op, Expr* a, Expr* b, Location where);
  Expr* makeAssign(Op op, Expr* a, Expr* b, Location where);  // kNone: the simple assignment
  Expr* makeConditional(Expr* condition, Expr* b, Expr* c, Location where);
  Expr* makeUnary(Op op, Expr* a, Location where);
  Expr* makeStep(Op op, Expr* a, Location where);
  Expr* makeAddressOf(Expr* a, Location where);
  Expr* makeDereference(Expr* a, Location where);
  Expr* pointerBinary(Op op, Expr* a, Expr* b, Location where);
  Expr* comparePointers(Op op, Expr* a, Expr* b, Location where);
  Expr* shift(Op op, Expr* a, Expr* b, Location where);
  const Type* pointersTogether(const Expr& a, const Expr& b, const char* of, Location where);  // of ?: and comparisons
  Expr* choosePointers(Expr* condition, Expr* b, Expr* c, Location where);
  Expr* chooseByElement(Expr* condition, Expr* b, Expr* c, Location where);
  Expr* invalidOperands(const char* spelling, const Expr& a, const Expr& b, Location where);
  bool modifiable(const Expr& expression, Location where);
  // primary.cpp, postfix.cpp, cast.cpp, literal.cpp
  Expr* parseUnary();
  Expr* parsePrefixed(Op op);
  Expr* parsePostfix(Expr* base, size_t begin);
  Expr* parsePrimary();
  Expr* parseName();
  Expr* parseSubscript(Expr* base);
  Expr* subscriptVector(Expr* base, Expr* index, Location where);
  Expr* parseMember(Expr* base);
  Expr* parseSwizzle(Expr* base, const Token& name);
  Expr* parseCall();  // at the name, or at parentheses around it
  Expr* callFunction(Function* function, const Token& name, std::vector<Expr*> arguments);
  Expr* callBuiltin(const Builtin& builtin, const Token& name, std::vector<Expr*> arguments);
  bool parseArguments(std::vector<Expr*>* arguments, const Token& name);
  Expr* parseSizeof();  // and vec_step and the spellings of alignof
  Expr* parseOffsetOf();
  Expr* parseParenthesised();  // casts, vector and compound literals
  Expr* parseCompoundLiteral(QualType type, Location where, size_t begin);
  Expr* asObject(Expr* lvalue);  // whose address is taken, or that is changed: compound literals become variables
  Expr* parseVectorLiteral(const Type* vector, Location where);
  Expr* makeVector(const Type* vector, std::vector<Expr*> parts, Location where, const char* what);
  Expr* makeCast(QualType type, Expr* a, Location where);
  const char* castTrouble(const Type* to, const Expr& a) const;
  Expr* parseNumber();
  Expr* parseInteger(const Token& token);
  Expr* parseReal(const Token& token);
  Expr* parseCharacter();
  Expr* parseString();
  bool decode(std::string* bytes, const Token& token);  // a character's or string's escapes

  // --- conversions (conversion.cpp)
  Expr* decay(Expr* expression);  // arrays to pointers; other expressions unchanged
  // As if assigned: null after an error that names both types. `what`: "argument 2 of \"f\"", "the initialiser".
  Expr* convertTo(Expr* expression, QualType target, const char* what);
  Expr* implicit(Expr* expression, const Type* target);        // a kConvert unless the type is that already; no check
  const Type* commonType(const Type* a, const Type* b) const;  // the usual arithmetic conversions of scalars
  const Type* promoted(const Type* type) const;
  Expr* value(Expr* expression);  // decay for operands that are read: null after an error for what cannot be read
  bool balance(Expr** a, Expr** b, const char* spelling, Location where);  // the usual conversions, vectors included
  bool splatFits(const Type* scalar, const Type* vector) const;            // by the rank of an operand
  const Type* comparisonType(const Type* operands) const;                  // int, or signed integers of the lanes' size
  bool isNullConstant(const Expr& expression) const;
  bool checkPointers(QualType from, QualType to, const char* what, Location where);

  // --- constants (constant.cpp)
  bool evaluate(int64_t* value, const Expr& expression) const;  // integer constant expressions, silently
  mutable std::map<const Variable*, int64_t> constants_;        // variables whose values evaluate() found
  bool isConstant(const Expr& expression) const;  // may initialise a variable of program scope: addresses and reals too
  bool parseIntegerConstant(int64_t* value, const char* what);

  // --- initialisers (initializer.cpp): braces or an expression, for an object of this type; an array of unknown length gets
  // one. Null after an error.
  Expr* parseInitializer(QualType* type, const char* name);
  struct Filling;  // braces that are being read
  Expr* parseBraces(QualType type, const char* what);
  Expr* parseBracedScalar(QualType type, const char* what);
  Expr* parseBracedVector(QualType type, const char* what);
  bool parseDesignated(Filling& filling, const char* what);
  bool placeDesignated(Filling& filling, const std::vector<uint32_t>& steps, size_t step, const char* what);
  bool parseDesignator(std::vector<uint32_t>* steps, const Filling& filling);
  Expr* parseElement(QualType type, Expr* first, const char* what);
  bool fill(Filling& filling, Expr* first, const char* what);
  bool skipExcess(bool* warned, const char* kind, Location where);
  Expr* characters(const Expr& string, QualType type);  // a string as the initialiser of an array of characters
  bool isCharacters(QualType type) const;

  Program& program_;
  const Tokens& tokens_;
  const LanguageOptions& options_;
  Diagnostics& diagnostics_;
  Builtins builtins_;
  TypeTable& types_;
  size_t at_ = 0;
  std::vector<Scope> scopes_;
  Function* function_ = nullptr;  // whose body is parsed
  uint32_t depth_ = 0;
  uint32_t loops_ = 0;
  std::vector<OpenSwitch> switches_;
  std::map<std::string_view, Label> labels_;  // of the function
  std::vector<uint32_t> field_limits_ = {0};  // of #pragma pack, the innermost last
  int32_t unroll_ = -1;                       // a pragma or attribute that waits for its loop
  std::vector<Record*> open_records_;         // whose fields are parsed
  std::vector<Stmt*> literals_;               // of each open block: declares the variables of its compound literals
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
    ok = ++parser_.depth_ <= Parser::kMostDepth;
    if (!ok && parser_.depth_ == Parser::kMostDepth + 1) {
      parser_.diagnostics_.error(parser_.peek().where, "The program is nested more than %u levels deep here.",
                                 Parser::kMostDepth);
    }
  }
  ~Depth() { --parser_.depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  bool ok;

 private:
  Parser& parser_;
};

}  // namespace manyrt::kernels
