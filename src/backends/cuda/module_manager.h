// Modules of CUDA: native modules, what is known of their kernels, and the loader that makes them from OpenCL C and CUDA C++
// (through NVRTC) or from PTX, cubins and fat binaries.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/event_manager.h"
#include "backends/cuda/kernel.h"

namespace manyrt::cuda {

class Context;

// A native module, which kernels keep alive. Work in flight may still run its code when the last of them is gone: it is
// unloaded when every stream of its context has passed what it had then.
class NativeModuleOwner final : public RefCounted, private host_threads::Job {
 public:
  NativeModuleOwner(Ref<Context> context, NativeModule module);
  ~NativeModuleOwner() override;
  NativeModule get() const { return module_; }
  Device& device() const;
  NativeContext context() const;

 private:
  void recycle() override;
  void run() override;  // recycles later, where there was no memory for it

  const Ref<Context> context_;
  const NativeModule module_;
};

class Module final : public backend::Module {
 public:
  Module(Ref<NativeModuleOwner> module, std::string log) : module_(std::move(module)) { build_log_ = std::move(log); }
  bool global(void** address, uint64_t* size, const char* name) const override;
  void native(uint64_t out[2]) override;
  // A global, and its symbol in the code.
  void nameGlobal(std::string name, std::string symbol) { symbols_.emplace(std::move(name), std::move(symbol)); }
  // False: there is one of that name.
  bool addKernel(const std::string& name, Ref<backend::Kernel> kernel) { return add(name, std::move(kernel)); }

 private:
  const Ref<NativeModuleOwner> module_;
  std::unordered_map<std::string, std::string> symbols_;  // of globals
};

class ModuleManager final : public backend::ModuleLoader {
 public:
  explicit ModuleManager(Context& context) : context_(context) {}
  bool takes(int32_t format) const override;
  Status load(Ref<backend::Module>* module, const backend::Image& image) override;

 private:
  // `code` is an image of that format; of PTX its terminator stands behind it.
  Status loadNative(Ref<NativeModuleOwner>* module, std::string_view code, const char* name, int32_t format);
  Status enumerate(Module& module, Ref<NativeModuleOwner> native, const char* name);

  Context& context_;
};

}  // namespace manyrt::cuda
