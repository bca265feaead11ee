// From bytes, or a file, to a module: what the bytes are, whether the device takes them, the build outside the guard.
#include "ops/module.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string>

#include "backends/module_image.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "manager/backends.h"
#include "manager/context.h"
#include "manager/device.h"
#include "manager/library.h"
#include "ops/module_image.h"

namespace manyrt::ops {
namespace {

constexpr size_t kMaxImageBytes = size_t{1} << 30;
constexpr size_t kMaxTextBytes = size_t{64} << 20;  // of a source, or of its headers
constexpr size_t kMaxWordBytes = size_t{1} << 20;   // of options and names
constexpr uint32_t kMaxHeaders = 1 << 16;

// By RT_IMAGE_*.
struct Format {
  const char* word;
  bool text;
};
constexpr Format kFormats[] = {{"AUTO", false},        {"OPENCL_C", true}, {"CUDA_CXX", true}, {"PTX", true},
                               {"CUBIN", false},       {"FATBIN", false},  {"SPIRV", false},   {"OPENCL_BINARY", false},
                               {"HOST_OBJECT", false}, {"MANYRT", false}};
constexpr int32_t kFormatCount = sizeof kFormats / sizeof kFormats[0];
static_assert(kFormatCount == RT_IMAGE_MANYRT + 1);

// The last byte of a text may be its terminator.
std::string_view withoutTerminator(std::string_view text) {
  if (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

// The word at an offset, in the order of a little-endian machine; 0 beyond the end.
uint32_t wordAt(std::string_view data, size_t offset, int bytes) {
  uint32_t word = 0;
  for (int i = 0; i < bytes && data.size() >= offset + static_cast<size_t>(bytes); ++i) {
    word |= uint32_t{static_cast<unsigned char>(data[offset + static_cast<size_t>(i)])} << (8 * i);
  }
  return word;
}

// PTX begins with its version, after blanks and comments. OpenCL C cannot begin with a full stop.
bool isPtx(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size()));
    size_t end;
    if (text.starts_with("//")) {
      end = text.find('\n');
    } else if (text.starts_with("/*")) {
      end = text.find("*/", 2);
      if (end != std::string_view::npos) end += 2;
    } else {
      return text.starts_with(".version");
    }
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end);
  }
}

// RT_IMAGE_AUTO where the bytes have no mark: it is text.
int32_t markedFormat(std::string_view data) {
  constexpr size_t kElfMachine = 18;  // the offset of e_machine
  constexpr uint32_t kCudaMachine = 190, kFatbinMark = 0xBA55ED50, kSpirvMark = 0x07230203;
  if (backend::ModuleImage::marks(data)) return RT_IMAGE_MANYRT;
  if (data.starts_with("\177ELF")) return wordAt(data, kElfMachine, 2) == kCudaMachine ? RT_IMAGE_CUBIN : RT_IMAGE_HOST_OBJECT;
  const uint32_t mark = wordAt(data, 0, 4);
  if (mark == kFatbinMark) return RT_IMAGE_FATBIN;
  return mark == kSpirvMark || mark == __builtin_bswap32(kSpirvMark) ? RT_IMAGE_SPIRV : RT_IMAGE_AUTO;
}

Status recognise(backend::Image* image) {
  image->format = markedFormat(image->data);
  if (image->format != RT_IMAGE_AUTO) return Status();
  const std::string_view text = withoutTerminator(image->data);
  const size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    return Status::error(RT_ERROR_INVALID_IMAGE,
                         "The image of %zu bytes is neither an image of rtModuleGetImage, an ELF file, a fatbin or SPIR-V nor "
                         "text: byte %zu is zero. Name "
                         "its format in the options if it has another one.",
                         image->data.size(), zero);
  }
  image->format = isPtx(text) ? RT_IMAGE_PTX : RT_IMAGE_OPENCL_C;
  return Status();
}

Status checkText(backend::Image* image) {
  image->data = withoutTerminator(image->data);
  size_t bytes = image->data.size();
  for (uint32_t i = 0; i < image->more_count; ++i) bytes += image->more[i].size();
  RT_CHECK_ARG(bytes <= kMaxTextBytes, "%s of %zu bytes %s too long: at most %zu.",
               image->more_count == 0 ? "A source" : "Sources", bytes, image->more_count == 0 ? "is" : "are", kMaxTextBytes);
  const size_t zero = image->data.find('\0');
  if (zero == std::string_view::npos) return Status();
  return Status::error(RT_ERROR_INVALID_IMAGE, "The source of %zu bytes is no text: byte %zu is zero.", image->data.size(),
                       zero);
}

// Options, name and headers: what is there is read, what means nothing for the format is refused.
Status checkWords(const backend::Image& image) {
  RT_CHECK_ARG(strnlen(image.options, kMaxWordBytes) < kMaxWordBytes, "The build options have %zu bytes or more.",
               kMaxWordBytes);
  RT_CHECK_ARG(strnlen(image.name, kMaxWordBytes) < kMaxWordBytes, "The name has %zu bytes or more.", kMaxWordBytes);
  const Format& format = kFormats[image.format];
  RT_CHECK_ARG(format.text || (image.options[0] == '\0' && image.header_count == 0),
               "An image of the format %s is not built: it has neither build options nor headers.", format.word);
  RT_CHECK_ARG(image.format == RT_IMAGE_OPENCL_C || image.tier == RT_TIER_DEFAULT,
               "An image of the format %s has no tier: OPENCL_C alone is built in tiers.", format.word);
  RT_CHECK_ARG(image.header_count <= kMaxHeaders, "%u headers are too many: at most %u.", image.header_count, kMaxHeaders);
  RT_CHECK_ARG(image.header_count == 0 || (image.header_names != nullptr && image.headers != nullptr),
               "%u header%s %s given; header_names or headers is NULL.", image.header_count, plural(image.header_count),
               were(image.header_count));
  size_t left = kMaxTextBytes;
  for (uint32_t i = 0; i < image.header_count; ++i) {
    RT_CHECK_ARG(image.header_names[i] != nullptr && image.headers[i] != nullptr, "Header %u has no %s: it is NULL.", i,
                 image.header_names[i] == nullptr ? "name" : "text");
    RT_CHECK_ARG(image.header_names[i][0] != '\0', "Header %u has an empty name.", i);
    for (const char* text : {image.header_names[i], image.headers[i]}) {
      const size_t length = strnlen(text, left);
      RT_CHECK_ARG(length < left, "The headers have more than %zu bytes in all.", kMaxTextBytes);
      left -= length;
    }
  }
  return Status();
}

Status chooseLoader(backend::ModuleLoader** loader, manager::Context& context, allocator::ContextResources& resources) {
  *loader = resources.native().modules();
  if (*loader != nullptr) return Status();
  return Status::error(RT_ERROR_NOT_SUPPORTED,
                       "The device %s runs no kernels from sources or images (RT_CAPABILITY_KERNELS is 0).",
                       context.device->name().c_str());
}

}  // namespace

Status checkImage(backend::Image* image, const backend::ModuleLoader& loader, const manager::Context& context) {
  RT_CHECK_ARG(image->data.size() <= kMaxImageBytes, "An image of %zu bytes is too large: at most %zu.", image->data.size(),
               kMaxImageBytes);
  if (image->format == RT_IMAGE_AUTO) RT_TRY(recognise(image));
  if (image->format != RT_IMAGE_MANYRT && !loader.takes(image->format)) {
    std::string taken;
    for (int32_t format = RT_IMAGE_AUTO + 1; format < kFormatCount; ++format) {
      if (loader.takes(format)) taken += (taken.empty() ? "" : ", ") + std::string(kFormats[format].word);
    }
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The device %s takes no images of the format %s; it takes %s.",
                         context.device->name().c_str(), kFormats[image->format].word, taken.c_str());
  }
  if (kFormats[image->format].text) RT_TRY(checkText(image));
  return checkWords(*image);
}

namespace {

Status checkFormat(int32_t format) {
  RT_CHECK_ARG(format >= RT_IMAGE_AUTO && format < kFormatCount, "%d is no format of images: RT_IMAGE_* goes from %d to %d.",
               format, RT_IMAGE_AUTO, kFormatCount - 1);
  return Status();
}

Status fileFailure(const char* what, const char* path, int error) {
  return Status::error(RT_ERROR_IO, "The file \"%s\" cannot be %s: %s.", path, what, strerror(error));
}

bool looksLikePath(std::string_view text) {
  constexpr size_t kMax = 4096;  // of a path
  if (text.empty() || text.size() >= kMax || text.find_first_of("\n;{}#") != text.npos) return false;
  return text.ends_with(".cl") || text.ends_with(".cu") || text.ends_with(".c") || text.ends_with(".cpp") ||
         access(std::string(text).c_str(), F_OK) == 0;
}

// A refused source that is something else: what it seems to be, and what takes that. Empty: OpenCL C with mistakes.
std::string whatElse(std::string_view text) {
  if (looksLikePath(text)) {
    return "The source is \"" + std::string(text) + "\", which looks like the path of a file: rtModuleLoadFile reads files.";
  }
  for (const char* word : {"__global__", "__device__", "__shared__", "threadIdx", "blockIdx", "blockDim", "__syncthreads"}) {
    if (text.find(word) == text.npos) continue;
    return "The source has the word " + std::string(word) +
           " of CUDA C++, and was built as OpenCL C: the format RT_IMAGE_CUDA_CXX is for CUDA devices.";
  }
  return "";
}

Status withHint(const Status& refused, const backend::Image& image) {
  if (refused.code() != RT_ERROR_BUILD_FAILED || image.format != RT_IMAGE_OPENCL_C) return refused;
  std::string hint = whatElse(image.data);
  for (uint32_t i = 0; i < image.more_count && hint.empty(); ++i) hint = whatElse(image.more[i]);
  return hint.empty() ? refused : Status::error(RT_ERROR_BUILD_FAILED, "%s %s", hint.c_str(), refused.message());
}

struct Descriptor {
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  int number;
};

// Regular files only: nothing else has an end that is sure to come.
Status readFile(std::string* data, const char* path) {
  if (fault::fails("module file")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  const Descriptor file{open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.number < 0) return fileFailure("opened", path, errno);
  struct stat facts;
  if (fstat(file.number, &facts) != 0) return fileFailure("read", path, errno);
  if (!S_ISREG(facts.st_mode)) return Status::error(RT_ERROR_IO, "The file \"%s\" is not a regular file.", path);
  RT_CHECK_ARG(static_cast<uint64_t>(facts.st_size) <= kMaxImageBytes,
               "The file \"%s\" of %lld bytes is too large: at most %zu.", path, static_cast<long long>(facts.st_size),
               kMaxImageBytes);
  size_t length = 0;
  data->resize(static_cast<size_t>(facts.st_size) + 1);  // one more, to see that it has not grown
  for (;;) {
    if (length == data->size()) data->resize(data->size() + (size_t{64} << 10));
    const ssize_t got = read(file.number, data->data() + length, data->size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fileFailure("read", path, errno);
    if (got == 0) break;
    length += static_cast<size_t>(got);
    RT_CHECK_ARG(length <= kMaxImageBytes, "The file \"%s\" is too large: at most %zu bytes.", path, kMaxImageBytes);
  }
  data->resize(length);
  return Status();
}

const char* nameOf(const backend::Image& image) {
  if (image.name[0] != '\0') return image.name;
  return image.format == RT_IMAGE_CUDA_CXX ? "kernel.cu" : image.format == RT_IMAGE_OPENCL_C ? "kernel.cl" : "image";
}

// For messages and the trace. Nothing else sees the kernels yet.
void nameKernels(const backend::Module& module, const char* name) {
  for (const Ref<backend::Kernel>& kernel : module.kernels()) kernel->setModuleName(name);
}

const char* wordFor(int32_t origin) {
  switch (origin) {
    case RT_MODULE_ORIGIN_BUILD:
      return "was built";
    case RT_MODULE_ORIGIN_CACHE:
      return "came from the cache";
    case RT_MODULE_ORIGIN_PROCESS:
      return "was in the process already";
    default:
      return "was loaded";
  }
}

const char* wordForState(int32_t state) {
  switch (state) {
    case RT_MODULE_QUICK:
      return "quick code, which optimised code is to replace";
    case RT_MODULE_READY:
      return "quick code";
    case RT_MODULE_FAILED:
      return "quick code, since no optimised code could be made";
    default:
      return "optimised code";
  }
}

// One line for each module; on level debug, also what the build says of parts that are slower than others.
void tellLoaded(const manager::Loaded& made, const manager::Device& device) {
  constexpr size_t kMostNames = 4;
  const std::vector<Ref<backend::Kernel>>& kernels = made.native->kernels();
  std::string names;
  for (size_t i = 0; i < kernels.size() && i < kMostNames; ++i) {
    names += (i == 0 ? "\"" : ", \"") + std::string(kernels[i]->name()) + "\"";
  }
  if (kernels.size() > kMostNames) names += " and " + std::to_string(kernels.size() - kMostNames) + " more";
  log::write(RT_LOG_INFO, "The module \"%s\" (%s) for %s %s in %.2f ms: %s.", made.name.c_str(), names.c_str(),
             device.name().c_str(), wordFor(made.native->origin()), static_cast<double>(made.nanoseconds) * 1e-6,
             wordForState(made.native->state()));
  if (!log::wanted(RT_LOG_DEBUG)) return;
  std::istringstream lines(made.native->buildLog());
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": remark: ") != std::string::npos) log::write(RT_LOG_DEBUG, "%s", line.c_str());
  }
}

}  // namespace

namespace {

// A program between its checks and its module.
struct Program {
  backend::Image image;
  std::shared_ptr<manager::KernelSource> source;  // for graph files; null: it is none of these
  manager::Loaded made;
};

Status check(Program* program, const backend::Image& given, const backend::ModuleLoader& loader,
             const manager::Context& context) {
  program->image = given;
  backend::Image& image = program->image;
  RT_TRY(checkImage(&image, loader, context));
  if (image.format == RT_IMAGE_OPENCL_C && image.header_count == 0 && image.more_count == 0) {
    program->source = std::make_shared<manager::KernelSource>();
    program->source->text = image.data;
    program->source->options = image.options;
  }
  program->made.name = nameOf(image);
  return Status();
}

// Under the guard again. `loaded`: what the loader said.
Status complete(manager::Module** module, Program* program, const Status& loaded, int64_t began, manager::Context& context,
                allocator::ContextResources& resources) {
  const backend::Image& image = program->image;
  manager::Loaded& made = program->made;
  RT_TRY(withHint(loaded, image));
  made.nanoseconds = static_cast<uint64_t>(nowNanoseconds() - began);
  if (image.format == RT_IMAGE_OPENCL_C || image.format == RT_IMAGE_CUDA_CXX) made.source = backend::sourceData(image);
  nameKernels(*made.native, made.name.c_str());
  if (!manager::library::running()) return manager::library::start();  // it was ended meanwhile
  if (log::wanted(RT_LOG_INFO)) tellLoaded(made, *context.device);
  return manager::createModule(module, context, resources, std::move(made), std::move(program->source));
}

}  // namespace

Status loadModule(manager::Module** module, const backend::Image& given, manager::Context& context,
                  allocator::ContextResources& resources, epoch::Guard& guard) {
  RT_TRY(checkFormat(given.format));
  backend::ModuleLoader* loader = nullptr;
  RT_TRY(chooseLoader(&loader, context, resources));
  RT_TRY(context.device->native.lost());
  Program program;
  RT_TRY(check(&program, given, *loader, context));
  const Ref<allocator::ContextResources> kept(&resources);
  const int64_t began = nowNanoseconds();
  guard.leave();
  Status loaded = program.image.format == RT_IMAGE_MANYRT
                      ? loadFromImage(&program.made, &program.source, program.image, *loader, context)
                      : loader->load(&program.made.native, program.image);
  guard.enter();
  return complete(module, &program, loaded, began, context, resources);
}

Status buildModules(std::vector<ModuleToBuild>* wanted, manager::Context& context, allocator::ContextResources& resources,
                    epoch::Guard& guard) {
  backend::ModuleLoader* loader = nullptr;
  RT_TRY(chooseLoader(&loader, context, resources));
  RT_TRY(context.device->native.lost());
  std::vector<Program> programs(wanted->size());
  std::vector<backend::Loading> loadings;
  std::vector<size_t> numbers;  // of the loadings
  loadings.reserve(wanted->size());
  numbers.reserve(wanted->size());
  for (size_t i = 0; i < wanted->size(); ++i) {
    ModuleToBuild& each = (*wanted)[i];
    if (each.status.ok()) each.status = checkFormat(each.image.format);
    if (each.status.ok() && !kFormats[each.image.format].text && each.image.format != RT_IMAGE_AUTO) {
      each.status = Status::error(RT_ERROR_INVALID_VALUE, "The format %s is that of no text: rtModuleLoadData takes it.",
                                  kFormats[each.image.format].word);
    }
    if (each.status.ok()) each.status = check(&programs[i], each.image, *loader, context);
    if (!each.status.ok()) continue;
    loadings.emplace_back().image = &programs[i].image;
    numbers.push_back(i);
  }
  const Ref<allocator::ContextResources> kept(&resources);
  const int64_t began = nowNanoseconds();
  guard.leave();
  Status status;
  if (!loadings.empty()) {
    try {
      loader->loadMany(loadings.data(), loadings.size());
    } catch (const std::bad_alloc&) {  // the guard has to be entered again
      status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
  }
  guard.enter();
  RT_TRY(status);
  for (size_t k = 0; k < loadings.size(); ++k) {
    ModuleToBuild& each = (*wanted)[numbers[k]];
    Program& program = programs[numbers[k]];
    program.made.native = std::move(loadings[k].module);
    try {
      each.status = complete(&each.module, &program, loadings[k].status, began, context, resources);
    } catch (const std::bad_alloc&) {  // of one module among many: the others are given
      each.status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
  }
  return Status();
}

Status loadModuleFile(manager::Module** module, const char* path, const backend::Image& given, manager::Context& context,
                      allocator::ContextResources& resources, epoch::Guard& guard) {
  RT_TRY(checkFormat(given.format));
  backend::ModuleLoader* loader = nullptr;
  RT_TRY(chooseLoader(&loader, context, resources));
  const Ref<allocator::ContextResources> kept(&resources);
  std::string data;
  guard.leave();
  Status status = readFile(&data, path);
  guard.enter();
  RT_TRY(status);
  backend::Image image = given;
  image.data = data;
  if (image.name[0] == '\0') image.name = path;
  return loadModule(module, image, context, resources, guard);
}

void moduleInfo(rtModuleInfo_t* info, const manager::Module& module) {
  info->state = module.native->state();
  info->origin = module.native->origin();
  info->kernel_count = static_cast<uint32_t>(module.kernels.size());
  info->code_bytes = module.native->codeBytes();
  info->load_ns = module.load_ns;
  copyLetters(info->name, sizeof info->name, module.name.c_str());
}

Status waitModule(manager::Module& module, int32_t state, Deadline deadline, epoch::Guard& guard) {
  RT_CHECK_ARG(state == RT_MODULE_READY || state == RT_MODULE_OPTIMIZED,
               "The state %d is neither RT_MODULE_READY (%d) nor RT_MODULE_OPTIMIZED (%d).", state, RT_MODULE_READY,
               RT_MODULE_OPTIMIZED);
  if (state == RT_MODULE_READY) return Status();
  Lease<manager::Module> lease(&module);
  guard.leave();
  Status status = module.native->awaitOptimized(deadline);
  guard.enter();
  return status;
}

}  // namespace manyrt::ops
