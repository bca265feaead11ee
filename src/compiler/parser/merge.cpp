// Cutting a source into the declarations of its program scope, by brackets and semicolons alone. Types need not be known for
// that: a brace at program scope is an initialiser, the body of a record or an enum, or the body of a function.
#include "compiler/parser/merge.h"

#include <set>
#include <string>

namespace manyrt::compiler {
namespace {

bool isOneOf(const Token& token, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    if (token.is(word)) return true;
  }
  return false;
}

// One declaration of program scope, or a pragma between two.
struct Unit {
  TokenRange range;
  bool is_pragma = false;
  bool is_function = false;       // with a body
  bool is_own = false;            // a function that each source may have: static or inline
  const Token* opened = nullptr;  // the bracket that is missing its other half
  bool ends = false;
};

// The limit that #pragma pack has set, as text: a record that reads the same under another limit is another one.
class FieldLimit {
 public:
  void read(const Token& pragma) {
    std::string words;
    for (char letter : pragma.text) {
      if (letter != ' ' && letter != '\t') words += letter;
    }
    if (!words.starts_with("pack(")) return;
    was_set_ = true;
    if (words == "pack(pop)") {
      if (limits_.size() > 1) limits_.pop_back();
      return;
    }
    if (words.starts_with("pack(push")) {
      limits_.push_back(limits_.back());
      if (words == "pack(push)") return;
      words.erase(5, 5);  // "push,"
    }
    limits_.back() = words == "pack()" ? "" : words;
  }
  const std::string& get() const { return limits_.back(); }
  bool wasSet() const { return was_set_; }

 private:
  std::vector<std::string> limits_{""};
  bool was_set_ = false;
};

// Reads the declaration that begins at a token of one source.
class UnitReader {
 public:
  UnitReader(const Tokens& tokens, uint32_t begin, std::set<std::string_view>* declared)
      : tokens_(tokens), at_(begin), declared_(*declared) {
    unit_.range.begin = begin;
  }

  Unit read() {
    if (tokens_[at_].kind == TokenKind::kPragma) {
      unit_.is_pragma = unit_.ends = true;
      ++at_;
      return finish();
    }
    while (tokens_[at_].kind != TokenKind::kEnd && !unit_.ends && unit_.opened == nullptr) step();
    return finish();
  }

 private:
  Unit finish() {
    unit_.range.end = at_;
    return unit_;
  }

  void step() {
    const Token& token = tokens_[at_];
    if (token.is("{")) {
      const bool is_body = !in_initializer_ && !awaits_members_;
      const bool is_enum = awaits_members_ && is_enum_;
      awaits_members_ = false;
      skipBrackets(is_enum);
      if (!is_body) return;
      unit_.is_function = unit_.ends = true;
      unit_.is_own = has_own_word_ && !is_kernel_;
      return;
    }
    if (token.is("(") || token.is("[")) {
      const bool of_attribute = at_ > unit_.range.begin && isOneOf(tokens_[at_ - 1], {"__attribute__", "__attribute"});
      if (!of_attribute) awaits_members_ = false;
      return skipBrackets(isOneOf(tokens_[at_ + 1], {"*", "("}));  // (*name)[4]: a declarator may stand in brackets
    }
    ++at_;
    if (token.is(";")) {
      unit_.ends = true;
    } else if (isOneOf(token, {"struct", "union", "enum"})) {
      awaits_members_ = true;
      is_enum_ = token.is("enum");
    } else if (token.kind == TokenKind::kIdentifier) {
      has_own_word_ |= isOneOf(token, {"static", "inline", "__inline", "__inline__"});
      is_kernel_ |= isOneOf(token, {"kernel", "__kernel"});
      declared_.insert(token.text);
    } else {
      in_initializer_ = token.is("=") || (in_initializer_ && !token.is(","));
      awaits_members_ = false;
    }
  }

  // To after the bracket that closes this one. Names inside belong to it, but for those of an enum.
  void skipBrackets(bool names) {
    std::vector<const Token*> open;
    do {
      const Token& token = tokens_[at_];
      if (token.kind == TokenKind::kEnd) {
        unit_.opened = open.back();
        return;
      }
      if (isOneOf(token, {"(", "[", "{"})) open.push_back(&token);
      if (isOneOf(token, {")", "]", "}"})) open.pop_back();
      if (names && token.kind == TokenKind::kIdentifier) declared_.insert(token.text);
      ++at_;
    } while (!open.empty());
  }

  const Tokens& tokens_;
  uint32_t at_;
  std::set<std::string_view>& declared_;
  Unit unit_;
  bool in_initializer_ = false;  // after "="
  bool awaits_members_ = false;  // after struct, union or enum, with its tag and its attributes
  bool is_enum_ = false;
  bool has_own_word_ = false, is_kernel_ = false;
};

std::string textOf(const Tokens& tokens, TokenRange range, const std::string& limit) {
  std::string text = limit;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    text += '\n';
    text += tokens[i].text;
  }
  return text;
}

bool switchesHalves(std::string_view pragma) {
  return pragma.find("EXTENSION") != pragma.npos &&
         (pragma.find("cl_khr_fp16") != pragma.npos || pragma.find("all") != pragma.npos);
}

// A pragma of one source does not reach into the next.
void addPragma(Tokens* tokens, const char* text, const Token& before) {
  Token token = before;
  token.kind = TokenKind::kPragma;
  token.text = text;
  token.line_start = true;
  tokens->push_back(token);
}

}  // namespace

bool merge(Program* program, const std::vector<Tokens>& sources, Diagnostics& diagnostics) {
  std::set<std::string> known;
  Tokens& tokens = program->tokens;
  tokens.clear();
  for (const Tokens& source : sources) {
    SourcePart part;
    part.begin = static_cast<uint32_t>(tokens.size());
    std::set<std::string> own;
    FieldLimit limit;
    bool has_halves = false;
    for (uint32_t at = 0; source[at].kind != TokenKind::kEnd;) {
      const Unit unit = UnitReader(source, at, &part.declared).read();
      if (unit.opened != nullptr) {
        diagnostics.error(unit.opened->where, "This bracket is not closed in its source.");
        return false;
      }
      if (!unit.ends) {
        diagnostics.error(source[at].where, "The source ends inside this declaration.");
        return false;
      }
      at = unit.range.end;
      if (unit.is_pragma) {
        limit.read(source[unit.range.begin]);
        has_halves |= switchesHalves(source[unit.range.begin].text);
      } else {
        const std::string text = textOf(source, unit.range, limit.get());
        if (known.contains(text) && (!unit.is_function || unit.is_own)) continue;
        own.insert(text);
      }
      tokens.insert(tokens.end(), source.begin() + unit.range.begin, source.begin() + unit.range.end);
    }
    known.merge(own);
    if (limit.wasSet()) addPragma(&tokens, "pack()", source.back());
    if (has_halves) addPragma(&tokens, "OPENCL EXTENSION cl_khr_fp16 : disable", source.back());
    program->parts.push_back(std::move(part));
  }
  tokens.push_back(sources.back().back());
  return true;
}

}  // namespace manyrt::compiler
