// Is a text valid JSON? A recursive-descent check of RFC 8259 without building values, for rtMemPoolDumpJson and RT_TRACE.
#pragma once

#include <cctype>
#include <cstring>
#include <string_view>

namespace rttest {

class JsonCheck {
 public:
  explicit JsonCheck(std::string_view text) : text_(text) {}

  bool valid() {
    space();
    if (!value(0)) return false;
    space();
    return at_ == text_.size();
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (peek() != c || done()) return false;
    ++at_;
    return true;
  }
  void space() {
    while (!done() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
  }
  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  bool digits() {
    size_t first = at_;
    while (!done() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ > first;
  }
  bool number() {
    (void)take('-');
    if (peek() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (take('.') && !digits()) return false;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      return digits();
    }
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    while (!done() && peek() != '"') {
      if (static_cast<unsigned char>(peek()) < 0x20) return false;
      if (take('\\')) {
        if (take('u')) {
          for (int i = 0; i < 4; ++i, ++at_) {
            if (std::isxdigit(static_cast<unsigned char>(peek())) == 0) return false;
          }
          continue;
        }
        if (done() || std::strchr("\"\\/bfnrt", peek()) == nullptr) return false;
      }
      ++at_;
    }
    return take('"');
  }
  template <typename Member>
  bool list(char open, char close, Member member) {
    if (!take(open)) return false;
    space();
    if (take(close)) return true;
    do {
      space();
      if (!member()) return false;
      space();
    } while (take(','));
    return take(close);
  }
  bool value(int depth) {
    if (depth > 64) return false;
    switch (peek()) {
      case '{':
        return list('{', '}', [&] {
          if (!string()) return false;
          space();
          if (!take(':')) return false;
          space();
          return value(depth + 1);
        });
      case '[':
        return list('[', ']', [&] { return value(depth + 1); });
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

inline bool isJson(std::string_view text) { return JsonCheck(text).valid(); }

}  // namespace rttest
