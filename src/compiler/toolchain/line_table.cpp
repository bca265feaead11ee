// The state machine of DWARF's line programs (DWARF 5, 6.2), as far as compilers of kernels use it. It knows 64-bit machines,
// 32-bit DWARF, and one table for each compiled text. All reads are bounded; a unit that is not understood ends the reading.
#include "compiler/toolchain/line_table.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

namespace manyrt::compiler {
namespace {

using Bytes = std::string_view;

// Reads numbers one after the other. After the end all are 0, and ok() is false.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool done() const { return !ok_ || bytes_.empty(); }
  size_t left() const { return bytes_.size(); }
  template <class T>
  T number() {
    T value{};
    const Bytes from = take(sizeof(T));
    if (ok_) memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  uint64_t uleb() { return leb(nullptr); }
  int64_t sleb() {
    int shift = 0;
    const uint64_t value = leb(&shift);
    const bool negative = shift > 0 && shift < 64 && (value >> (shift - 1) & 1) != 0;
    return static_cast<int64_t>(negative ? value | ~uint64_t{0} << shift : value);
  }
  Bytes text() {
    const size_t end = bytes_.find('\0');
    if (end == Bytes::npos) return fail();
    const Bytes found = bytes_.substr(0, end);
    bytes_.remove_prefix(end + 1);
    return found;
  }
  Bytes take(uint64_t count) {
    if (count > bytes_.size()) return fail();
    const Bytes found = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return found;
  }

 private:
  Bytes fail() {
    ok_ = false;
    bytes_ = Bytes();
    return Bytes();
  }
  // `bits`: how many were read.
  uint64_t leb(int* bits) {
    uint64_t value = 0;
    int shift = 0;
    for (bool more = true; more && ok_; shift += 7) {
      const auto byte = number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      more = (byte & 0x80) != 0;
    }
    if (bits != nullptr) *bits = shift;
    return value;
  }

  Bytes bytes_;
  bool ok_ = true;
};

struct Sections {
  Bytes lines, strings, line_strings;
};

Sections findSections(Bytes file) {
  Sections found;
  Elf64_Ehdr header;
  if (file.size() < sizeof header) return found;
  memcpy(&header, file.data(), sizeof header);
  const auto section = [&](uint64_t index, Elf64_Shdr* out) {
    const uint64_t at = header.e_shoff + index * sizeof *out;
    if (index >= header.e_shnum || at > file.size() || file.size() - at < sizeof *out) return false;
    memcpy(out, file.data() + at, sizeof *out);
    return out->sh_type == SHT_NOBITS || (out->sh_offset <= file.size() && out->sh_size <= file.size() - out->sh_offset);
  };
  Elf64_Shdr names, each;
  if (!section(header.e_shstrndx, &names)) return found;
  const Bytes text = file.substr(names.sh_offset, names.sh_size);
  for (uint64_t i = 0; i < header.e_shnum && section(i, &each); ++i) {
    if (each.sh_name >= text.size() || each.sh_type == SHT_NOBITS || (each.sh_flags & SHF_COMPRESSED) != 0) continue;
    const Bytes name = text.substr(each.sh_name, text.find('\0', each.sh_name) - each.sh_name);
    const Bytes bytes = file.substr(each.sh_offset, each.sh_size);
    if (name == ".debug_line") found.lines = bytes;
    if (name == ".debug_str") found.strings = bytes;
    if (name == ".debug_line_str") found.line_strings = bytes;
  }
  return found;
}

Bytes stringAt(Bytes section, uint64_t offset) {
  return offset < section.size() ? Cursor(section.substr(offset)).text() : Bytes();
}

enum Form : uint64_t {
  kData2 = 5,
  kBlock = 9,
  kData1 = 0xb,
  kString = 8,
  kData16 = 0x1e,
  kUdata = 0xf,
  kStrp = 0xe,
  kLineStrp = 0x1f
};
constexpr uint64_t kPath = 1;  // DW_LNCT_path

class LineReader {
 public:
  LineReader(std::vector<LineTable::Row>* rows, std::vector<std::string>* files, const Sections& sections)
      : rows_(*rows), files_(*files), sections_(sections) {}
  void run() {
    Cursor units(sections_.lines);
    while (!units.done()) {
      const auto length = units.number<uint32_t>();
      if (length >= 0xfffffff0u || !unit(Cursor(units.take(length)))) return;
    }
  }

 private:
  struct State {
    uint64_t address = 0;
    uint64_t file = 1;
    int64_t line = 1;
  };
  struct Header {
    uint8_t least_instruction = 1;
    int8_t line_base = 0;
    uint8_t line_range = 1, opcode_base = 1;
    std::vector<uint8_t> lengths;  // operands of the standard opcodes
    std::vector<uint32_t> files;   // numbers in the table, as the program counts them
  };

  uint32_t fileNumber(Bytes name) {
    const auto [at, is_new] = numbers_.emplace(std::string(name), static_cast<uint32_t>(files_.size()));
    if (is_new) files_.emplace_back(name);
    return at->second;
  }

  // A list of directories or files of DWARF 5. `names`: null where they are not wanted.
  bool entries(Cursor& from, std::vector<uint32_t>* names) {
    std::vector<std::pair<uint64_t, uint64_t>> formats(from.number<uint8_t>());
    for (auto& [content, form] : formats) {
      content = from.uleb();
      form = from.uleb();
    }
    const uint64_t count = from.uleb();
    for (uint64_t i = 0; i < count && from.ok(); ++i) {
      Bytes path;
      for (const auto& [content, form] : formats) {
        Bytes text;
        if (!value(from, form, &text)) return false;
        if (content == kPath) path = text;
      }
      if (names != nullptr) names->push_back(fileNumber(path));
    }
    return from.ok();
  }

  bool value(Cursor& from, uint64_t form, Bytes* text) {
    switch (form) {
      case kString:
        *text = from.text();
        return true;
      case kStrp:
        *text = stringAt(sections_.strings, from.number<uint32_t>());
        return true;
      case kLineStrp:
        *text = stringAt(sections_.line_strings, from.number<uint32_t>());
        return true;
      case kData1:
        (void)from.number<uint8_t>();
        return true;
      case kData2:
        (void)from.number<uint16_t>();
        return true;
      case kUdata:
        (void)from.uleb();
        return true;
      case kData16:
        (void)from.take(16);
        return true;
      case kBlock:
        (void)from.take(from.uleb());
        return true;
      default:
        return false;
    }
  }

  // The lists of DWARF 4, each of which ends with an empty name. Files are counted from 1.
  bool oldEntries(Cursor& from, std::vector<uint32_t>* names) {
    while (from.ok() && !from.text().empty()) {
    }
    names->push_back(fileNumber(""));
    for (;;) {
      const Bytes name = from.text();
      if (name.empty()) return from.ok();
      for (int i = 0; i < 3; ++i) (void)from.uleb();
      names->push_back(fileNumber(name));
    }
  }

  bool unit(Cursor from) {
    const auto version = from.number<uint16_t>();
    if (version < 2 || version > 5) return false;
    if (version == 5 && from.number<uint16_t>() != 8) return false;  // bytes of an address, and of a segment: none
    Cursor head(from.take(from.number<uint32_t>()));
    Header header;
    header.least_instruction = head.number<uint8_t>();
    if (version >= 4) (void)head.number<uint8_t>();  // operations of an instruction: one
    (void)head.number<uint8_t>();                    // whether a row is a statement
    header.line_base = head.number<int8_t>();
    header.line_range = head.number<uint8_t>();
    header.opcode_base = head.number<uint8_t>();
    for (int i = 1; i < header.opcode_base; ++i) header.lengths.push_back(head.number<uint8_t>());
    if (!head.ok() || header.line_range == 0) return false;
    const bool listed = version == 5 ? entries(head, nullptr) && entries(head, &header.files) : oldEntries(head, &header.files);
    if (!listed) return false;
    program(from, header);
    return true;
  }

  void row(const State& state, const Header& header, bool ends) {
    const bool known = state.file < header.files.size() && state.line > 0;
    rows_.push_back(
        {state.address, known && !ends ? static_cast<uint32_t>(state.line) : 0, known ? header.files[state.file] : 0});
  }

  // One opcode of each of the three kinds: special (moves both, and makes a row), extended, standard.
  void program(Cursor from, const Header& header) {
    enum Standard : uint8_t { kCopy = 1, kAdvance, kAdvanceLine, kSetFile, kConstAdd = 8, kFixedAdvance };
    State state;
    const auto advance = [&](uint64_t operations) { state.address += operations * header.least_instruction; };
    while (!from.done()) {
      const auto opcode = from.number<uint8_t>();
      if (opcode >= header.opcode_base) {
        const int adjusted = opcode - header.opcode_base;
        advance(static_cast<uint64_t>(adjusted / header.line_range));
        state.line += header.line_base + adjusted % header.line_range;
        row(state, header, false);
        continue;
      }
      switch (opcode) {
        case 0:
          extended(from, header, &state);
          break;
        case kCopy:
          row(state, header, false);
          break;
        case kAdvance:
          advance(from.uleb());
          break;
        case kAdvanceLine:
          state.line += from.sleb();
          break;
        case kSetFile:
          state.file = from.uleb();
          break;
        case kConstAdd:
          advance(static_cast<uint64_t>((255 - header.opcode_base) / header.line_range));
          break;
        case kFixedAdvance:
          state.address += from.number<uint16_t>();
          break;
        default:
          for (int i = 0; i < header.lengths[opcode - 1]; ++i) (void)from.uleb();
      }
    }
  }

  void extended(Cursor& from, const Header& header, State* state) {
    constexpr uint8_t kEnd = 1, kSetAddress = 2;
    Cursor own(from.take(from.uleb()));
    const auto opcode = own.number<uint8_t>();
    if (opcode == kSetAddress) state->address = own.number<uint64_t>();
    if (opcode != kEnd) return;
    row(*state, header, true);
    *state = State();
  }

  std::vector<LineTable::Row>& rows_;
  std::vector<std::string>& files_;
  const Sections& sections_;
  std::map<std::string, uint32_t> numbers_;
};

// "unit0.cpp", where the compiler's own parts have their lines.
bool isGenerated(const std::string& file) {
  constexpr std::string_view kBegin = "unit", kEnd = ".cpp";
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  if (name.size() <= kBegin.size() + kEnd.size() || !name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
  const std::string_view number = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  return number.find_first_not_of("0123456789") == number.npos;
}

}  // namespace

void LineTable::read(const void* data, size_t size) {
  const Sections sections = findSections(Bytes(static_cast<const char*>(data), size));
  if (sections.lines.empty()) return;
  LineReader(&rows_, &files_, sections).run();
  // Ends of sequences first: another one may begin at the same address.
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.line == 0 && b.line != 0;
  });
  for (const std::string& file : files_) generated_.push_back(isGenerated(file));
}

LineTable::Place LineTable::at(uint64_t offset) const {
  const auto after =
      std::upper_bound(rows_.begin(), rows_.end(), offset, [](uint64_t value, const Row& row) { return value < row.offset; });
  if (after == rows_.begin()) return {};
  const auto row = after - 1;
  if (row->line == 0) return {};
  if (!generated_[row->file]) return {files_[row->file].c_str(), row->line, false};
  // A part of the compiler that was put into the kernel: what asked for it is before it, mostly, and else after it.
  constexpr int kMost = 64;  // rows; beyond them a line says little
  const auto isSource = [&](const Row& other) { return other.line != 0 && !generated_[other.file]; };
  auto other = row;
  for (int i = 0; i < kMost && other != rows_.begin() && (other - 1)->line != 0; ++i) {
    if (isSource(*--other)) return {files_[other->file].c_str(), other->line, true};
  }
  other = row;
  for (int i = 0; i < kMost && other + 1 != rows_.end() && (other + 1)->line != 0; ++i) {
    if (isSource(*++other)) return {files_[other->file].c_str(), other->line, true};
  }
  return {};
}

}  // namespace manyrt::compiler
