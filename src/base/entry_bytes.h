// Writing and reading the bytes of cache entries and of parts of images: numbers have eight bytes, texts and lists their length
// before them. Every length is held against what is left. The order of bytes is the machine's: images of the other order are
// refused before (backends/module_image.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace manyrt {

class EntryWriter {
 public:
  void number(uint64_t value) { bytes(&value, sizeof value); }
  void text(std::string_view value) { block(value.data(), value.size()); }
  void block(const void* data, size_t size) {
    number(size);
    bytes(data, size);
  }
  std::vector<unsigned char> take() { return std::move(out_); }

 private:
  void bytes(const void* data, size_t size) {
    const auto* begin = static_cast<const unsigned char*>(data);
    out_.insert(out_.end(), begin, begin + size);
  }
  std::vector<unsigned char> out_;
};

class EntryReader {
 public:
  EntryReader(const unsigned char* data, size_t size) : at_(data), left_(size) {}

  bool number(uint64_t* value, uint64_t most) {
    if (left_ < sizeof *value) return false;
    memcpy(value, at_, sizeof *value);
    skip(sizeof *value);
    return *value <= most;
  }
  bool number(uint32_t* value, uint64_t most) {
    uint64_t wide = 0;
    if (!number(&wide, most)) return false;
    *value = static_cast<uint32_t>(wide);
    return true;
  }
  // The next list's length; each of its elements takes eight bytes at least.
  bool count(uint64_t* value) { return number(value, left_ / sizeof *value); }
  bool block(const unsigned char** data, uint64_t* size) {
    if (!number(size, left_) || *size > left_) return false;
    *data = at_;
    skip(static_cast<size_t>(*size));
    return true;
  }
  bool text(std::string* value) {
    const unsigned char* data = nullptr;
    uint64_t size = 0;
    if (!block(&data, &size)) return false;
    value->assign(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    return true;
  }
  bool atEnd() const { return left_ == 0; }

 private:
  void skip(size_t size) {
    at_ += size;
    left_ -= size;
  }
  const unsigned char* at_;
  size_t left_;
};

}  // namespace manyrt
