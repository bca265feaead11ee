// One or two lines of a timeline, put together by hand. A formatted print takes several times as long, and a locale may have a
// say in it. The text goes where the owner of the line says. Text that does not fit makes the whole invalid.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace manyrt::trace {

class Line {
 public:
  static constexpr size_t kRoom = 2048;  // of bytes, which each owner has for a line

  explicit Line(char* room) : text_(room) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& text(std::string_view words) {
    if (used_ + words.size() > kRoom) {
      overflows_ = true;
    } else {
      memcpy(text_ + used_, words.data(), words.size());
      used_ += words.size();
    }
    return *this;
  }
  template <class Value>
  Line& number(Value value) {
    const std::to_chars_result result = std::to_chars(text_ + used_, text_ + kRoom, value);
    overflows_ = overflows_ || result.ec != std::errc();
    if (!overflows_) used_ = static_cast<size_t>(result.ptr - text_);
    return *this;
  }
  // With three decimals: nanoseconds as microseconds.
  Line& thousandths(int64_t value) {
    if (value < 0) text("-");
    const uint64_t size = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value), rest = size % 1000;
    const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    return number(size / 1000).text({digits, sizeof digits});
  }
  // A string as JSON wants it, at most so many bytes of it. Control characters become spaces, bytes that are no UTF-8 question
  // marks.
  Line& quoted(const char* words, size_t most = 256) {
    text("\"");
    for (const size_t begin = used_; *words != '\0';) {
      const size_t length = letterLength(words);
      if (used_ - begin + length > most || used_ + length + 3 > kRoom) break;
      if (*words == '"' || *words == '\\') text_[used_++] = '\\';
      if (length <= 1) text_[used_++] = length == 0 ? '?' : static_cast<unsigned char>(*words) < 0x20 ? ' ' : *words;
      if (length > 1) memcpy(text_ + used_, words, length);
      used_ += length > 1 ? length : 0;
      words += length == 0 ? 1 : length;
    }
    return text("\"");
  }
  // Members that begin with a comma.
  template <class Value>
  Line& member(std::string_view name, Value value) {
    return text(",\"").text(name).text("\":").number(value);
  }
  Line& member(std::string_view name, const char* words) { return text(",\"").text(name).text("\":").quoted(words); }
  Line& time(std::string_view name, int64_t nanoseconds) { return text(",\"").text(name).text("\":").thousandths(nanoseconds); }
  // The process and the thread of the picture.
  Line& place(int pid, unsigned long long tid) { return member("pid", pid).member("tid", tid); }

  bool isValid() const { return !overflows_; }
  const char* data() const { return text_; }
  size_t size() const { return used_; }

 private:
  size_t used_ = 0;
  bool overflows_ = false;
  char* const text_;
};

// A line that lies on the stack of its thread.
class LocalLine : public Line {
 public:
  LocalLine() : Line(room_) {}

 private:
  char room_[kRoom];
};

}  // namespace manyrt::trace
