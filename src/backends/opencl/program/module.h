// Modules of OpenCL: a lease on a library, with a pipeline for each of its kernels.
#pragma once

#include "backends/backend.h"
#include "backends/opencl/program/library.h"

namespace manyrt::opencl {

class Module final : public backend::Module {
 public:
  static Status create(Ref<backend::Module>* module, Ref<Library> library, const char* name, int32_t origin);
  Status global(void**, uint64_t*, const char*) const override { return Status(); }
  void native(uint64_t out[2]) override;
  Status part(backend::BuiltPart* out) const override;

 private:
  explicit Module(Ref<Library> library) : library_(std::move(library)) {}
  const Ref<Library> library_;
};

class ModuleLoader final : public backend::ModuleLoader {
 public:
  explicit ModuleLoader(Device& device) : device_(device) {}
  bool takes(int32_t format) const override;
  Status load(Ref<backend::Module>* module, const backend::Image& image) override;
  uint32_t suits(const backend::ImagePart& part, std::string* why_not) const override;
  Status loadPart(Ref<backend::Module>* module, const backend::ImagePart& part, const char* name) override;

 private:
  Device& device_;
};

}  // namespace manyrt::opencl
