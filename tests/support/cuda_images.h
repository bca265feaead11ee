// Images for tests of the CUDA backend: what NVRTC makes of a source for an architecture, and fat binaries of that. The NVRTC
// is the one that the library takes, the simulated one where RT_NVRTC names it.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace rttest {

class Nvrtc {
 public:
  Nvrtc() {
    const char* named = std::getenv("RT_NVRTC");
    for (const char* name : {named, "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      if (library_ == nullptr && name != nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  bool here() const { return library_ != nullptr; }

  // "sm_90" gives a cubin, "compute_90" PTX; empty: it was not compiled.
  std::string cubin(const char* source, const std::string& architecture) {
    return compile(source, architecture, "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
  }
  std::string ptx(const char* source, const std::string& architecture) {
    std::string text = compile(source, architecture, "nvrtcGetPTXSize", "nvrtcGetPTX");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

 private:
  using Program = void*;

  template <typename Function>
  Function* find(const char* name) {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  std::string compile(const char* source, const std::string& architecture, const char* size_name, const char* get_name) {
    Program program = nullptr;
    const std::string option = "--gpu-architecture=" + architecture;
    const char* options[] = {option.c_str()};
    auto* create =
        find<int(Program*, const char*, const char*, int, const char* const*, const char* const*)>("nvrtcCreateProgram");
    auto* build = find<int(Program, int, const char* const*)>("nvrtcCompileProgram");
    auto* size_of = find<int(Program, size_t*)>(size_name);
    auto* get = find<int(Program, char*)>(get_name);
    std::string image;
    size_t size = 0;
    if (create(&program, source, "image.cu", 0, nullptr, nullptr) != 0) return image;
    if (build(program, 1, options) == 0 && size_of(program, &size) == 0) {
      image.resize(size);
      if (get(program, image.data()) != 0) image.clear();
    }
    (void)find<int(Program*)>("nvrtcDestroyProgram")(&program);
    return image;
  }

  void* library_ = nullptr;
};

struct FatbinEntry {
  uint32_t architecture;
  std::string cubin;
};

// As the toolkit's fatbinary writes it: a head, then for each cubin a head of its own with the architecture.
inline std::string fatbin(const std::vector<FatbinEntry>& entries) {
  std::string body;
  for (const FatbinEntry& entry : entries) {
    struct {
      uint16_t kind = 2, version = 0x101;
      uint32_t head_size = 64;
      uint64_t size;
      uint32_t compressed[2] = {0, 0};
      uint32_t form = 0x10008;
      uint32_t architecture;
      uint32_t name[2] = {0, 0};
      uint64_t flags = 0x11;  // 64 bits, Linux
      uint64_t unused[2] = {0, 0};
    } head;
    static_assert(sizeof head == 64);
    head.size = (entry.cubin.size() + 7) / 8 * 8;
    head.architecture = entry.architecture;
    body.append(reinterpret_cast<const char*>(&head), sizeof head);
    body += entry.cubin;
    body.resize((body.size() + 7) / 8 * 8);
  }
  struct {
    uint32_t magic = 0xBA55ED50;
    uint16_t version = 1, head_size = 16;
    uint64_t size;
  } head;
  head.size = body.size();
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + body;
}

}  // namespace rttest
