// Loading modules: building sources, handing images to the driver, and finding out about their kernels.
#include "backends/cuda/module.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "backends/cuda/context.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/image_target.h"
#include "backends/cuda/stream.h"
#include "base/host_threads.h"
#include "base/os/futex.h"
#include "compiler/build.h"

namespace manyrt::cuda {
namespace {

constexpr unsigned kLogBytes = 16 << 10;

// `name(int*, float)` without its parameters; what is not mangled as it is.
std::string plainName(const char* mangled) {
  int outcome = 0;
  char* readable = abi::__cxa_demangle(mangled, nullptr, nullptr, &outcome);
  if (outcome != 0 || readable == nullptr) return mangled;
  std::string name = readable;
  free(readable);
  // The readable name of a template begins with the result type and ends with the parameters.
  int depth = 0;
  size_t end = name.size();
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      end = i;
      break;
    }
  }
  name.resize(end);
  return name;
}

Status tooOld(const char* what) {
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The NVIDIA driver is older than 12.4: it cannot tell %s of an image.", what);
}

}  // namespace

// ---- Native modules ----

NativeModuleOwner::NativeModuleOwner(Ref<Context> context, NativeModule module)
    : context_(std::move(context)), module_(module) {}

NativeModuleOwner::~NativeModuleOwner() {
  // Relaxed: the program that had the native module dropped its reference after that, which orders the flag.
  if (code_bytes_ != 0 && !exported_.load(std::memory_order_relaxed)) {
    // A program that builds the same source again gets this module back, instead of loading it anew.
    context_->loader().giveBack(module_, key_, code_bytes_);
    return;
  }
  Current current(context_->native());
  (void)table().cuModuleUnload(module_);
}

void NativeModuleOwner::makeReusable(const Digest& key, size_t code_bytes) {
  key_ = key;
  code_bytes_ = code_bytes;
}

void NativeModuleOwner::noteShared(const Digest& key) {
  key_ = key;
  shared_ = true;
}

Device& NativeModuleOwner::device() const { return context_->device(); }
NativeContext NativeModuleOwner::context() const { return context_->native(); }

// Waits for what the context's streams had, then deletes the module. One thread does that for all of a context, in the order in
// which they came: each waits for all streams.
class Unloading final : public host_threads::Job {
 public:
  Unloading(Ref<Context> context, NativeModuleOwner* module) : context_(std::move(context)), module_(module) {}
  void add(Ref<driver::Stream> stream) {
    // The last reference is gone, so nothing is launched from the module after this.
    const uint64_t serial = stream->submitted();
    stamps_.push_back({std::move(stream), serial});
  }
  void run() override {
    // Kept until the last module of the list is deleted: each deletes its Unloading, and with it a reference.
    const Ref<Context> context = context_;
    for (Unloading* each = this; each != nullptr; each = context->loader().nextUnloading()) {
      for (auto& [stream, serial] : each->stamps_) (void)stream->wait(serial, Deadline::never());
      delete each->module_;
      delete each;
    }
  }

 private:
  friend class ModuleLoader;
  const Ref<Context> context_;
  NativeModuleOwner* const module_;
  std::vector<std::pair<Ref<driver::Stream>, uint64_t>> stamps_;
  Unloading* after_ = nullptr;
};

void NativeModuleOwner::recycle() {
  // The last reference is gone, but streams may still run its kernels. A stream that is idle now gets no more of them. The
  // others are noted with their last submission, and a thread of the library deletes the module after those.
  const Ref<Context> context = context_;  // another thread may have deleted this by the end of unloadAfterWork()
  // First, so that no thread finds a module whose last reference is gone. findShared() fails in tryRetain() until then.
  if (shared_) context->loader().forget(*this, key_);
  try {
    std::vector<Ref<driver::Stream>> streams = context->streams();
    auto unloading = std::make_unique<Unloading>(context, this);
    bool pending = false;
    for (Ref<driver::Stream>& stream : streams) {
      // A graph of one kernel refers to the native function, which goes with the module.
      static_cast<Stream&>(*stream).forgetLaunches(*this);
      if (stream->idle()) continue;
      unloading->add(std::move(stream));
      pending = true;
    }
    if (!pending) {
      delete this;
    } else {
      context->loader().unloadAfterWork(unloading.release());
    }
  } catch (const std::bad_alloc&) {  // after the last reference: no caller could do it later
    host_threads::submit(this);      // tries again
  }
}

void NativeModuleOwner::run() {
  constexpr uint64_t kNapNanoseconds = 1'000'000;
  std::atomic<uint32_t> never{0};
  // Without the nap a machine that is out of memory would be kept busy by this.
  (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
  recycle();
}

// ---- Modules ----

Status Module::global(void** address, uint64_t* size, const char* name) const {
  Current current(module_->context());
  DriverAddress found = 0;
  size_t bytes = 0;
  const auto renamed = symbols_.find(name);
  if (renamed != symbols_.end()) name = renamed->second.c_str();
  const Error error = RT_CUDA_CALL(cuModuleGetGlobal, &found, &bytes, module_->get(), name);
  if (error == kNotFound) return Status();
  if (error != kSuccess) return module_->device().failed("cuModuleGetGlobal", error);
  *address = reinterpret_cast<void*>(found);
  *size = bytes;
  return Status();
}

void Module::native(uint64_t out[2]) {
  // The program may write to the module by its handle, so that no later user may get it.
  module_->noteExported();
  out[0] = reinterpret_cast<uintptr_t>(module_->get());
  out[1] = 0;
}

// ---- Idle native modules ----

ModuleLoader::~ModuleLoader() {
  Current current(context_.native());
  for (const Idle& each : idle_) (void)table().cuModuleUnload(each.module);
}

NativeModule ModuleLoader::takeIdle(const Digest& key) {
  std::lock_guard lock(mutex_);
  for (auto each = idle_.begin(); each != idle_.end(); ++each) {
    if (each->key != key) continue;
    // Taken out: a module has one owner, since its owner unloads it.
    const NativeModule module = each->module;
    idle_.erase(each);
    return module;
  }
  return nullptr;
}

// ---- Native modules that are in use ----

Ref<NativeModuleOwner> ModuleLoader::findShared(const Digest& key) {
  std::lock_guard lock(mutex_);
  // A plain pointer in the map holds no module. So tryRetain() decides, under the mutex that recycle() takes to forget it.
  const auto known = shared_.find(key);  // of one whose last user has just gone there is nothing to share
  // Never waits for that user: this thread loads a module of its own.
  if (known == shared_.end() || !known->second->tryRetain()) return nullptr;
  return Ref<NativeModuleOwner>::adopt(known->second);
}

// Two threads may have loaded the same source at the same time: both get the first.
Ref<NativeModuleOwner> ModuleLoader::share(Ref<NativeModuleOwner> made, const Digest& key) {
  std::lock_guard lock(mutex_);
  // `made` ends after the lock where the other one is returned: its end may be long, and takes the mutex.
  const auto [known, fresh] = shared_.try_emplace(key, made.get());
  if (!fresh && known->second->tryRetain()) return Ref<NativeModuleOwner>::adopt(known->second);
  known->second = made.get();
  made->noteShared(key);
  return made;
}

void ModuleLoader::forget(const NativeModuleOwner& module, const Digest& key) {
  std::lock_guard lock(mutex_);
  const auto known = shared_.find(key);
  // A later module of the same source may have the entry by now.
  if (known != shared_.end() && known->second == &module) shared_.erase(known);
}

// The oldest go, until there is place for one more with so many bytes of code. At most kMaxIdle are here.
size_t ModuleLoader::takeUnwanted(NativeModule* unwanted, size_t code_bytes) {
  size_t count = 0;
  size_t bytes = code_bytes;
  for (const Idle& each : idle_) bytes += each.code_bytes;
  while (!idle_.empty() && (idle_.size() + 1 > kMaxIdle || bytes > kMaxIdleBytes)) {
    bytes -= idle_.front().code_bytes;
    unwanted[count++] = idle_.front().module;
    idle_.erase(idle_.begin());
  }
  return count;
}

void ModuleLoader::makeRoom(size_t code_bytes) {
  if (code_bytes > kMaxIdleBytes) return;
  NativeModule unwanted[kMaxIdle];
  size_t count;
  {
    std::lock_guard lock(mutex_);
    count = takeUnwanted(unwanted, code_bytes);
  }
  for (size_t i = 0; i < count; ++i) (void)table().cuModuleUnload(unwanted[i]);
}

void ModuleLoader::unloadAfterWork(Unloading* unloading) {
  {
    // unloads_ is cleared under this mutex by the thread that finds the list empty. So either that thread sees this entry, or a
    // new job starts here.
    std::lock_guard lock(mutex_);
    if (unloads_) {
      *last_unloading_ = unloading;
      last_unloading_ = &unloading->after_;
      return;
    }
    unloads_ = true;
  }
  host_threads::submit(unloading);
}

Unloading* ModuleLoader::nextUnloading() {
  std::lock_guard lock(mutex_);
  Unloading* next = first_unloading_;
  if (next == nullptr) {
    unloads_ = false;
    return nullptr;
  }
  first_unloading_ = next->after_;
  if (first_unloading_ == nullptr) last_unloading_ = &first_unloading_;
  return next;
}

void ModuleLoader::giveBack(NativeModule module, const Digest& key, size_t code_bytes) {
  // Unloaded without the mutex: the driver may take long.
  NativeModule unwanted[kMaxIdle + 1] = {module};
  size_t count = 1;
  if (code_bytes <= kMaxIdleBytes) {
    std::lock_guard lock(mutex_);
    count = takeUnwanted(unwanted, code_bytes);
    try {
      idle_.push_back({module, key, code_bytes});
    } catch (const std::bad_alloc&) {  // the module has to be unloaded instead
      unwanted[count++] = module;
    }
  }
  if (count == 0) return;
  Current current(context_.native());
  for (size_t i = 0; i < count; ++i) (void)table().cuModuleUnload(unwanted[i]);
}

// ---- The loader ----

bool ModuleLoader::takes(int32_t format) const {
  return format == RT_IMAGE_OPENCL_C || format == RT_IMAGE_CUDA_CXX || format == RT_IMAGE_PTX || format == RT_IMAGE_CUBIN ||
         format == RT_IMAGE_FATBIN;
}

Status ModuleLoader::loadNative(Ref<NativeModuleOwner>* out, std::string_view code, const char* name, int32_t format) {
  // The log of the driver's compiler is the only place where it says what it refuses in PTX.
  const bool compiled = format != RT_IMAGE_CUBIN;  // a fat binary may have PTX; of machine code there is nothing to say
  std::string log(compiled ? kLogBytes : 0, '\0');
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(static_cast<uintptr_t>(kLogBytes))};
  NativeModule module = nullptr;
  const Error error = RT_CUDA_CALL(cuModuleLoadDataEx, &module, code.data(), compiled ? 2 : 0, options, values);
  if (error != kSuccess) {
    Device& device = context_.device();
    Status status = device.failed("cuModuleLoadDataEx", error);
    // If the bytes are no image at all, the driver has no error for them but an unknown one.
    if (status.code() == RT_ERROR_DRIVER) status = Status::error(RT_ERROR_INVALID_IMAGE, "%s", status.message());
    log.resize(strnlen(log.data(), log.size()));
    std::string target;
    if (status.code() == RT_ERROR_INVALID_IMAGE) target = wrongTarget(format, code, device.ordinal(), device.architecture());
    if (log.empty() && target.empty()) return status;
    return Status::error(status.code(), "The image \"%s\" was refused: %s%s%s%s", name, target.c_str(), status.message(),
                         log.empty() ? "" : "\n", log.c_str());
  }
  return own(out, module);
}

// Takes the module in any case.
Status ModuleLoader::own(Ref<NativeModuleOwner>* out, NativeModule module) {
  auto* owner = new (std::nothrow) NativeModuleOwner(Ref<Context>(&context_), module);
  if (owner == nullptr) {
    (void)table().cuModuleUnload(module);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  *out = Ref<NativeModuleOwner>::adopt(owner);
  return Status();
}

Status ModuleLoader::loadBuilt(Ref<NativeModuleOwner>* out, const compiler::CudaImage& image, const char* name) {
  const bool described = !image.kernels.empty();  // OpenCL C: its variables are constants. Those of CUDA C++ are a module's own
  if (described && (*out = findShared(image.key))) return Status();
  // Constants can be written through rtModuleGetGlobal, though that is forbidden: a module that has any is unloaded with its
  // last user.
  const bool stateless = described && image.globals.empty();
  const NativeModule idle = stateless ? takeIdle(image.key) : nullptr;
  const std::string_view code(reinterpret_cast<const char*>(image.code.data()), image.code.size());
  if (stateless && idle == nullptr)
    makeRoom(image.code.size());  // first: the driver loads the faster into what another one had
  RT_TRY(idle != nullptr ? own(out, idle) : loadNative(out, code, name, image.is_cubin ? RT_IMAGE_CUBIN : RT_IMAGE_PTX));
  if (stateless) (*out)->makeReusable(image.key, image.code.size());
  if (described) *out = share(std::move(*out), image.key);
  return Status();
}

// For an image that brings no description: the driver knows the kernels' names and the sizes of their arguments.
Status ModuleLoader::enumerate(Module& module, Ref<NativeModuleOwner> native, const char* name) {
  const Table& cuda = table();
  if (cuda.cuModuleEnumerateFunctions == nullptr || cuda.cuModuleGetFunctionCount == nullptr || cuda.cuFuncGetName == nullptr ||
      cuda.cuFuncGetParamInfo == nullptr) {
    return tooOld("the kernels");
  }
  unsigned count = 0;
  RT_CUDA_TRY(cuModuleGetFunctionCount, &count, native->get());
  std::vector<NativeFunction> functions(count);
  if (count != 0) RT_CUDA_TRY(cuModuleEnumerateFunctions, functions.data(), count, native->get());
  for (NativeFunction function : functions) {
    const char* mangled = nullptr;
    RT_CUDA_TRY(cuFuncGetName, &mangled, function);
    std::vector<KernelArgument> arguments;
    for (size_t index = 0, offset = 0, size = 0;; ++index) {
      const Error error = RT_CUDA_CALL(cuFuncGetParamInfo, function, index, &offset, &size);
      // The driver has no count of parameters.
      if (error == kInvalidValue) break;  // there is none of that index
      if (error != kSuccess) return failure("cuFuncGetParamInfo", error);
      arguments.push_back({static_cast<uint32_t>(size), RT_ARG_VALUE, "", ""});
    }
    std::string plain = plainName(mangled);
    constexpr uint32_t kAny[3] = {0, 0, 0};
    Ref<backend::Kernel> kernel;
    RT_TRY(Kernel::create(&kernel, native, mangled, plain.c_str(), std::move(arguments), kAny, false));
    if (module.origin() != RT_MODULE_ORIGIN_IMAGE) static_cast<Kernel&>(*kernel).setBuilt();  // CUDA C++
    // Overloads share their plain name: the first has it, and each its mangled one. The plain name is what a program writes.
    if (!module.addKernel(plain, kernel) && !module.addKernel(mangled, std::move(kernel))) {
      return Status::error(RT_ERROR_INVALID_IMAGE, "The image \"%s\" has two kernels of the name \"%s\".", name, mangled);
    }
  }
  return Status();
}

Status ModuleLoader::load(Ref<backend::Module>* out, const backend::Image& image) {
  Device& device = context_.device();
  Current current(context_.native());
  const char* name = image.name[0] != '\0' ? image.name : image.format == RT_IMAGE_OPENCL_C ? "kernel.cl" : "image";
  // Binaries go to the driver as they are, which is asked for their kernels then. Source is built by src/compiler, whose
  // description names the kernels of OpenCL C; those of CUDA C++ are asked of the driver as well.
  if (image.format != RT_IMAGE_OPENCL_C && image.format != RT_IMAGE_CUDA_CXX) {
    std::string text;  // PTX is read up to its terminator
    std::string_view code = image.data;
    if (image.format == RT_IMAGE_PTX) code = text = image.data;
    Ref<NativeModuleOwner> native;
    RT_TRY(loadNative(&native, code, name, image.format));
    Ref<Module> module = Ref<Module>::adopt(new Module(native, ""));
    module->tell(RT_MODULE_ORIGIN_IMAGE, code.size());
    RT_TRY(enumerate(*module, std::move(native), name));
    *out = std::move(module);
    return Status();
  }

  compiler::BuildRequest request;
  request.source = image.data;
  request.more.assign(image.more, image.more + image.more_count);
  request.options = image.options;
  request.name = image.name;
  for (uint32_t i = 0; i < image.header_count; ++i) request.headers.push_back({image.header_names[i], image.headers[i]});
  const compiler::CudaTarget target{static_cast<uint32_t>(device.computeMajor()), static_cast<uint32_t>(device.computeMinor()),
                                    static_cast<uint32_t>(device.driverVersion())};
  compiler::Origin origin;
  request.origin = &origin;
  std::shared_ptr<const compiler::CudaImage> built;
  const Status status = image.format == RT_IMAGE_OPENCL_C ? compiler::buildForCuda(&built, target, request)
                                                          : compiler::compileCuda(&built, target, request);
  if (!status.ok()) return compiler::buildFailure(status, built != nullptr ? built->log : std::string());
  return loadModule(out, std::move(built), name, image.format == RT_IMAGE_CUDA_CXX, compiler::originCode(origin));
}

// From code to a module. `enumerates`: the driver names the kernels, since nothing describes them.
Status ModuleLoader::loadModule(Ref<backend::Module>* out, std::shared_ptr<const compiler::CudaImage> built, const char* name,
                                bool enumerates, int32_t origin) {
  Ref<NativeModuleOwner> native;
  RT_TRY(loadBuilt(&native, *built, name));
  Ref<Module> module = Ref<Module>::adopt(new Module(native, built->log));
  module->tell(origin, built->code.size());
  for (const compiler::CudaGlobal& global : built->globals) module->nameGlobal(global.name, global.symbol);
  if (enumerates) {
    RT_TRY(enumerate(*module, std::move(native), name));
  }
  for (const compiler::CudaKernel& described : built->kernels) {
    std::vector<KernelArgument> arguments;
    arguments.reserve(described.arguments.size());
    for (const compiler::CudaArgument& argument : described.arguments) {
      arguments.push_back({argument.size, argument.kind, argument.name, argument.type_name, argument.alignment, argument.use});
    }
    Ref<backend::Kernel> kernel;
    RT_TRY(Kernel::create(&kernel, native, described.symbol, described.name.c_str(), std::move(arguments),
                          described.required_group, true, described.takes_offset));
    if (!module->addKernel(described.name, std::move(kernel))) {
      return Status::error(RT_ERROR_INVALID_IMAGE, "\"%s\" has two kernels of the name \"%s\".", name, described.name.c_str());
    }
  }
  module->setBuilt(std::move(built));
  *out = std::move(module);
  return Status();
}

// ---- Parts of images ----

Status Module::part(backend::BuiltPart* out) const {
  if (built_ == nullptr) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "The module was loaded from machine code or PTX of the program, which serves as its image.");
  }
  const std::string_view code(reinterpret_cast<const char*>(built_->code.data()), built_->code.size());
  const std::vector<ImageTarget> targets = imageTargets(built_->is_cubin ? RT_IMAGE_CUBIN : RT_IMAGE_PTX, code);
  if (targets.empty())
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The compiler's code does not say which devices it is for.");
  out->kind = backend::PartKind::kCuda;
  out->form = compiler::kCudaPartForm;
  out->target = targets.front().name();
  out->data = compiler::cudaPart(*built_);
  return Status();
}

// Machine code of the newest architecture first, then PTX, which the driver compiles.
uint32_t ModuleLoader::suits(const backend::ImagePart& part, std::string* why_not) const {
  if (part.kind != static_cast<uint32_t>(backend::PartKind::kCuda)) return 0;
  if (part.form != compiler::kCudaPartForm) {
    *why_not = "has the form " + std::to_string(part.form) + ", and this library takes the form " +
               std::to_string(compiler::kCudaPartForm);
    return 0;
  }
  ImageTarget target{};
  const uint32_t device = context_.device().architecture();
  if (!readTarget(part.target, &target) || !target.runsOn(device)) {
    *why_not = "is for " + std::string(part.target) + ", and the device is sm_" + std::to_string(device);
    return 0;
  }
  // 0 says that a part does not suit, so that the least is 1.
  constexpr uint32_t kMachineCode = 1 << 20;
  return target.architecture + 1 + (target.ptx ? 0 : kMachineCode);
}

Status ModuleLoader::loadPart(Ref<backend::Module>* out, const backend::ImagePart& part, const char* name) {
  Current current(context_.native());
  auto image = std::make_shared<compiler::CudaImage>();
  if (!compiler::readCudaPart(image.get(), part.data)) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The part of the image \"%s\" for CUDA is not whole.", name);
  }
  image->key = part.hash;                          // the same part is the same code
  const bool described = !image->kernels.empty();  // of CUDA C++ none is
  return loadModule(out, std::move(image), name, !described, RT_MODULE_ORIGIN_IMAGE);
}

}  // namespace manyrt::cuda
