// Packing, unpacking and loading of units.
#include "unit.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device.h"
#include "execute.h"
#include "temporary.h"

namespace manyrt::simulated {
namespace {

constexpr char kMagic[8] = {'\x7f', 'S', 'I', 'M', 'C', 'U', 'D', 'A'};
constexpr uint32_t kVersion = 1;

struct Head {
  char magic[8];
  uint32_t version;
  uint32_t architecture;
  uint64_t size;      // of what follows
  uint64_t checksum;  // of what follows
  uint64_t head_checksum;
};

uint64_t checksum(const void* bytes, size_t size) {  // FNV-1a
  uint64_t sum = 0xCBF29CE484222325u;
  for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001B3u;
  return sum;
}

bool looksLikePtx(const char* text) {
  // As far as text goes, and no further than a head of comments would.
  size_t length = 0;
  while (length < 4096 &&
         (text[length] == '\n' || text[length] == '\t' || text[length] == '\r' || (text[length] >= 32 && text[length] < 127)))
    ++length;
  return memmem(text, length, ".version", 8) != nullptr;
}

// Shared variables inside a function of that name: _ZZ1kE4tile, or _ZZ<mangled>E... for a mangled one.
bool belongsTo(const std::string& variable, const std::string& function) {
  const std::string plain = "_ZZ" + std::to_string(function.size()) + function + "E";
  const std::string mangled = function.rfind("_Z", 0) == 0 ? "_ZZ" + function.substr(2) + "E" : plain;
  return variable.rfind(plain, 0) == 0 || variable.rfind(mangled, 0) == 0;
}

}  // namespace

std::vector<unsigned char> packUnit(const std::vector<unsigned char>& object, int architecture) {
  Head head{};
  memcpy(head.magic, kMagic, sizeof kMagic);
  head.version = kVersion;
  head.architecture = static_cast<uint32_t>(architecture);
  head.size = object.size();
  head.checksum = checksum(object.data(), object.size());
  head.head_checksum = checksum(&head, offsetof(Head, head_checksum));
  std::vector<unsigned char> packed(sizeof head + object.size());
  memcpy(packed.data(), &head, sizeof head);
  memcpy(packed.data() + sizeof head, object.data(), object.size());
  return packed;
}

Error unpackUnit(const void* image, std::vector<unsigned char>* object, std::string* log) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  if (memcmp(bytes, kMagic, sizeof kMagic) != 0) {
    if (looksLikePtx(static_cast<const char*>(image))) {
      *log = "ptxas application ptx input, line 1; fatal : the simulated driver does not compile PTX\n";
      return kInvalidPtx;
    }
    // An ELF file for machine 190, or a fat binary: a real device's code.
    const bool elf = memcmp(bytes,
                            "\x7f"
                            "ELF",
                            4) == 0 &&
                     bytes[18] == 190;
    const bool fat = memcmp(bytes, "\x50\xed\x55\xba", 4) == 0;
    return elf || fat ? kNoBinary : kInvalidImage;
  }
  Head head;
  memcpy(&head, image, sizeof head);
  if (head.version != kVersion || head.head_checksum != checksum(&head, offsetof(Head, head_checksum))) return kInvalidImage;
  if (head.architecture / 10 != kArchitecture / 10 || head.architecture > kArchitecture) return kNoBinary;
  if (checksum(bytes + sizeof head, head.size) != head.checksum) return kInvalidImage;
  object->assign(bytes + sizeof head, bytes + sizeof head + head.size);
  return kSuccess;
}

std::shared_ptr<Unit> Unit::load(const std::vector<unsigned char>& object, std::string* log) {
  std::shared_ptr<Unit> unit(new Unit);
  if (!readElf(object.data(), object.size(), &unit->image_)) {
    *log = "the unit is no shared object of this machine\n";
    return nullptr;
  }
  // A path of its own for each: the loader takes a path that it knows for the object that it has.
  TemporaryFolder folder;
  const std::string path = folder.path() + "/unit.so";
  if (!folder.good() || !writeFile(path, object.data(), object.size())) {
    *log = "the unit cannot be written to " + path + "\n";
    return nullptr;
  }
  unit->handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (unit->handle_ == nullptr) {
    *log = std::string(dlerror()) + "\n";
    return nullptr;
  }
  return unit->read(log) ? unit : nullptr;
}

bool Unit::read(std::string* log) {
  link_map* map = nullptr;
  auto* hooks = static_cast<simulated_cuda::Hooks*>(dlsym(handle_, "simulated_cuda_hooks"));
  auto* codes = static_cast<const simulated_cuda::Kernel*>(dlsym(handle_, "simulated_cuda_kernels"));
  auto* count = static_cast<const unsigned*>(dlsym(handle_, "simulated_cuda_kernel_count"));
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || hooks == nullptr || codes == nullptr || count == nullptr) {
    *log = "the unit has no kernels table\n";
    return false;
  }
  begin = map->l_addr;
  end = begin + image_.end;
  *hooks = kernelHooks();
  for (unsigned i = 0; i < *count; ++i) {
    const std::string* name = nameOf(codes[i].function);
    const auto same = [&](const Kernel& known) { return known.code->function == codes[i].function; };
    if (name == nullptr || codes[i].invoke == nullptr || std::any_of(kernels.begin(), kernels.end(), same)) continue;
    size_t shared = 0;
    for (const ElfSymbol& symbol : image_.symbols) {
      if (symbol.is_thread_variable && belongsTo(symbol.name, *name)) shared += symbol.size;
    }
    kernels.push_back({*name, &codes[i], shared});
  }
  for (const ElfSymbol& symbol : image_.symbols) {
    if (!symbol.is_variable || symbol.size == 0 || symbol.name.find("simulated_cuda") != std::string::npos) continue;
    if (symbol.name[0] == '_' && symbol.name.rfind("_ZN", 0) != 0 && symbol.name.rfind("_ZL", 0) != 0)
      continue;  // the compiler's
    variables.push_back({symbol.name, begin + symbol.value, symbol.size});
  }
  return true;
}

Unit::~Unit() {
  if (handle_ != nullptr) dlclose(handle_);
}

const void* Unit::listed(size_t expression) const {
  const auto* codes = static_cast<const simulated_cuda::Kernel*>(dlsym(handle_, "simulated_cuda_kernels"));
  const auto* first = static_cast<const unsigned*>(dlsym(handle_, "simulated_cuda_listed"));
  return codes[*first + expression].function;
}

const std::string* Unit::nameOf(const void* address) const {
  for (const ElfSymbol& symbol : image_.symbols) {
    if ((symbol.is_function || symbol.is_variable) && begin + symbol.value == reinterpret_cast<uintptr_t>(address))
      return &symbol.name;
  }
  return nullptr;
}

Unit::ThreadMemory Unit::threadMemory() const {
  ThreadMemory memory{};
  memory.item = static_cast<simulated_cuda::Item*>(dlsym(handle_, "simulated_cuda_item"));
  memory.dynamic = static_cast<unsigned char*>(dlsym(handle_, "simulated_cuda_dynamic"));
  void* block = nullptr;
  dlinfo(handle_, RTLD_DI_TLS_DATA, &block);
  memory.begin = static_cast<unsigned char*>(block);
  memory.end = memory.begin + image_.thread_bytes;
  memory.poisoned = memory.begin + image_.thread_initialized;
  return memory;
}

}  // namespace manyrt::simulated
