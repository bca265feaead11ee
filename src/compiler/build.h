// From OpenCL C to code for a device: front end, lowering, compiler, cache, in this order and no other. The backends call it.
// It knows no device and no driver. The same source with the same options is built once in a process, also when several threads
// ask at once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ref.h"
#include "base/status.h"
#include "compiler/image.h"
#include "compiler/preprocessor/header.h"
#include "compiler/toolchain/cpu_target.h"  // suitsCpu
#include "compiler/unit.h"

namespace manyrt::compiler {

// Where the code of a build came from.
enum class Origin : uint8_t { kBuilt, kCached, kProcess };
// As rt.h has it: RT_MODULE_ORIGIN_*.
constexpr int32_t originCode(Origin origin) {
  return origin == Origin::kBuilt    ? RT_MODULE_ORIGIN_BUILD
         : origin == Origin::kCached ? RT_MODULE_ORIGIN_CACHE
                                     : RT_MODULE_ORIGIN_PROCESS;
}

// The input of a build for any device.
struct BuildRequest {
  std::string_view source;
  std::vector<std::string_view> more;  // sources of the same program: compiler/preprocessor/merge.h
  const char* options = "";            // may be empty, not null
  const char* name = "";  // of the source, in messages; "": "kernel.cl", of several "kernel0.cl", or "kernel.cu" of CUDA C++
  std::vector<std::string> more_names;  // of these, in messages; empty: numbers
  std::vector<Header> headers;          // that #include finds
  const char* folder = "";              // of sources whose names have none, for their #include; "": they come from no folder
  Origin* origin = nullptr;             // receives where the code came from; may be null
  const FiberCalls* fibers = nullptr;   // of the CPU: for kernels that run on them, in objects that are loaded later
  int32_t tier = RT_TIER_DEFAULT;       // of the CPU: RT_TIER_*, before what the options say
};

// The status of a failed build, with the compiler's log where the sentence does not have it already.
Status buildFailure(const Status& status, std::string log);

// --- CPU. A build that is not in the cache is made twice: quickly for the caller, which waits, and optimised in the background
// (Object::better).

// BUILD_FAILED with a log that has the user's names and lines; COMPILER_NOT_FOUND; INVALID_VALUE for options. `log` also
// receives the warnings and remarks of a build that succeeded; from the cache the same text.
Status buildForCpu(Ref<Object>* object, std::string* log, const BuildRequest& request);

// One of many builds: all but the request is the result, as of buildForCpu.
struct CpuBuild {
  BuildRequest request;
  Ref<Object> object;
  std::string log;
  Origin origin = Origin::kBuilt;
  Status status;
};
// Builds all side by side: in the order of the array, but none waits for another one. Optimised code is begun once all quick
// code is there. Throws bad_alloc before it has begun.
void buildManyForCpu(CpuBuild* builds, size_t count);

// Until the optimised code of an object is there, if it is being made. TIMEOUT; BUILD_FAILED: it could not be made; SHUT_DOWN.
Status awaitBetter(const Object& object, Deadline deadline);

// The code of an object that was built, the optimised one where there is one, as data of an image's part; `target` says which
// processor it is for. NOT_SUPPORTED: it was not built. Throws bad_alloc.
Status cpuPart(std::string* data, std::string* target, const Object& object, const std::string& log);
// INVALID_IMAGE: these bytes are no whole part, or no object of this machine.
Status loadCpuPart(Ref<Object>* object, std::string* log, std::string_view data, std::string_view target, const char* name);

// --- CUDA. Needs no GPU and no driver.

// BUILD_FAILED with a log that has the user's names and lines; COMPILER_NOT_FOUND; INVALID_VALUE for options; NOT_SUPPORTED. On
// failure `image` has the log alone, or is null. Images are shared and never change. Callers that ask for the same request and
// target at the same time share one build. Later calls find it in the cache, whose key needs NVRTC's file but does not open it.
Status buildForCuda(std::shared_ptr<const CudaImage>* image, const CudaTarget& target, const BuildRequest& request);

// CUDA C++ as it is: NVRTC gets the headers and the options, which are split into words as a shell does. Where they name no
// architecture, the target's is added. No kernels or globals are described. Kept in the cache only where no #include can bring
// in files.
Status compileCuda(std::shared_ptr<const CudaImage>* image, const CudaTarget& target, const BuildRequest& request);

// An image as data of a part of a module's image, and back. False: these bytes are no whole part of this form.
inline constexpr uint32_t kCudaPartForm = 1;
std::string cudaPart(const CudaImage& image);
bool readCudaPart(CudaImage* image, std::string_view data);

// --- OpenCL: begin, fromCache, and where that has nothing translate, the driver's compiler, store.

struct OpenClTarget {
  std::string identity;  // device, driver and their versions: what binaries depend on
  bool hidden_offsets = false;
  bool doubles = true;
  bool halves = true;
  bool atomics_64 = true;
  bool rounds_division = false;    // the device can round division and sqrt of float correctly, if asked to
  bool wrong_sizes = false;        // get_local_size(3) and its like give 0 on the device, not 1
  bool no_empty_arg_info = false;  // -cl-kernel-arg-info does not compile where a kernel has no arguments
  bool optimized_calls = false;    // -cl-opt-disable does not compile where a kernel calls another
};

class FrontEnd;
struct LoweredProgram;

class OpenClBuild {
 public:
  OpenClBuild(const OpenClTarget& target, const BuildRequest& request);  // both outlive it
  ~OpenClBuild();
  OpenClBuild(const OpenClBuild&) = delete;
  OpenClBuild& operator=(const OpenClBuild&) = delete;

  // Reads the options and makes the key. INVALID_VALUE for options; BUILD_FAILED with its log where an #include fails.
  Status begin(std::string* log);
  // Instead, from a part of an image of the form kOpenClTextPartForm, whose hash was checked; of the request only the name
  // counts. False: these bytes are no whole part.
  bool beginLowered(std::string_view part, const Digest& hash);
  const Digest& key() const { return key_; }
  const char* name() const;              // of the source, in messages
  bool fromCache(OpenClImage* image);    // all but the text
  Status translate(OpenClImage* image);  // all but the binary; BUILD_FAILED with the log in the image
  void store(const OpenClImage& image);

 private:
  const OpenClTarget& target_;
  const std::unique_ptr<FrontEnd> front_end_;
  std::unique_ptr<const LoweredProgram> lowered_;  // else it is of a source
  Digest key_{};
};

// A driver's binary of a program, as data of a part of a module's image, and back. False: these bytes are no whole part of this
// form. The text of the program is not in it.
inline constexpr uint32_t kOpenClPartForm = 1;
std::string openClPart(const OpenClImage& image);
bool readOpenClPart(OpenClImage* image, std::string_view data);
// The target of a binary: device and driver, and how their kernels are made. 32 hexadecimal digits.
std::string openClPartTarget(const OpenClTarget& target);

// A part with the text of the program, which the driver compiles. It suits every device that has what the target names.
inline constexpr uint32_t kOpenClTextPartForm = 2;
bool suitsOpenClText(std::string_view part_target, const OpenClTarget& target, std::string* why_not);

}  // namespace manyrt::compiler
