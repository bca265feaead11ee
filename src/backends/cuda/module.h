// Modules of CUDA: native modules, and what is known of their kernels. The loader makes them from OpenCL C and CUDA C++
// (through NVRTC) or from PTX, cubins and fat binaries.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/event_pool.h"
#include "backends/cuda/kernel.h"
#include "base/lock_order.h"
#include "compiler/image.h"

namespace manyrt::compiler {
struct CudaImage;
}

namespace manyrt::cuda {

class Context;
class Unloading;

// A native module, which kernels keep alive. When the last of them is gone, work in flight may still run its code. So every
// stream of its context first has to pass what it had then. After that the module is unloaded, or kept for the next build of
// the same source.
class NativeModuleOwner final : public RefCounted, private host_threads::Job {
 public:
  NativeModuleOwner(Ref<Context> context, NativeModule module);
  ~NativeModuleOwner() override;
  NativeModule get() const { return module_; }
  Device& device() const;
  NativeContext context() const;
  // The module has no state of its own: the next load of the same code may have it.
  void makeReusable(const Digest& key, size_t code_bytes);
  void noteShared(const Digest& key);  // modules of the same source have this one while it lives
  void noteExported() { exported_.store(true, std::memory_order_relaxed); }  // the program may change it from now on

 private:
  void recycle() override;
  void run() override;  // recycles later, where there was no memory for it

  const Ref<Context> context_;
  const NativeModule module_;
  Digest key_ = {};
  size_t code_bytes_ = 0;  // 0: not reusable
  bool shared_ = false;    // the manager knows it by its key
  std::atomic<bool> exported_{false};
};

class Module final : public backend::Module {
 public:
  Module(Ref<NativeModuleOwner> module, std::string log) : module_(std::move(module)) { build_log_ = std::move(log); }
  Status global(void** address, uint64_t* size, const char* name) const override;
  void native(uint64_t out[2]) override;
  Status part(backend::BuiltPart* out) const override;
  void setBuilt(std::shared_ptr<const compiler::CudaImage> built) { built_ = std::move(built); }
  // A global, and its symbol in the code.
  void nameGlobal(std::string name, std::string symbol) { symbols_.emplace(std::move(name), std::move(symbol)); }
  void tell(int32_t origin, uint64_t code_bytes) {
    origin_ = origin;
    code_bytes_ = code_bytes;
  }
  // False: there is one of that name.
  bool addKernel(const std::string& name, Ref<backend::Kernel> kernel) { return add(name, std::move(kernel)); }

 private:
  const Ref<NativeModuleOwner> module_;
  std::unordered_map<std::string, std::string> symbols_;  // of globals
  std::shared_ptr<const compiler::CudaImage> built_;      // null: the program brought the code
};

// One source of OpenCL C, with its options, is one native module of the context. Modules made of it while it is in use share
// it. A few native modules without users and without state are kept. The same source built again gets the loaded code without
// asking the driver for it.
class ModuleLoader final : public backend::ModuleLoader {
 public:
  explicit ModuleLoader(Context& context) : context_(context) {}
  ~ModuleLoader() override;
  bool takes(int32_t format) const override;
  Status load(Ref<backend::Module>* module, const backend::Image& image) override;
  uint32_t suits(const backend::ImagePart& part, std::string* why_not) const override;
  Status loadPart(Ref<backend::Module>* module, const backend::ImagePart& part, const char* name) override;
  void giveBack(NativeModule module, const Digest& key, size_t code_bytes);
  void forget(const NativeModuleOwner& module, const Digest& key);  // its last user has gone
  void unloadAfterWork(Unloading* unloading);
  Unloading* nextUnloading();  // for the thread that has unloaded the last one; null: it is done

 private:
  struct Idle {
    NativeModule module;
    Digest key;
    size_t code_bytes;
  };
  static constexpr size_t kMaxIdle = 16;
  static constexpr size_t kMaxIdleBytes = 16 << 20;

  NativeModule takeIdle(const Digest& key);                        // null: there is none
  size_t takeUnwanted(NativeModule* unwanted, size_t code_bytes);  // under the mutex
  void makeRoom(size_t code_bytes);                                // in the list of idle modules, for one more
  Status own(Ref<NativeModuleOwner>* owner, NativeModule module);
  Ref<NativeModuleOwner> findShared(const Digest& key);  // null: there is none
  Ref<NativeModuleOwner> share(Ref<NativeModuleOwner> made, const Digest& key);
  Status loadBuilt(Ref<NativeModuleOwner>* module, const compiler::CudaImage& image, const char* name);
  // `code` is an image of that format; of PTX its terminator stands after it.
  Status loadNative(Ref<NativeModuleOwner>* module, std::string_view code, const char* name, int32_t format);
  Status loadModule(Ref<backend::Module>* module, std::shared_ptr<const compiler::CudaImage> built, const char* name,
                    bool enumerates, int32_t origin);
  Status enumerate(Module& module, Ref<NativeModuleOwner> native, const char* name);

  Context& context_;
  Ranked<std::mutex, LockRank::kCudaModules> mutex_;
  std::vector<Idle> idle_;                       // the longest idle first
  std::map<Digest, NativeModuleOwner*> shared_;  // of OpenCL C, in use: one for each source; not counted
  bool unloads_ = false;                         // a thread does
  Unloading* first_unloading_ = nullptr;
  Unloading** last_unloading_ = &first_unloading_;
};

}  // namespace manyrt::cuda
