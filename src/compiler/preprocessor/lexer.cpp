// The lexer proper. Where a file has line splices, they are first removed from a copy of its text, so that one loop lexes every
// file. A sorted list keeps their places; only the counting of lines reads it.
#include "compiler/preprocessor/lexer.h"

#include <array>
#include <cstring>
#include <limits>

#include "compiler/preprocessor/preprocessor.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();

enum Class : uint8_t { kOtherByte, kLetter, kDigit, kSpace, kPunctuation };

constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> classes{};
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kLetter;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  classes['_'] = classes['$'] = kLetter;
  for (const char c : {' ', '\t', '\v', '\f', '\r', '\n'}) classes[static_cast<unsigned char>(c)] = kSpace;
  for (const char c : {'!', '#', '%', '&', '(', ')', '*', '+', ',', '-', '.', '/', ':',
                       ';', '<', '=', '>', '?', '[', ']', '^', '{', '|', '}', '~'}) {
    classes[static_cast<unsigned char>(c)] = kPunctuation;
  }
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = makeClasses();

Class classOf(char c) { return static_cast<Class>(kClasses[static_cast<unsigned char>(c)]); }

// Length of the longest punctuator at `p`, which ends with a zero byte at the latest.
uint32_t punctuatorLength(const char* p) {
  const char a = p[0], b = p[1];
  // The first byte decides how far to look. Reads past the text stop at its zero byte, which continues no punctuator.
  switch (a) {
    case '<':
      if (b == '<') return p[2] == '=' ? 3 : 2;
      return b == '=' || b == ':' || b == '%' ? 2 : 1;
    case '>':
      if (b == '>') return p[2] == '=' ? 3 : 2;
      return b == '=' ? 2 : 1;
    case '%':
      if (b == ':') return p[2] == '%' && p[3] == ':' ? 4 : 2;
      return b == '=' || b == '>' ? 2 : 1;
    case '.':
      return b == '.' && p[2] == '.' ? 3 : 1;
    case '-':
      return b == '-' || b == '=' || b == '>' ? 2 : 1;
    case '+':
    case '&':
    case '|':
      return b == a || b == '=' ? 2 : 1;
    case '=':
    case '!':
    case '*':
    case '/':
    case '^':
      return b == '=' ? 2 : 1;
    case '#':
      return b == '#' ? 2 : 1;
    case ':':
      return b == '>' ? 2 : 1;
    default:
      return 1;
  }
}

// Past the end of a backslash, spaces and a newline at `p`; null where there is no such splice.
const char* spliceEnd(const char* p, const char* end) {
  for (++p; p < end && *p != '\n'; ++p) {
    if (*p != ' ' && *p != '\t' && *p != '\r') return nullptr;
  }
  return p < end ? p + 1 : nullptr;
}

// The text without its splices, and the places in the result where they were. Empty places: the text itself.
std::string_view withoutSplices(std::vector<uint32_t>* places, std::string_view text, Sources& sources) {
  std::string clean;
  const char* const end = text.data() + text.size();
  const char* kept = text.data();  // up to here it is copied
  for (const char* p = kept; (p = static_cast<const char*>(memchr(p, '\\', static_cast<size_t>(end - p)))) != nullptr;) {
    const char* const next = spliceEnd(p, end);
    if (next == nullptr) {
      ++p;
      continue;
    }
    clean.append(kept, p);
    places->push_back(static_cast<uint32_t>(clean.size()));
    p = kept = next;
    if (p == end) break;
  }
  if (places->empty()) return text;
  clean.append(kept, end);
  return sources.keep(std::move(clean));
}

class Lexer {
 public:
  // The text ends with a zero byte after its last.
  Lexer(std::string_view text, const std::vector<uint32_t>& splices, uint32_t file, Names& names, bool keep)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), line_(begin_), names_(names), keep_(keep) {
    where_.file = file;
    where_.line = 1;
    splice_ = splices.data();
    splices_end_ = splice_ + splices.size();
    next_splice_ = splices.empty() ? kNever : splices.front();
  }
  bool next(Lexeme* out);
  Location unclosed() const { return unclosed_; }  // of the comment that does not end; line 0: none
  Location here() { return place(at_); }
  void skip(uint32_t bytes) { at_ += bytes; }

 private:
  Location place(const char* p) {
    while (static_cast<uint32_t>(p - begin_) >= next_splice_) [[unlikely]] {
        ++where_.line;
        line_ = begin_ + next_splice_;
        next_splice_ = ++splice_ == splices_end_ ? kNever : *splice_;
      }
    where_.column = static_cast<uint32_t>(p - line_) + 1;
    return where_;
  }
  void newLine(const char* p) {  // at a '\n'
    (void)place(p);
    ++where_.line;
    line_ = p + 1;
  }
  bool skipSpace();
  bool skipComment();
  void lexIdentifier(Lexeme* out);
  void lexNumber(Lexeme* out);
  void lexQuoted(Lexeme* out, char quote, bool escapes);

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* line_;  // where the line begins
  Names& names_;
  const bool keep_;
  Location where_;
  Location unclosed_;
  const uint32_t* splice_;
  const uint32_t* splices_end_;
  uint32_t next_splice_;
  uint8_t flags_ = Lexeme::kLineStart | Lexeme::kSpaceBefore;  // of the next lexeme
  enum : uint8_t { kText, kHash, kInclude } directive_ = kText;
};

// At "/*" or "//". False where it does not end.
bool Lexer::skipComment() {
  if (at_[1] == '/') {
    const void* newline = memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
    return true;
  }
  const Location start = place(at_);
  for (at_ += 2; at_ < end_; ++at_) {
    if (*at_ == '\n') newLine(at_);
    if (*at_ == '*' && at_[1] == '/') {
      at_ += 2;
      return true;
    }
  }
  unclosed_ = start;
  return false;
}

bool Lexer::skipSpace() {
  for (;;) {
    const char c = *at_;
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (c == '\n') {
      newLine(at_++);
      flags_ |= Lexeme::kLineStart;
    } else if (c == '\r' || c == '\v' || c == '\f') {
      ++at_;
    } else if (c == '/' && (at_[1] == '*' || at_[1] == '/')) {
      if (!skipComment()) return false;
    } else {
      return true;
    }
    flags_ |= Lexeme::kSpaceBefore;
  }
}

void Lexer::lexIdentifier(Lexeme* out) {
  const char* p = at_;
  uint32_t hash = Names::kSeed;
  do {
    hash = Names::step(hash, *p++);
  } while (classOf(*p) == kLetter || classOf(*p) == kDigit);
  out->kind = TokenKind::kIdentifier;
  out->name = names_.intern({at_, static_cast<size_t>(p - at_)}, hash, keep_);
  at_ = p;
}

void Lexer::lexNumber(Lexeme* out) {
  const char* p = at_ + 1;
  for (;; ++p) {
    const Class kind = classOf(*p);
    if (kind == kLetter || kind == kDigit || *p == '.') continue;
    if ((*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E' || p[-1] == 'p' || p[-1] == 'P')) continue;
    break;
  }
  out->kind = TokenKind::kNumber;
  at_ = p;
}

// Where the line ends first, the rest of it is one kOther lexeme: harmless in what is skipped and in #error.
void Lexer::lexQuoted(Lexeme* out, char quote, bool escapes) {
  for (const char* p = at_ + 1;; ++p) {
    if (p >= end_ || *p == '\n') {
      out->kind = TokenKind::kOther;
      at_ = p;
      return;
    }
    if (*p == quote) {
      out->kind = quote == '\'' ? TokenKind::kCharacter : TokenKind::kString;
      at_ = p + 1;
      return;
    }
    if (escapes && *p == '\\' && p + 1 < end_ && p[1] != '\n') ++p;
  }
}

bool Lexer::next(Lexeme* out) {
  if (!skipSpace() || at_ >= end_) return false;
  const char* const start = at_;
  out->where = place(start);
  out->flags = flags_;
  out->name = nullptr;
  out->parameter = 0;
  if ((flags_ & Lexeme::kLineStart) != 0) directive_ = kText;
  // directive_ is about the lexeme before this one. It thus lasts for one lexeme: "#", then "include", then the name of the
  // file.
  auto directive = kText;
  const char c = *start;
  switch (classOf(c)) {
    case kLetter:
      lexIdentifier(out);
      if (directive_ == kHash && std::string_view(start, static_cast<size_t>(at_ - start)) == "include") directive = kInclude;
      break;
    case kDigit:
      lexNumber(out);
      break;
    case kPunctuation:
      if (c == '.' && classOf(start[1]) == kDigit) {
        lexNumber(out);
        break;
      }
      // Only after #include are angle brackets quotes. Without their end the "<" is a punctuator again.
      if (c == '<' && directive_ == kInclude) {
        lexQuoted(out, '>', false);
        if (out->kind == TokenKind::kString) break;
        at_ = start;
      }
      out->kind = TokenKind::kPunctuator;
      at_ += punctuatorLength(start);
      if ((flags_ & Lexeme::kLineStart) != 0 &&
          (at_ - start == 1 ? c == '#' : at_ - start == 2 && c == '%' && start[1] == ':')) {
        out->flags |= Lexeme::kDirective;
        directive = kHash;
      }
      break;
    default:
      if (c == '"' || c == '\'') {
        // In the name of a file a backslash is a letter, not an escape.
        lexQuoted(out, c, directive_ != kInclude);
      } else {
        out->kind = TokenKind::kOther;
        ++at_;
        // The bytes of one UTF-8 letter stay together, so that messages can show it.
        while ((static_cast<unsigned char>(*at_) & 0xc0) == 0x80 && (static_cast<unsigned char>(c) & 0x80) != 0) ++at_;
      }
      break;
  }
  out->text = start;
  out->size = static_cast<uint32_t>(at_ - start);
  directive_ = directive;
  flags_ = 0;
  return true;
}

}  // namespace

Names::Names(Sources& sources, std::function<Macro*(Name&)> born)
    : sources_(sources), born_(std::move(born)), slots_(1024, nullptr) {}

void Names::grow() {
  std::vector<Name*> old(slots_.size() * 2, nullptr);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (Name* name : old) {
    if (name == nullptr) continue;
    size_t slot = name->hash & mask;
    while (slots_[slot] != nullptr) slot = (slot + 1) & mask;
    slots_[slot] = name;
  }
}

Name* Names::intern(std::string_view text, uint32_t hash, bool keep) {
  // FNV's low bits alone cluster in a table of a power of two.
  hash ^= hash >> 15;
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != nullptr; slot = (slot + 1) & mask) {
    if (slots_[slot]->hash == hash && slots_[slot]->text == text) return slots_[slot];
  }
  Name* name = slots_[slot] = &names_.emplace_back();
  name->text = keep ? sources_.keep(std::string(text)) : text;
  name->hash = hash;
  name->macro = born_(*name);
  if (names_.size() * 2 > slots_.size()) grow();
  return name;
}

Name* Names::intern(std::string_view text) {
  uint32_t hash = kSeed;
  for (const char c : text) hash = step(hash, c);
  return intern(text, hash, true);
}

bool lexFile(LexedFile* out, Sources& sources, uint32_t file, Names& names, uint32_t most, Diagnostics& diagnostics) {
  const std::string_view whole = sources.text(file);
  if (whole.size() > kMaxFileBytes) {
    diagnostics.error({file, 1, 1}, "The file \"%s\" has %zu bytes; %u are the limit.", sources.name(file).c_str(),
                      whole.size(), kMaxFileBytes);
    return false;
  }
  std::vector<uint32_t> splices;
  const std::string_view text = withoutSplices(&splices, whole, sources);
  Lexer lexer(text, splices, file, names, false);
  if (text.starts_with("\xef\xbb\xbf")) lexer.skip(3);  // a byte order mark
  out->lexemes.reserve(text.size() / 4 + 16);
  Lexeme lexeme;
  while (lexer.next(&lexeme)) {
    if (out->lexemes.size() >= most) {
      diagnostics.error(lexeme.where, "The program's files have more than %u tokens.", kMaxTokens);
      return false;
    }
    if (lexeme.has(Lexeme::kDirective)) out->directives.push_back(static_cast<uint32_t>(out->lexemes.size()));
    out->lexemes.push_back(lexeme);
  }
  out->end = lexer.here();
  if (lexer.unclosed().line == 0) return true;
  diagnostics.error(lexer.unclosed(), "This comment has no end.");
  return false;
}

void lexText(std::vector<Lexeme>* out, const char* text, Names& names) {
  const std::vector<uint32_t> none;
  Lexer lexer(text, none, 0, names, false);
  Lexeme lexeme;
  while (lexer.next(&lexeme)) {
    lexeme.where = Location();
    lexeme.flags &= Lexeme::kSpaceBefore;
    out->push_back(lexeme);
  }
}

bool lexOne(Lexeme* out, const std::string& spelling, Sources& sources, Names& names) {
  const std::vector<uint32_t> none;
  Lexer lexer(spelling, none, 0, names, true);
  if (!lexer.next(out) || out->size != spelling.size() || out->kind == TokenKind::kOther) return false;
  const std::string_view lasting = out->name != nullptr ? out->name->text : sources.keep(spelling);
  out->text = lasting.data();
  out->flags = 0;
  return true;
}

}  // namespace manyrt::compiler
