// Checking the table of a host module, making kernels of it, and the two ways to such a table: a build, or a file's bytes.
#include "backends/cpu/module.h"

#include <atomic>
#include <cstring>

#include "backends/cpu/fiber.h"
#include "backends/cpu/kernel.h"
#include "base/crash.h"
#include "base/fault.h"
#include "compiler/build.h"
#include "compiler/unit.h"

namespace manyrt::cpu {
namespace {

constexpr uint32_t kMaxEntries = 1 << 16;  // kernels, or globals, of one module
constexpr uint32_t kMaxTable = 1 << 12;    // bytes of rtHostModule_t in a later version
constexpr size_t kMaxName = 255;           // bytes

#define RT_CHECK_IMAGE(condition, ...)                                     \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      return ::manyrt::Status::error(RT_ERROR_INVALID_IMAGE, __VA_ARGS__); \
  } while (0)

bool goodName(const char* name) {
  const size_t length = name == nullptr ? 0 : strnlen(name, kMaxName + 1);
  return length != 0 && length <= kMaxName;
}

Status checkTable(const rtHostModule_t& table, const char* name) {
  RT_CHECK_IMAGE(table.struct_size >= sizeof(rtHostModule_t) && table.struct_size <= kMaxTable,
                 "The host object \"%s\" has a table of struct_size %u: it is %zu to %u.", name, table.struct_size,
                 sizeof(rtHostModule_t), kMaxTable);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&table);
  for (size_t i = sizeof(rtHostModule_t); i < table.struct_size; ++i) {
    // A newer table may be longer. Unknown members that are set would be ignored silently.
    RT_CHECK_IMAGE(bytes[i] == 0, "The host object \"%s\" sets byte %zu of its table, which this version does not know.", name,
                   i);
  }
  RT_CHECK_IMAGE(table.flags == 0, "The host object \"%s\" has unknown flags 0x%x in its table.", name, table.flags);
  RT_CHECK_IMAGE(table.kernel_count <= kMaxEntries && table.global_count <= kMaxEntries,
                 "The host object \"%s\" has %u kernels and %u globals: at most %u of each.", name, table.kernel_count,
                 table.global_count, kMaxEntries);
  RT_CHECK_IMAGE(table.kernels != nullptr || table.kernel_count == 0, "The host object \"%s\" has %u kernels; kernels is NULL.",
                 name, table.kernel_count);
  RT_CHECK_IMAGE(table.globals != nullptr || table.global_count == 0, "The host object \"%s\" has %u globals; globals is NULL.",
                 name, table.global_count);
  return Status();
}

Status checkArguments(const rtHostModuleKernel_t& kernel, const char* name) {
  RT_CHECK_IMAGE(kernel.arg_count <= backend::kMaxArguments,
                 "The kernel \"%s\" of the host object \"%s\" has %u arguments: at most %u.", kernel.name, name,
                 kernel.arg_count, backend::kMaxArguments);
  RT_CHECK_IMAGE(kernel.args != nullptr || kernel.arg_count == 0,
                 "The kernel \"%s\" of the host object \"%s\" has %u arguments; args is NULL.", kernel.name, name,
                 kernel.arg_count);
  for (uint32_t i = 0; i < kernel.arg_count; ++i) {
    const rtHostModuleArg_t& argument = kernel.args[i];
    RT_CHECK_IMAGE(argument.kind >= RT_ARG_VALUE && argument.kind <= RT_ARG_LOCAL,
                   "Argument %u of the kernel \"%s\" of the host object \"%s\" has the kind %d: RT_ARG_* goes to %d.", i,
                   kernel.name, name, argument.kind, RT_ARG_LOCAL);
    const bool fits =
        argument.kind == RT_ARG_VALUE ? argument.size != 0 && argument.size <= backend::kMaxArgumentBytes : argument.size == 8;
    RT_CHECK_IMAGE(fits,
                   "Argument %u of the kernel \"%s\" of the host object \"%s\" has %u bytes: a value has 1 to %u, an address "
                   "and a local size 8.",
                   i, kernel.name, name, argument.size, backend::kMaxArgumentBytes);
  }
  return Status();
}

Status checkKernel(const rtHostModuleKernel_t& kernel, uint32_t index, const char* name) {
  RT_CHECK_IMAGE(goodName(kernel.name), "Kernel %u of the host object \"%s\" has no name of 1 to %zu bytes.", index, name,
                 kMaxName);
  RT_CHECK_IMAGE(kernel.function != nullptr, "The kernel \"%s\" of the host object \"%s\" has no function.", kernel.name, name);
  RT_CHECK_IMAGE(kernel.flags == 0, "The kernel \"%s\" of the host object \"%s\" has unknown flags 0x%x.", kernel.name, name,
                 kernel.flags);
  const uint32_t* group = kernel.required_group_size;
  const bool any = group[0] == 0 && group[1] == 0 && group[2] == 0;
  RT_CHECK_IMAGE(any || (group[0] != 0 && group[1] != 0 && group[2] != 0),
                 "The kernel \"%s\" of the host object \"%s\" requires a work-group of %u x %u x %u: zeros stand for any size, "
                 "in all directions or none.",
                 kernel.name, name, group[0], group[1], group[2]);
  return checkArguments(kernel, name);
}

Status checkGlobals(const rtHostModule_t& table, const char* name) {
  // Names borrow from the object, which stays loaded.
  std::unordered_map<std::string_view, uint32_t> seen;
  for (uint32_t i = 0; i < table.global_count; ++i) {
    const rtHostModuleGlobal_t& global = table.globals[i];
    RT_CHECK_IMAGE(goodName(global.name), "Global %u of the host object \"%s\" has no name of 1 to %zu bytes.", i, name,
                   kMaxName);
    RT_CHECK_IMAGE(global.address != nullptr, "The global \"%s\" of the host object \"%s\" has no address.", global.name, name);
    RT_CHECK_IMAGE(seen.emplace(global.name, i).second, "The host object \"%s\" has two globals of the name \"%s\".", name,
                   global.name);
  }
  return Status();
}

// Units with kernels that run on fibers learn here how. Several modules may share an object that is running already.
void giveFibers(const compiler::Object& object) {
  auto* place = static_cast<const compiler::FiberCalls**>(object.symbol(compiler::kFibersSymbol));
  if (place == nullptr) return;
  std::atomic_ref<const compiler::FiberCalls*> calls(*place);
  // Relaxed: every thread stores the same address of a constant. The load spares a running object's cache line.
  if (calls.load(std::memory_order_relaxed) != &fibers::kCalls) calls.store(&fibers::kCalls, std::memory_order_relaxed);
}

compiler::BuildRequest requestOf(const backend::Image& image) {
  compiler::BuildRequest request;
  request.source = image.data;
  request.more.assign(image.more, image.more + image.more_count);
  request.options = image.options;
  request.name = image.name;
  // For kernels with barriers that need a stack for each work-item.
  request.fibers = &fibers::kCalls;
  request.tier = image.tier;
  request.headers.reserve(image.header_count);
  for (uint32_t i = 0; i < image.header_count; ++i) request.headers.push_back({image.header_names[i], image.headers[i]});
  return request;
}

Status build(Ref<compiler::Object>* object, std::string* log, compiler::Origin* origin, const backend::Image& image) {
  compiler::BuildRequest request = requestOf(image);
  request.origin = origin;
  Status status = compiler::buildForCpu(object, log, request);
  return status.ok() ? status : compiler::buildFailure(status, std::move(*log));
}

// A source may not ask for what a table may not have: too many arguments, or a name too long.
Status ofSource(const Status& status) {
  return status.code() == RT_ERROR_INVALID_IMAGE ? Status::error(RT_ERROR_BUILD_FAILED, "%s", status.message()) : status;
}

const char* nameOf(const backend::Image& image) {
  return image.name[0] != '\0' ? image.name : image.format == RT_IMAGE_OPENCL_C ? "kernel.cl" : "image";
}

}  // namespace

Status Module::create(Ref<backend::Module>* module, Ref<compiler::Object> object, const char* name, bool opencl_c,
                      std::string log, uint32_t threads, int32_t origin) {
  const auto* table = static_cast<const rtHostModule_t*>(object->symbol(compiler::kModuleSymbol));
  RT_CHECK_IMAGE(table != nullptr, "The host object \"%s\" does not export %s.", name, compiler::kModuleSymbol);
  RT_TRY(checkTable(*table, name));
  // Kernels are checked one by one below, each before it is made.
  RT_TRY(checkGlobals(*table, name));
  giveFibers(*object);
  crash::watch();  // before a kernel of it can run
  if (fault::fails("cpu.module")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Ref<Module> fresh = Ref<Module>::adopt(new Module(object, *table));
  uint32_t first_argument = 0;
  for (uint32_t i = 0; i < table->kernel_count; ++i) {
    const rtHostModuleKernel_t& described = table->kernels[i];
    // Each entry before it is used: an object comes from a file, and anything in it may be wrong.
    RT_TRY(checkKernel(described, i, name));
    Ref<backend::Kernel> kernel;
    RT_TRY(HostKernel::create(&kernel, described, i, first_argument, object, opencl_c, threads));
    first_argument += described.arg_count;
    RT_CHECK_IMAGE(fresh->add(described.name, std::move(kernel)), "The host object \"%s\" has two kernels of the name \"%s\".",
                   name, described.name);
  }
  fresh->build_log_ = std::move(log);
  fresh->origin_ = origin;
  *module = std::move(fresh);
  return Status();
}

Status Module::global(void** address, uint64_t* size, const char* name) const {
  for (uint32_t i = 0; i < table_.global_count; ++i) {
    const rtHostModuleGlobal_t& global = table_.globals[i];
    if (strcmp(global.name, name) != 0) continue;
    *address = global.address;
    *size = global.size;
    break;
  }
  return Status();
}

int32_t Module::state() const {
  using Object = compiler::Object;
  switch (object_->improvement()) {
    case Object::Improvement::kPending:
      return RT_MODULE_QUICK;
    case Object::Improvement::kFailed:
      return RT_MODULE_FAILED;
    case Object::Improvement::kDone:
      return RT_MODULE_OPTIMIZED;
    case Object::Improvement::kNone:
      break;
  }
  // Nothing is being improved: the code is what the build asked for.
  return object_->tier() == Object::Tier::kQuick ? RT_MODULE_READY : RT_MODULE_OPTIMIZED;
}

uint64_t Module::codeBytes() const {
  const compiler::Object* const better = object_->betterObject();
  // The code that runs now: the quick form stays loaded beside it.
  return (better != nullptr ? *better : *object_).fileBytes();
}

void Module::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(&table_);
  out[1] = 0;
}

Status Module::part(backend::BuiltPart* out) const {
  out->kind = backend::PartKind::kCpu;
  out->form = compiler::kUnitForm;
  return compiler::cpuPart(&out->data, &out->target, *object_, build_log_);
}

uint32_t ModuleLoader::suits(const backend::ImagePart& part, std::string* why_not) const {
  if (part.kind != static_cast<uint32_t>(backend::PartKind::kCpu)) return 0;
  if (part.form != compiler::kUnitForm) {
    *why_not = "has the form " + std::to_string(part.form) + ", and this library takes the form " +
               std::to_string(compiler::kUnitForm);
    return 0;
  }
  return compiler::suitsCpu(part.target, why_not);
}

Status ModuleLoader::loadPart(Ref<backend::Module>* module, const backend::ImagePart& part, const char* name) {
  Ref<compiler::Object> object;
  std::string log;
  RT_TRY(compiler::loadCpuPart(&object, &log, part.data, part.target, name));
  return Module::create(module, std::move(object), name, true, std::move(log), threads_, RT_MODULE_ORIGIN_IMAGE);
}

Status ModuleLoader::load(Ref<backend::Module>* module, const backend::Image& image) {
  Ref<compiler::Object> object;
  std::string log;
  int32_t origin_code = RT_MODULE_ORIGIN_IMAGE;
  const bool opencl_c = image.format == RT_IMAGE_OPENCL_C;
  const char* name = nameOf(image);
  if (opencl_c) {
    compiler::Origin origin;
    RT_TRY(build(&object, &log, &origin, image));
    origin_code = compiler::originCode(origin);
  } else {
    RT_TRY(compiler::Object::load(&object, image.data.data(), image.data.size(), name));
  }
  Status status = Module::create(module, std::move(object), name, opencl_c, std::move(log), threads_, origin_code);
  return opencl_c ? ofSource(status) : status;
}

// Sources alone are built side by side, and a host object is just loaded.
void ModuleLoader::loadMany(backend::Loading* loadings, size_t count) {
  std::vector<compiler::CpuBuild> builds;
  std::vector<backend::Loading*> built;
  for (size_t i = 0; i < count; ++i) {
    backend::Loading& each = loadings[i];
    if (each.image->format != RT_IMAGE_OPENCL_C) {
      each.status = load(&each.module, *each.image);
      continue;
    }
    builds.emplace_back().request = requestOf(*each.image);
    built.push_back(&each);
  }
  if (!builds.empty()) compiler::buildManyForCpu(builds.data(), builds.size());
  for (size_t i = 0; i < built.size(); ++i) {
    compiler::CpuBuild& from = builds[i];
    try {
      built[i]->status = from.status.ok()
                             ? ofSource(Module::create(&built[i]->module, std::move(from.object), nameOf(*built[i]->image),
                                                       true, std::move(from.log), threads_, compiler::originCode(from.origin)))
                             : compiler::buildFailure(from.status, std::move(from.log));
    } catch (const std::bad_alloc&) {  // of one program among many: the others go on
      built[i]->status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
  }
}

}  // namespace manyrt::cpu
