// Building programs: from source through the front end and the cache, from binaries, and from SPIR-V. A program that brings
// no description is asked what its kernels take.
#include "backends/opencl/program/library.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "backends/kernel.h"
#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "base/trace.h"
#include "compiler/build.h"

namespace manyrt::opencl {
namespace {

std::string buildLog(cl_program program, cl_device_id device) {
  size_t size = 0;
  if (RT_CL_PLAIN(clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS || size < 2)
    return "";
  std::string log(size, '\0');
  if (RT_CL_PLAIN(clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS)
    return "";
  log.resize(strnlen(log.c_str(), size));
  return log;
}

// Reads the driver's code of a program. Empty where it has no binaries.
Error readBinary(std::vector<unsigned char>* binary, cl_program program) {
  binary->clear();
  size_t size = 0;
  Error error = RT_CL_CALL(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  if (error != CL_SUCCESS || size == 0) return error;
  binary->resize(size);
  unsigned char* into = binary->data();
  // The driver takes an array with a pointer for each device. A program here has one device.
  error = RT_CL_CALL(clGetProgramInfo, program, CL_PROGRAM_BINARIES, sizeof into, &into, nullptr);
  if (error != CL_SUCCESS) binary->clear();
  return error;
}

// The size of a value of a type of OpenCL C by its name; 0: it is none that has one everywhere.
uint32_t sizeOfType(const std::string& name) {
  struct Scalar {
    const char* name;
    uint32_t size;
  };
  constexpr Scalar kScalars[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},   {"int", 4},
                                 {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}, {"size_t", 8}};
  // "float4" is "float" and 4. Vectors of three lie in memory as ones of four.
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  const std::string scalar = name.substr(0, digits);
  const int lanes = digits == name.size() ? 1 : atoi(name.c_str() + digits);
  for (const Scalar& each : kScalars) {
    if (scalar == each.name) return each.size * static_cast<uint32_t>(lanes == 3 ? 4 : lanes);
  }
  return 0;
}

// Kernels of what came compiled are asked what they take.
std::string describing(const char* options) { return std::string(options) + " -cl-kernel-arg-info"; }

std::string argumentText(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
  char text[256] = "";
  if (RT_CL_PLAIN(clGetKernelArgInfo, kernel, index, what, sizeof text, text, nullptr) != CL_SUCCESS) return "";
  return text;
}

// A driver without information on arguments still tells them apart by what clSetKernelArg accepts. Local memory takes any
// number of bytes without a value, a pointer the size of a cl_mem without one. A value takes its own size alone. False where
// the answers of the driver fit no kind, as those of one that accepts wrong sizes do not. `kernel` is not launched.
bool probeArgument(compiler::OpenClArgument* argument, cl_kernel kernel, cl_uint index) {
  static constexpr uint64_t kZeros[backend::kMaxArgumentBytes / sizeof(uint64_t)] = {};
  const auto takes = [&](size_t size, const void* value) {
    return RT_CL_PLAIN(clSetKernelArg, kernel, index, size, value) == CL_SUCCESS;
  };
  constexpr size_t kNoCell = 2 * sizeof(cl_mem);
  // Twice the size of a cl_mem, so that a driver which wants a cl_mem refuses it.
  if (takes(kNoCell, nullptr)) {
    argument->kind = RT_ARG_LOCAL;
    argument->size = 8;
    return !takes(kNoCell, kZeros);
  }
  uint32_t taken = 0;
  // One size must be accepted and no other, or the answers fit no kind.
  for (uint32_t size = 1; size <= sizeof kZeros; ++size) {
    if (!takes(size, kZeros)) continue;
    if (taken != 0) return false;
    taken = size;
  }
  argument->kind = takes(sizeof(cl_mem), nullptr) ? RT_ARG_POINTER : RT_ARG_VALUE;
  argument->size = taken;
  argument->is_record = argument->kind == RT_ARG_VALUE && taken >= sizeof(void*);  // may hold an address
  return argument->kind == RT_ARG_VALUE ? taken != 0 : taken == sizeof(cl_mem);
}

// For the target of a part: ASCII, and short.
std::string printable(const char* name) {
  constexpr size_t kMost = 128;
  std::string text(name, strnlen(name, kMost));
  for (char& letter : text) letter = letter < 0x20 || letter > 0x7e ? '?' : letter;
  return text;
}

struct KernelHandle {
  ~KernelHandle() {
    if (kernel != nullptr) (void)RT_CL_PLAIN(clReleaseKernel, kernel);
  }
  cl_kernel kernel = nullptr;
};

}  // namespace

// ---- Libraries ----

Library::~Library() { (void)RT_CL_PLAIN(clReleaseProgram, program_); }

LaunchOrder& Library::launchOrder(const std::string& kernel) {
  std::lock_guard lock(launch_orders_lock_);
  return launch_orders_[kernel];
}

// Drivers add to the binary what they compile at launches: the first answer stays, so that a module has one image.
Status Library::binary(std::vector<unsigned char>* out) {
  {
    std::lock_guard lock(launch_orders_lock_);
    *out = binary_;
  }
  if (!out->empty()) return Status();
  if (const Error error = readBinary(out, program_); error != CL_SUCCESS) return device_.failed("clGetProgramInfo", error);
  std::lock_guard lock(launch_orders_lock_);
  if (binary_.empty()) binary_ = *out;
  *out = binary_;
  return Status();
}

// The last lease is gone. A thread that finds the entry at this moment fails to retain it, and builds another library.
void Library::recycle() {
  if (listed_) device_.libraries().forget(*this);
  delete this;
}

void Libraries::forget(Library& library) {
  std::lock_guard lock(flights_.mutex());
  // Another library may stand there by now, built after this one's last lease was gone. Under the mutex of builds, which a
  // thread that looks for the key has, too.
  const auto entry = known_.find(library.key_);
  if (entry != known_.end() && entry->second == &library) known_.erase(entry);
}

// ---- From source ----

compiler::OpenClTarget Libraries::target() const {
  compiler::OpenClTarget target;
  // All that changes the text for the driver is a part of the key of its binary.
  target.identity = device_.identity();
  target.hidden_offsets = device_.tier() == RT_MEMORY_TIER_BUFFER;
  target.doubles = device_.has(RT_CAPABILITY_DOUBLE);
  target.halves = device_.has(RT_CAPABILITY_HALF);
  target.atomics_64 = device_.has(RT_CAPABILITY_ATOMICS_64);
  target.rounds_division = device_.roundsDivision();
  target.wrong_sizes = device_.quirks().has(Quirk::kWrongSizes);
  target.optimized_calls = device_.quirks().has(Quirk::kOptimizedCalls);
  target.no_empty_arg_info = device_.quirks().has(Quirk::kNoEmptyArgInfo);
  return target;
}

Status Libraries::fromSource(Ref<Library>* library, const compiler::BuildRequest& request, std::string* log) {
  const compiler::OpenClTarget target = this->target();
  compiler::OpenClBuild source(target, request);
  RT_TRY(source.begin(log));
  return buildOnce(library, source, request.origin);
}

Status Libraries::buildOnce(Ref<Library>* library, compiler::OpenClBuild& source, compiler::Origin* origin) {
  *origin = compiler::Origin::kProcess;
  // flights_ lets one thread build while others that ask for the same key wait for it. `kept` and `keep` run under its mutex,
  // `make` does not. An entry whose last lease has gone fails to retain, and is replaced.
  const auto kept = [&](Ref<Library>* found) {
    const auto entry = known_.find(source.key());
    if (entry == known_.end() || !entry->second->tryRetain()) return false;
    *found = Ref<Library>::adopt(entry->second);
    return true;
  };
  const auto make = [&](Ref<Library>* made) {
    compiler::OpenClImage image;
    *origin = compiler::Origin::kCached;
    // A cached binary that the driver refuses, after an update of it say, is built anew and replaced.
    if (source.fromCache(&image) && loadBinary(made, image, source.name()).ok()) return Status();
    *origin = compiler::Origin::kBuilt;
    image = compiler::OpenClImage();
    Status status = source.translate(&image);
    if (status.ok()) status = buildText(made, source, &image, source.name());
    if (!status.ok()) return compiler::buildFailure(status, std::move(image.log));
    (*made)->log = image.log;
    return Status();
  };
  const auto keep = [&](Ref<Library>& made) {
    // A plain pointer: the entry holds no library, and the last lease takes it out.
    known_[source.key()] = made.get();
    made->key_ = source.key();
    made->listed_ = true;
  };
  return flights_.run(library, source.key(), kept, make, keep);
}

Status Libraries::buildText(Ref<Library>* library, compiler::OpenClBuild& source, compiler::OpenClImage* image,
                            const char* name) {
  cl_context context;
  RT_TRY(device_.context(&context));
  const char* text = image->text.c_str();
  const size_t length = image->text.size();
  Error error = CL_SUCCESS;
  cl_program program = RT_CL_MAKE(&error, clCreateProgramWithSource, context, 1, &text, &length);
  if (error != CL_SUCCESS) return device_.failed("clCreateProgramWithSource", error);
  RT_TRY(build(library, program, image->options, name));
  image->log += buildLog(program, device_.id());
  describe(**library, *image);
  // Read at once, before any launch: the same source then gives the same binary.
  (void)readBinary(&image->binary, program);  // for the cache, which does without
  if (!image->binary.empty()) source.store(*image);
  return Status();
}

// Takes the program. A binary that a driver does not want any more is no failure for a caller with the source.
Status Libraries::build(Ref<Library>* out, cl_program program, const std::string& options, const char* name) {
  auto* made = new (std::nothrow) Library(device_, program);
  if (made == nullptr) {
    (void)RT_CL_PLAIN(clReleaseProgram, program);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  Ref<Library> library = Ref<Library>::adopt(made);
  const cl_device_id device = device_.id();
  const auto make = [&] {
    // The driver's part of the build alone.
    const trace::BuildStep step("compiler, driver", name);
    return RT_CL_CALL(clBuildProgram, program, 1, &device, options.c_str(), nullptr, nullptr);
  };
  const Error error = make();
  if (error != CL_SUCCESS) {
    const Status status = device_.failed("clBuildProgram", error);
    if (status.code() != RT_ERROR_BUILD_FAILED) return status;
    return Status::error(RT_ERROR_BUILD_FAILED, "The driver's compiler refuses \"%s\":\n%s", name,
                         buildLog(program, device).c_str());
  }
  *out = std::move(library);
  return Status();
}

Status Libraries::loadBinary(Ref<Library>* library, const compiler::OpenClImage& image, const char* name) {
  cl_context context;
  RT_TRY(device_.context(&context));
  const cl_device_id device = device_.id();
  const unsigned char* data = image.binary.data();
  const size_t size = image.binary.size();
  Error error = CL_SUCCESS;
  cl_int outcome = CL_SUCCESS;
  cl_program program = RT_CL_MAKE(&error, clCreateProgramWithBinary, context, 1, &device, &size, &data, &outcome);
  // Drivers may report success of the call and a failure for the device.
  if (error == CL_SUCCESS && outcome != CL_SUCCESS) {
    (void)RT_CL_PLAIN(clReleaseProgram, program);
    error = outcome;
  }
  if (error != CL_SUCCESS) return device_.failed("clCreateProgramWithBinary", error);
  // A binary is built as well: only then can its kernels be made.
  RT_TRY(build(library, program, image.options, name));
  describe(**library, image);
  (*library)->log = image.log;
  return Status();
}

void Libraries::describe(Library& library, const compiler::OpenClImage& image) {
  library.kernels = image.kernels;
  library.hidden_offsets = image.hidden_offsets;
  library.follows_addresses = image.follows_addresses;
  library.from_text = true;
  library.options = image.options;
  library.optimized = image.optimized;
}

// ---- Parts of images ----

Status Libraries::part(backend::BuiltPart* out, Library& library) const {
  if (!library.from_text) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "The module was loaded from a binary or SPIR-V of the program, which serves as its image.");
  }
  compiler::OpenClImage image;
  // The options are part of the image: the driver's build of a binary takes them as well.
  image.options = library.options;
  image.kernels = library.kernels;
  image.optimized = library.optimized;
  image.follows_addresses = library.follows_addresses;
  image.log = library.log;
  RT_TRY(library.binary(&image.binary));
  if (image.binary.empty()) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The driver of %s gives no binaries of programs.", device_.facts().id);
  }
  out->kind = backend::PartKind::kOpenCl;
  out->form = compiler::kOpenClPartForm;
  out->target = compiler::openClPartTarget(target()) + " " + printable(device_.facts().name);
  out->data = compiler::openClPart(image);
  return Status();
}

uint32_t Libraries::suits(const backend::ImagePart& part, std::string* why_not) const {
  if (part.kind != static_cast<uint32_t>(backend::PartKind::kOpenCl)) return 0;
  constexpr uint32_t kText = 1, kBinary = 2;
  if (part.form == compiler::kOpenClTextPartForm) {
    if (compiler::suitsOpenClText(part.target, target(), why_not)) return kText;
  } else if (part.form != compiler::kOpenClPartForm) {
    *why_not = "has the form " + std::to_string(part.form) + ", and this library takes the forms " +
               std::to_string(compiler::kOpenClPartForm) + " and " + std::to_string(compiler::kOpenClTextPartForm);
  } else if (part.target.substr(0, part.target.find(' ')) != compiler::openClPartTarget(target())) {
    *why_not = "is for another device, driver, version of either, or way of addressing memory";
  } else {
    return kBinary;
  }
  return 0;
}

Status Libraries::fromText(Ref<Library>* library, const backend::ImagePart& part, const char* name) {
  const compiler::OpenClTarget target = this->target();
  compiler::BuildRequest request;
  request.name = name;
  compiler::OpenClBuild text(target, request);
  if (!text.beginLowered(part.data, part.hash)) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The part of the image \"%s\" for OpenCL is not whole.", name);
  }
  compiler::Origin origin;
  return buildOnce(library, text, &origin);
}

Status Libraries::fromPart(Ref<Library>* library, const backend::ImagePart& part, const char* name) {
  if (part.form == compiler::kOpenClTextPartForm) return fromText(library, part, name);
  compiler::OpenClImage image;
  if (!compiler::readOpenClPart(&image, part.data)) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The part of the image \"%s\" for OpenCL is not whole.", name);
  }
  // suits() has compared the target, which says the same.
  image.hidden_offsets = target().hidden_offsets;
  const Status status = loadBinary(library, image, name);
  // Told first: a lost device refuses any binary.
  RT_TRY(device_.lost());
  if (status.code() == RT_ERROR_OUT_OF_MEMORY) return status;
  if (!status.ok()) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The driver of %s refuses the binary in the image \"%s\": %s",
                         device_.facts().id, name, status.message());
  }
  (*library)->binary_ = std::move(image.binary);  // some drivers would give another one
  return Status();
}

// ---- From what a driver or another compiler made ----

Status Libraries::fromBinary(Ref<Library>* library, const void* data, size_t size, const char* options, const char* name) {
  cl_context context;
  RT_TRY(device_.context(&context));
  const cl_device_id device = device_.id();
  const auto* bytes = static_cast<const unsigned char*>(data);
  Error error = CL_SUCCESS;
  cl_int outcome = CL_SUCCESS;
  cl_program program = RT_CL_MAKE(&error, clCreateProgramWithBinary, context, 1, &device, &size, &bytes, &outcome);
  if (error == CL_SUCCESS && outcome != CL_SUCCESS) {
    (void)RT_CL_PLAIN(clReleaseProgram, program);
    error = outcome;
  }
  if (error != CL_SUCCESS) {
    const Status status = device_.failed("clCreateProgramWithBinary", error);
    // These say nothing of the bytes.
    if (status.code() == RT_ERROR_OUT_OF_MEMORY || device_.isLost()) return status;
    return Status::error(RT_ERROR_INVALID_IMAGE, "\"%s\" is no binary for opencl:%d (%s): %s", name, device_.ordinal(),
                         device_.facts().name, status.message());
  }
  const Status status = build(library, program, describing(options), name);
  // The program gave no source, so a failed build means that the binary is no good here.
  if (status.code() == RT_ERROR_BUILD_FAILED) return Status::error(RT_ERROR_INVALID_IMAGE, "%s", status.message());
  RT_TRY(status);
  return describe(**library, name);
}

Status Libraries::fromIl(Ref<Library>* library, const void* data, size_t size, const char* options, const char* name) {
  cl_context context;
  RT_TRY(device_.context(&context));
  Error error = CL_SUCCESS;
  cl_program program = RT_CL_MAKE_VIA(device_.extensions(), &error, clCreateProgramWithIL, context, data, size);
  if (error != CL_SUCCESS) {
    const Status status = device_.failed("clCreateProgramWithIL", error);
    if (status.code() != RT_ERROR_INVALID_VALUE) return status;
    return Status::error(RT_ERROR_INVALID_IMAGE, "\"%s\" is no SPIR-V that the driver takes: %s", name, status.message());
  }
  RT_TRY(build(library, program, describing(options), name));
  return describe(**library, name);
}

// A program names a value's type, and not its size: one that has no size everywhere cannot be checked, and is refused.
Status Libraries::describeArgument(compiler::OpenClArgument* argument, cl_kernel kernel, cl_uint index, const char* kernel_name,
                                   const char* name) {
  cl_kernel_arg_address_qualifier space = 0;
  const Error error =
      RT_CL_CALL(clGetKernelArgInfo, kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr);
  if (error == CL_KERNEL_ARG_INFO_NOT_AVAILABLE) {
    if (probeArgument(argument, kernel, index)) return Status();
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "The driver does not tell what argument %u of the kernel \"%s\" in \"%s\" is: the program was built "
                         "without -cl-kernel-arg-info.",
                         index, kernel_name, name);
  }
  if (error != CL_SUCCESS) return device_.failed("clGetKernelArgInfo", error);
  argument->name = argumentText(kernel, index, CL_KERNEL_ARG_NAME);
  argument->type_name = argumentText(kernel, index, CL_KERNEL_ARG_TYPE_NAME);
  argument->kind = space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? RT_ARG_VALUE
                   : space == CL_KERNEL_ARG_ADDRESS_LOCAL ? RT_ARG_LOCAL
                                                          : RT_ARG_POINTER;
  argument->use.space = space == CL_KERNEL_ARG_ADDRESS_PRIVATE    ? RT_ADDRESS_SPACE_PRIVATE
                        : space == CL_KERNEL_ARG_ADDRESS_LOCAL    ? RT_ADDRESS_SPACE_LOCAL
                        : space == CL_KERNEL_ARG_ADDRESS_CONSTANT ? RT_ADDRESS_SPACE_CONSTANT
                                                                  : RT_ADDRESS_SPACE_GLOBAL;
  argument->size = argument->kind == RT_ARG_VALUE ? sizeOfType(argument->type_name) : 8;
  if (argument->size != 0) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED,
                       "Argument %u of the kernel \"%s\" in \"%s\" has the type %s, whose size a binary does not tell.", index,
                       kernel_name, name, argument->type_name.c_str());
}

// A program's own words about its kernels.
Status Libraries::describe(Library& library, const char* name) {
  size_t size = 0;
  RT_CL_TRY(clGetProgramInfo, library.program(), CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size);
  std::string names(size, '\0');
  RT_CL_TRY(clGetProgramInfo, library.program(), CL_PROGRAM_KERNEL_NAMES, size, names.data(), nullptr);
  names.resize(strnlen(names.c_str(), size));
  // The driver gives names with semicolons between them. For each, a kernel is made for the time of the questions.
  for (size_t at = 0; at < names.size();) {
    const size_t end = std::min(names.find(';', at), names.size());
    compiler::OpenClKernel described;
    described.name = described.symbol = names.substr(at, end - at);
    at = end + 1;
    KernelHandle native;
    Error error = CL_SUCCESS;
    native.kernel = RT_CL_MAKE(&error, clCreateKernel, library.program(), described.name.c_str());
    if (error != CL_SUCCESS) return device_.failed("clCreateKernel", error);
    cl_uint count = 0;
    RT_CL_TRY(clGetKernelInfo, native.kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
    for (cl_uint index = 0; index < count; ++index) {
      compiler::OpenClArgument argument;
      RT_TRY(describeArgument(&argument, native.kernel, index, described.name.c_str(), name));
      described.arguments.push_back(std::move(argument));
    }
    size_t group[3] = {0, 0, 0};
    RT_CL_TRY(clGetKernelWorkGroupInfo, native.kernel, device_.id(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group,
              nullptr);
    for (int i = 0; i < 3; ++i) described.required_group[i] = static_cast<uint32_t>(group[i]);
    library.kernels.push_back(std::move(described));
  }
  return Status();
}

}  // namespace manyrt::opencl
