// A small parser of constant expressions: precedence climbing with bounded depth. Every operation is done on unsigned words,
// so that overflow wraps; what is not evaluated (after && || ?:) is parsed, but may divide by zero.
#include "compiler/preprocessor/condition.h"

#include <cstdarg>
#include <cstdio>
#include <limits>

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxDepth = 256;

struct Value {
  uint64_t bits = 0;
  bool is_unsigned = false;
  int64_t asSigned() const { return static_cast<int64_t>(bits); }
};

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                   {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                   {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

class Condition {
 public:
  Condition(const std::vector<Lexeme>& line, Location directive, Diagnostics& diagnostics)
      : at_(line.data()), end_(line.data() + line.size()), directive_(directive), diagnostics_(diagnostics) {}

  bool evaluate(bool* result) {
    Value value;
    if (at_ == end_) return fail("An expression is expected after the directive.");
    if (!conditional(&value)) return false;
    if (at_ != end_) return fail("\"%.*s\" is not expected in the expression.", static_cast<int>(at_->size), at_->text);
    *result = value.bits != 0;
    return true;
  }

 private:
  bool fail(const char* format, ...) __attribute__((format(printf, 2, 3)));
  bool at(std::string_view text) const { return at_ != end_ && at_->kind == TokenKind::kPunctuator && at_->view() == text; }
  const Operator* binary() const {
    if (at_ == end_ || at_->kind != TokenKind::kPunctuator) return nullptr;
    for (const Operator& op : kOperators) {
      if (at_->view() == op.text) return &op;
    }
    return nullptr;
  }
  bool conditional(Value* value);
  bool operation(Value* value, int lowest);
  bool apply(Value* left, Value right, std::string_view op, Location where);
  bool shift(Value* left, Value right, bool to_left);
  bool divide(Value* left, Value right, bool remainder, Location where);
  bool unary(Value* value);
  bool primary(Value* value);
  bool number(Value* value);
  bool character(Value* value);
  bool escape(uint32_t* code, std::string_view* rest);

  const Lexeme* at_;
  const Lexeme* const end_;
  const Location directive_;
  Diagnostics& diagnostics_;
  uint32_t depth_ = 0;
  uint32_t dead_ = 0;  // inside of what is not evaluated
};

bool Condition::fail(const char* format, ...) {
  char sentence[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  diagnostics_.error(at_ != end_ && at_->where.line != 0 ? at_->where : directive_, "%s", sentence);
  return false;
}

bool Condition::conditional(Value* value) {
  if (depth_ >= kMaxDepth) return fail("The expression is nested more than %u levels deep.", kMaxDepth);
  ++depth_;
  bool ok = operation(value, 1);
  if (ok && at("?")) {
    ++at_;
    const bool first = value->bits != 0;
    Value a, b;
    dead_ += first ? 0 : 1;
    ok = conditional(&a);
    dead_ -= first ? 0 : 1;
    if (ok && !at(":")) ok = fail("\":\" is expected here, for the \"?\" before.");
    if (ok) {
      ++at_;
      dead_ += first ? 1 : 0;
      ok = conditional(&b);
      dead_ -= first ? 1 : 0;
    }
    value->bits = first ? a.bits : b.bits;
    value->is_unsigned = a.is_unsigned || b.is_unsigned;
  }
  --depth_;
  return ok;
}

bool Condition::operation(Value* value, int lowest) {
  if (!unary(value)) return false;
  for (const Operator* op; (op = binary()) != nullptr && op->precedence >= lowest;) {
    const Location where = at_++->where;
    const bool skips = (op->precedence == 1 && value->bits != 0) || (op->precedence == 2 && value->bits == 0);
    Value right;
    dead_ += skips ? 1 : 0;
    const bool ok = operation(&right, op->precedence + 1);
    dead_ -= skips ? 1 : 0;
    if (!ok || !apply(value, right, op->text, where)) return false;
  }
  return true;
}

bool Condition::apply(Value* left, Value right, std::string_view op, Location where) {
  // Values are 64 bits and a sign, as C99 has intmax_t and uintmax_t. One unsigned operand makes the result unsigned, but for
  // shifts, && and ||. The bits of sums, products and logic are the same either way.
  const uint64_t a = left->bits, b = right.bits;
  const bool is_unsigned = left->is_unsigned || right.is_unsigned;
  const auto compare = [&](bool less, bool greater) {
    const bool equal = a == b;
    *left = {op == "=="   ? equal
             : op == "!=" ? !equal
             : op == "<"  ? less
             : op == ">"  ? greater
             : op == "<=" ? !greater
                          : !less,
             false};
    return true;
  };
  if (op == "<<" || op == ">>") return shift(left, right, op == "<<");
  if (op == "/" || op == "%") return divide(left, right, op == "%", where);
  if (op == "&&" || op == "||") {
    *left = {op == "&&" ? a != 0 && b != 0 : a != 0 || b != 0, false};
    return true;
  }
  if (op == "==" || op == "!=" || op[0] == '<' || op[0] == '>') {
    if (is_unsigned) return compare(a<b, a> b);
    return compare(left->asSigned() < right.asSigned(), left->asSigned() > right.asSigned());
  }
  left->is_unsigned = is_unsigned;
  switch (op[0]) {
    case '+':
      left->bits = a + b;
      break;
    case '-':
      left->bits = a - b;
      break;
    case '*':
      left->bits = a * b;
      break;
    case '&':
      left->bits = a & b;
      break;
    case '|':
      left->bits = a | b;
      break;
    default:
      left->bits = a ^ b;
      break;
  }
  return true;
}

// A negative amount shifts the other way, one of 64 or more leaves the sign alone: C leaves both open.
bool Condition::shift(Value* left, Value right, bool to_left) {
  uint64_t amount = right.bits;
  if (!right.is_unsigned && right.asSigned() < 0) {
    amount = uint64_t{0} - amount;
    to_left = !to_left;
  }
  const bool negative = !left->is_unsigned && left->asSigned() < 0;
  if (amount >= 64) {
    left->bits = !to_left && negative ? ~uint64_t{0} : 0;
  } else if (to_left) {
    left->bits <<= amount;
  } else {
    left->bits = negative ? ~(~left->bits >> amount) : left->bits >> amount;
  }
  return true;
}

bool Condition::divide(Value* left, Value right, bool remainder, Location where) {
  const bool is_unsigned = left->is_unsigned || right.is_unsigned;
  if (right.bits == 0) {
    if (dead_ == 0) {
      diagnostics_.error(where.line != 0 ? where : directive_, "The expression divides by zero.");
      return false;
    }
    *left = {0, is_unsigned};
  } else if (is_unsigned) {
    *left = {remainder ? left->bits % right.bits : left->bits / right.bits, true};
  } else if (right.asSigned() == -1) {  // the smallest number divided by it would overflow
    left->bits = remainder ? 0 : uint64_t{0} - left->bits;
  } else {
    left->bits = static_cast<uint64_t>(remainder ? left->asSigned() % right.asSigned() : left->asSigned() / right.asSigned());
  }
  return true;
}

bool Condition::unary(Value* value) {
  if (depth_ >= kMaxDepth) return fail("The expression is nested more than %u levels deep.", kMaxDepth);
  if (at_ == end_ || at_->size != 1 || at_->kind != TokenKind::kPunctuator) return primary(value);
  const char op = *at_->text;
  if (op != '+' && op != '-' && op != '!' && op != '~') return primary(value);
  ++at_;
  ++depth_;
  const bool ok = unary(value);
  --depth_;
  if (op == '-') value->bits = uint64_t{0} - value->bits;
  if (op == '~') value->bits = ~value->bits;
  if (op == '!') *value = {value->bits == 0, false};
  return ok;
}

bool Condition::primary(Value* value) {
  if (at_ == end_) return fail("The expression ends where a value is expected.");
  switch (at_->kind) {
    case TokenKind::kNumber:
      return number(value);
    case TokenKind::kCharacter:
      return character(value);
    case TokenKind::kIdentifier:  // no macro: zero
      *value = {};
      ++at_;
      if (at("(")) {
        --at_;
        return fail("\"%.*s\" is not a macro with parameters, and nothing else is called in an expression.",
                    static_cast<int>(at_->size), at_->text);
      }
      return true;
    default:
      break;
  }
  if (!at("(")) return fail("\"%.*s\" is not expected in the expression.", static_cast<int>(at_->size), at_->text);
  ++at_;
  if (!conditional(value)) return false;
  if (!at(")")) return fail("\")\" is expected here.");
  ++at_;
  return true;
}

bool Condition::number(Value* value) {
  std::string_view text = at_->view();
  uint32_t base = 10;
  if (text[0] == '0' && text.size() > 1) {
    base = (text[1] | 32) == 'x' ? 16 : (text[1] | 32) == 'b' ? 2 : 8;
    // A single leading 0 of an octal number is left in place: it is a valid digit and changes nothing.
    if (base != 8) text.remove_prefix(2);
  }
  uint64_t bits = 0;
  size_t digits = 0;
  bool overflow = false;
  for (; digits < text.size(); ++digits) {
    const char c = text[digits];
    const uint32_t digit = c >= '0' && c <= '9'                               ? static_cast<uint32_t>(c - '0')
                           : base == 16 && (c | 32) >= 'a' && (c | 32) <= 'f' ? static_cast<uint32_t>((c | 32) - 'a' + 10)
                                                                              : 99;
    if (digit >= base) break;
    overflow =
        overflow || __builtin_mul_overflow(bits, uint64_t{base}, &bits) || __builtin_add_overflow(bits, uint64_t{digit}, &bits);
  }
  // The two letters of "ll" must agree in case; "lL" is no suffix in C.
  std::string suffix(text.substr(digits));
  const bool one_case = suffix.find("lL") == suffix.npos && suffix.find("Ll") == suffix.npos;
  for (char& c : suffix) c = static_cast<char>(c | 32);
  const bool is_unsigned = suffix.find('u') != suffix.npos;
  const bool known = suffix.empty() || suffix == "u" || suffix == "l" || suffix == "ul" || suffix == "lu" || suffix == "ll" ||
                     suffix == "ull" || suffix == "llu";
  if (digits == 0 || !known || !one_case) return fail("\"%.*s\" is not an integer.", static_cast<int>(at_->size), at_->text);
  if (overflow) return fail("The number %.*s has more than 64 bits.", static_cast<int>(at_->size), at_->text);
  // As in C, what does not fit into a signed 64-bit number is unsigned.
  *value = {bits, is_unsigned || bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())};
  ++at_;
  return true;
}

// After a backslash.
bool Condition::escape(uint32_t* code, std::string_view* rest) {
  constexpr std::string_view kNames = "abfnrtv\\'\"?", kCodes = "\a\b\f\n\r\t\v\\'\"?";
  const char c = rest->front();
  const bool hex = c == 'x';
  if (const size_t index = kNames.find(c); index != kNames.npos) {
    *code = static_cast<unsigned char>(kCodes[index]);
    rest->remove_prefix(1);
    return true;
  }
  if (hex) rest->remove_prefix(1);
  const uint32_t base = hex ? 16 : 8;
  size_t digits = 0;
  for (*code = 0; digits < rest->size() && digits < (hex ? 8u : 3u); ++digits) {
    const char d = (*rest)[digits];
    const uint32_t digit = d >= '0' && d <= '9'                        ? static_cast<uint32_t>(d - '0')
                           : hex && (d | 32) >= 'a' && (d | 32) <= 'f' ? static_cast<uint32_t>((d | 32) - 'a' + 10)
                                                                       : 99;
    if (digit >= base) break;
    *code = *code * base + digit;
  }
  rest->remove_prefix(digits);
  return digits != 0 && *code <= 255;
}

bool Condition::character(Value* value) {
  std::string_view rest = at_->view().substr(1, at_->size - 2);
  uint32_t bits = 0;
  size_t count = 0;
  for (; !rest.empty(); ++count) {
    uint32_t code = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    if (code == '\\' && (rest.empty() || !escape(&code, &rest))) count = 4;
    bits = bits << 8 | (code & 255);
  }
  if (count == 0 || count > 4) return fail("%.*s is not a character.", static_cast<int>(at_->size), at_->text);
  const int64_t number = count == 1 ? static_cast<signed char>(bits) : static_cast<int32_t>(bits);
  *value = {static_cast<uint64_t>(number), false};
  ++at_;
  return true;
}

}  // namespace

bool evaluateCondition(bool* value, const std::vector<Lexeme>& line, Location directive, Diagnostics& diagnostics) {
  return Condition(line, directive, diagnostics).evaluate(value);
}

}  // namespace manyrt::compiler
