// The checks of a value by the reader, and their messages. Numbers are read from their characters, without a locale: an integer
// has neither point nor exponent, a float is rounded once.
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>

#include "graph/file/json.h"

namespace manyrt::graph {
namespace {

const char* describeKind(Json::Kind kind) {
  static constexpr const char* kWords[] = {"null", "false", "true", "a number", "a string", "a list", "an object"};
  return kWords[static_cast<int>(kind)];
}

template <class T>
bool readScalar(unsigned char* out, std::string_view raw) {
  T value{};
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || end != raw.data() + raw.size()) return false;
  memcpy(out, &value, sizeof value);
  return true;
}

struct Scalar {
  std::string_view type;
  uint32_t size;
  bool (*read)(unsigned char*, std::string_view);
};
constexpr Scalar kScalars[] = {
    {"i8", 1, readScalar<int8_t>},    {"u8", 1, readScalar<uint8_t>},   {"i16", 2, readScalar<int16_t>},
    {"u16", 2, readScalar<uint16_t>}, {"i32", 4, readScalar<int32_t>},  {"u32", 4, readScalar<uint32_t>},
    {"i64", 8, readScalar<int64_t>},  {"u64", 8, readScalar<uint64_t>}, {"f16", 2, nullptr},
    {"f32", 4, readScalar<float>},    {"f64", 8, readScalar<double>},
};

const Scalar* findScalar(std::string_view type) {
  for (const Scalar& each : kScalars) {
    if (each.type == type) return &each;
  }
  return nullptr;
}

}  // namespace

uint32_t scalarSize(std::string_view type) {
  const Scalar* found = findScalar(type);
  return found != nullptr ? found->size : 0;
}

std::string Field::path() const {
  if (parent_ == nullptr) return "";
  const std::string before = parent_->path();
  if (key_ == nullptr) return before + '[' + std::to_string(element_) + ']';
  return before.empty() ? key_ : before + '.' + key_;
}

Status Field::refuse(const char* format, ...) const {
  char sentence[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  return refuseAs(RT_ERROR_INVALID_VALUE, sentence);
}

Status Field::refuseAs(rtStatus_t code, const char* sentence) const {
  const uint32_t index = present() ? index_ : parent_->index_;
  const Status status = json_.fault(json_.value(index).at, path(), sentence);
  return code == RT_ERROR_INVALID_VALUE ? status : Status::error(code, "%s", status.message());
}

Status Field::expect(Json::Kind expected, const char* words) const {
  if (!present()) return refuse("This member is missing: %s is expected.", words);
  if (kind() != expected) return refuse("%s is expected; here is %s.", words, describeKind(kind()));
  return Status();
}

Status Field::readMembers(Field* fields, const char* const* keys, size_t count) const {
  for (size_t k = 0; k < count; ++k) fields[k].key_ = keys[k];
  RT_TRY(expect(Json::Kind::kObject, "an object"));
  uint32_t each = index_ + 1;
  for (uint32_t i = 0; i < json_.value(index_).length; ++i) {
    std::string_view name = json_.raw(each);
    name = name.substr(1, name.size() - 2);
    const uint32_t value = each + 1;
    size_t k = 0;
    while (k < count && name != keys[k]) ++k;
    if (k == count || fields[k].present()) {
      const std::string where = path();
      const std::string sentence = (k == count ? "There is no member " : "There are two members ") +
                                   std::string(name.substr(0, 64)) + (k == count ? " here." : ": one is expected.");
      return json_.fault(json_.value(each).at, where, sentence.c_str());
    }
    fields[k].index_ = value;
    each = json_.value(value).next;
  }
  return Status();
}

Field Field::member(const char* key) const {
  Field found(json_, kAbsent, this, key, 0);
  if (!present() || kind() != Json::Kind::kObject) return found;
  uint32_t each = index_ + 1;
  for (uint32_t i = 0; i < json_.value(index_).length && !found.present(); ++i, each = json_.value(each + 1).next) {
    const std::string_view name = json_.raw(each);
    if (name.substr(1, name.size() - 2) == key) found.index_ = each + 1;
  }
  return found;
}

Status Field::number(uint64_t* out, uint64_t least, uint64_t most) const {
  RT_TRY(expect(Json::Kind::kNumber, "a number"));
  const std::string_view letters = raw();
  const auto [end, error] = std::from_chars(letters.data(), letters.data() + letters.size(), *out);
  if (error == std::errc() && end == letters.data() + letters.size() && *out >= least && *out <= most) return Status();
  return refuse("A whole number from %llu to %llu is expected; here is %.*s.", static_cast<unsigned long long>(least),
                static_cast<unsigned long long>(most), static_cast<int>(letters.size() < 40 ? letters.size() : 40),
                letters.data());
}

Status Field::number(uint32_t* out, uint32_t least, uint32_t most) const {
  uint64_t value = 0;
  RT_TRY(number(&value, uint64_t{least}, uint64_t{most}));
  *out = static_cast<uint32_t>(value);
  return Status();
}

Status Field::text(std::string* out) const {
  RT_TRY(expect(Json::Kind::kString, "a string"));
  *out = json_.decoded(index_);
  return out->find('\0') == std::string::npos ? Status() : refuse("The string holds a zero byte.");
}

Status Field::word(std::string_view* out) const {
  RT_TRY(expect(Json::Kind::kString, "a string"));
  *out = raw().substr(1, raw().size() - 2);
  return Status();
}

Status Field::boolean(bool* out) const {
  if (present() && kind() != Json::Kind::kFalse) RT_TRY(expect(Json::Kind::kTrue, "true or false"));
  if (!present()) return expect(Json::Kind::kTrue, "true or false");
  *out = kind() == Json::Kind::kTrue;
  return Status();
}

Status Field::hex(std::vector<unsigned char>* out, size_t most) const {
  std::string_view letters;
  RT_TRY(word(&letters));
  if (letters.empty() || letters.size() % 2 != 0 || letters.size() / 2 > most) {
    return refuse("1 to %zu bytes are expected, as two hexadecimal digits each; here are %zu letters.", most, letters.size());
  }
  for (size_t i = 0; i < letters.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(letters.data() + i, letters.data() + i + 2, value, 16);
    if (error != std::errc() || end != letters.data() + i + 2) return refuse("Letter %zu is no hexadecimal digit.", i + 1);
    out->push_back(static_cast<unsigned char>(value));
  }
  return Status();
}

Status Field::scalar(unsigned char* out, std::string_view type) const {
  RT_TRY(expect(Json::Kind::kNumber, "a number"));
  const Scalar* found = findScalar(type);
  if (found != nullptr && found->read != nullptr && found->read(out, raw())) return Status();
  return refuse("The number %.*s is no %.*s.", static_cast<int>(raw().size() < 40 ? raw().size() : 40), raw().data(),
                static_cast<int>(type.size()), type.data());
}

}  // namespace manyrt::graph
