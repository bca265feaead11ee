// Two pipelines to a CudaImage: OpenCL C through the front end and the lowering, CUDA C++ as it is. Both end in NVRTC, and
// share key, cache and the list of what is being built.
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/single_flight.h"
#include "base/trace.h"
#include "compiler/ahead.h"
#include "compiler/build.h"
#include "compiler/cache/cache.h"
#include "compiler/cache/cuda_entry.h"
#include "compiler/lowering/cuda/program.h"
#include "compiler/pipeline/failure.h"
#include "compiler/pipeline/front_end.h"
#include "compiler/toolchain/nvrtc.h"
#include "rt.h"

namespace manyrt::compiler {
namespace {

// Counts up when the front end, the lowering, the library or the flags below change what a source becomes.
constexpr uint32_t kCudaForm = 11;

constexpr char kCompiler[] = "compiler, NVRTC";  // of the trace

std::vector<std::string> optionsFor(const BuildOptions& options, const CudaUnit& unit) {
  std::vector<std::string> words = {"--std=c++20", "--device-int128", "--disable-warnings"};
  if (options.relaxed_math) words.emplace_back("--use_fast_math");
  if (options.flush_denormals) words.emplace_back("--ftz=true");
  if (options.unsafe_math && !options.relaxed_math) words.insert(words.end(), {"--prec-div=false", "--prec-sqrt=false"});
  if (!unit.contract) words.emplace_back("--fmad=false");  // after --use_fast_math, which allows it
  if (!options.optimize) words.emplace_back("--ptxas-options=-O0");
  if (options.debug) words.emplace_back("--generate-line-info");
  return words;
}

// ---- What is built, and what was built last ----

using BuiltImage = std::shared_ptr<const CudaImage>;

// The images of this process's last builds, the newest first: building them again reads no file.
class Recent {
 public:
  bool find(BuiltImage* image, const Digest& key) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->key != key) continue;
      *image = entry->image;
      std::rotate(entries_.begin(), entry, entry + 1);
      return true;
    }
    return false;
  }
  void add(const Digest& key, const BuiltImage& image) {
    entries_.push_front({key, image});
    bytes_ += sizeOf(*image);
    while (bytes_ > kMaxBytes || entries_.size() > kMaxEntries) {
      bytes_ -= sizeOf(*entries_.back().image);
      entries_.pop_back();
    }
  }

 private:
  static constexpr size_t kMaxBytes = 16 << 20;
  static constexpr size_t kMaxEntries = 64;
  struct Entry {
    Digest key;
    BuiltImage image;
  };
  static size_t sizeOf(const CudaImage& image) { return image.code.size() + image.log.size(); }

  std::deque<Entry> entries_;
  size_t bytes_ = 0;
};

struct Builds {
  SingleFlight<BuiltImage, Digest> flights;
  Recent recent;  // under the lock of the flights
};
Builds& builds() {
  static Builds* instance = new Builds;  // never destroyed: builds may run until the process ends
  return *instance;
}

bool load(CudaImage* image, const Digest& key, const char* name) {
  trace::BuildStep step("cache miss", name);
  cache::Entry data;
  if (!cache::load(&data, key)) return false;
  CudaImage read;
  if (!readCudaEntry(&read, data.data(), data.size())) return false;
  read.key = key;
  *image = std::move(read);
  step.rename("cache hit");
  return true;
}

void store(const CudaImage& image, const Digest& key) {
  const std::vector<unsigned char> data = writeCudaEntry(image);
  cache::store(cache::directory(), key, data.data(), data.size());
}

// `build(CudaImage*)` makes what neither this process nor the cache has.
template <typename Build>
Status buildOnce(BuiltImage* image, const Digest& key, const char* name, Origin* asked, Build build) {
  Builds& known = builds();
  Origin ignored;
  Origin& origin = asked != nullptr ? *asked : ignored;
  origin = Origin::kProcess;
  const auto make = [&](BuiltImage* out) {
    const std::shared_ptr<CudaImage> made = std::make_shared<CudaImage>();
    made->key = key;
    *out = made;  // its log is wanted also when the rest fails
    origin = Origin::kCached;
    if (load(made.get(), key, name)) return Status();
    origin = Origin::kBuilt;
    RT_TRY(build(made.get()));
    store(*made, key);
    return Status();
  };
  return known.flights.run(
      image, key, [&](BuiltImage* found) { return known.recent.find(found, key); }, make,
      [&](const BuiltImage& made) { known.recent.add(key, made); });
}

void addTarget(Blake2b* hash, const char* language, const CudaTarget& target, const NvrtcLibrary& library) {
  hash->addPart(language);
  addNumber(hash, kCudaForm);
  addNumber(hash, uint64_t{target.major} << 32 | uint64_t{target.minor} << 8 | static_cast<uint64_t>(target.code));
  hash->addPart(library.identity);
}

Status compileUnit(CudaImage* image, const CudaTarget& target, const NvrtcLibrary& library, FrontEnd& front_end) {
  CudaUnit unit;
  RT_TRY(front_end.translate(
      &image->log, [&](Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics) {
        return lowerToCuda(&unit, program, sources, options, diagnostics);
      }));
  for (const std::string& name : unit.unknown) {
    return Status::error(RT_ERROR_INTERNAL, "\"%s\" needs %s, for which there is no form on CUDA.", front_end.name(),
                         name.c_str());
  }
  NvrtcJob job;
  job.text = std::move(unit.text);
  job.name = front_end.name();
  job.options = optionsFor(front_end.options(), unit);
  {
    const trace::BuildStep step(kCompiler, front_end.name());
    RT_TRY(orDefect(compileWithNvrtc(image, library, target, job), front_end.name(), image->log, {}));
  }
  image->kernels = std::move(unit.kernels);
  image->globals = std::move(unit.globals);
  return Status();
}

bool namesArchitecture(const std::string& option) {
  return option.starts_with("--gpu-architecture") || option.starts_with("-arch");
}

}  // namespace

std::string cudaPart(const CudaImage& image) {
  const std::vector<unsigned char> entry = writeCudaEntry(image);
  return std::string(entry.begin(), entry.end());
}

bool readCudaPart(CudaImage* image, std::string_view data) {
  return readCudaEntry(image, reinterpret_cast<const unsigned char*>(data.data()), data.size());
}

Status cudaArchitectures(std::vector<uint32_t>* architectures, std::string* path) {
  NvrtcLibrary library;
  RT_TRY(findNvrtc(&library, 0));
  *path = library.path;
  return nvrtcArchitectures(architectures, library);
}

Status buildForCuda(BuiltImage* image, const CudaTarget& target, const BuildRequest& request) {
  image->reset();
  FrontEnd front_end(request);
  RT_TRY(front_end.readOptions());
  NvrtcLibrary library;
  RT_TRY(findNvrtc(&library, target.driver_version));
  Blake2b hash;
  addTarget(&hash, "OpenCL C for CUDA", target, library);
  CudaImage refused;
  if (Status status = front_end.addToKey(&hash, &refused.log); !status.ok()) {
    *image = std::make_shared<CudaImage>(std::move(refused));
    return status;
  }
  return buildOnce(image, hash.finish(), front_end.name(), request.origin,
                   [&](CudaImage* made) { return compileUnit(made, target, library, front_end); });
}

Status compileCuda(BuiltImage* image, const CudaTarget& target, const BuildRequest& request) {
  image->reset();
  NvrtcJob job;
  RT_TRY(splitWords(&job.options, request.options));
  NvrtcLibrary library;
  RT_TRY(findNvrtc(&library, target.driver_version));
  job.text = std::string(request.source);
  job.name = request.name[0] != '\0' ? request.name : "kernel.cu";
  job.headers = request.headers;
  Blake2b hash;
  addTarget(&hash, "CUDA C++", target, library);
  addNumber(&hash, MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH);
  hash.addPart(job.name);
  hash.addPart(job.text);
  bool open_ended = mayInclude(job.text);  // files may decide what it means, and NVRTC does not say which
  for (const std::string& option : job.options) {
    hash.addPart(option);
    job.choose_architecture = job.choose_architecture && !namesArchitecture(option);
    open_ended = open_ended || option.find("include") != option.npos || option.find("file") != option.npos;
  }
  const auto compile = [&](CudaImage* made) {
    const trace::BuildStep step(kCompiler, job.name.c_str());
    return compileWithNvrtc(made, library, target, job);
  };
  if (!open_ended) return buildOnce(image, hash.finish(), job.name.c_str(), request.origin, compile);
  if (request.origin != nullptr) *request.origin = Origin::kBuilt;
  const auto made = std::make_shared<CudaImage>();
  *image = made;
  return compile(made.get());
}

}  // namespace manyrt::compiler
