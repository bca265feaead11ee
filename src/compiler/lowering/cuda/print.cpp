// Reads the format as library/print.h does at run time: vectors print component by component. A conversion that does not fit
// its argument prints itself and "(?)". CUDA knows no vectors, no hl and no F. A call with more values than CUDA's printf takes
// becomes several calls of it.
#include "compiler/lowering/cuda/print.h"

#include "compiler/builtins/prelude_text.h"
#include "compiler/parser/expressions/literal.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

constexpr uint32_t kMaxValues = 32;  // of one call of CUDA's printf, without the format

bool isOneOf(char letter, std::string_view letters) { return letter != 0 && letters.find(letter) != letters.npos; }

bool isText(const Type* pointee) { return pointee->kind == TypeKind::kScalar && pointee->scalar == Scalar::kChar; }

// The bytes of a literal, or of the array that a __constant variable was initialised with. False: it is neither.
bool formatBytes(std::string* bytes, const Expr& format) {
  const Expr* at = &format;
  while (at->kind == ExprKind::kConvert || at->kind == ExprKind::kCast) at = at->a;
  if (at->kind == ExprKind::kString) return unquote(bytes, at->text);
  if (at->kind != ExprKind::kVariable || at->variable->type.space != AddressSpace::kConstant) return false;
  const Expr* value = at->variable->initializer;
  if (value == nullptr || !at->type->isArray()) return value != nullptr && formatBytes(bytes, *value);
  if (value->kind == ExprKind::kString) return unquote(bytes, value->text);
  if (value->kind != ExprKind::kInitializer) return false;
  for (size_t i = 0; i < value->arguments.size(); ++i) {
    const Expr* character = value->arguments[i];
    while (character->kind == ExprKind::kConvert || character->kind == ExprKind::kCast) character = character->a;
    if (character->kind != ExprKind::kLiteral || value->elements[i] != i) return false;
    *bytes += static_cast<char>(character->integer);
  }
  return true;
}

struct Conversion {
  std::string_view spelled;  // from the percent sign
  std::string prefix;        // percent sign, flags, width and precision, each of at most three digits
  uint32_t components = 1;
  char length = 0;  // 'h', 'b' for hh, 'w' for hl, 'l'
  char letter = 0;
};

class Format {
 public:
  Format(std::string_view format, std::string* out) : rest_(format.substr(0, format.find('\0'))), out_(*out) {}

  // Copies what stands before the next conversion. False: there is none.
  bool next(Conversion* conversion) {
    while (!rest_.empty() && (rest_[0] != '%' || (rest_.size() > 1 && rest_[1] == '%'))) {
      const size_t length = rest_[0] == '%' ? 2 : 1;
      out_ += rest_.substr(0, length);
      rest_.remove_prefix(length);
    }
    if (rest_.empty()) return false;
    const std::string_view begin = rest_;
    read(conversion);
    conversion->spelled = begin.substr(0, begin.size() - rest_.size());
    return true;
  }

 private:
  char peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  char take() {
    const char letter = peek();
    if (letter != 0) rest_.remove_prefix(1);
    return letter;
  }
  void number(std::string* to) {
    for (int digits = 0; peek() >= '0' && peek() <= '9';) {
      const char digit = take();
      if (digits < 3) *to += digit;
      if (digits > 0 || digit != '0') ++digits;
    }
  }
  void read(Conversion* conversion) {
    conversion->prefix = take();
    while (isOneOf(peek(), "-+ #0")) {
      const char flag = take();
      if (conversion->prefix.find(flag) == std::string::npos) conversion->prefix += flag;
    }
    number(&conversion->prefix);
    if (peek() == '.') {
      conversion->prefix += take();
      number(&conversion->prefix);
    }
    if (peek() == 'v') {
      conversion->components = 0;
      take();
      while (peek() >= '0' && peek() <= '9') {
        const uint32_t digit = static_cast<uint32_t>(take() - '0');
        conversion->components = conversion->components > 16 ? 17 : conversion->components * 10 + digit;
      }
    }
    if (isOneOf(peek(), "hl")) {
      conversion->length = take();
      if (conversion->length == 'h' && peek() == 'h') conversion->length = 'b';
      if (conversion->length == 'h' && peek() == 'l') conversion->length = 'w';
      if (conversion->length == 'b' || conversion->length == 'w') take();
    }
    conversion->letter = take();
  }

  std::string_view rest_;
  std::string& out_;
};

// The calls for CUDA that one call becomes: formats and the values of each.
class Printer {
 public:
  void mismatch(const Conversion& conversion) {
    for (const char letter : conversion.spelled) {
      format += letter;
      if (letter == '%') format += '%';
    }
    format += "(?)";
  }

  // The body of the function.
  std::string body() {
    endCall();
    return "int r = 0; " + calls_ + "return r; ";
  }

  void add(const Conversion& conversion, QualType argument, const std::string& name, Prelude& prelude) {
    // A pointer is printed as text or as an address. A null text prints "(null)"; it is not left to CUDA's printf.
    const Type* type = argument.type;
    if (type->isPointer() || type->isArray()) {
      const bool text = isText(pointeeOf(argument));
      if (conversion.components == 1 && conversion.letter == 's' && text) {
        value(conversion.prefix + "s", "(" + name + " == nullptr ? \"(null)\" : (const char*)" + name + ")");
      } else if (conversion.components == 1 && conversion.letter == 'p') {
        value(conversion.prefix + "p", "(const void*)" + name);
      } else {
        mismatch(conversion);
      }
      return;
    }
    const bool real = isFloat(elementOf(type));
    const bool is_signed = isOneOf(conversion.letter, "di");
    const bool is_char = conversion.letter == 'c' && type->components() == 1;
    const bool fits =
        real ? isOneOf(conversion.letter, "fFeEgGaA") : is_signed || is_char || isOneOf(conversion.letter, "uoxX");
    if (!fits || conversion.components != type->components()) return mismatch(conversion);
    // CUDA's printf gets doubles, ints and long longs alone: each component is widened to one of them.
    for (uint32_t i = 0; i < type->components(); ++i) {
      if (i > 0) format += ',';
      std::string component_value = component(name, type, i);
      if (elementOf(type) == Scalar::kHalf) component_value = prelude.halfToFloat() + "(" + component_value + ")";
      if (real) {
        value(conversion.prefix + (conversion.letter == 'F' ? 'f' : conversion.letter), "(double)" + component_value);
      } else if (is_char) {
        value(conversion.prefix + "c", "(int)" + component_value);
      } else {
        value(conversion.prefix + "ll" + conversion.letter, wideInteger(conversion, type, is_signed) + component_value);
      }
    }
  }

  std::string format;  // of the last call so far

 private:
  void endCall() {
    calls_ += "if (printf(" + inQuotes(format) + values_ + ") < 0) r = -1; ";
    format.clear();
    values_.clear();
    count_ = 0;
  }
  void value(const std::string& conversion, const std::string& text) {
    if (count_ == kMaxValues) endCall();
    format += conversion;
    values_ += ", " + text;
    ++count_;
  }
  // Casts to the width and sign that the conversion asks for, then to CUDA's widest type.
  static std::string wideInteger(const Conversion& conversion, const Type* type, bool is_signed) {
    Scalar scalar = elementOf(type);
    if (!type->isVector() && conversion.length == 'b') scalar = Scalar::kChar;
    if (!type->isVector() && conversion.length == 'h') scalar = Scalar::kShort;
    return std::string(is_signed ? "(long long)(" : "(unsigned long long)(") +
           cppName(is_signed ? signedOf(scalar) : unsignedOf(scalar)) + ")";
  }

  std::string calls_;   // that have ended
  std::string values_;  // of the last one, each with a comma before it
  uint32_t count_ = 0;
};

}  // namespace

std::string cudaPrintFunction(const std::string& name, const Expr& call, Prelude& prelude, Diagnostics& diagnostics) {
  std::string bytes;
  if (!formatBytes(&bytes, *call.arguments[0])) {
    diagnostics.error(call.where, "On CUDA the format of printf has to be a string literal, or a __constant array of one.");
    return "";
  }
  Printer printer;
  Format format(bytes, &printer.format);
  std::string parameters;
  Conversion conversion;
  bool more = true;
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    const QualType argument = call.arguments[i]->type;
    const bool pointer = argument->isPointer() || argument->isArray();
    const std::string own = "a" + std::to_string(i);
    parameters +=
        (i == 1 ? "" : ", ") + (pointer ? std::string("const volatile void*") : prelude.type(argument.type)) + " " + own;
    conversion = Conversion();
    more = more && format.next(&conversion);
    if (more) printer.add(conversion, argument, own, prelude);
  }
  for (conversion = Conversion(); format.next(&conversion); conversion = Conversion()) printer.mismatch(conversion);
  return "static __device__ int " + name + "(" + parameters + ") { " + printer.body() + "}\n";
}

}  // namespace manyrt::compiler
