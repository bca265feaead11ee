// Reading a shared object's tables, with every offset checked against the bytes that are there.
#include "elf_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace manyrt::simulated {
namespace {

class Bytes {
 public:
  Bytes(const unsigned char* data, size_t size) : data_(data), size_(size) {}

  template <class T>
  bool read(uint64_t offset, T* value) const {
    if (offset > size_ || size_ - offset < sizeof *value) return false;
    memcpy(value, data_ + offset, sizeof *value);
    return true;
  }
  std::string text(uint64_t offset) const {
    std::string found;
    while (offset < size_ && data_[offset] != 0) found += static_cast<char>(data_[offset++]);
    return found;
  }

 private:
  const unsigned char* data_;
  size_t size_;
};

bool readSymbols(const Bytes& bytes, const Elf64_Shdr& table, const Elf64_Shdr& names, ElfImage* image) {
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (!bytes.read(table.sh_offset + at, &symbol)) return false;
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_OBJECT && type != STT_TLS)) continue;
    image->symbols.push_back({bytes.text(names.sh_offset + symbol.st_name), symbol.st_value, symbol.st_size, type == STT_FUNC,
                              type == STT_OBJECT, type == STT_TLS});
  }
  return true;
}

}  // namespace

bool readElf(const unsigned char* data, size_t size, ElfImage* image) {
  const Bytes bytes(data, size);
  Elf64_Ehdr head;
  if (!bytes.read(0, &head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_type != ET_DYN) return false;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!bytes.read(head.e_phoff + i * sizeof segment, &segment)) return false;
    if (segment.p_type == PT_LOAD) image->end = std::max<uint64_t>(image->end, segment.p_vaddr + segment.p_memsz);
    if (segment.p_type != PT_TLS) continue;
    image->thread_bytes = segment.p_memsz;
    image->thread_initialized = segment.p_filesz;
  }
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr table, names;
    if (!bytes.read(head.e_shoff + i * sizeof table, &table)) return false;
    if (table.sh_type != SHT_SYMTAB) continue;
    if (!bytes.read(head.e_shoff + table.sh_link * sizeof names, &names)) return false;
    return readSymbols(bytes, table, names, image);
  }
  return false;
}

}  // namespace manyrt::simulated
