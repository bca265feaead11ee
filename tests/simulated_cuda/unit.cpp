// Loading of units, and what their tables say.
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

// Shared variables inside a function of that name: _ZZ1kE4tile, or _ZZ<mangled>E... for a mangled one.
bool belongsTo(const std::string& variable, const std::string& function) {
  const std::string plain = "_ZZ" + std::to_string(function.size()) + function + "E";
  const std::string mangled = function.rfind("_Z", 0) == 0 ? "_ZZ" + function.substr(2) + "E" : plain;
  return variable.rfind(plain, 0) == 0 || variable.rfind(mangled, 0) == 0;
}

}  // namespace

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
  const auto item = std::find_if(image_.symbols.begin(), image_.symbols.end(), [](const ElfSymbol& symbol) {
    return symbol.is_thread_variable && symbol.name == "simulated_cuda_item";
  });
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || hooks == nullptr || codes == nullptr || count == nullptr ||
      item == image_.symbols.end()) {
    *log = "the unit has no kernels table\n";
    return false;
  }
  item_offset_ = item->value;
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

// Counted from a variable in it: dlinfo(RTLD_DI_TLS_DATA) says at times that there is none while other threads load and unload.
Unit::ThreadMemory Unit::threadMemory() const {
  ThreadMemory memory{};
  memory.item = static_cast<simulated_cuda::Item*>(dlsym(handle_, "simulated_cuda_item"));
  memory.dynamic = static_cast<unsigned char*>(dlsym(handle_, "simulated_cuda_dynamic"));
  memory.begin = reinterpret_cast<unsigned char*>(memory.item) - item_offset_;
  memory.end = memory.begin + image_.thread_bytes;
  memory.poisoned = memory.begin + image_.thread_initialized;
  return memory;
}

}  // namespace manyrt::simulated
