// Where contraction is on, and the shapes of expressions that become one operation.
#include "compiler/lowering/cpp/contraction.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/lowering/cpp/text.h"

namespace manyrt::compiler {
namespace {

enum class Word : uint8_t { kNone, kOn, kOff };

// "OPENCL FP_CONTRACT OFF" or "STDC ...", however it is spaced.
Word contractWord(std::string_view pragma) {
  std::string words;
  for (char letter : pragma) {
    if (letter != ' ' && letter != '\t') words += letter;
  }
  for (const char* head : {"OPENCLFP_CONTRACT", "STDCFP_CONTRACT"}) {
    const std::string start = head;
    if (words == start + "OFF") return Word::kOff;
    if (words == start + "ON" || words == start + "DEFAULT") return Word::kOn;
  }
  return Word::kNone;
}

bool isReal(const Type* type) {
  if (type->kind != TypeKind::kScalar && !type->isVector()) return false;
  return type->scalar == Scalar::kFloat || type->scalar == Scalar::kDouble;
}

}  // namespace

Contraction::Contraction(const Tokens& tokens) {
  bool on = true;
  std::vector<bool> around;
  auto turn = [&](size_t at, bool to) {
    if (to != on) changes_.push_back({static_cast<uint32_t>(at), to});
    on = to;
  };
  for (size_t at = 0; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.kind == TokenKind::kPragma) {
      const Word word = contractWord(token.text);
      if (word != Word::kNone) turn(at, word == Word::kOn);
    } else if (token.is("{")) {
      around.push_back(on);
    } else if (token.is("}") && !around.empty()) {
      turn(at, around.back());
      around.pop_back();
    }
  }
}

bool Contraction::allowed(const Expr& expression) const {
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), expression.tokens.begin,
                                     [](uint32_t token, const Change& change) { return token < change.token; });
  return next == changes_.begin() || std::prev(next)->on;
}

bool Contraction::isProduct(const Expr& e, const Type* type) const {
  return e.kind == ExprKind::kBinary && e.op == Op::kMul && e.type.type == type && isReal(type);
}

Fused Contraction::ofBinary(const Expr& e) const {
  if ((e.op != Op::kAdd && e.op != Op::kSub) || !isReal(e.type.type) || !allowed(e)) return {};
  const bool adds = e.op == Op::kAdd;
  if (isProduct(*e.a, e.type.type)) return {adds ? Fused::Kind::kAdd : Fused::Kind::kSubtract, e.a, e.b};
  if (hasEffects(*e.a)) return {};  // `fract(x, &whole) + whole * y`: the left side stays the first
  if (isProduct(*e.b, e.type.type)) return {adds ? Fused::Kind::kAdd : Fused::Kind::kNegate, e.b, e.a};
  return {};
}

Fused Contraction::ofAssign(const Expr& e) const {
  if ((e.op != Op::kAdd && e.op != Op::kSub) || !isProduct(*e.b, e.a->type.type) || !allowed(e)) return {};
  return {e.op == Op::kAdd ? Fused::Kind::kAdd : Fused::Kind::kNegate, e.b, e.a};
}

}  // namespace manyrt::compiler
