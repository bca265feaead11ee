// Reading and writing .npy. The header is a Python literal; this reader takes the three members that the format names, in any
// order, and nothing else of the language.
#include "npy.h"

#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>

#include "check.h"

namespace {

struct Type {
  const char *type, *descr;
  uint64_t size;
};
constexpr std::array<Type, 11> kTypes = {{{"i8", "|i1", 1},
                                          {"u8", "|u1", 1},
                                          {"i16", "<i2", 2},
                                          {"u16", "<u2", 2},
                                          {"i32", "<i4", 4},
                                          {"u32", "<u4", 4},
                                          {"i64", "<i8", 8},
                                          {"u64", "<u8", 8},
                                          {"f16", "<f2", 2},
                                          {"f32", "<f4", 4},
                                          {"f64", "<f8", 8}}};
constexpr std::string_view kMark("\x93NUMPY", 6);
constexpr size_t kMaxHeader = 1 << 16, kMaxDimensions = 32;

class Header {
 public:
  Header(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  // The number of bytes of the data.
  uint64_t read(Array* array) {
    bool descr = false, order = false, shape = false;
    const Type* type = nullptr;
    expect('{');
    while (!take('}')) {
      const std::string key = word();
      expect(':');
      bool& seen = key == "descr" ? descr : key == "fortran_order" ? order : shape;
      if (key != "descr" && key != "fortran_order" && key != "shape") fail("the header has a member \"" + key + "\"");
      if (seen) fail("the header has two members \"" + key + "\"");
      seen = true;
      if (key == "descr") type = findType(word());
      if (key == "fortran_order" && truth()) fail("it is in Fortran order; C order is expected");
      if (key == "shape") tuple(&array->shape);
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    blanks();
    if (at_ != text_.size() || !descr || !order || !shape) fail("the header is damaged");
    array->type = type->type;
    uint64_t bytes = type->size;
    for (const uint64_t extent : array->shape) {
      if (__builtin_mul_overflow(bytes, extent, &bytes)) fail("its shape leaves the address space");
    }
    return bytes;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Failure(path_ + ": " + why + "."); }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char letter) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }
  void expect(char letter) {
    if (!take(letter)) fail(std::string("the header is damaged: a ") + letter + " is expected");
  }
  std::string word() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("the header is damaged: a string has no end");
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(found);
  }
  bool truth() {
    blanks();
    for (const std::string_view each : {"True", "False"}) {
      if (text_.substr(at_, each.size()) != each) continue;
      at_ += each.size();
      return each == "True";
    }
    fail("the header is damaged: True or False is expected");
  }
  void tuple(std::vector<uint64_t>* out) {
    expect('(');
    while (!take(')')) {
      blanks();
      uint64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (error != std::errc() || out->size() == kMaxDimensions) fail("the header's shape is damaged");
      at_ = static_cast<size_t>(end - text_.data());
      out->push_back(extent);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
  }
  const Type* findType(const std::string& descr) const {
    for (const Type& each : kTypes) {
      if (descr == each.descr) return &each;
    }
    fail("its elements are \"" + descr + "\"; little-endian integers and floats are expected");
  }

  const std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
};

}  // namespace

std::string shapeText(const std::vector<uint64_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i != 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Array readArray(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Failure(path + ": it cannot be opened.");
  const auto total = static_cast<uint64_t>(file.tellg());
  file.seekg(0);
  std::array<char, 12> begin{};
  file.read(begin.data(), 8);
  if (!file || std::string_view(begin.data(), 6) != kMark) throw Failure(path + ": it is no .npy file.");
  const int version = begin[6];
  if ((version != 1 && version != 2) || begin[7] != 0) {
    throw Failure(path + ": its version is not 1.0 or 2.0.");
  }
  const size_t width = version == 1 ? 2 : 4;
  file.read(begin.data() + 8, static_cast<std::streamsize>(width));
  size_t length = 0;
  for (size_t i = 0; i < width; ++i) length |= static_cast<size_t>(static_cast<unsigned char>(begin[8 + i])) << (8 * i);
  if (!file || length > kMaxHeader || 8 + width + length > total) throw Failure(path + ": its header is cut.");
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  Array array;
  const uint64_t bytes = Header(text, path).read(&array);
  if (!file || total - (8 + width + length) != bytes) {
    throw Failure(path + ": the shape " + shapeText(array.shape) + " of " + array.type + " has " + std::to_string(bytes) +
                  " bytes and the file " + std::to_string(total - (8 + width + length)) + ".");
  }
  array.bytes.resize(bytes);
  file.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(bytes));
  if (!file) throw Failure(path + ": it cannot be read.");
  return array;
}

void writeArray(const std::string& path, const Array& array) {
  const char* descr = "|u1";
  for (const Type& each : kTypes) {
    if (array.type == each.type) descr = each.descr;
  }
  std::string header =
      std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shapeText(array.shape) + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');  // the data begins at a multiple of 64
  header += '\n';
  std::string begin(kMark);
  begin += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << begin << header;
  file.write(reinterpret_cast<const char*>(array.bytes.data()), static_cast<std::streamsize>(array.bytes.size()));
  file.close();
  if (!file) throw Failure(path + ": it cannot be written.");
}
