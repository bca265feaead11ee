// In the declaration of a kernel, pointers into global and constant memory become a root and an offset. Its body first declares
// them again as the user wrote them. A call of the kernel passes its pointer as the root, with offset 0. Kernels get names that
// no other identifier has. Compound literals that are used as objects become variables, because clang 14 gives pointers to a
// literal no address space.
#include "compiler/lowering/opencl/program.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compiler/lowering/opencl/token_text.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool isMoved(const Variable& parameter) {  // becomes a root and an offset
  if (!parameter.type->isPointer()) return false;
  const AddressSpace space = parameter.type->inner.space;
  return space == AddressSpace::kGlobal || space == AddressSpace::kConstant;
}

bool isSamePlace(Location a, Location b) { return a.file == b.file && a.line == b.line && a.column == b.column; }

bool isAttribute(const Token& token) { return token.is("__attribute__") || token.is("__attribute"); }

bool isRestrict(const Token& token) { return token.is("restrict") || token.is("__restrict") || token.is("__restrict__"); }

// Others, such as FP_CONTRACT, have to be the first in their block.
bool isOfLoop(const Token& token) {
  return token.kind == TokenKind::kPragma && (token.text.starts_with("unroll") || token.text.starts_with("nounroll"));
}

class Lowering {
 public:
  Lowering(const Program& program, const Sources& sources)
      : program_(program), tokens_(program.tokens), text_(program.tokens, sources) {}
  std::string lower(OpenClPointers pointers, std::vector<std::string>* symbols);

 private:
  const Token& token(uint32_t index) const { return index < tokens_.size() ? tokens_[index] : tokens_.back(); }
  uint32_t closing(uint32_t open) const;  // the token that closes ( [ or {; the last one if none does
  std::vector<TokenRange> arguments(uint32_t open) const;
  TokenRange declaredName(const Variable& parameter, TokenRange range) const;
  std::string join(TokenRange range) const;
  std::string declaration(const Variable& parameter, TokenRange range);
  std::string typedefDeclaration(const Variable& parameter, TokenRange range);
  std::string giveTag(const Record& record);
  std::string arrayDeclaration(TokenRange name, TokenRange range) const;
  std::string unused(const std::string& name) const;

  void changeDefinition(const Function& kernel);
  void changeUses();
  void changePrototype(const Function& kernel, uint32_t open);
  void changeCall(const Function& kernel, uint32_t open);
  void changeLiterals();
  std::string allowChains() const;
  void rename(const Function& kernel, const std::string& symbol);
  void changeObject(const LiteralObject& literal);

  const Program& program_;
  const Tokens& tokens_;
  TokenText text_;
  std::unordered_set<std::string_view> identifiers_;
  std::unordered_map<const Record*, std::string> tags_;  // that were given
};

uint32_t Lowering::closing(uint32_t open) const {
  uint32_t depth = 0;
  uint32_t i = open;
  for (; token(i).kind != TokenKind::kEnd; ++i) {
    if (token(i).is("(") || token(i).is("[") || token(i).is("{")) ++depth;
    if ((token(i).is(")") || token(i).is("]") || token(i).is("}")) && --depth == 0) return i;
  }
  return i;
}

// The arguments between `open` and its closing parenthesis, separated at commas. Empty parentheses have none.
std::vector<TokenRange> Lowering::arguments(uint32_t open) const {
  const uint32_t end = closing(open);
  std::vector<TokenRange> found;
  uint32_t begin = open + 1;
  if (begin >= end) return found;
  for (uint32_t i = begin; i < end; ++i) {
    if (token(i).is("(") || token(i).is("[") || token(i).is("{")) i = closing(i);
    if (!token(i).is(",")) continue;
    found.push_back({begin, i});
    begin = i + 1;
  }
  found.push_back({begin, end});
  return found;
}

// The name with the parentheses right around it. It is the last of its spelling: the type before it may have the same.
TokenRange Lowering::declaredName(const Variable& parameter, TokenRange range) const {
  TokenRange name{range.end, range.end};
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (token(i).is("[") || token(i).is("{")) i = closing(i);
    if (isAttribute(token(i))) i = closing(i + 1);
    if (token(i).kind == TokenKind::kIdentifier && token(i).text == parameter.name) name = {i, i + 1};
  }
  while (name.begin > range.begin && token(name.begin - 1).is("(") && name.end < range.end && token(name.end).is(")")) {
    name = {name.begin - 1, name.end + 1};
  }
  return name;
}

std::string Lowering::join(TokenRange range) const {
  std::string text;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (token(i).kind == TokenKind::kPragma) continue;
    if (std::binary_search(program_.implicit_ints.begin(), program_.implicit_ints.end(), i)) text.append("int ");
    const auto dot = program_.dot_products.find(i);
    text.append(dot == program_.dot_products.end() ? std::string(token(i).text) : "mrt_" + dot->second).append(" ");
  }
  return text;
}

// "__global float a[restrict 8][4]" becomes "__global float (*restrict a)[4]".
std::string Lowering::arrayDeclaration(TokenRange name, TokenRange range) const {
  const uint32_t close = closing(name.end);
  std::string pointer = "(* ";
  for (uint32_t i = name.end + 1; i < close; ++i) {
    if (!token(i).is("const") && !token(i).is("volatile") && !token(i).is("static") && !isRestrict(token(i))) break;
    if (!token(i).is("static")) pointer.append(token(i).text).append(" ");
  }
  return join({range.begin, name.begin}) + pointer + join(name) + ") " + join({close + 1, range.end});
}

// A name for a record that has none, written where the record is. Those of one macro have one place and come in their order.
std::string Lowering::giveTag(const Record& record) {
  std::string& tag = tags_[&record];
  if (!tag.empty()) return tag;
  uint32_t earlier = 0;
  for (const Record& other : program_.types.records()) {
    if (other.id < record.id && other.tag.empty() && isSamePlace(other.where, record.where)) ++earlier;
  }
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    if (!(token(i).is("struct") || token(i).is("union")) || !isSamePlace(token(i).where, record.where)) continue;
    uint32_t open = i + 1;
    while (isAttribute(token(open))) open = closing(open + 1) + 1;
    if (!token(open).is("{") || earlier-- > 0) continue;
    tag = unused("mrt_record_" + std::to_string(record.id));
    text_.insertBefore(open, tag);
    break;
  }
  return tag;
}

// A typedef hides the pointer, or an array that is a pointer in a parameter list alone: the type is spelled.
std::string Lowering::typedefDeclaration(const Variable& parameter, TokenRange range) {
  std::string type = spell(parameter.type);
  const std::string unnamed = "(unnamed)";
  if (const size_t at = type.find(unnamed); at != std::string::npos) {
    const Type* leaf = parameter.type.type;
    while (leaf->isPointer() || leaf->isArray()) leaf = leaf->inner.type;
    const std::string tag = leaf->isRecord() ? giveTag(*leaf->record) : "";
    if (tag.empty()) return join(range);
    type.replace(at, unnamed.size(), tag);
  }
  const size_t close = type.find(')');  // of "float (*)[4]"
  if (close == std::string::npos) return type + " " + parameter.name + " ";
  return type.insert(close, " " + parameter.name) + " ";
}

// The parameter as a declaration without its semicolon: its own tokens, wherever they show a pointer.
std::string Lowering::declaration(const Variable& parameter, TokenRange range) {
  const TokenRange name = declaredName(parameter, range);
  if (token(name.end).is("[")) return arrayDeclaration(name, range);
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (token(i).is("{") || token(i).is("[")) i = closing(i);
    if (token(i).is("*")) return join(range);
  }
  return typedefDeclaration(parameter, range);
}

std::string Lowering::unused(const std::string& name) const {
  std::string free = name;
  while (identifiers_.contains(free)) free += "_";
  return free;
}

void Lowering::changeDefinition(const Function& kernel) {
  std::string declarations;
  for (size_t i = 0; i < kernel.parameters.size() && i < kernel.parameter_tokens.size(); ++i) {
    const Variable& parameter = *kernel.parameters[i];
    if (!isMoved(parameter)) continue;
    const std::string number = std::to_string(i);
    const std::string root = unused("mrt_root_" + number);
    const std::string offset = unused("mrt_offset_" + number);
    const std::string space = spaceName(parameter.type->inner.space);
    text_.replace(kernel.parameter_tokens[i], space + " unsigned char *" + root + ", unsigned long " + offset);
    if (parameter.name.empty()) continue;
    declarations +=
        declaration(parameter, kernel.parameter_tokens[i]) + "= (" + space + " void *)(" + root + " + " + offset + "); ";
  }
  text_.insertAfter(kernel.body_token, declarations);
}

void Lowering::changePrototype(const Function& kernel, uint32_t open) {
  const std::vector<TokenRange> parameters = arguments(open);
  if (parameters.size() != kernel.parameters.size()) return;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!isMoved(*kernel.parameters[i])) continue;
    text_.replace(parameters[i],
                  std::string(spaceName(kernel.parameters[i]->type->inner.space)) + " unsigned char *, unsigned long");
  }
}

void Lowering::changeCall(const Function& kernel, uint32_t open) {
  const std::vector<TokenRange> passed = arguments(open);
  if (passed.size() != kernel.parameters.size()) return;
  for (size_t i = 0; i < passed.size(); ++i) {
    if (!isMoved(*kernel.parameters[i])) continue;
    const std::string space = spaceName(kernel.parameters[i]->type->inner.space);
    text_.insertBefore(passed[i].begin, "(" + space + " unsigned char *)(");
    text_.insertAfter(passed[i].end - 1, "), 0");
  }
}

// A kernel's name before a list in parentheses: its definition, which is known; a prototype, after "void" or outside of all
// braces; else a call.
void Lowering::changeUses() {
  std::unordered_map<uint32_t, const Function*> uses;
  for (const Function* kernel : program_.kernels) {
    for (const uint32_t name : kernel->name_tokens) uses[name] = kernel;
    uses.erase(kernel->name_token);
  }
  uint32_t braces = 0;
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    if (token(i).is("{")) ++braces;
    if (token(i).is("}") && braces > 0) --braces;
    const auto found = uses.find(i);
    if (found == uses.end()) continue;
    TokenRange name{i, i + 1};
    while (name.begin > 0 && token(name.begin - 1).is("(") && token(name.end).is(")")) name = {name.begin - 1, name.end + 1};
    if (!token(name.end).is("(")) continue;
    const bool is_prototype = braces == 0 || token(name.begin - 1).is("void");
    if (is_prototype) {
      changePrototype(*found->second, name.end);
    } else {
      changeCall(*found->second, name.end);
    }
  }
}

// The preprocessor's words for values that have no spelling, back to what every OpenCL C compiler knows.
void Lowering::changeLiterals() {
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    if (token(i).is("__mrt_inff")) text_.replace({i, i + 1}, "INFINITY");
    if (token(i).is("__mrt_nanf")) text_.replace({i, i + 1}, "NAN");
    if (token(i).is("__mrt_inf")) text_.replace({i, i + 1}, "HUGE_VAL");
  }
}

void Lowering::rename(const Function& kernel, const std::string& symbol) {
  for (const uint32_t token : kernel.name_tokens) {
    TokenRange name{token, token + 1};  // with parentheses right around it, which clang 14 takes for the function's address
    while (name.begin > 0 && tokens_[name.begin - 1].is("(") && this->token(name.end).is(")")) {
      name = {name.begin - 1, name.end + 1};
    }
    text_.replace(name, symbol);
  }
}

// (S){1} becomes (*(v = (S){1}, &v)), with "S v;" before the statement. Arrays are in a struct, which can be assigned. A
// literal that names its type in a more complicated way stays as it is.
void Lowering::changeObject(const LiteralObject& literal) {
  uint32_t open = literal.tokens.begin;
  while (token(open + 1).is("(")) ++open;  // parentheses around the whole
  const uint32_t close = closing(open);
  uint32_t suffix = close;
  std::string base;
  for (uint32_t i = open + 1; i < close; ++i) {
    if (token(i).is("(") || token(i).is("{")) return;
    if (token(i).is("[")) suffix = std::min(suffix, i);
    if (i < suffix && !token(i).is("const")) base.append(token(i).text).append(" ");
  }
  const std::string name = unused("mrt_literal_" + std::to_string(literal.variable->id));
  std::string declaration = base + name + "; ", type = base, begin, end;
  const Type* own = literal.variable->type.type;
  if (own->isArray()) {
    if (suffix == close) return;  // a typedef of an array
    const std::string tag = name + "_t";
    const std::string lengths = "[" + std::to_string(own->length) + "] " + join({closing(suffix) + 1, close});
    declaration = "struct " + tag + " { " + base + "v" + lengths + "; } " + name + "; ";
    type = "struct " + tag;
    begin = "{ ";
    end = "}";
  }
  uint32_t statement = literal.statement;
  while (statement > 0 && isOfLoop(token(statement - 1))) --statement;
  text_.insertBefore(statement, declaration);
  text_.replace({open, close + 1}, "(*(" + name + " = (" + type + ")" + begin);
  text_.insertAfter(closing(close + 1), end + ", &" + name + (own->isArray() ? ".v" : "") + "))");
}

// 5 > 4 > 3 is right, and newer versions of clang, which drivers have, refuse it all the same. A warning may stay.
std::string Lowering::allowChains() const {
  const auto compares = [](const Expr& e) { return e.kind == ExprKind::kBinary && e.op >= Op::kLess && e.op <= Op::kNotEqual; };
  bool chains = false;
  for (const Declaration& declaration : program_.declarations) {
    if (declaration.kind != Declaration::Kind::kFunction || declaration.function->body == nullptr) continue;
    visitExpressions(declaration.function->body, [&](Expr& e) {
      if (!compares(e)) return;
      const Expr* left = e.a;
      while (left->kind == ExprKind::kConvert) left = left->a;
      chains = chains || compares(*left);
    });
  }
  return chains ? "#pragma clang diagnostic warning \"-Wparentheses\"\n" : "";
}

std::string Lowering::lower(OpenClPointers pointers, std::vector<std::string>* symbols) {
  changeLiterals();
  for (const Token& token : tokens_) {
    if (token.kind == TokenKind::kIdentifier) identifiers_.insert(token.text);
  }
  for (const uint32_t place : program_.implicit_ints) text_.insertBefore(place, "int");
  for (const auto& [place, name] : program_.dot_products) text_.replace({place, place + 1}, "mrt_" + name);
  for (const LiteralObject& literal : program_.literals) changeObject(literal);
  for (const Function* kernel : program_.kernels) {
    std::string symbol = unused(kernel->name + "_kernel");
    rename(*kernel, symbol);
    if (symbols != nullptr) symbols->push_back(std::move(symbol));
  }
  if (pointers == OpenClPointers::kAddresses) return allowChains() + text_.print();
  for (const Function* kernel : program_.kernels) changeDefinition(*kernel);
  changeUses();
  return allowChains() + text_.print();
}

}  // namespace

std::string lowerToOpenCl(const Program& program, const Sources& sources, OpenClPointers pointers,
                          std::vector<std::string>* symbols) {
  return Lowering(program, sources).lower(pointers, symbols);
}

}  // namespace manyrt::compiler
