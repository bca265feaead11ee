// The bytes of an image, in the order of docs/design/images.md. Every number is little-endian, and reading is by copies: an
// image may lie anywhere, in memory that cannot be written.
#include "backends/module_image.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/entry_bytes.h"
#include "rt.h"

namespace manyrt::backend {
namespace {

static_assert(std::endian::native == std::endian::little, "images are little-endian");

constexpr uint32_t kFormat = 1;
constexpr uint32_t kMaxParts = 1024;
constexpr size_t kMaxTarget = 256;  // bytes
constexpr size_t kAlignment = 16;   // of a part, from the start of the image
constexpr uint32_t kVersion = MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH;

// No text begins so, and what takes it for text, and turns its ends of lines, destroys it.
constexpr char kMark[8] = {'\x8d', 'R', 'T', 'M', '\r', '\n', '\x1a', '\n'};

struct Head {
  char mark[8];
  uint32_t format;
  uint32_t version;     // of the library that wrote it
  uint32_t part_count;  // of the table
  uint32_t reserved;    // 0
  uint64_t bytes;       // of the whole image
  Digest hash;          // of all before this member, and of the table with its targets
};
static_assert(sizeof(Head) == 64);

struct Entry {
  uint32_t kind;
  uint32_t form;
  uint64_t offset;  // from the start of the image
  uint64_t bytes;
  uint32_t target_bytes;  // the targets follow the table, in its order
  uint32_t reserved;      // 0
  Digest hash;            // of the part
};
static_assert(sizeof(Entry) == 64);

size_t aligned(size_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

Digest hashOf(std::string_view bytes) {
  Blake2b hash;
  hash.add(bytes.data(), bytes.size());
  return hash.finish();
}

Digest hashOfTable(const Head& head, std::string_view table) {
  Blake2b hash;
  hash.add(&head, offsetof(Head, hash));
  hash.add(table.data(), table.size());
  return hash.finish();
}

std::string textOf(uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

const char* wordOf(uint32_t kind) {
  switch (static_cast<PartKind>(kind)) {
    case PartKind::kSource:
      return "source";
    case PartKind::kCpu:
      return "cpu";
    case PartKind::kCuda:
      return "cuda";
    case PartKind::kOpenCl:
      return "opencl";
  }
  return "part of an unknown kind";
}

bool isTarget(std::string_view text) {
  return text.size() <= kMaxTarget &&
         std::all_of(text.begin(), text.end(), [](char letter) { return letter >= 0x20 && letter < 0x7f; });
}

Status damaged(const char* name, const char* what) {
  return Status::error(RT_ERROR_INVALID_IMAGE, "The image \"%s\" is damaged: %s.", name, what);
}

}  // namespace

bool ModuleImage::marks(std::string_view bytes) { return bytes.starts_with(std::string_view(kMark, sizeof kMark)); }

Status ModuleImage::read(ModuleImage* image, std::string_view bytes, const char* name) {
  Head head;
  if (!marks(bytes) || bytes.size() < sizeof head) return damaged(name, "it ends before its head does");
  memcpy(&head, bytes.data(), sizeof head);
  if (head.format != kFormat) {
    return Status::error(RT_ERROR_INVALID_IMAGE,
                         "The image \"%s\" has the format %u, and this library reads the format %u: it was written by manyrt "
                         "%s, or is damaged.",
                         name, head.format, kFormat, textOf(head.version).c_str());
  }
  if (head.bytes != bytes.size()) {
    return Status::error(RT_ERROR_INVALID_IMAGE,
                         "The image \"%s\" has %zu bytes; its head says %llu: it is cut off or damaged.", name, bytes.size(),
                         static_cast<unsigned long long>(head.bytes));
  }
  // Divided, not multiplied: the number of parts comes from the file, and a product could wrap.
  const size_t left = bytes.size() - sizeof head;
  if (head.part_count > kMaxParts || head.reserved != 0 || left / sizeof(Entry) < head.part_count) {
    return damaged(name, "its table is longer than the image");
  }
  std::vector<Entry> entries(head.part_count);
  if (!entries.empty()) memcpy(entries.data(), bytes.data() + sizeof head, entries.size() * sizeof(Entry));
  size_t end = sizeof head + entries.size() * sizeof(Entry);
  for (const Entry& entry : entries) {  // no sum wraps: each is held against the bytes that are left
    if (entry.target_bytes > kMaxTarget || entry.target_bytes > bytes.size() - end)
      return damaged(name, "a target is too long");
    end += entry.target_bytes;
  }
  if (hashOfTable(head, bytes.substr(sizeof head, end - sizeof head)) != head.hash) {
    return damaged(name, "its table is not the one that was written");
  }
  // The hash says that the table is as it was written; whatever wrote it may have lied.
  image->version_ = head.version;
  image->parts_.clear();
  size_t target = sizeof head + entries.size() * sizeof(Entry);
  for (const Entry& entry : entries) {
    const size_t begin = aligned(end);
    if (entry.reserved != 0 || entry.offset != begin || begin > bytes.size() || entry.bytes > bytes.size() - begin) {
      return damaged(name, "a part does not lie where the table says");
    }
    // Zeros between the parts: the same contents are the same bytes, and nothing can hide there.
    if (bytes.substr(end, begin - end).find_first_not_of('\0') != std::string_view::npos)
      return damaged(name, "there is something between two parts");
    const ImagePart part{entry.kind, entry.form, bytes.substr(target, entry.target_bytes),
                         bytes.substr(begin, static_cast<size_t>(entry.bytes)), entry.hash};
    if (!isTarget(part.target)) return damaged(name, "a target is no text");
    // The bytes stay where they are: the caller keeps the image as long as its parts are used.
    image->parts_.push_back(part);
    target += entry.target_bytes;
    end = begin + static_cast<size_t>(entry.bytes);
  }
  return end == bytes.size() ? Status() : damaged(name, "something follows its last part");
}

std::string ModuleImage::versionText() const { return textOf(version_); }

Status ModuleImage::check(const ImagePart& part, const char* name) {
  // At the use of the part: an image may have parts for many devices, and only one of them is loaded.
  if (hashOf(part.data) == part.hash) return Status();
  return Status::error(RT_ERROR_INVALID_IMAGE,
                       "The image \"%s\" is damaged: its part \"%s\" of %zu bytes is not the one that was written.", name,
                       nameOf(part).c_str(), part.data.size());
}

// The part of a target that a person reads: no numbers of features, no digest of a driver.
std::string ModuleImage::nameOf(const ImagePart& part) {
  std::string_view target = part.target;
  const size_t space = std::min(target.find(' '), target.size());
  constexpr size_t kDigest = 32;  // digits
  if (part.kind == static_cast<uint32_t>(PartKind::kOpenCl) && space == kDigest) {
    target.remove_prefix(std::min(space + 1, target.size()));
  }
  if (part.kind == static_cast<uint32_t>(PartKind::kCpu)) target = target.substr(0, target.find(' ', space + 1));
  return wordOf(part.kind) + (target.empty() ? "" : " " + std::string(target));
}

std::string ModuleImage::listOfParts() const {
  if (parts_.empty()) return "no parts";
  std::string text;
  for (const ImagePart& part : parts_) text += (text.empty() ? "" : ", ") + nameOf(part);
  return text;
}

std::string writeModuleImage(const std::vector<BuiltPart>& parts) {
  Head head{};
  memcpy(head.mark, kMark, sizeof kMark);
  head.format = kFormat;
  head.version = kVersion;
  head.part_count = static_cast<uint32_t>(parts.size());
  std::vector<Entry> entries(parts.size());
  size_t end = sizeof head + entries.size() * sizeof(Entry);
  std::string targets;
  for (const BuiltPart& part : parts) targets += part.target;
  end += targets.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    const BuiltPart& part = parts[i];
    Entry& entry = entries[i];
    entry = {static_cast<uint32_t>(part.kind),          part.form, aligned(end),     part.data.size(),
             static_cast<uint32_t>(part.target.size()), 0,         hashOf(part.data)};
    end = aligned(end) + part.data.size();
  }
  head.bytes = end;
  std::string table(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(Entry));
  table += targets;
  // Last: it covers all members of the head before it.
  head.hash = hashOfTable(head, table);
  std::string bytes;
  bytes.reserve(end);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head).append(table);
  for (size_t i = 0; i < parts.size(); ++i) {
    // Zeros up to the part's alignment.
    bytes.resize(static_cast<size_t>(entries[i].offset));
    bytes += parts[i].data;
  }
  return bytes;
}

// ---- Sources ----

namespace {

constexpr uint32_t kSourceForm = 1;

// Whether a build may get the text. A source beyond the checks of rtModuleLoadData is refused there.
bool isText(std::string_view text) { return text.find('\0') == std::string_view::npos; }

bool isSourceFormat(uint32_t format) { return format == RT_IMAGE_OPENCL_C || format == RT_IMAGE_CUDA_CXX; }

bool readText(EntryReader* in, std::string_view* text) {
  const unsigned char* data = nullptr;
  uint64_t bytes = 0;
  if (!in->block(&data, &bytes)) return false;
  *text = std::string_view(reinterpret_cast<const char*>(data), static_cast<size_t>(bytes));
  return isText(*text);
}

}  // namespace

std::string sourceData(const Image& source) {
  EntryWriter out;
  out.number(static_cast<uint64_t>(source.format));
  out.text(source.options);
  out.text(source.name);
  out.number(uint64_t{1} + source.more_count);
  out.text(source.data);
  for (uint32_t i = 0; i < source.more_count; ++i) out.text(source.more[i]);
  out.number(source.header_count);
  for (uint32_t i = 0; i < source.header_count; ++i) {
    out.text(source.header_names[i]);
    out.text(source.headers[i]);
  }
  const std::vector<unsigned char> bytes = out.take();
  return std::string(bytes.begin(), bytes.end());
}

BuiltPart sourcePart(const std::string& data) {
  EntryReader in(reinterpret_cast<const unsigned char*>(data.data()), data.size());
  uint32_t format = 0;
  (void)in.number(&format, RT_IMAGE_CUDA_CXX);
  return {PartKind::kSource, kSourceForm, format == RT_IMAGE_CUDA_CXX ? "CUDA_CXX" : "OPENCL_C", data};
}

Status SourceOfImage::read(const ImagePart& part, const char* name) {
  if (part.form != kSourceForm) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "The source in the image \"%s\" has the form %u; this library reads the form %u.", name, part.form,
                         kSourceForm);
  }
  const Status wrong = damaged(name, "its source is not whole");
  EntryReader in(reinterpret_cast<const unsigned char*>(part.data.data()), part.data.size());
  uint32_t format = 0;
  uint64_t texts = 0, headers = 0;
  std::string_view options, own_name;
  if (!in.number(&format, RT_IMAGE_CUDA_CXX) || !isSourceFormat(format) || !readText(&in, &options) ||
      !readText(&in, &own_name) || !in.count(&texts) || texts == 0) {
    return wrong;
  }
  format_ = static_cast<int32_t>(format);
  options_ = options;
  name_ = own_name;
  // The count was held against the bytes that are left: a wrong one cannot ask for more memory than the image has.
  texts_.resize(static_cast<size_t>(texts));
  for (std::string_view& text : texts_) {
    if (!readText(&in, &text)) return wrong;
  }
  if (!in.count(&headers)) return wrong;
  for (uint64_t i = 0; i < headers; ++i) {
    std::string_view header_name, text;
    if (!readText(&in, &header_name) || !readText(&in, &text)) return wrong;
    header_names_.emplace_back(header_name);
    headers_.emplace_back(text);
  }
  if (!in.atEnd()) return wrong;
  for (size_t i = 0; i < headers_.size(); ++i) {
    // Only when all strings are in their places: a vector that grows moves short strings, and pointers into them.
    header_name_pointers_.push_back(header_names_[i].c_str());
    header_pointers_.push_back(headers_[i].c_str());
  }
  return Status();
}

Image SourceOfImage::image() const {
  Image image;
  image.format = format_;
  image.data = texts_[0];
  image.more_count = static_cast<uint32_t>(texts_.size() - 1);
  image.more = texts_.data() + 1;
  image.options = options_.c_str();
  image.name = name_.c_str();
  image.header_count = static_cast<uint32_t>(headers_.size());
  image.header_names = header_name_pointers_.data();
  image.headers = header_pointers_.data();
  return image;
}

}  // namespace manyrt::backend
