// Statements: C99's all, with labels and cases wherever C lets them stand. Chains of cases and of else-ifs are read in loops,
// because programs that were generated have long ones.
#include <algorithm>

#include "compiler/parser/keyword.h"
#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

bool isLoop(const Token& token) { return token.is("for") || token.is("while") || token.is("do"); }

}  // namespace

bool Parser::parseFunctionBody(Function* function) {
  function_ = function;
  labels_.clear();
  undeclared_.clear();
  variables_of_function_.clear();
  switches_.clear();
  loops_ = 0;
  unroll_ = -1;
  scopes_.emplace_back();
  for (Variable* parameter : function->parameters) {
    Symbol symbol;
    symbol.variable = parameter;
    symbol.where = parameter->where;
    if (!parameter->name.empty()) declare(parameter->name, symbol);
  }
  Stmt* body = parseCompound(false);
  checkLabels();
  if (body != nullptr) warnOfUnused();
  scopes_.resize(kProgramScope + 1);
  function_ = nullptr;
  function->body = body;
  return body != nullptr;
}

// After an error a variable may be unused since what would use it was not understood.
void Parser::warnOfUnused() {
  if (diagnostics_.failed()) return;
  for (const Variable* variable : variables_of_function_) {
    if (variable->is_named) continue;
    diagnostics_.warning(variable->where, "The variable \"%s\" is never used.", variable->name.c_str());
  }
}

Stmt* Parser::parseCompound(bool own_scope) {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kCompound);
  statement->where = peek().where;
  if (!expect("{", "what comes before a block")) return nullptr;
  if (own_scope) scopes_.emplace_back();
  const size_t scopes = scopes_.size();
  Stmt* literals = program_.make(StmtKind::kDeclare);
  literals->where = statement->where;
  const size_t blocks = literals_.size();
  literals_.push_back(literals);
  while (!at("}") && !atEnd() && !diagnostics_.full()) {
    const size_t item = at_;
    if (acceptPragma()) continue;
    literals->tokens.begin = literals->tokens.end = static_cast<uint32_t>(item);
    if (Stmt* inner = parseItem(); inner != nullptr) {
      statement->body.push_back(inner);
      continue;
    }
    recover(item);
    scopes_.resize(scopes);
    literals_.resize(blocks + 1);
    unroll_ = -1;
    accept("else");  // of the statement that was wrong
  }
  if (own_scope) scopes_.pop_back();
  literals_.resize(blocks);
  if (!literals->variables.empty()) statement->body.insert(statement->body.begin(), literals);
  if (atEnd()) {
    diagnostics_.error(statement->where, "This \"{\" is never closed.");
    return nullptr;
  }
  if (!accept("}")) return nullptr;  // too many errors
  return finish(statement, begin);
}

Stmt* Parser::parseItem() {
  if (acceptStaticAssert()) return program_.make(StmtKind::kEmpty);
  const uint32_t ahead = afterAttributes();
  const bool is_label = peek(ahead + 1).is(":");
  if (!startsType(peek(ahead)) || is_label) return parseStatement();
  if (unroll_ != -1) {
    diagnostics_.error(peek().where, "#pragma unroll must stand before a for, while or do loop.");
    unroll_ = -1;
  }
  return parseLocalDeclaration();
}

Stmt* Parser::parseStatement() {
  const Depth depth(*this);
  if (!depth.ok) return nullptr;
  Stmt* outermost = nullptr;
  // Labels are collected in a loop instead of by recursion, because a program may have any number in a row. `place` is where
  // the next label, or at last the statement, belongs.
  Stmt** place = &outermost;
  std::vector<std::pair<Stmt*, size_t>> labels;
  for (;;) {
    if (acceptPragma()) continue;
    if (atAttribute(0)) {
      if (!parseAttributes(nullptr, nullptr, nullptr)) return nullptr;
      continue;
    }
    const bool is_label = peek(1).is(":") && peek().kind == TokenKind::kIdentifier;
    if (!at("case") && !at("default") && !(is_label && findKeyword(peek().text).kind == KeywordKind::kNone)) break;
    labels.emplace_back(nullptr, at_);
    Stmt* label = parseLabel();
    if (label == nullptr) return nullptr;
    labels.back().first = label;
    *place = label;
    place = &label->first;
  }
  if (startsType(peek())) {
    diagnostics_.error(peek().where, "A declaration cannot be the statement here: put it into a block { }.");
    return nullptr;
  }
  if (at("}")) {
    diagnostics_.error(peek().where, "Expected a statement before this \"}\": write \";\" for one that does nothing.");
    return nullptr;
  }
  *place = parsePlainStatement();
  if (*place == nullptr) return nullptr;
  for (const auto& [label, begin] : labels) finish(label, begin);
  return outermost;
}

Stmt* Parser::parsePlainStatement() {
  const size_t begin = at_;
  const Token& token = peek();
  // No statement begins with two of these words, so that the order of the tests is free. A wrong break is reported, but kept:
  // parsing goes on to find further errors.
  if (unroll_ != -1 && !isLoop(token)) {
    unroll_ = -1;
    diagnostics_.error(token.where, "A loop must follow #pragma unroll and opencl_unroll_hint: for, while or do.");
    return nullptr;
  }
  if (at("{")) return parseCompound(true);
  if (at("if")) return parseIf();
  if (at("for")) return parseFor();
  if (at("while")) return parseWhile();
  if (at("do")) return parseDo();
  if (at("switch")) return parseSwitch();
  if (at("return")) return parseReturn();
  if (at("goto")) return parseGoto();
  if (at(";")) {
    Stmt* statement = program_.make(StmtKind::kEmpty);
    statement->where = next().where;
    return finish(statement, begin);
  }
  if (at("break") || at("continue")) {
    const bool is_break = at("break");
    Stmt* statement = program_.make(is_break ? StmtKind::kBreak : StmtKind::kContinue);
    statement->where = next().where;
    if (loops_ == 0 && (!is_break || switches_.empty())) {
      diagnostics_.error(statement->where,
                         is_break ? "There is no loop or switch around this break." : "There is no loop around this continue.");
    }
    return expect(";", is_break ? "break" : "continue") ? finish(statement, begin) : nullptr;
  }
  return parseExpressionStatement();
}

Stmt* Parser::parseExpressionStatement() {
  const size_t begin = at_;
  const Token& token = peek();
  const Keyword& keyword = findKeyword(token.text);
  if (token.kind == TokenKind::kIdentifier && keyword.advice != nullptr) {
    diagnostics_.error(token.where, "\"%s\": %s", std::string(token.text).c_str(), keyword.advice);
    return nullptr;
  }
  // Two names in a row: the first is meant as a type that is not there.
  if (token.kind == TokenKind::kIdentifier && keyword.kind == KeywordKind::kNone && find(token.text) == nullptr &&
      peek(1).kind == TokenKind::kIdentifier) {
    const std::string name(token.text);
    undeclared_.insert(peek(1).text);  // that it is not declared now is no error of its own
    const char* advice = nameOfForeignType(name);
    if (advice != nullptr) {
      diagnostics_.error(token.where, "OpenCL C has no type \"%s\": write %s.", name.c_str(), advice);
    } else {
      diagnostics_.error(token.where, "\"%s\" names no type%s", name.c_str(), typeSuggestion(name).c_str());
    }
    return nullptr;
  }
  Stmt* statement = program_.make(StmtKind::kExpr);
  statement->where = token.where;
  statement->a = parseExpression();
  if (statement->a == nullptr || !expect(";", "the expression")) return nullptr;
  return finish(statement, begin);
}

Stmt* Parser::parseLabel() {
  const Token& token = next();
  if (token.is("case")) {
    Stmt* statement = program_.make(StmtKind::kCase);
    statement->where = token.where;
    return parseCaseValue(statement) && expect(":", "the value of a case") ? statement : nullptr;
  }
  if (token.is("default")) {
    Stmt* statement = program_.make(StmtKind::kDefault);
    statement->where = token.where;
    // Parsing goes on after these errors: the statement is complete, and errors after it are found too.
    if (switches_.empty()) {
      diagnostics_.error(token.where, "There is no switch around this default.");
    } else if (switches_.back().has_default) {
      diagnostics_.error(token.where, "The switch has a default already.");
    } else {
      switches_.back().has_default = true;
    }
    return expect(":", "default") ? statement : nullptr;
  }
  Stmt* statement = program_.make(StmtKind::kLabel);
  statement->where = token.where;
  statement->label = token.text;
  next();
  Label& label = labels_[token.text];
  if (label.defined) {
    diagnostics_.error(token.where, "The label \"%s\" is there a second time.", std::string(token.text).c_str());
    diagnostics_.note(label.where, "This is its other place.");
  }
  label = {true, token.where};
  return statement;
}

bool Parser::parseCaseValue(Stmt* statement) {
  const Location where = statement->where;
  int64_t value = 0;
  if (!parseIntegerConstant(&value, "the value of a case")) return false;
  if (at("...")) {
    diagnostics_.error(peek().where, "OpenCL C has no ranges of cases: write each case, or an if before the switch.");
    return false;
  }
  if (switches_.empty()) {
    diagnostics_.error(where, "There is no switch around this case.");
    return true;
  }
  OpenSwitch& open = switches_.back();
  uint64_t bits = static_cast<uint64_t>(value);
  if (sizeOf(QualType{open.type}) == 4) {
    bits = open.type->isSigned() ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)}) : bits & UINT32_MAX;
  }
  statement->integer = bits;
  if (!open.values.insert(bits).second) {
    diagnostics_.error(where, "The switch has a case for %lld already.", static_cast<long long>(value));
  }
  return true;
}

// "(", the condition, ")". After an error after the "(" parsing goes on at the body; false only where there is no header.
bool Parser::parseHeaderCondition(Expr** condition, const char* of) {
  const size_t open = at_;
  if (!expect("(", of)) return false;
  *condition = parseCondition(of);
  if (*condition == nullptr || !expect(")", "the condition")) skipParentheses(open);
  return true;
}

Stmt* Parser::parseIf() {
  Stmt* outermost = nullptr;
  Stmt** place = &outermost;
  std::vector<std::pair<Stmt*, size_t>> chain;
  for (;;) {
    Stmt* statement = program_.make(StmtKind::kIf);
    chain.emplace_back(statement, at_);
    *place = statement;
    statement->where = next().where;
    if (!parseHeaderCondition(&statement->a, "if")) return nullptr;
    statement->first = parseStatement();
    if (statement->first == nullptr) return nullptr;
    if (!accept("else")) break;
    place = &statement->second;
    if (at("if")) continue;
    *place = parseStatement();
    if (*place == nullptr) return nullptr;
    break;
  }
  for (const auto& [statement, begin] : chain) finish(statement, begin);
  return outermost;
}

Stmt* Parser::parseLoopBody() {
  ++loops_;
  Stmt* body = parseStatement();
  --loops_;
  return body;
}

Stmt* Parser::parseWhile() {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kWhile);
  statement->unroll = takeUnroll();
  statement->where = next().where;
  if (!parseHeaderCondition(&statement->a, "while")) return nullptr;
  statement->first = parseLoopBody();
  return statement->first == nullptr ? nullptr : finish(statement, begin);
}

Stmt* Parser::parseDo() {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kDo);
  statement->unroll = takeUnroll();
  statement->where = next().where;
  statement->first = parseLoopBody();
  if (statement->first == nullptr || !expect("while", "the body of do")) return nullptr;
  if (!parseHeaderCondition(&statement->a, "do ... while") || !expect(";", "do ... while")) return nullptr;
  return finish(statement, begin);
}

// The scope of the initialiser's names ends with the loop.
Stmt* Parser::parseFor() {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kFor);
  statement->unroll = takeUnroll();
  statement->where = next().where;
  const size_t open = at_;
  if (!expect("(", "for")) return nullptr;
  scopes_.emplace_back();
  const size_t scopes = scopes_.size();
  // After an error in the header the body is parsed all the same. Scopes that the header left open are closed first.
  const auto parseHeader = [&] {
    if (startsType(peek(afterAttributes()))) {
      const Location where = peek().where;
      statement->init = parseLocalDeclaration();
      if (statement->init == nullptr) return false;
      if (statement->init->variables.empty()) {
        diagnostics_.error(where, "A for loop declares variables or nothing: move the declaration before the loop.");
      }
    } else if (!accept(";")) {
      statement->init = parseExpressionStatement();
      if (statement->init == nullptr) return false;
    }
    if (!at(";") && (statement->a = parseCondition("for")) == nullptr) return false;
    if (!expect(";", "the condition of for")) return false;
    if (!at(")") && (statement->b = parseExpression()) == nullptr) return false;
    return expect(")", "the header of for");
  };
  if (!parseHeader()) {
    skipParentheses(open);
    scopes_.resize(scopes);
  }
  statement->first = parseLoopBody();
  scopes_.pop_back();
  return statement->first == nullptr ? nullptr : finish(statement, begin);
}

Stmt* Parser::parseSwitch() {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kSwitch);
  statement->where = next().where;
  const size_t open = at_;
  if (!expect("(", "switch")) return nullptr;
  statement->a = parseExpression();
  if (statement->a == nullptr || !expect(")", "the value of switch")) skipParentheses(open);
  const Type* type = types_.scalar(Scalar::kInt);
  if (statement->a != nullptr && !statement->a->type->isInteger()) {
    diagnostics_.error(statement->a->where, "A switch decides by an integer, not by \"%s\".",
                       spell(statement->a->type).c_str());
  } else if (statement->a != nullptr) {
    type = promoted(statement->a->type.type);
    statement->a = implicit(statement->a, type);
  }
  switches_.push_back({type, {}, false});
  statement->first = parseStatement();
  switches_.pop_back();
  return statement->first == nullptr ? nullptr : finish(statement, begin);
}

Stmt* Parser::parseReturn() {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kReturn);
  statement->where = next().where;
  const bool is_void = function_->result->isVoid();
  const char* name = function_->name.c_str();
  if (at(";")) {
    if (!is_void) {
      diagnostics_.error(statement->where, "\"%s\" must return a value of the type \"%s\".", name,
                         spell(function_->result).c_str());
    }
  } else {
    Expr* value = parseExpression();
    if (value == nullptr) return nullptr;
    if (is_void && value->type->isVoid()) {  // return f(); of another void function: the call, then the return
      Stmt* call = program_.make(StmtKind::kExpr);
      call->where = statement->where;
      call->a = value;
      Stmt* both = program_.make(StmtKind::kCompound);
      both->where = statement->where;
      both->body = {finish(call, begin), statement};
      statement = both;
    } else if (is_void) {
      diagnostics_.error(value->where, "\"%s\" returns void and cannot return a value.", name);
    } else {
      statement->a = convertTo(value, function_->result, "the returned value");
      if (statement->a == nullptr) return nullptr;
    }
  }
  if (!expect(";", "return")) return nullptr;
  return finish(statement, begin);
}

Stmt* Parser::parseGoto() {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kGoto);
  statement->where = next().where;
  const Token& token = peek();
  if (token.kind != TokenKind::kIdentifier || findKeyword(token.text).kind != KeywordKind::kNone) {
    diagnostics_.error(token.where, "goto needs the name of a label, found \"%s\".", std::string(token.text).c_str());
    return nullptr;
  }
  statement->label = next().text;
  labels_.try_emplace(statement->label, Label{false, token.where});
  function_->has_goto = true;
  return expect(";", "goto") ? finish(statement, begin) : nullptr;
}

void Parser::checkLabels() {
  for (const auto& [name, label] : labels_) {
    if (label.defined || diagnostics_.full()) continue;
    diagnostics_.error(label.where, "\"%s\" has no label \"%s\".", function_->name.c_str(), std::string(name).c_str());
  }
  labels_.clear();
}

}  // namespace manyrt::compiler
