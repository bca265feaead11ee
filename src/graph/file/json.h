// A strict reader of JSON (RFC 8259) for untrusted files, over nlohmann-json's parser. It keeps no copies: a value is an offset
// in the text, 16 bytes each, and strings and numbers are read on demand. Every refusal has line, column and the path of the
// value, as "nodes[3].grid". Limits bound the text and the depth, and the text bounds the memory. Used by file/reader.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace manyrt::graph {

class Json {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static constexpr uint32_t kMaxDepth = 64;
  enum class Kind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };
  struct Value {
    uint32_t at;      // in the text
    uint32_t length;  // of a number or string in the text, with its quotes; elements of an array, members of an object
    uint32_t next;    // the value after this one and all inside it
    Kind kind;
  };

  // `text` is borrowed as long as this lives. Throws bad_alloc.
  Status parse(std::string_view text);
  const Value& value(uint32_t index) const { return values_[index]; }
  std::string_view raw(uint32_t index) const { return text_.substr(values_[index].at, values_[index].length); }
  std::string decoded(uint32_t index) const;  // a string; throws bad_alloc
  Status fault(size_t at, const std::string& path, const char* sentence) const;

 private:
  friend class JsonRecorder;
  std::string_view text_;
  std::vector<Value> values_;  // a value, then what is inside it; a member is its name and its value
};

// A value with its path. Fields live on the stack of the reader; the parent outlives its parts.
class Field {
 public:
  explicit Field(const Json& json) : json_(json), index_(0) {}

  bool present() const { return index_ != kAbsent; }
  bool isNull() const { return present() && kind() == Json::Kind::kNull; }
  Json::Kind kind() const { return json_.value(index_).kind; }
  // The failure for this value; if it is absent, for the object that should have it. The code is RT_ERROR_INVALID_VALUE unless
  // another one is given.
  Status refuse(const char* format, ...) const __attribute__((format(printf, 2, 3)));
  Status refuseAs(rtStatus_t code, const char* sentence) const;

  // Reads an object with these members alone, each once at most. `fields[i]` is that of keys[i], or absent.
  template <size_t N>
  Status members(std::array<Field, N>* fields, const std::array<const char*, N>& keys) const {
    return readMembers(fields->data(), keys.data(), N);
  }
  Field member(const char* key) const;  // of an object that may have others; absent if there is none, or this is no object
  template <size_t N>
  static std::array<Field, N> fields(const Field& of) {
    return makeFields(of, std::make_index_sequence<N>());
  }

  // Each visits the elements in order; `visit` returns a Status.
  template <class Visitor>
  Status elements(Visitor visit) const {
    RT_TRY(expect(Json::Kind::kArray, "a list"));
    uint32_t each = index_ + 1;
    for (uint32_t i = 0; i < json_.value(index_).length; ++i, each = json_.value(each).next) {
      RT_TRY(visit(Field(json_, each, this, nullptr, i)));
    }
    return Status();
  }
  uint32_t count() const { return json_.value(index_).length; }  // of a list

  Status number(uint64_t* out, uint64_t least, uint64_t most) const;
  Status number(uint32_t* out, uint32_t least, uint32_t most) const;
  Status text(std::string* out) const;       // without zero bytes
  Status word(std::string_view* out) const;  // as in the file, without decoding: for words that need no escapes
  Status boolean(bool* out) const;
  Status hex(std::vector<unsigned char>* out, size_t most) const;  // pairs of digits: at least one
  Status scalar(unsigned char* out, std::string_view type) const;  // of a type in scalarSize
  std::string_view raw() const { return json_.raw(index_); }

  Field() = delete;

 private:
  static constexpr uint32_t kAbsent = UINT32_MAX;
  Field(const Json& json, uint32_t index, const Field* parent, const char* key, uint32_t element)
      : json_(json), index_(index), parent_(parent), key_(key), element_(element) {}
  template <size_t... I>
  static std::array<Field, sizeof...(I)> makeFields(const Field& of, std::index_sequence<I...>) {
    return {((void)I, Field(of.json_, kAbsent, &of, nullptr, 0))...};
  }
  Status expect(Json::Kind kind, const char* words) const;
  Status readMembers(Field* fields, const char* const* keys, size_t count) const;
  std::string path() const;

  const Json& json_;
  uint32_t index_;
  const Field* parent_ = nullptr;
  const char* key_ = nullptr;  // in an object; null: element_ in a list
  uint32_t element_ = 0;
};

uint32_t scalarSize(std::string_view type);  // of "i32", "f64" and the like; 0: there is no such type

// Quotes and escapes a text for a writer. False: the text is not UTF-8.
bool appendQuoted(std::string* out, std::string_view text);

}  // namespace manyrt::graph
