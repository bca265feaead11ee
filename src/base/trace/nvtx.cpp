// The program's side of NVTX 3, which has no library. A tool's library is opened, and its InitializeInjectionNvtx2 asks for
// tables and puts the tool's functions into them. Each library that uses NVTX has tables of its own, so that the program may
// use it too. The numbers below are those of NVTX's public headers (nvtxDetail/nvtxTypes.h of https://github.com/NVIDIA/NVTX).
#include "base/trace/nvtx.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/log.h"
#include "base/os/dynamic_library.h"

namespace manyrt::trace::nvtx {
namespace {

using Function = void (*)();

// Tables that a tool may ask for, and their places.
constexpr uint32_t kCallbacksTable = 1, kVersionTable = 3;
constexpr int kCoreModule = 1, kCore2Module = 5;
constexpr uint32_t kNvtxVersion = 3;
enum Core { kMarkA = 2, kRangePushA = 9, kRangePop = 11, kCoreCount = 16 };

struct Callbacks {
  size_t struct_size;
  int (*getModuleFunctionTable)(int module, Function*** table, unsigned* size);
};
struct Version {
  size_t struct_size;
  uint32_t version, reserved;
  void (*setInjectionVersion)(uint32_t);
};

// The second module is there because tools expect it; the library calls nothing of it.
Function core[kCoreCount], core2[kCoreCount];
Function* core_places[kCoreCount + 1];
Function* core2_places[kCoreCount + 1];

int getModuleFunctionTable(int module, Function*** table, unsigned* size) {
  if (module != kCoreModule && module != kCore2Module) return 0;
  if (table != nullptr) *table = module == kCoreModule ? core_places : core2_places;
  if (size != nullptr) *size = kCoreCount;
  return 1;
}

const void* getExportTable(uint32_t id) {
  static const Callbacks callbacks = {sizeof callbacks, getModuleFunctionTable};
  static const Version version = {sizeof version, kNvtxVersion, 0, [](uint32_t) {}};
  if (id == kCallbacksTable) return &callbacks;
  return id == kVersionTable ? static_cast<const void*>(&version) : nullptr;
}

bool findTool() {
  const char* const path = secure_getenv("NVTX_INJECTION64_PATH");
  if (path == nullptr || path[0] == '\0') return false;
  std::string reason;
  void* const library = openLibrary(path, &reason);
  const auto initialize =
      library == nullptr ? nullptr
                         : reinterpret_cast<int (*)(const void* (*)(uint32_t))>(dlsym(library, "InitializeInjectionNvtx2"));
  for (int i = 1; i < kCoreCount; ++i) {  // place 0 is none
    core_places[i] = &core[i];
    core2_places[i] = &core2[i];
  }
  if (initialize != nullptr && initialize(getExportTable) != 0) return true;
  log::write(RT_LOG_WARNING, "The tool for NVTX %s cannot be used%s%s.", path, reason.empty() ? "" : ": ", reason.c_str());
  return false;
}

// The first use asks for it.
bool hasTool() {
  static const bool found = findTool();
  return found;
}

// The tool's function, or null.
template <class F>
F of(Core place) {
  return hasTool() ? reinterpret_cast<F>(core[place]) : nullptr;
}

}  // namespace

void push(const char* name) {
  if (const auto call = of<int (*)(const char*)>(kRangePushA)) call(name);
}

void pop() {
  if (const auto call = of<int (*)()>(kRangePop)) call();
}

void mark(const char* name) {
  if (const auto call = of<void (*)(const char*)>(kMarkA)) call(name);
}

}  // namespace manyrt::trace::nvtx
