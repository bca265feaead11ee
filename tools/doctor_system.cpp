// The library's surroundings: compilers, folders, limits. It asks the library's own functions, so that the answer is the one
// that a build would get.
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/config.h"
#include "check.h"
#include "compiler/ahead.h"
#include "compiler/cache/cache.h"
#include "compiler/toolchain/compiler.h"
#include "compiler/toolchain/file.h"
#include "compiler/toolchain/process.h"
#include "doctor.h"
#include "units.h"

namespace doctor {
namespace {

namespace compiler = manyrt::compiler;
namespace config = manyrt::config;
using manyrt::Status;

std::string sentenceOf(const Status& status) {
  return status.message()[0] != '\0' ? status.message() : rtGetErrorString(status.code());
}

// The first line of what `compiler --version` prints.
std::string versionOf(const compiler::Compiler& found) {
  compiler::ProcessJob job;
  job.arguments = {found.path};
  job.arguments.insert(job.arguments.end(), found.words.begin(), found.words.end());
  job.arguments.emplace_back("--version");
  job.environment = found.environment;
  job.folder = "/";
  job.milliseconds = 10'000;
  job.output_bytes = 4096;
  const compiler::ProcessResult result = compiler::runProcess(job);
  if (!result.succeeded()) return "";
  return result.output.substr(0, result.output.find('\n'));
}

Finding examineCompiler(const Distribution& distribution) {
  compiler::Compiler found;
  const Status status = compiler::findCompiler(&found);
  if (!status.ok()) {  // a variable that names none is a fault, a machine without one is not
    const bool named = config::get(config::Variable::kCompiler) != nullptr;
    return {"compilers", named ? Level::kProblem : Level::kNote, sentenceOf(status),
            named ? "set RT_CC to a compiler, or remove it" : adviceFor(distribution, Needed::kCompiler)};
  }
  const std::string version = versionOf(found);
  if (version.empty()) {
    return {"compilers", Level::kProblem, found.path + " does not run with --version",
            "install it again, or set RT_CC to another one"};
  }
  return {"compilers", Level::kFine, "for the CPU: " + found.path + ", " + version, ""};
}

std::vector<Finding> examineNvrtc() {
  std::vector<uint32_t> architectures;
  std::string path;
  const Status status = compiler::cudaArchitectures(&architectures, &path);
  if (status.ok() && !architectures.empty()) {
    return {{"compilers", Level::kFine,
             "for CUDA: " + path + ", sm_" + std::to_string(architectures.front()) + " to sm_" +
                 std::to_string(architectures.back()),
             ""}};
  }
  // Without CUDA it is needed by manyrt cc alone; a device that needs it is told with the device.
  if (config::get(config::Variable::kNvrtc) == nullptr) return {};
  return {{"compilers", Level::kProblem, sentenceOf(status), "set RT_NVRTC to NVRTC, or remove it"}};
}

Finding examineCache() {
  const compiler::cache::Contents contents = compiler::cache::contents();
  if (contents.off)
    return {"cache", Level::kNote, "off by RT_CACHE_DIR: each start of a program compiles its kernels again", ""};
  if (contents.path.empty() || !contents.reason.empty()) {
    return {"cache", Level::kProblem, (contents.path.empty() ? "" : contents.path + ": ") + "not used: " + contents.reason,
            "make it a folder of yours with mode 700, or set RT_CACHE_DIR"};
  }
  const std::string folder = compiler::cache::folder();  // made, if it was not there
  if (folder.empty() || access(folder.c_str(), W_OK | X_OK) != 0) {
    return {"cache", Level::kProblem, contents.path + ": it cannot be written: " + std::strerror(errno),
            "set RT_CACHE_DIR to a folder that can"};
  }
  uint64_t bytes = 0;
  for (const compiler::cache::Stored& each : contents.entries) bytes += each.bytes;
  return {"cache", Level::kFine,
          folder + ": " + counted(contents.entries.size(), "entry", "entries") + ", " + bytesText(bytes) + " of at most " +
              bytesText(contents.max_bytes),
          ""};
}

// A compiler writes here, and the code of a module comes from here.
Finding examineTemporary() {
  const std::string folder = compiler::temporaryFolder();
  struct statvfs about {};
  if (statvfs(folder.c_str(), &about) != 0 || access(folder.c_str(), W_OK | X_OK) != 0) {
    return {"limits", Level::kProblem, "temporary files: " + folder + ": " + std::strerror(errno),
            "set TMPDIR to a folder that can be written"};
  }
  const uint64_t free = uint64_t{about.f_bavail} * about.f_frsize;
  constexpr uint64_t kEnough = 64 << 20;
  const std::string text = "temporary files: " + folder + ", " + bytesText(free) + " free";
  return free >= kEnough ? Finding{"limits", Level::kFine, text, ""}
                         : Finding{"limits", Level::kNote, text, "a compiler may need more; set TMPDIR to another folder"};
}

struct Limit {
  __rlimit_resource_t resource;
  const char* name;
  bool is_bytes;
  uint64_t least;      // what is below is noted
  const char* advice;  // then
};

Finding examineLimit(const Limit& limit) {
  rlimit now{};
  (void)getrlimit(limit.resource, &now);
  const bool any = now.rlim_cur == RLIM_INFINITY;
  const std::string value = any ? "no limit" : limit.is_bytes ? bytesText(now.rlim_cur) : std::to_string(now.rlim_cur);
  const bool enough = any || now.rlim_cur >= limit.least;
  return {"limits", enough ? Level::kFine : Level::kNote, std::string(limit.name) + ": " + value, enough ? "" : limit.advice};
}

}  // namespace

std::vector<Finding> examineSystem(const Distribution& distribution) {
  std::vector<Finding> findings{examineCompiler(distribution)};
  const std::vector<Finding> nvrtc = examineNvrtc();
  findings.insert(findings.end(), nvrtc.begin(), nvrtc.end());
  findings.push_back(examineCache());
  findings.push_back(examineTemporary());
  constexpr Limit kLimits[] = {
      {RLIMIT_MEMLOCK, "locked memory", true, 0, ""},
      {RLIMIT_NOFILE, "open files", false, 256, "raise it with ulimit -n: drivers and compilers open many"},
      {RLIMIT_FSIZE, "size of a file", true, 16 << 20, "raise it with ulimit -f: a kernel's code may be larger"},
      {RLIMIT_AS, "address space", true, uint64_t{64} << 30, "raise it with ulimit -v: drivers of GPUs reserve much of it"},
  };
  for (const Limit& each : kLimits) findings.push_back(examineLimit(each));
  return findings;
}

}  // namespace doctor
