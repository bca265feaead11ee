// From OpenCL C to the text that an OpenCL driver compiles, and to what the driver made of it last time. The OpenCL backend
// calls it: begin, fromCache, and where that has nothing translate, the driver's compiler, store. Knows no driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/build/front_end.h"
#include "kernels/build/request.h"
#include "kernels/build/sha256.h"

namespace manyrt::kernels {

struct OpenClTarget {
  std::string identity;  // device, driver and their versions: what binaries depend on
  bool hidden_offsets = false;
  bool doubles = true;
  bool atomics_64 = true;
  bool rounds_division = false;    // the device can round division and sqrt of float correctly, if asked to
  bool wrong_sizes = false;        // get_local_size(3) and its like give 0 on the device, not 1
  bool no_empty_arg_info = false;  // -cl-kernel-arg-info does not compile where a kernel has no arguments
  bool optimized_calls = false;    // -cl-opt-disable does not compile where a kernel calls another
};

// An argument as rtKernelGetArgInfo has it. With hidden offsets an RT_ARG_POINTER is two arguments of the driver's kernel: the
// root and, behind it, the offset as a ulong.
struct OpenClArgument {
  uint32_t size = 0;
  int32_t kind = 0;  // RT_ARG_*
  std::string name;
  std::string type_name;
  bool is_record = false;  // a struct or union
};

struct OpenClKernel {
  std::string name;
  std::string symbol;  // what the driver knows it by
  std::vector<OpenClArgument> arguments;
  uint32_t required_group[3] = {0, 0, 0};  // zeros: any
  uint64_t local_bytes = 0;                // of its __local variables
};

struct OpenClImage {
  std::string text;     // for clCreateProgramWithSource
  std::string options;  // for clBuildProgram
  std::vector<OpenClKernel> kernels;
  bool hidden_offsets = false;
  bool optimized = true;          // without -cl-opt-disable
  bool follows_addresses = true;  // may: kernels reach memory that no argument names
  std::string log;
  std::vector<unsigned char> binary;  // CL_PROGRAM_BINARIES
};

class OpenClBuild {
 public:
  OpenClBuild(const OpenClTarget& target, const BuildRequest& request) : target_(target), front_end_(request) {}

  // Reads the options and makes the key. INVALID_VALUE for options; BUILD_FAILED with its log where an #include fails.
  Status begin(std::string* log);
  const Digest& key() const { return key_; }
  const char* name() const { return front_end_.name(); }
  bool fromCache(OpenClImage* image);    // all but the text
  Status translate(OpenClImage* image);  // all but the binary; BUILD_FAILED with the log in the image
  void store(const OpenClImage& image);

 private:
  bool describe(OpenClImage* image, const Program& program, const Sources& sources, Diagnostics& diagnostics);
  const OpenClTarget& target_;
  FrontEnd front_end_;
  Digest key_{};
};

}  // namespace manyrt::kernels
