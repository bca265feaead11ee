// Building ahead of time: for processors and devices that need not be here. Nothing that is built is loaded. src/aot calls it
// and makes images of what it gives (docs/design/images.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/build.h"
#include "compiler/image.h"
#include "compiler/toolchain/cpu_target.h"

namespace manyrt::compiler {

// An error, a warning or a note about a source, as compilers write them.
struct Message {
  enum class Kind : uint8_t { kError, kWarning, kNote };
  Kind kind = Kind::kError;
  std::string file;  // empty: of no place
  uint32_t line = 0, column = 0;
  std::string text;   // one sentence
  std::string shown;  // the line of the source and a caret under the column, two lines; empty: none
};
inline constexpr const char* kMessageWords[] = {"error", "warning", "note"};

// The front end's findings about a source, for any device.
struct CheckedSource {
  std::vector<Message> messages;
  std::vector<std::string> files;  // that #include found on the disk, in the order of the first reading
  std::vector<Header> headers;     // the same by the names that #include has for them: with these the source needs no disk
  std::string ambiguous;           // a name that means two files: then `headers` do not replace the disk; empty: none
};
// BUILD_FAILED with the reasons in the messages; INVALID_VALUE for options.
Status checkSource(CheckedSource* checked, const BuildRequest& request);

// --- CPU

struct CpuCode {
  std::vector<unsigned char> object;  // a shared object
  std::string log;
  bool optimized = true;
  // The C library that it needs: 231 for glibc 2.31, and the function that asks for it; 0: any.
  uint32_t glibc = 0;
  std::string needs;
};
// As buildForCpu, which loads what it builds, and with the same cache.
Status buildCpuCode(CpuCode* code, const CpuLevel& level, const BuildRequest& request);
// As data of a part of an image for CpuLevel::target.
std::string cpuPart(const CpuCode& code);

enum class CpuText : uint8_t { kCpp, kAssembly };
Status cpuCodeText(std::string* text, std::string* log, CpuText form, const CpuLevel& level, const BuildRequest& request);
// The IR after all passes, for the level's vectors. NOT_SUPPORTED: the IR has no room for this program.
Status irText(std::string* text, std::string* log, const CpuLevel& level, const BuildRequest& request);

// Where a compiler is, for a list of targets. COMPILER_NOT_FOUND.
Status cpuCompilerPath(std::string* path);

// --- CUDA: buildForCuda of build.h, with a target that says what the code has to be.

// COMPILER_NOT_FOUND: there is no NVRTC. `architectures`: 75, 80, ..., ascending.
Status cudaArchitectures(std::vector<uint32_t>* architectures, std::string* path);

// --- OpenCL: the program as OpenCL C 1.2, preprocessed; devices whose kernels get addresses have one form, those whose kernels
// get a root and an offset another. Drivers compile it where it is loaded.

struct OpenClText {
  std::string data;    // of the part of an image
  std::string target;  // of the same
  std::string text;
  std::string log;
};
Status lowerForOpenCl(OpenClText* made, bool hidden_offsets, const BuildRequest& request);

}  // namespace manyrt::compiler
