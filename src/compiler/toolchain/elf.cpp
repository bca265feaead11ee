// Bounds of headers, segments, sections and the dynamic table, in the one form of ELF that this process can run. All reads
// are copies: nothing in a file needs to be aligned.
#include "compiler/toolchain/elf.h"

#include <elf.h>

#include <cstdio>
#include <cstring>
#include <map>

namespace manyrt::compiler {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
#else
#error "the ELF number of this machine is missing here"
#endif
constexpr unsigned char kOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
constexpr uint64_t kMaxMemory = uint64_t{1} << 32;  // that the segments of one object may span

class File {
 public:
  File(const void* data, size_t size) : data_(static_cast<const unsigned char*>(data)), size_(size) {}
  bool has(uint64_t offset, uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }
  template <class T>
  bool get(T* value, uint64_t offset) const {
    if (!has(offset, sizeof(T))) return false;
    memcpy(value, data_ + offset, sizeof(T));
    return true;
  }
  // A name of a string table at [offset, offset + bytes); null where it has no end.
  const char* name(uint64_t offset, uint64_t bytes, uint64_t index) const {
    if (!has(offset, bytes) || index >= bytes) return nullptr;
    const void* start = data_ + offset + index;
    return memchr(start, 0, bytes - index) != nullptr ? static_cast<const char*>(start) : nullptr;
  }

 private:
  const unsigned char* const data_;
  const uint64_t size_;
};

std::string checkHeader(Elf64_Ehdr* header, const File& file, uint16_t type) {
  if (!file.get(header, 0)) return "is too short to be an ELF file";
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "is no ELF file";
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != kOrder || header->e_machine != kMachine) {
    return "is made for another machine (ELF class " + std::to_string(header->e_ident[EI_CLASS]) + ", machine " +
           std::to_string(header->e_machine) + "; this one is " + std::to_string(kMachine) + ")";
  }
  if (header->e_type != type) {
    return "is an ELF file of type " + std::to_string(header->e_type) + "; type " + std::to_string(type) + " is needed";
  }
  if (header->e_version != EV_CURRENT) return "has an unknown ELF version";
  return "";
}

bool sectionsInside(const File& file, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return header.e_shnum == 0;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  if (!file.has(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr))) return false;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    file.get(&section, header.e_shoff + i * sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL && !file.has(section.sh_offset, section.sh_size))
      return false;
  }
  return true;
}

bool inside(const std::vector<Elf64_Phdr>& loads, uint64_t address, uint64_t bytes) {
  for (const Elf64_Phdr& load : loads) {
    const uint64_t offset = address - load.p_vaddr;  // wraps, and is large then, where the address lies before
    if (offset <= load.p_memsz && bytes <= load.p_memsz - offset) return true;
  }
  return false;
}

// The loader follows these addresses without a question.
std::string checkDynamic(const File& file, const std::vector<Elf64_Phdr>& loads, const Elf64_Phdr& dynamic) {
  if (!file.has(dynamic.p_offset, dynamic.p_filesz) || !inside(loads, dynamic.p_vaddr, dynamic.p_memsz)) {
    return "has a dynamic table outside of its segments";
  }
  bool ended = false, strings = false, symbols = false;
  for (uint64_t at = 0; !ended && at + sizeof(Elf64_Dyn) <= dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    file.get(&entry, dynamic.p_offset + at);
    ended = entry.d_tag == DT_NULL;
    const bool is_address = entry.d_tag == DT_STRTAB || entry.d_tag == DT_SYMTAB || entry.d_tag == DT_RELA ||
                            entry.d_tag == DT_JMPREL || entry.d_tag == DT_HASH || entry.d_tag == DT_GNU_HASH ||
                            entry.d_tag == DT_VERSYM || entry.d_tag == DT_VERNEED || entry.d_tag == DT_VERDEF ||
                            entry.d_tag == DT_INIT_ARRAY || entry.d_tag == DT_FINI_ARRAY;
    if (is_address && !inside(loads, entry.d_un.d_ptr, 1)) return "has a dynamic entry that points outside of its segments";
    strings = strings || entry.d_tag == DT_STRTAB;
    symbols = symbols || entry.d_tag == DT_SYMTAB;
  }
  if (!ended || !strings || !symbols) return "has a dynamic table that is not complete";
  return "";
}

}  // namespace

std::string checkSharedObject(const void* data, size_t size) {
  // The loader of the C library maps segments without checking them. So each must lie inside the file, begin after the one
  // before it, and have an address that agrees with its offset modulo the alignment.
  const File file(data, size);
  Elf64_Ehdr header;
  if (std::string wrong = checkHeader(&header, file, ET_DYN); !wrong.empty()) return wrong;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
      !file.has(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr))) {
    return "ends before its program headers do";
  }
  std::vector<Elf64_Phdr> loads;
  const Elf64_Phdr* dynamic = nullptr;
  Elf64_Phdr found{};
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    file.get(&segment, header.e_phoff + i * sizeof segment);
    if (segment.p_type == PT_INTERP) return "is a program and no shared object";
    if (segment.p_type != PT_LOAD) {
      if (segment.p_type == PT_DYNAMIC) found = segment, dynamic = &found;
      continue;
    }
    const bool aligned = segment.p_align <= 1 || ((segment.p_align & (segment.p_align - 1)) == 0 &&
                                                  (segment.p_vaddr - segment.p_offset) % segment.p_align == 0);
    const bool ordered = loads.empty() || segment.p_vaddr >= loads.back().p_vaddr + loads.back().p_memsz;
    if (!file.has(segment.p_offset, segment.p_filesz)) return "ends before its segments do";
    if (segment.p_filesz > segment.p_memsz || segment.p_vaddr > kMaxMemory || segment.p_memsz > kMaxMemory || !aligned ||
        !ordered) {
      return "has a segment that cannot be loaded";
    }
    loads.push_back(segment);
  }
  if (loads.empty() || dynamic == nullptr) return "has nothing to load";
  if (!sectionsInside(file, header)) return "ends before its sections do";
  return checkDynamic(file, loads, *dynamic);
}

void codeOf(uint64_t* first, uint64_t* bytes, const void* data, size_t size) {
  const File file(data, size);
  Elf64_Ehdr header{};
  file.get(&header, 0);
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.get(&segment, header.e_phoff + i * sizeof segment)) return;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uint64_t begin = *bytes == 0 ? segment.p_vaddr : *first;  // segments come in the order of their addresses
    *first = begin;
    *bytes = segment.p_vaddr + segment.p_memsz - begin;
  }
}

namespace {

// "GLIBC_2.31": 231; else 0.
uint32_t glibcVersion(const char* name) {
  unsigned major = 0, minor = 0;
  constexpr unsigned kHundred = 100;
  if (name == nullptr || sscanf(name, "GLIBC_%u.%u", &major, &minor) != 2 || minor >= kHundred) return 0;
  return major * kHundred + minor;
}

// By the index of a version in the table of symbols' versions.
std::map<uint16_t, uint32_t> neededVersions(const File& file, const Elf64_Shdr& needs, const Elf64_Shdr& strings) {
  std::map<uint16_t, uint32_t> versions;
  uint64_t at = needs.sh_offset;
  for (uint32_t library = 0; library < needs.sh_info; ++library) {
    Elf64_Verneed need;
    if (!file.get(&need, at)) return {};
    uint64_t entry = at + need.vn_aux;
    for (uint16_t i = 0; i < need.vn_cnt; ++i) {
      Elf64_Vernaux version;
      if (!file.get(&version, entry)) return {};
      versions[version.vna_other] = glibcVersion(file.name(strings.sh_offset, strings.sh_size, version.vna_name));
      entry += version.vna_next;
      if (version.vna_next == 0) break;
    }
    at += need.vn_next;
    if (need.vn_next == 0) break;
  }
  return versions;
}

}  // namespace

uint32_t newestGlibc(std::string* symbol, const void* data, size_t size) {
  const File file(data, size);
  Elf64_Ehdr header;
  if (!file.get(&header, 0) || !sectionsInside(file, header)) return 0;
  std::map<uint32_t, Elf64_Shdr> sections;  // by type: a shared object has one of each
  const auto section = [&](uint64_t index, Elf64_Shdr* found) {
    return index < header.e_shnum && file.get(found, header.e_shoff + index * sizeof *found);
  };
  Elf64_Shdr each, strings;
  for (uint64_t i = 0; section(i, &each); ++i) sections.emplace(each.sh_type, each);
  const Elf64_Shdr &needs = sections[SHT_GNU_verneed], &symbols = sections[SHT_DYNSYM], &indices = sections[SHT_GNU_versym];
  if (needs.sh_size == 0 || !section(needs.sh_link, &strings)) return 0;
  const std::map<uint16_t, uint32_t> versions = neededVersions(file, needs, strings);
  uint32_t newest = 0;
  for (uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
    Elf64_Sym known;
    uint16_t index = 0;
    if (!file.get(&known, symbols.sh_offset + i * sizeof known) || !file.get(&index, indices.sh_offset + i * sizeof index))
      return 0;
    const auto version = versions.find(index & 0x7fff);
    const char* name = file.name(strings.sh_offset, strings.sh_size, known.st_name);
    if (version == versions.end() || version->second <= newest || name == nullptr) continue;
    newest = version->second;
    *symbol = name;
  }
  return newest;
}

std::string checkRelocatable(std::vector<std::string>* undefined, const void* data, size_t size) {
  const File file(data, size);
  Elf64_Ehdr header;
  if (std::string wrong = checkHeader(&header, file, ET_REL); !wrong.empty()) return wrong;
  if (header.e_shoff == 0 || !sectionsInside(file, header)) return "ends before its sections do";
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    file.get(&table, header.e_shoff + i * sizeof table);
    if (table.sh_type != SHT_SYMTAB) continue;
    if (table.sh_link >= header.e_shnum) return "has a damaged table of symbols";
    file.get(&strings, header.e_shoff + uint64_t{table.sh_link} * sizeof strings);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      file.get(&symbol, table.sh_offset + at);
      if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) continue;
      const char* name = file.name(strings.sh_offset, strings.sh_size, symbol.st_name);
      if (name == nullptr) return "has a damaged table of symbols";
      if (strcmp(name, "_GLOBAL_OFFSET_TABLE_") != 0) undefined->push_back(name);
    }
  }
  return "";
}

Elf64_Ehdr nativeHeader() {
  Elf64_Ehdr header{};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = kOrder;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_machine = kMachine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  return header;
}

}  // namespace manyrt::compiler
