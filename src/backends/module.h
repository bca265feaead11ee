// Programs: what a module loader gets of the program, and the modules that it makes. A backend whose devices run no kernels
// from source or binaries has none of this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/kernel.h"
#include "base/blake2b.h"
#include "base/clock.h"

namespace manyrt::backend {

// A program as rt.h receives it. Everything is borrowed for the call.
struct Image {
  int32_t format = RT_IMAGE_OPENCL_C;  // RT_IMAGE_*, never RT_IMAGE_AUTO
  std::string_view data;
  uint32_t more_count = 0;  // of OPENCL_C: further sources of the program
  const std::string_view* more = nullptr;
  const char* options = "";  // of a build
  const char* name = "";     // in messages; "": the loader's choice
  uint32_t header_count = 0;
  const char* const* header_names = nullptr;
  const char* const* headers = nullptr;
  int32_t tier = RT_TIER_DEFAULT;  // of OPENCL_C: RT_TIER_*
};

// Kinds of parts of an image (module_image.h, docs/design/images.md). Other numbers are of later versions, and passed over.
enum class PartKind : uint32_t { kSource = 1, kCpu = 2, kCuda = 3, kOpenCl = 4 };

// A part that was read; borrowed.
struct ImagePart {
  uint32_t kind = 0;        // PartKind, or unknown
  uint32_t form = 0;        // of the data: the loader takes those that it knows
  std::string_view target;  // the device or processor that it is for, in words of the kind
  std::string_view data;    // to be checked against the hash before it is used
  Digest hash{};
};

// A part to be written. The same code has the same bytes.
struct BuiltPart {
  PartKind kind = PartKind::kSource;
  uint32_t form = 0;
  std::string target;
  std::string data;
};

// A program loaded for one context. Its kernels keep what they need of it: they may outlive it.
class Module : public RefCounted {
 public:
  const std::vector<Ref<Kernel>>& kernels() const { return kernels_; }
  // The index of a kernel, or kernels().size().
  size_t find(const std::string& name) const {
    auto found = index_.find(name);
    return found == index_.end() ? kernels_.size() : found->second;
  }
  // For a sentence that a kernel is missing: "It has \"add\" and \"scale\"."
  std::string whatItHas() const {
    constexpr size_t kMaxNames = 24;
    std::vector<const std::string*> names(kernels_.size());
    for (const auto& [name, index] : index_) names[index] = &name;
    std::string text = names.empty() ? "It has none" : "It has";
    for (size_t i = 0; i < names.size() && i < kMaxNames; ++i) {
      text += (i == 0 ? " \"" : i + 1 == names.size() ? " and \"" : ", \"") + *names[i] + "\"";
    }
    if (names.size() > kMaxNames) text += " and " + std::to_string(names.size() - kMaxNames) + " more";
    return text + ".";
  }
  const std::string& buildLog() const { return build_log_; }
  // RT_MODULE_ORIGIN_*, and RT_MODULE_* as rtModuleGetInfo has it.
  int32_t origin() const { return origin_; }
  virtual int32_t state() const { return RT_MODULE_OPTIMIZED; }
  virtual uint64_t codeBytes() const { return code_bytes_; }  // 0: not known
  // Until the code of the kernels is the one that stays, which it is at once where a module is compiled once. Blocks, outside
  // guards. TIMEOUT; BUILD_FAILED: the first code stays, since there is no better one.
  virtual Status awaitOptimized(Deadline) { return Status(); }
  // cuModuleGetGlobal · nothing in OpenCL 1.2. The address stays null where there is none of that name.
  virtual Status global(void** address, uint64_t* size, const char* name) const = 0;
  virtual void native(uint64_t out[2]) = 0;
  // The code of the kernels as a part of an image. NOT_SUPPORTED where the program brought it. Throws bad_alloc.
  virtual Status part(BuiltPart* out) const = 0;

 protected:
  // False: there is one of that name.
  bool add(const std::string& name, Ref<Kernel> kernel) {
    if (!index_.emplace(name, kernels_.size()).second) return false;
    kernels_.push_back(std::move(kernel));
    return true;
  }

  std::string build_log_;
  int32_t origin_ = RT_MODULE_ORIGIN_IMAGE;
  uint64_t code_bytes_ = 0;

 private:
  std::vector<Ref<Kernel>> kernels_;
  std::unordered_map<std::string, size_t> index_;
};

// One of many programs.
struct Loading {
  const Image* image = nullptr;  // borrowed
  Ref<Module> module;            // the result, null where the status is a failure
  Status status;
};

// Turns programs into modules, on devices with RT_CAPABILITY_KERNELS.
class ModuleLoader {
 public:
  virtual ~ModuleLoader() = default;
  virtual bool takes(int32_t format) const = 0;  // RT_IMAGE_*
  // cuModuleLoadDataEx, NVRTC · clCreateProgramWithSource, clBuildProgram. Blocks while a compiler runs; several threads
  // may be inside. Memory that is missing may be std::bad_alloc.
  virtual Status load(Ref<Module>* module, const Image& image) = 0;
  // The same for many, side by side: one that fails stops no other. As it is here: load() on as many threads as there are
  // processors. Throws bad_alloc before it has begun.
  virtual void loadMany(Loading* loadings, size_t count);
  // How well a part suits the device: 0 not at all, and `why_not` gets the rest of a sentence; else the greatest is taken.
  virtual uint32_t suits(const ImagePart& part, std::string* why_not) const = 0;
  // Loads a part that suits, and whose hash was checked. Runs no compiler of the library's; a driver may have to finish its
  // code.
  virtual Status loadPart(Ref<Module>* module, const ImagePart& part, const char* name) = 0;
};

}  // namespace manyrt::backend
