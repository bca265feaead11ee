// Modules of the CPU: loaded objects with a table, rtHostModule, which is checked field by field before it is used. The
// loader makes them from OpenCL C or from a shared object. Contexts own a loader; managers own modules.
#pragma once

#include "backends/backend.h"
#include "compiler/build.h"
#include "compiler/image.h"

namespace manyrt::cpu {

class Module final : public backend::Module {
 public:
  // `opencl_c`: the object was made from OpenCL C, whose launches follow that language's rules. `threads`: of the engine.
  static Status create(Ref<backend::Module>* module, Ref<compiler::Object> object, const char* name, bool opencl_c,
                       std::string log, uint32_t threads, int32_t origin);

  Status global(void** address, uint64_t* size, const char* name) const override;
  void native(uint64_t out[2]) override;
  Status part(backend::BuiltPart* out) const override;
  int32_t state() const override;
  uint64_t codeBytes() const override;
  Status awaitOptimized(Deadline deadline) override { return compiler::awaitBetter(*object_, deadline); }

 private:
  Module(Ref<compiler::Object> object, const rtHostModule_t& table) : object_(std::move(object)), table_(table) {}

  const Ref<compiler::Object> object_;
  const rtHostModule_t& table_;  // in the object
};

class ModuleLoader final : public backend::ModuleLoader {
 public:
  explicit ModuleLoader(uint32_t threads) : threads_(threads) {}
  bool takes(int32_t format) const override { return format == RT_IMAGE_OPENCL_C || format == RT_IMAGE_HOST_OBJECT; }
  Status load(Ref<backend::Module>* module, const backend::Image& image) override;
  void loadMany(backend::Loading* loadings, size_t count) override;
  uint32_t suits(const backend::ImagePart& part, std::string* why_not) const override;
  Status loadPart(Ref<backend::Module>* module, const backend::ImagePart& part, const char* name) override;

 private:
  const uint32_t threads_;
};

}  // namespace manyrt::cpu
