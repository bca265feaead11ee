// Loading units, and what a program asks of modules and kernels.
#include "module.h"

#include <algorithm>
#include <cstring>

#include "call.h"
#include "image.h"
#include "memory.h"
#include "report.h"

namespace manyrt::simulated {
namespace {

Table<Module, NativeModule>& modules() {
  static auto* table = new Table<Module, NativeModule>("the module", 3);
  return *table;
}

Error moduleOf(NativeModule handle, std::shared_ptr<Module>* module) {
  Context* current;
  SIMULATED_TRY(currentForDriver(&current));
  *module = modules().find(handle);
  return *module == nullptr ? Error{kInvalidHandle} : (*module)->context.state();
}

Error functionOf(NativeFunction handle, std::shared_ptr<KernelFunction>* function) {
  *function = functions().find(handle);
  return *function == nullptr ? Error{kInvalidHandle} : (*function)->context.state();
}

void writeLog(const std::string& log, unsigned count, const int* options, void** values) {
  char* buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kJitErrorLogBuffer) buffer = static_cast<char*>(values[i]);
    if (options[i] == kJitErrorLogBufferBytes) bytes = reinterpret_cast<uintptr_t>(values[i]) & 0xFFFFFFFFu;
  }
  if (buffer == nullptr || bytes == 0) return;
  const size_t kept = std::min(log.size(), bytes - 1);
  memcpy(buffer, log.data(), kept);
  buffer[kept] = 0;
  for (unsigned i = 0; i < count; ++i) {  // as the driver does: how much was written
    if (options[i] == kJitErrorLogBufferBytes) values[i] = reinterpret_cast<void*>(kept);
  }
}

int blocksThatFit(const KernelFunction& function, int block_size, size_t dynamic_bytes) {
  const int warps = (block_size + kWarpThreads - 1) / kWarpThreads;
  const size_t shared = function.kernel->shared_bytes + dynamic_bytes + kSharedReservedBytes;
  const int by_threads = kMaxResidentThreads / (warps * kWarpThreads);
  const int by_shared = static_cast<int>(kSharedMultiprocessorBytes / shared);
  return std::min({by_threads, by_shared, kMaxResidentBlocks});
}

}  // namespace

int KernelFunction::mostThreads() const {
  const int bound = static_cast<int>(kernel->code->most_threads);
  return bound == 0 ? kMaxBlockThreads : std::min(bound, kMaxBlockThreads);
}

Module::Module(Context& its_context, std::shared_ptr<Unit> its_unit) : context(its_context), unit(std::move(its_unit)) {
  for (const Unit::Variable& variable : unit->variables) addVariable(variable.address, variable.size, context);
  for (const Unit::Kernel& kernel : unit->kernels) {
    functions.push_back(simulated::functions().add(
        std::shared_ptr<KernelFunction>(new KernelFunction{context, unit, &kernel, static_cast<int>(kSharedBytes)})));
  }
}

Module::~Module() {
  for (NativeFunction function : functions) simulated::functions().remove(function);
  for (const Unit::Variable& variable : unit->variables) removeVariable(variable.address);
}

Table<KernelFunction, NativeFunction>& functions() {
  static auto* table = new Table<KernelFunction, NativeFunction>("the kernel", 4);
  return *table;
}

int liveModules() { return modules().live(); }

void removeModulesOf(Context& context) {
  modules().removeIf([&](const Module& module) { return &module.context == &context; });
}

namespace driver {

Error ModuleLoadDataEx(NativeModule* module, const void* image, unsigned count, int* options, void** values) {
  return DRIVER_CALL(ModuleLoadDataEx, {
    Context* context;
    SIMULATED_TRY(currentForDriver(&context));
    if (module == nullptr || image == nullptr || (count != 0 && (options == nullptr || values == nullptr)))
      return kInvalidValue;
    std::vector<unsigned char> object;
    std::string log;
    const Error code = unpackImage(image, &object, &log);
    std::shared_ptr<Unit> unit = code == kSuccess ? Unit::load(object, &log) : nullptr;
    writeLog(log, count, options, values);
    if (unit == nullptr) return code == kSuccess ? kInvalidImage : code;
    *module = modules().add(std::make_shared<Module>(*context, std::move(unit)));
    return kSuccess;
  });
}

Error ModuleUnload(NativeModule handle) {
  return DRIVER_CALL(ModuleUnload, {
    Context* current;
    SIMULATED_TRY(currentForDriver(&current));
    std::shared_ptr<Module> module = modules().remove(handle);
    if (module == nullptr) return kInvalidHandle;
    if (module->unit->pending > 0) violation("a module is unloaded while %d launches of it run", module->unit->pending.load());
    return kSuccess;
  });
}

Error ModuleGetFunction(NativeFunction* function, NativeModule handle, const char* name) {
  return DRIVER_CALL(ModuleGetFunction, {
    std::shared_ptr<Module> module;
    SIMULATED_TRY(moduleOf(handle, &module));
    if (function == nullptr || name == nullptr) return kInvalidValue;
    for (size_t i = 0; i < module->functions.size(); ++i) {
      if (module->unit->kernels[i].name != name) continue;
      *function = module->functions[i];
      return kSuccess;
    }
    return kNotFound;
  });
}

Error ModuleGetGlobal(DriverAddress* address, size_t* size, NativeModule handle, const char* name) {
  return DRIVER_CALL(ModuleGetGlobal, {
    std::shared_ptr<Module> module;
    SIMULATED_TRY(moduleOf(handle, &module));
    if (name == nullptr) return kInvalidValue;
    for (const Unit::Variable& variable : module->unit->variables) {
      if (variable.name != name) continue;
      if (address != nullptr) *address = variable.address;
      if (size != nullptr) *size = variable.size;
      return kSuccess;
    }
    return kNotFound;
  });
}

Error ModuleGetFunctionCount(unsigned* count, NativeModule handle) {
  return DRIVER_CALL(ModuleGetFunctionCount, {
    std::shared_ptr<Module> module;
    SIMULATED_TRY(moduleOf(handle, &module));
    if (count == nullptr) return kInvalidValue;
    *count = static_cast<unsigned>(module->functions.size());
    return kSuccess;
  });
}

Error ModuleEnumerateFunctions(NativeFunction* all, unsigned count, NativeModule handle) {
  return DRIVER_CALL(ModuleEnumerateFunctions, {
    std::shared_ptr<Module> module;
    SIMULATED_TRY(moduleOf(handle, &module));
    if (all == nullptr || count == 0) return kInvalidValue;
    std::copy_n(module->functions.begin(), std::min<size_t>(count, module->functions.size()), all);
    return kSuccess;
  });
}

Error FuncGetName(const char** name, NativeFunction handle) {
  return DRIVER_CALL(FuncGetName, {
    std::shared_ptr<KernelFunction> function;
    SIMULATED_TRY(functionOf(handle, &function));
    if (name == nullptr) return kInvalidValue;
    *name = function->kernel->name.c_str();
    return kSuccess;
  });
}

Error FuncGetParamInfo(NativeFunction handle, size_t index, size_t* offset, size_t* size) {
  return DRIVER_CALL(FuncGetParamInfo, {
    std::shared_ptr<KernelFunction> function;
    SIMULATED_TRY(functionOf(handle, &function));
    const simulated_cuda::Kernel& code = *function->kernel->code;
    if (offset == nullptr || index >= code.parameter_count) return kInvalidValue;
    *offset = code.offsets[index];
    if (size != nullptr) *size = code.sizes[index];
    return kSuccess;
  });
}

Error FuncGetAttribute(int* value, int attribute, NativeFunction handle) {
  return DRIVER_CALL(FuncGetAttribute, {
    std::shared_ptr<KernelFunction> function;
    SIMULATED_TRY(functionOf(handle, &function));
    if (value == nullptr) return kInvalidValue;
    switch (attribute) {
      case kFunctionMaxThreadsPerBlock:
        *value = function->mostThreads();
        return kSuccess;
      case kFunctionSharedBytes:
        *value = static_cast<int>(function->kernel->shared_bytes);
        return kSuccess;
      case 2:
      case kFunctionLocalBytes:
      case 7:
        *value = 0;
        return kSuccess;  // constant bytes, local bytes, cache mode
      case kFunctionRegisters:
        *value = 32;
        return kSuccess;
      case 5:
      case 6:
        *value = kArchitecture;
        return kSuccess;
      case kFunctionMaxDynamicSharedBytes:
        *value = function->most_dynamic_bytes;
        return kSuccess;
      case 9:
        *value = -1;
        return kSuccess;  // preferred carveout
      default:
        return kInvalidValue;
    }
  });
}

Error FuncSetAttribute(NativeFunction handle, int attribute, int value) {
  return DRIVER_CALL(FuncSetAttribute, {
    std::shared_ptr<KernelFunction> function;
    SIMULATED_TRY(functionOf(handle, &function));
    if (attribute == 9) return value >= -1 && value <= 100 ? kSuccess : kInvalidValue;
    if (attribute != kFunctionMaxDynamicSharedBytes || value < 0) return kInvalidValue;
    if (static_cast<size_t>(value) + function->kernel->shared_bytes > kSharedOptinBytes) return kInvalidValue;
    function->most_dynamic_bytes = value;
    return kSuccess;
  });
}

Error OccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, NativeFunction handle, int block_size, size_t dynamic_bytes) {
  return DRIVER_CALL(OccupancyMaxActiveBlocksPerMultiprocessor, {
    std::shared_ptr<KernelFunction> function;
    SIMULATED_TRY(functionOf(handle, &function));
    if (blocks == nullptr || block_size <= 0 || block_size > kMaxBlockThreads) return kInvalidValue;
    *blocks = block_size > function->mostThreads() ? 0 : blocksThatFit(*function, block_size, dynamic_bytes);
    return kSuccess;
  });
}

}  // namespace driver

}  // namespace manyrt::simulated
