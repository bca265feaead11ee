// Packing and unpacking of images, with the checks that the driver makes and in its order: the architecture before the code.
#include "image.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device.h"

namespace manyrt::simulated {
namespace {

constexpr char kMagic[8] = {'\x7f', 'S', 'I', 'M', 'C', 'U', 'D', 'A'};
constexpr uint32_t kVersion = 2;
constexpr uint16_t kCudaMachine = 190;                     // EM_CUDA
constexpr unsigned char kCudaAbi = 0x33, kAbiVersion = 7;  // of cubins up to CUDA 12: the architecture is the flags' low byte
constexpr uint32_t kFatbinMagic = 0xBA55ED50;

struct Head {
  Elf64_Ehdr elf;
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  uint64_t size;      // of what follows
  uint64_t checksum;  // of what follows
  uint64_t head_checksum;
};

// As fatbinary writes them.
struct FatbinHead {
  uint32_t magic;
  uint16_t version, head_size;
  uint64_t size;  // of the entries
};
struct FatbinEntry {
  uint16_t kind, version;
  uint32_t head_size;
  uint64_t size;
  uint32_t unused[3];
  uint32_t architecture;
};
constexpr uint16_t kFatbinPtx = 1, kFatbinElf = 2;

uint64_t checksum(const void* bytes, size_t size) {  // FNV-1a
  uint64_t sum = 0xCBF29CE484222325u;
  for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001B3u;
  return sum;
}

// The flags are left out: changed flags make an image for another device, not a damaged one.
uint64_t headChecksum(const Head& head) { return checksum(&head.magic, offsetof(Head, head_checksum) - offsetof(Head, magic)); }

bool runsHere(uint32_t architecture) {
  return architecture / 10 == uint32_t{kArchitecture} / 10 && architecture <= uint32_t{kArchitecture};
}

Error unpackCubin(const unsigned char* bytes, std::vector<unsigned char>* object) {
  Head head;
  memcpy(&head.elf, bytes, sizeof head.elf);
  if (head.elf.e_machine != kCudaMachine) return kInvalidImage;
  // Real code of a real device's compiler names its architecture elsewhere, and runs nowhere here.
  if (head.elf.e_ident[EI_ABIVERSION] != kAbiVersion || !runsHere(head.elf.e_flags & 0xFF)) return kNoBinary;
  memcpy(&head, bytes, sizeof head);
  if (memcmp(head.magic, kMagic, sizeof kMagic) != 0) return kNoBinary;
  if (head.version != kVersion || head.head_checksum != headChecksum(head)) return kInvalidImage;
  if (checksum(bytes + sizeof head, head.size) != head.checksum) return kInvalidImage;
  object->assign(bytes + sizeof head, bytes + sizeof head + head.size);
  return kSuccess;
}

// Code for this device before PTX that would have to be compiled for it.
Error unpackFatbin(const unsigned char* bytes, std::vector<unsigned char>* object, std::string* log) {
  FatbinHead head;
  memcpy(&head, bytes, sizeof head);
  const unsigned char *code = nullptr, *ptx = nullptr;
  for (uint64_t at = head.head_size; at < head.head_size + head.size;) {
    FatbinEntry entry;
    memcpy(&entry, bytes + at, sizeof entry);
    const unsigned char* inside = bytes + at + entry.head_size;
    if (entry.kind == kFatbinElf && runsHere(entry.architecture)) code = inside;
    if (entry.kind == kFatbinPtx && entry.architecture <= uint32_t{kArchitecture}) ptx = inside;
    at += entry.head_size + entry.size;
  }
  if (code != nullptr) return unpackCubin(code, object);
  return ptx != nullptr ? unpackPtx(reinterpret_cast<const char*>(ptx), object, log) : Error{kNoBinary};
}

bool looksLikePtx(const char* text) {
  // As far as text goes, and no further than a head of comments would.
  size_t length = 0;
  while (length < 4096 &&
         (text[length] == '\n' || text[length] == '\t' || text[length] == '\r' || (text[length] >= 32 && text[length] < 127)))
    ++length;
  return memmem(text, length, ".version", 8) != nullptr;
}

}  // namespace

std::vector<unsigned char> packUnit(const std::vector<unsigned char>& object, int architecture) {
  Head head{};
  memcpy(head.elf.e_ident, ELFMAG, SELFMAG);
  head.elf.e_ident[EI_CLASS] = ELFCLASS64;
  head.elf.e_ident[EI_DATA] = ELFDATA2LSB;
  head.elf.e_ident[EI_VERSION] = EV_CURRENT;
  head.elf.e_ident[EI_OSABI] = kCudaAbi;
  head.elf.e_ident[EI_ABIVERSION] = kAbiVersion;
  head.elf.e_type = ET_EXEC;
  head.elf.e_machine = kCudaMachine;
  head.elf.e_version = EV_CURRENT;
  head.elf.e_flags = static_cast<uint32_t>(architecture);
  head.elf.e_ehsize = sizeof head.elf;
  memcpy(head.magic, kMagic, sizeof kMagic);
  head.version = kVersion;
  head.size = object.size();
  head.checksum = checksum(object.data(), object.size());
  head.head_checksum = headChecksum(head);
  std::vector<unsigned char> packed(sizeof head + object.size());
  memcpy(packed.data(), &head, sizeof head);
  memcpy(packed.data() + sizeof head, object.data(), object.size());
  return packed;
}

Error unpackImage(const void* image, std::vector<unsigned char>* object, std::string* log) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  if (memcmp(bytes, ELFMAG, SELFMAG) == 0) return unpackCubin(bytes, object);
  if (memcmp(bytes, &kFatbinMagic, sizeof kFatbinMagic) == 0) return unpackFatbin(bytes, object, log);
  const char* text = static_cast<const char*>(image);
  return looksLikePtx(text) ? unpackPtx(text, object, log) : Error{kInvalidImage};
}

}  // namespace manyrt::simulated
