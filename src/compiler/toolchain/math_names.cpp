// Finding names in the libm that is loaded here, by its own hash table, and writing an ELF file that has them. Reading the
// loaded one is exact: the kernel will be loaded beside it, whatever libm the compiler's folders have.
#include "compiler/toolchain/math_names.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "compiler/toolchain/elf.h"

namespace manyrt::compiler {
namespace {

constexpr char kLibrary[] = "libm.so.6";
constexpr uint16_t kHidden = 0x8000;  // of a version: only those that ask for it by name get the symbol

struct Name {
  std::string name;
  std::string version;  // empty: it has none
  unsigned char info;
};

// ---- The library in memory ----

class Loaded {
 public:
  bool open();  // false: there is no such library, or it lacks one of the tables
  bool find(Name* found, const std::string& name) const;

 private:
  const void* table(const link_map* map, Elf64_Sxword tag) const;
  std::string versionName(uint16_t index) const;

  const Elf64_Sym* symbols_ = nullptr;
  const char* strings_ = nullptr;
  const uint32_t* hash_ = nullptr;
  const Elf64_Versym* versions_ = nullptr;
  const Elf64_Verdef* definitions_ = nullptr;
};

const void* Loaded::table(const link_map* map, Elf64_Sxword tag) const {
  for (const Elf64_Dyn* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != tag) continue;
    // Most loaders have added the library's address; where the table is read-only they have not.
    const Elf64_Addr address = entry->d_un.d_ptr < map->l_addr ? entry->d_un.d_ptr + map->l_addr : entry->d_un.d_ptr;
    return reinterpret_cast<const void*>(address);
  }
  return nullptr;
}

bool Loaded::open() {
  void* handle = dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
    symbols_ = static_cast<const Elf64_Sym*>(table(map, DT_SYMTAB));
    strings_ = static_cast<const char*>(table(map, DT_STRTAB));
    hash_ = static_cast<const uint32_t*>(table(map, DT_GNU_HASH));
    versions_ = static_cast<const Elf64_Versym*>(table(map, DT_VERSYM));
    definitions_ = static_cast<const Elf64_Verdef*>(table(map, DT_VERDEF));
  }
  dlclose(handle);  // it stays: the C++ library needs it
  return symbols_ != nullptr && strings_ != nullptr && hash_ != nullptr && versions_ != nullptr && definitions_ != nullptr;
}

std::string Loaded::versionName(uint16_t index) const {
  for (const Elf64_Verdef* at = definitions_;;) {
    const char* bytes = reinterpret_cast<const char*>(at);
    if (at->vd_ndx == index && (at->vd_flags & VER_FLG_BASE) == 0) {
      return strings_ + reinterpret_cast<const Elf64_Verdaux*>(bytes + at->vd_aux)->vda_name;
    }
    if (at->vd_next == 0) return "";
    at = reinterpret_cast<const Elf64_Verdef*>(bytes + at->vd_next);
  }
}

// The symbol that a linker would take: the one of that name whose version is not hidden.
bool Loaded::find(Name* found, const std::string& name) const {
  uint32_t code = 5381;
  for (const char letter : name) code = code * 33 + static_cast<unsigned char>(letter);
  const uint32_t buckets = hash_[0], first = hash_[1], filters = hash_[2];
  const uint32_t* bucket = hash_ + 4 + 2 * filters;  // the filters have 64 bits each
  const uint32_t* chain = bucket + buckets;
  uint32_t index = bucket[code % buckets];
  if (index < first) return false;
  for (;; ++index) {
    const uint32_t entry = chain[index - first];
    const Elf64_Sym& symbol = symbols_[index];
    if ((entry | 1) == (code | 1) && name == strings_ + symbol.st_name && symbol.st_shndx != SHN_UNDEF &&
        (versions_[index] & kHidden) == 0) {
      *found = {name, versionName(versions_[index]), symbol.st_info};
      return true;
    }
    if ((entry & 1) != 0) return false;
  }
}

// ---- The file ----

class Strings {
 public:
  uint32_t add(const std::string& text) {
    const size_t at = text_.size();
    text_.append(text).push_back('\0');
    return static_cast<uint32_t>(at);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
};

// The hash of version names, of the first ELF.
uint32_t elfHash(const std::string& name) {
  uint32_t hash = 0;
  for (const char letter : name) {
    hash = (hash << 4) + static_cast<unsigned char>(letter);
    const uint32_t top = hash & 0xf0000000;
    hash = (hash ^ top >> 24) & ~top;
  }
  return hash;
}

class Writer {
 public:
  std::vector<unsigned char> write(const std::vector<Name>& names);

 private:
  void addVersion(const std::string& name, uint16_t flags);
  uint16_t versionOf(const std::string& name);
  void addSection(const char* name, Elf64_Word type, Elf64_Word link, Elf64_Word info, const void* data, size_t size,
                  size_t entry);
  std::vector<unsigned char> finish();

  struct Definition {
    Elf64_Verdef head;
    Elf64_Verdaux name;
  };
  Strings strings_;
  Strings section_names_;
  std::vector<std::string> version_names_;
  std::vector<Definition> definitions_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<unsigned char> bytes_;
};

void Writer::addVersion(const std::string& name, uint16_t flags) {
  version_names_.push_back(name);
  Definition definition{};
  definition.head.vd_version = VER_DEF_CURRENT;
  definition.head.vd_flags = flags;
  definition.head.vd_ndx = static_cast<Elf64_Half>(version_names_.size());
  definition.head.vd_cnt = 1;
  definition.head.vd_hash = elfHash(name);
  definition.head.vd_aux = sizeof(Elf64_Verdef);
  definition.name.vda_name = strings_.add(name);
  if (!definitions_.empty()) definitions_.back().head.vd_next = sizeof(Definition);
  definitions_.push_back(definition);
}

uint16_t Writer::versionOf(const std::string& name) {
  if (name.empty()) return VER_NDX_GLOBAL;
  for (size_t i = 1; i < version_names_.size(); ++i) {
    if (version_names_[i] == name) return static_cast<uint16_t>(i + 1);
  }
  addVersion(name, 0);
  return static_cast<uint16_t>(version_names_.size());
}

void Writer::addSection(const char* name, Elf64_Word type, Elf64_Word link, Elf64_Word info, const void* data, size_t size,
                        size_t entry) {
  bytes_.resize((bytes_.size() + 15) / 16 * 16);
  Elf64_Shdr section{};
  section.sh_name = section_names_.add(name);
  section.sh_type = type;
  section.sh_flags = type == SHT_STRTAB && strcmp(name, ".dynstr") != 0 ? 0 : SHF_ALLOC;
  section.sh_addr = section.sh_offset = bytes_.size();
  section.sh_size = size;
  section.sh_link = link;
  section.sh_info = info;
  section.sh_addralign = 16;
  section.sh_entsize = entry;
  sections_.push_back(section);
  const auto* first = static_cast<const unsigned char*>(data);
  bytes_.insert(bytes_.end(), first, first + size);
}

std::vector<unsigned char> Writer::finish() {
  section_names_.add(".shstrtab");
  const std::string names = section_names_.text();  // complete: the section that holds it has the last name
  addSection("", SHT_STRTAB, 0, 0, names.data(), names.size(), 0);
  sections_.back().sh_name = static_cast<Elf64_Word>(names.size() - sizeof ".shstrtab");
  bytes_.resize((bytes_.size() + 15) / 16 * 16);
  Elf64_Ehdr header = nativeHeader();
  header.e_type = ET_DYN;
  header.e_shoff = bytes_.size();
  header.e_shnum = static_cast<Elf64_Half>(sections_.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections_.size() - 1);
  memcpy(bytes_.data(), &header, sizeof header);
  const auto* first = reinterpret_cast<const unsigned char*>(sections_.data());
  bytes_.insert(bytes_.end(), first, first + sections_.size() * sizeof(Elf64_Shdr));
  return std::move(bytes_);
}

std::vector<unsigned char> Writer::write(const std::vector<Name>& names) {
  constexpr Elf64_Half kCode = 1, kStrings = 2;  // sections, in the order below
  constexpr size_t kApart = 16;                  // symbols in one place are one another's aliases to a linker
  const std::vector<unsigned char> no_code(names.size() * kApart);
  addVersion(kLibrary, VER_FLG_BASE);
  std::vector<Elf64_Sym> symbols(1);
  std::vector<Elf64_Versym> versions(1);
  for (const Name& name : names) {
    Elf64_Sym symbol{};
    symbol.st_name = strings_.add(name.name);
    symbol.st_info = name.info;
    symbol.st_shndx = kCode;
    symbol.st_value = sizeof(Elf64_Ehdr) + (symbols.size() - 1) * kApart;
    symbols.push_back(symbol);
    versions.push_back(versionOf(name.version));
  }
  Elf64_Dyn dynamic[2] = {};
  dynamic[0].d_tag = DT_SONAME;
  dynamic[0].d_un.d_val = strings_.add(kLibrary);
  bytes_.resize(sizeof(Elf64_Ehdr));
  sections_.resize(1);
  addSection(".text", SHT_PROGBITS, 0, 0, no_code.data(), no_code.size(), 0);
  addSection(".dynstr", SHT_STRTAB, 0, 0, strings_.text().data(), strings_.text().size(), 0);
  addSection(".dynsym", SHT_DYNSYM, kStrings, 1, symbols.data(), symbols.size() * sizeof symbols[0], sizeof symbols[0]);
  addSection(".gnu.version", SHT_GNU_versym, 3, 0, versions.data(), versions.size() * sizeof versions[0], sizeof versions[0]);
  addSection(".gnu.version_d", SHT_GNU_verdef, kStrings, static_cast<Elf64_Word>(definitions_.size()), definitions_.data(),
             definitions_.size() * sizeof definitions_[0], 0);
  addSection(".dynamic", SHT_DYNAMIC, kStrings, 0, dynamic, sizeof dynamic, sizeof dynamic[0]);
  return finish();
}

}  // namespace

std::vector<unsigned char> mathNames(std::vector<std::string> wanted, bool* understood) {
  // Each once: GNU ld never ends over two symbols of one name and place, of which the first is weak.
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  Loaded library;
  *understood = library.open();
  std::vector<Name> names;
  for (const std::string& name : wanted) {
    Name found;
    if (*understood && library.find(&found, name)) names.push_back(std::move(found));
  }
  return names.empty() ? std::vector<unsigned char>() : Writer().write(names);
}

}  // namespace manyrt::compiler
