// Loading modules: from each format to a library, and from its description to a pipeline for each kernel.
#include "backends/opencl/program/module.h"

#include "backends/opencl/device.h"
#include "backends/opencl/program/pipeline.h"
#include "compiler/build.h"

namespace manyrt::opencl {

Status Module::create(Ref<backend::Module>* out, Ref<Library> library, const char* name, int32_t origin) {
  Ref<Module> module = Ref<Module>::adopt(new Module(library));
  module->build_log_ = library->log;
  module->origin_ = origin;
  for (const compiler::OpenClKernel& described : library->kernels) {
    Ref<backend::Kernel> pipeline;
    // All kernels at once: a module whose kernel the driver refuses is refused as a whole.
    RT_TRY(Pipeline::create(&pipeline, library, described));
    if (!module->add(described.name, std::move(pipeline))) {
      return Status::error(RT_ERROR_INVALID_IMAGE, "\"%s\" has two kernels of the name \"%s\".", name, described.name.c_str());
    }
  }
  *out = std::move(module);
  return Status();
}

void Module::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(library_->program());
  out[1] = 0;
}

Status Module::part(backend::BuiltPart* out) const { return library_->device().libraries().part(out, *library_); }

uint32_t ModuleLoader::suits(const backend::ImagePart& part, std::string* why_not) const {
  return device_.libraries().suits(part, why_not);
}

Status ModuleLoader::loadPart(Ref<backend::Module>* module, const backend::ImagePart& part, const char* name) {
  // A lost device builds nothing.
  RT_TRY(device_.lost());
  Ref<Library> library;
  RT_TRY(device_.libraries().fromPart(&library, part, name));
  return Module::create(module, std::move(library), name, RT_MODULE_ORIGIN_IMAGE);
}

bool ModuleLoader::takes(int32_t format) const {
  return format == RT_IMAGE_OPENCL_C || format == RT_IMAGE_OPENCL_BINARY || (format == RT_IMAGE_SPIRV && device_.takesIl());
}

Status ModuleLoader::load(Ref<backend::Module>* module, const backend::Image& image) {
  // As above.
  RT_TRY(device_.lost());
  const char* name = image.name[0] != '\0' ? image.name : image.format == RT_IMAGE_OPENCL_C ? "kernel.cl" : "image";
  Libraries& libraries = device_.libraries();
  Ref<Library> library;
  int32_t origin_code = RT_MODULE_ORIGIN_IMAGE;
  if (image.format == RT_IMAGE_OPENCL_BINARY) {
    // Binaries and SPIR-V bring no description: the driver is asked what their kernels take.
    RT_TRY(libraries.fromBinary(&library, image.data.data(), image.data.size(), image.options, name));
  } else if (image.format == RT_IMAGE_SPIRV) {
    RT_TRY(libraries.fromIl(&library, image.data.data(), image.data.size(), image.options, name));
  } else {
    compiler::BuildRequest request;
    request.source = image.data;
    request.more.assign(image.more, image.more + image.more_count);
    request.options = image.options;
    request.name = image.name;
    for (uint32_t i = 0; i < image.header_count; ++i) request.headers.push_back({image.header_names[i], image.headers[i]});
    std::string log;
    compiler::Origin origin;
    request.origin = &origin;
    if (Status status = libraries.fromSource(&library, request, &log); !status.ok()) {
      return compiler::buildFailure(status, std::move(log));
    }
    origin_code = compiler::originCode(origin);
  }
  return Module::create(module, std::move(library), name, origin_code);
}

}  // namespace manyrt::opencl
