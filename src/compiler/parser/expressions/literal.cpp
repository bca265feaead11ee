// Literals: preprocessing numbers become integers and reals with their types, characters and strings are read through their
// escapes. Nothing here depends on the locale.
#include "compiler/parser/expressions/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "compiler/parser/half.h"
#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

constexpr size_t kMaxCharacters = 1 << 20;  // of one string, when adjacent ones are joined

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// How messages name a token: long ones are cut.
std::string shown(const Token& token) { return std::string(token.text.substr(0, 64)); }

bool startsWithRadix(std::string_view text, char letter) {
  return text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == letter;
}

bool isReal(std::string_view text) {
  if (startsWithRadix(text, 'x')) return text.find_first_of(".pP") != std::string_view::npos;
  return text.find_first_of(".eE") != std::string_view::npos;
}

struct Suffix {
  bool is_unsigned = false;
  bool is_long = false;
};

bool parseSuffix(Suffix* suffix, std::string_view text) {
  while (!text.empty()) {
    if ((text[0] == 'u' || text[0] == 'U') && !suffix->is_unsigned) {
      suffix->is_unsigned = true;
      text.remove_prefix(1);
    } else if ((text[0] == 'l' || text[0] == 'L') && !suffix->is_long) {
      suffix->is_long = true;
      text.remove_prefix(text.size() > 1 && text[1] == text[0] ? 2 : 1);  // long long is as long as long
    } else {
      return false;
    }
  }
  return true;
}

// C99's lists: the first type that holds the value; the unsigned ones only for u and for bases other than ten.
Scalar typeOfInteger(uint64_t value, Suffix suffix, bool decimal) {
  if (!suffix.is_long) {
    if (!suffix.is_unsigned && value <= std::numeric_limits<int32_t>::max()) return Scalar::kInt;
    if ((suffix.is_unsigned || !decimal) && value <= std::numeric_limits<uint32_t>::max()) return Scalar::kUInt;
  }
  const bool fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return !suffix.is_unsigned && fits ? Scalar::kLong : Scalar::kULong;
}

// Splits digits, point and exponent from the suffix; false: an exponent without digits, or a hexadecimal real without one.
bool splitReal(std::string_view* number, std::string_view* suffix, std::string_view text, bool hexadecimal) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && digitOf(text[at]) < (hexadecimal ? 16 : 10)) ++at;
    return at - begin;
  };
  size_t count = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return false;
  if (at < text.size() && (text[at] | 0x20) == (hexadecimal ? 'p' : 'e')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    if (at == begin) return false;
  } else if (hexadecimal) {
    return false;
  }
  *number = text.substr(0, at);
  *suffix = text.substr(at);
  return true;
}

template <typename Real>
Real toReal(std::string_view number, bool hexadecimal) {
  // from_chars knows no plus in exponents of its hexadecimal form alone; it takes both signs, and no "0x".
  Real real = 0;
  const std::chars_format format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), real, format);
  if (result.ec != std::errc::result_out_of_range) return real;
  const size_t exponent = number.find_first_of(hexadecimal ? "pP" : "eE");
  const bool tiny = exponent != std::string_view::npos ? number[exponent + 1] == '-' : number[0] == '0' || number[0] == '.';
  return tiny ? Real{0} : std::numeric_limits<Real>::infinity();
}

// The byte of an escape whose backslash was read; `at` moves after it. False: out of a char's range, or no digits.
bool escape(char* byte, std::string_view text, size_t* at) {
  const char c = text[(*at)++];
  uint32_t number = 0;
  size_t digits = 0;
  if (c >= '0' && c <= '7') {
    --*at;
    for (; digits < 3 && *at < text.size() && digitOf(text[*at]) < 8; ++digits) {
      number = 8 * number + static_cast<uint32_t>(digitOf(text[(*at)++]));
    }
  } else if (c == 'x') {
    for (; *at < text.size() && digitOf(text[*at]) < 16; ++digits) {
      number = std::min<uint32_t>(16 * number + static_cast<uint32_t>(digitOf(text[(*at)++])), 4096);
    }
    if (digits == 0) return false;
  } else {
    constexpr std::string_view kLetters = "abfnrtv\\'\"?e", kBytes = "\a\b\f\n\r\t\v\\'\"?\033";
    const size_t index = kLetters.find(c);
    number = static_cast<unsigned char>(index == std::string_view::npos ? c : kBytes[index]);
    if (c == 'u' || c == 'U') return false;
  }
  *byte = static_cast<char>(number);
  return number < 256;
}

}  // namespace

std::string inQuotes(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 127 && c != '"' && c != '\\' && c != '?') {
      text += c;
      continue;
    }
    text += '\\';  // always three digits, so that a digit after it stays one
    text += static_cast<char>('0' + (byte >> 6));
    text += static_cast<char>('0' + (byte >> 3 & 7));
    text += static_cast<char>('0' + (byte & 7));
  }
  return text + '"';
}

bool unquote(std::string* bytes, std::string_view quoted_text) {
  const std::string_view text = quoted_text.size() < 2 ? std::string_view() : quoted_text.substr(1, quoted_text.size() - 2);
  for (size_t at = 0; at < text.size();) {
    char byte = text[at++];
    if (byte == '\\' && at < text.size() && !escape(&byte, text, &at)) return false;
    bytes->push_back(byte);
  }
  return true;
}

Expr* Parser::parseNumber() {
  const Token& token = next();
  return isReal(token.text) ? parseReal(token) : parseInteger(token);
}

Expr* Parser::parseInteger(const Token& token) {
  // The digits are read as far as the base allows; the rest must be a suffix. Reading goes on after an overflow, so that a
  // wrong suffix is reported first.
  std::string_view text = token.text;
  const bool hexadecimal = startsWithRadix(text, 'x');
  const bool binary = startsWithRadix(text, 'b');
  const bool octal = !hexadecimal && !binary && text.size() > 1 && text[0] == '0';
  const uint32_t base = hexadecimal ? 16 : binary ? 2 : octal ? 8 : 10;
  if (hexadecimal || binary) text.remove_prefix(2);
  uint64_t value = 0;
  bool overflow = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const uint32_t digit = static_cast<uint32_t>(digitOf(text[at]));
    if (digit >= base) break;
    uint64_t scaled;
    overflow |= __builtin_mul_overflow(value, base, &scaled) || __builtin_add_overflow(scaled, digit, &value);
  }
  Suffix suffix;
  if (at == 0 || !parseSuffix(&suffix, text.substr(at))) {
    diagnostics_.error(token.where, "\"%s\" is no number: after the digits of base %u only the suffixes u, l and ul may stand.",
                       shown(token).c_str(), base);
    return nullptr;
  }
  if (overflow) {
    diagnostics_.error(token.where, "The number %s does not fit into 64 bits.", shown(token).c_str());
    return nullptr;
  }
  const Scalar scalar = typeOfInteger(value, suffix, base == 10);
  if (scalar == Scalar::kULong && !suffix.is_unsigned && base == 10) {
    diagnostics_.warning(token.where, "The number %s is too large for long; it is taken as ulong.", shown(token).c_str());
  }
  Expr* literal = integerLiteral(scalar, value, token.where);
  literal->text = token.text;
  return literal;
}

Expr* Parser::parseReal(const Token& token) {
  const bool hexadecimal = startsWithRadix(token.text, 'x');
  std::string_view number, suffix;
  if (!splitReal(&number, &suffix, token.text.substr(hexadecimal ? 2 : 0), hexadecimal)) {
    diagnostics_.error(token.where, "\"%s\" is no number: %s.", shown(token).c_str(),
                       hexadecimal ? "a hexadecimal one with a point ends in p and an exponent" : "its exponent has no digits");
    return nullptr;
  }
  const bool is_half = suffix == "h" || suffix == "H";
  if (is_half && !half_arithmetic_) {
    diagnostics_.error(token.where,
                       "The number %s has the type half, which is a type of storage alone; write the suffix f, or enable "
                       "cl_khr_fp16 where the device has it.",
                       shown(token).c_str());
    return nullptr;
  }
  const bool is_float = suffix == "f" || suffix == "F";
  if (!is_float && !is_half && !suffix.empty() && suffix != "l" && suffix != "L") {
    diagnostics_.error(token.where, "\"%s\" is no number: the suffix \"%s\" of a real is not f.", shown(token).c_str(),
                       std::string(suffix.substr(0, 64)).c_str());
    return nullptr;
  }
  // A float is read as a float: through a double it would be rounded twice. A half is rounded from the double.
  const bool narrow = is_float || (suffix.empty() && options_.single_precision_constants);
  const Scalar scalar = is_half ? Scalar::kHalf : narrow ? Scalar::kFloat : Scalar::kDouble;
  Expr* literal = node(ExprKind::kLiteral, QualType{types_.scalar(scalar)}, token.where);
  literal->text = token.text;
  literal->real = narrow ? static_cast<double>(toReal<float>(number, hexadecimal)) : toReal<double>(number, hexadecimal);
  if (is_half) literal->real = roundedToHalf(literal->real);
  if (std::isinf(literal->real)) {
    diagnostics_.warning(token.where, "The number %s is too large for %s; it is taken as infinity.", shown(token).c_str(),
                         scalarName(scalar));
  }
  return literal;
}

bool ExpressionBuilder::decode(std::string* bytes, const Token& token) {
  if (!unquote(bytes, token.text)) {
    diagnostics_.error(token.where, "An escape in %s has no value that fits a char.", shown(token).c_str());
    return false;
  }
  return true;
}

// Several characters count as digits of base 256, as other compilers have it.
Expr* Parser::parseCharacter() {
  const Token& token = next();
  std::string bytes;
  if (!decode(&bytes, token)) return nullptr;
  if (bytes.empty()) {
    diagnostics_.error(token.where, "A character is missing between the quotes.");
    return nullptr;
  }
  uint32_t value = static_cast<uint32_t>(static_cast<signed char>(bytes[0]));
  for (size_t i = 1; i < bytes.size(); ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  if (bytes.size() > 1) diagnostics_.warning(token.where, "There is more than one character between the quotes.");
  return integerLiteral(Scalar::kInt, value, token.where);
}

Expr* Parser::parseString() {
  const Token& first = next();
  std::string bytes;
  if (!decode(&bytes, first)) return nullptr;
  const bool alone = peek().kind != TokenKind::kString;
  while (peek().kind == TokenKind::kString) {
    if (!decode(&bytes, next())) return nullptr;
    if (bytes.size() > kMaxCharacters) {
      diagnostics_.error(first.where, "A string of more than %zu characters is not supported.", kMaxCharacters);
      return nullptr;
    }
  }
  QualType character{types_.scalar(Scalar::kChar)};
  character.is_const = true;
  character.space = AddressSpace::kConstant;
  QualType type{types_.array(character, bytes.size() + 1)};
  type.space = AddressSpace::kConstant;
  Expr* string = node(ExprKind::kString, type, first.where);
  string->text = alone ? first.text : program_.keep(inQuotes(bytes));
  string->integer = bytes.size() + 1;
  return string;
}

}  // namespace manyrt::compiler
