// Parses and quotes with nlohmann-json. Its parser reports values one after the other, without recursion and without offsets.
// The recorder below finds the offset of each value in the text, which the parser has checked up to there.
#include "graph/file/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace manyrt::graph {

class JsonRecorder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonRecorder(Json& json) : json_(json), text_(json.text_) {}
  Status take() { return std::move(status_); }

  bool null() override { return add(Json::Kind::kNull); }
  bool boolean(bool value) override { return add(value ? Json::Kind::kTrue : Json::Kind::kFalse); }
  bool number_integer(number_integer_t) override { return add(Json::Kind::kNumber); }
  bool number_unsigned(number_unsigned_t) override { return add(Json::Kind::kNumber); }
  bool number_float(number_float_t, const string_t&) override { return add(Json::Kind::kNumber); }
  bool string(string_t&) override { return add(Json::Kind::kString); }
  bool binary(binary_t&) override { return false; }  // of other formats
  bool start_object(size_t) override { return open(Json::Kind::kObject); }
  bool start_array(size_t) override { return open(Json::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t&) override {
    ++json_.values_[open_.back()].length;
    record(Json::Kind::kString);
    return true;
  }
  // `position` counts the bytes that were read, the end of the text as one. The message has the beginning of a complete but
  // unexpected token, or the point where a broken one ends.
  bool parse_error(size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    const std::string sentence = sentenceOf(error.what());
    const auto says = [&](const char* words) { return sentence.find(words) != sentence.npos; };
    const bool is_long = says("unexpected string literal") || says("unexpected number literal");
    const size_t back = is_long                                              ? token.size()
                        : says("unexpected false")                           ? 5
                        : says("unexpected true") || says("unexpected null") ? 4
                                                                             : 1;
    status_ = json_.fault(position < back ? 0 : position - back, "", sentence.c_str());
    return false;
  }

 private:
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...; last read: '...'; expected ..."
  static std::string sentenceOf(std::string_view words) {
    const auto skip = [&](std::string_view until) {
      const size_t at = words.find(until);
      if (at != words.npos) words.remove_prefix(at + until.size());
    };
    skip("] ");
    if (words.starts_with("parse error")) skip(": ");
    std::string sentence(words.substr(0, words.find("; last read")));  // without the bytes of the file
    if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
    return sentence + '.';
  }

  // Moves to the value after the last one, and returns its length; 1 for the bracket of a list or object.
  size_t lengthOf(Json::Kind kind) {
    at_ = text_.find_first_not_of(" \t\r\n,:", at_);
    switch (kind) {
      case Json::Kind::kNumber:
        return std::min(text_.find_first_not_of("0123456789+-.eE", at_), text_.size()) - at_;
      case Json::Kind::kString: {
        size_t end = at_ + 1;
        while (text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
        return end + 1 - at_;
      }
      case Json::Kind::kFalse:
        return 5;
      case Json::Kind::kNull:
      case Json::Kind::kTrue:
        return 4;
      default:
        return 1;
    }
  }
  uint32_t record(Json::Kind kind) {
    const auto length = static_cast<uint32_t>(lengthOf(kind)), index = static_cast<uint32_t>(json_.values_.size());
    const bool inside = kind == Json::Kind::kArray || kind == Json::Kind::kObject;
    json_.values_.push_back({static_cast<uint32_t>(at_), inside ? 0 : length, index + 1, kind});
    at_ += length;
    return index;
  }
  bool add(Json::Kind kind) {
    countElement();
    record(kind);
    return true;
  }
  bool open(Json::Kind kind) {
    countElement();
    open_.push_back(record(kind));
    if (open_.size() <= Json::kMaxDepth) return true;
    status_ = json_.fault(at_ - 1, "", "Lists and objects are nested more than 64 deep.");
    return false;
  }
  bool close() {
    at_ = text_.find_first_of("]}", at_) + 1;
    json_.values_[open_.back()].next = static_cast<uint32_t>(json_.values_.size());
    open_.pop_back();
    return true;
  }
  void countElement() {  // members count by their names
    if (!open_.empty() && json_.values_[open_.back()].kind == Json::Kind::kArray) ++json_.values_[open_.back()].length;
  }

  Json& json_;
  const std::string_view text_;
  size_t at_ = 0;  // the end of the last value
  std::vector<uint32_t> open_;
  Status status_;
};

Status Json::parse(std::string_view text) {
  text_ = text;
  if (text.size() > kMaxBytes) {
    return Status::error(RT_ERROR_INVALID_VALUE, "A text of %zu bytes is too long: at most %zu.", text.size(), kMaxBytes);
  }
  if (text.starts_with("\xef\xbb\xbf")) return fault(0, "", "A mark of the order of bytes stands before the text.");
  JsonRecorder recorder(*this);
  nlohmann::json::sax_parse(text.begin(), text.end(), &recorder);
  return recorder.take();
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
  const std::string_view letters = raw(index);
  return nlohmann::json::parse(letters.begin(), letters.end(), nullptr, false).get<std::string>();
}

bool appendQuoted(std::string* out, std::string_view text) {
  try {
    *out += nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {  // no UTF-8
    return false;
  }
}

}  // namespace manyrt::graph
