// The parser: one walk over the text that leaves a list of places. Depth is bounded, so that it may call itself.
#include "graph/json.h"

#include <cstdio>
#include <cstring>

namespace manyrt::graph {
namespace {

constexpr bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }

int hexDigit(char letter) {
  if (isDigit(letter)) return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

// The bytes of the letter that begins a text; 0: it is no UTF-8 (overlong, a surrogate, beyond the last letter, cut).
size_t letterBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
  return bytes;
}

// The four digits of \uXXXX; -1: they are no digits.
int unitAt(std::string_view text, size_t at) {
  int unit = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const int digit = i < text.size() ? hexDigit(text[i]) : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

void appendLetter(std::string* out, uint32_t letter) {
  const auto tail = [&](int shift) { *out += static_cast<char>(0x80 | (letter >> shift & 0x3f)); };
  if (letter < 0x80) {
    *out += static_cast<char>(letter);
  } else if (letter < 0x800) {
    *out += static_cast<char>(0xc0 | letter >> 6);
    tail(0);
  } else if (letter < 0x10000) {
    *out += static_cast<char>(0xe0 | letter >> 12);
    tail(6);
    tail(0);
  } else {
    *out += static_cast<char>(0xf0 | letter >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

class JsonParser {
 public:
  explicit JsonParser(Json& json) : json_(json), text_(json.text_) {}

  Status run() {
    RT_TRY(value(0));
    blanks();
    return at_ == text_.size() ? Status() : refuse("Nothing may follow the outermost value.");
  }

 private:
  Status refuse(const char* sentence) const { return json_.fault(at_, "", sentence); }
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (now() == ' ' || now() == '\n' || now() == '\r' || now() == '\t') ++at_;
  }
  uint32_t open(Json::Kind kind) {
    json_.values_.push_back({static_cast<uint32_t>(at_), 0, 0, kind});
    return static_cast<uint32_t>(json_.values_.size() - 1);
  }
  void close(uint32_t index, uint32_t length) {
    json_.values_[index].length = length;
    json_.values_[index].next = static_cast<uint32_t>(json_.values_.size());
  }

  Status value(uint32_t depth) {
    blanks();
    if (depth == Json::kMostDepth) return refuse("Lists and objects are nested more than 64 deep.");
    switch (now()) {
      case '{':
      case '[':
        return inside(now() == '{', depth);
      case '"':
        return string();
      case 't':
        return word("true", Json::Kind::kTrue);
      case 'f':
        return word("false", Json::Kind::kFalse);
      case 'n':
        return word("null", Json::Kind::kNull);
      default:
        return number();
    }
  }

  Status inside(bool object, uint32_t depth) {
    const uint32_t index = open(object ? Json::Kind::kObject : Json::Kind::kArray);
    const char end = object ? '}' : ']';
    uint32_t length = 0;
    ++at_;
    blanks();
    if (now() == end) {
      ++at_;
      close(index, 0);
      return Status();
    }
    for (;;) {
      if (object) {
        blanks();
        if (now() != '"') return refuse("The name of a member is expected, in quotes.");
        RT_TRY(string());
        blanks();
        if (now() != ':') return refuse("A colon is expected behind the name of a member.");
        ++at_;
      }
      RT_TRY(value(depth + 1));
      ++length;
      blanks();
      if (now() == ',') {
        ++at_;
        continue;
      }
      if (now() != end) return refuse(object ? "A comma or } is expected." : "A comma or ] is expected.");
      ++at_;
      close(index, length);
      return Status();
    }
  }

  Status word(std::string_view expected, Json::Kind kind) {
    if (text_.substr(at_, expected.size()) != expected) return refuse("A value is expected.");
    const uint32_t index = open(kind);
    at_ += expected.size();
    close(index, static_cast<uint32_t>(expected.size()));
    return Status();
  }

  bool digits() {
    const size_t begin = at_;
    while (isDigit(now())) ++at_;
    return at_ != begin;
  }

  Status number() {
    if (now() != '-' && !isDigit(now())) {
      return refuse(at_ == text_.size() ? "The text ends where a value is expected." : "A value is expected.");
    }
    const uint32_t index = open(Json::Kind::kNumber);
    const size_t begin = at_;
    if (now() == '-') ++at_;
    const bool zero = now() == '0';
    const size_t first = at_;
    if (!digits()) return refuse("A number has a digit behind its sign.");
    if (zero && at_ - first > 1) return refuse("A number does not begin with further zeros.");
    if (now() == '.') {
      ++at_;
      if (!digits()) return refuse("A number has a digit behind its point.");
    }
    if (now() == 'e' || now() == 'E') {
      ++at_;
      if (now() == '+' || now() == '-') ++at_;
      if (!digits()) return refuse("A number has a digit in its exponent.");
    }
    close(index, static_cast<uint32_t>(at_ - begin));
    return Status();
  }

  Status string() {
    const uint32_t index = open(Json::Kind::kString);
    const size_t begin = at_++;
    for (;;) {
      if (at_ >= text_.size()) return refuse("The text ends inside a string.");
      const char letter = text_[at_];
      if (letter == '"') break;
      if (static_cast<unsigned char>(letter) < 0x20)
        return refuse("A string holds a control character: it is written \\u00XX.");
      if (letter == '\\') {
        RT_TRY(escape());
        continue;
      }
      const size_t bytes = letterBytes(text_.substr(at_, 4));
      if (bytes == 0) return refuse("The bytes here are no UTF-8.");
      at_ += bytes;
    }
    ++at_;
    close(index, static_cast<uint32_t>(at_ - begin));
    return Status();
  }

  Status escape() {
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter != 'u') {
      if (letter == '\0' || strchr("\"\\/bfnrt", letter) == nullptr) return refuse("There is no such escape.");
      at_ += 2;
      return Status();
    }
    const int unit = unitAt(text_, at_ + 2);
    if (unit < 0) return refuse("\\u is followed by four hexadecimal digits.");
    if (unit >= 0xdc00 && unit < 0xe000) return refuse("The second half of a surrogate pair has no first.");
    if (unit >= 0xd800 && unit < 0xdc00) {
      const int second = text_.substr(at_ + 6, 2) == "\\u" ? unitAt(text_, at_ + 8) : -1;
      if (second < 0xdc00 || second >= 0xe000) return refuse("The first half of a surrogate pair has no second.");
      at_ += 6;
    }
    at_ += 6;
    return Status();
  }

  Json& json_;
  const std::string_view text_;
  size_t at_ = 0;
};

Status Json::parse(std::string_view text) {
  text_ = text;
  if (text.size() > kMostBytes) {
    return Status::error(RT_ERROR_INVALID_VALUE, "A text of %zu bytes is too long: at most %zu.", text.size(), kMostBytes);
  }
  return JsonParser(*this).run();
}

Status Json::fault(size_t at, const std::string& path, const char* sentence) const {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < at && i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(text_[i]) & 0xc0) != 0x80) {  // letters, not bytes
      ++column;
    }
  }
  return Status::error(RT_ERROR_INVALID_VALUE, "Line %zu, column %zu%s%s: %s", line, column, path.empty() ? "" : ", ",
                       path.c_str(), sentence);
}

std::string Json::decoded(uint32_t index) const {
  const std::string_view text = raw(index).substr(1, values_[index].length - 2);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char letter = text[++i];
    static constexpr char kLetters[] = "bfnrt", kMeanings[] = "\b\f\n\r\t";
    if (letter != 'u') {
      const char* found = strchr(kLetters, letter);
      out += found != nullptr ? kMeanings[found - kLetters] : letter;
      continue;
    }
    uint32_t value = static_cast<uint32_t>(unitAt(text, i + 1));
    i += 4;
    if (value >= 0xd800 && value < 0xdc00) {
      value = 0x10000 + ((value - 0xd800) << 10) + (static_cast<uint32_t>(unitAt(text, i + 3)) - 0xdc00);
      i += 6;
    }
    appendLetter(&out, value);
  }
  return out;
}

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = letterBytes(text.substr(0, 4));
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

bool appendQuoted(std::string* out, std::string_view text) {
  if (!isUtf8(text)) return false;
  *out += '"';
  for (char letter : text) {
    static constexpr char kLetters[] = "\"\\bfnrt", kMeanings[] = "\"\\\b\f\n\r\t";
    const char* found = letter != '\0' ? strchr(kMeanings, letter) : nullptr;
    if (found != nullptr) {
      *out += '\\';
      *out += kLetters[found - kMeanings];
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(letter));
      *out += escape;
    } else {
      *out += letter;
    }
  }
  *out += '"';
  return true;
}

}  // namespace manyrt::graph
