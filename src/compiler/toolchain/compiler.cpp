// Finding a compiler in PATH by hand, and running it in two steps: the compiler makes object files, a linker makes the shared
// object. The linker is started directly where it serves, because the compiler's driver is one more program to start.
#include "compiler/toolchain/compiler.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "base/config.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/os/site_packages.h"
#include "base/text.h"
#include "compiler/toolchain/elf.h"
#include "compiler/toolchain/file.h"
#include "compiler/toolchain/process.h"

namespace manyrt::compiler {
namespace {

using End = ProcessResult::End;

constexpr uint64_t kMaxFileBytes = 256 << 20;
constexpr uint64_t kMaxOutputBytes = 64 << 10;
constexpr uint64_t kMaxLinkMilliseconds = 10'000;  // of the linker alone, which takes a few; then the driver tries
constexpr char kUsualPath[] = "/usr/local/bin:/usr/bin:/bin";
constexpr const char* kUsualNames[] = {"g++", "c++", "clang++", "zig"};

std::string searchPath() {
  const char* path = secure_getenv("PATH");
  return path != nullptr && path[0] != '\0' ? path : kUsualPath;
}

bool isProgram(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

struct Known {  // the last answer, for as long as its question and its file are the same
  std::string question;
  std::vector<std::string> programs;
  Compiler compiler;
};
Ranked<std::mutex, LockRank::kCompiler> known_mutex;
Known& known() {
  static Known* instance = new Known;  // never destroyed: builds may run until the process ends
  return *instance;
}

// All programs of that name count: the first may be a wrapper, such as ccache's, around the next.
std::string identityOfAll(const std::vector<std::string>& programs) {
  std::string identity;
  for (const std::string& program : programs) identity += fileIdentity(program);
  return identity;
}

Status absolutePath(std::string* path, const char* given) {
  char resolved[PATH_MAX];
  *path = given[0] == '/' || realpath(given, resolved) == nullptr ? given : resolved;
  if (isProgram(*path)) return Status();
  return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "RT_CC is \"%s\", which is no program that can be started.", given);
}

Status search(std::vector<std::string>* programs, const std::string& path) {
  const char* wanted = config::get(config::Variable::kCompiler);
  if (wanted != nullptr && strchr(wanted, '/') != nullptr) {
    programs->resize(1);
    return absolutePath(programs->data(), wanted);
  }
  if (wanted != nullptr) {
    *programs = findPrograms(wanted, path);
    if (!programs->empty()) return Status();
    return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "RT_CC is \"%s\", which no folder of PATH has (%s).", wanted,
                         path.c_str());
  }
  for (const char* name : kUsualNames) {
    *programs = findPrograms(name, path);
    if (!programs->empty()) return Status();
  }
  const std::string& packages = sitePackages();
  if (!packages.empty()) {
    programs->assign(1, packages + "/ziglang/zig");
    if (isProgram(programs->front())) return Status();
    programs->clear();
  }
  return Status::error(RT_ERROR_COMPILER_NOT_FOUND,
                       "Kernels for the CPU need a C++ compiler, and PATH (%s) has no g++, c++, clang++ or zig. Install %sg++ "
                       "(Debian and Ubuntu: apt install g++; Fedora: dnf install gcc-c++), or set RT_CC to a compiler.",
                       path.c_str(), packages.empty() ? "" : "one with pip (pip install \"manyrt[compiler]\"), or ");
}

// ---- zig, which has clang in it ----

bool isZig(const std::string& path) { return path.ends_with("/zig"); }

// zig's names of processors have no hyphens. It knows no -march for aarch64; what that asks for is its baseline.
void addFlags(std::vector<std::string>* arguments, const Compiler& compiler, const std::vector<std::string>& flags) {
  constexpr std::string_view kArchitecture = "-march=";
  for (const std::string& flag : flags) {
    if (compiler.words.empty() || !flag.starts_with(kArchitecture)) {
      arguments->push_back(flag);
      continue;
    }
    std::string name = flag.substr(kArchitecture.size());
    std::replace(name.begin(), name.end(), '-', '_');
    arguments->push_back("-mcpu=" + (name.starts_with("armv8") || name.starts_with("rv64") ? "baseline" : name));
  }
}

std::vector<std::string> begunWith(const Compiler& compiler) {
  std::vector<std::string> arguments = {compiler.path};
  arguments.insert(arguments.end(), compiler.words.begin(), compiler.words.end());
  return arguments;
}

// zig keeps parts of a C library that it makes once. It has to have a folder for them, and ends without HOME and this.
void addZigFolders(std::vector<std::string>* environment, const std::string& temporary) {
  const char* kept = secure_getenv("ZIG_GLOBAL_CACHE_DIR");
  const char* home = secure_getenv("HOME");
  const char* caches = secure_getenv("XDG_CACHE_HOME");
  if (kept != nullptr) {
    environment->push_back(std::string("ZIG_GLOBAL_CACHE_DIR=") + kept);
  } else if ((home == nullptr || access(home, W_OK) != 0) && caches == nullptr) {
    environment->push_back("ZIG_GLOBAL_CACHE_DIR=" + temporary + "/manyrt-zig-" + std::to_string(geteuid()));
  }
}

std::vector<std::string> handedOn() {
  std::vector<std::string> environment = {"LC_ALL=C", "PATH=" + searchPath()};
  // Where compilers outside of the system's folders find their libraries, and what wrappers look for.
  static constexpr const char* kHandedOn[] = {"HOME",       "LD_LIBRARY_PATH", "XDG_CACHE_HOME",   "XDG_CONFIG_HOME",
                                              "CCACHE_DIR", "CCACHE_DISABLE",  "CCACHE_CONFIGPATH"};
  for (const char* name : kHandedOn) {
    const char* value = secure_getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

// One build: a folder, the time that is left, and what the programs said.
class Build {
 public:
  Build(const Compiler& compiler, std::string* log, const CompileJob& job) : compiler_(compiler), log_(*log), job_(job) {}
  Status run(std::vector<unsigned char>* object);
  Status runToAssembly(std::string* text);

 private:
  Status begin();
  Status compileUnits(std::vector<std::string>* undefined);
  Status checkUnit(std::vector<std::string>* undefined, const std::string& name);
  Status link(std::vector<unsigned char>* object, const std::vector<std::string>& undefined);
  bool linkDirectly(std::vector<unsigned char>* object, const std::vector<std::string>& undefined);
  ProcessJob process(std::vector<std::string> arguments) const;
  ProcessJob compilation(size_t unit, bool simpler, const char* step = "-c", const char* ending = ".o") const;
  ProcessResult start(std::vector<std::string> arguments) const;
  void addUnits(std::vector<std::string>* arguments) const;
  Status judge(const ProcessResult& result, const char* step);
  Status failure(const char* step, const char* format, ...) __attribute__((format(printf, 3, 4)));
  void keepOutput(const ProcessResult& result);

  const Compiler& compiler_;
  std::string& log_;
  const CompileJob& job_;
  PrivateFolder folder_;
};

Status Build::failure(const char* step, const char* format, ...) {
  char reason[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(reason, sizeof reason, format, list);
  va_end(list);
  return Status::error(RT_ERROR_BUILD_FAILED, "The compiler %s %s while %s.", compiler_.path.c_str(), reason, step);
}

void Build::keepOutput(const ProcessResult& result) {
  log_.append(result.output, 0, wholeLetters(result.output.data(), result.output.size()));
  if (result.output_total <= result.output.size()) return;
  log_ += "\n(" + std::to_string(result.output_total - result.output.size()) + " bytes more are left out)\n";
}

std::string unitName(size_t number, const char* ending) { return "unit" + std::to_string(number) + ending; }

Status Build::begin() {
  if (const int error = folder_.create(compiler_.temporary); error != 0) {
    return Status::error(RT_ERROR_IO, "A folder for the compiler could not be made in %s: %s.", compiler_.temporary.c_str(),
                         strerror(error));
  }
  for (size_t i = 0; i < job_.texts.size(); ++i) {
    const std::string& text = job_.texts[i];
    if (const int error = folder_.write(unitName(i, ".cpp").c_str(), text.data(), text.size()); error != 0) {
      return Status::error(RT_ERROR_IO, "The %zu bytes for the compiler could not be written to %s: %s.", text.size(),
                           folder_.path().c_str(), strerror(error));
    }
  }
  return Status();
}

ProcessJob Build::process(std::vector<std::string> arguments) const {
  ProcessJob job;
  job.arguments = std::move(arguments);
  job.environment = compiler_.environment;
  job.environment.push_back("TMPDIR=" + folder_.path());
  job.folder = folder_.path();
  job.milliseconds = static_cast<uint64_t>(compiler_.seconds) * 1000;
  job.file_bytes = kMaxFileBytes;
  job.output_bytes = kMaxOutputBytes;
  job.niceness = job_.niceness;
  return job;
}

ProcessResult Build::start(std::vector<std::string> arguments) const {
  return std::move(runProcesses({process(std::move(arguments))}, job_.cancel)[0]);
}

void Build::addUnits(std::vector<std::string>* arguments) const {
  for (size_t i = 0; i < job_.texts.size(); ++i) arguments->push_back(unitName(i, ".o"));
}

Status Build::judge(const ProcessResult& result, const char* step) {
  switch (result.end) {
    case End::kNotStarted:
      if (result.code == ENOMEM || result.code == EAGAIN) {
        return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no means to start %s: %s.", compiler_.path.c_str(),
                             strerror(result.code));
      }
      return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "The compiler %s could not be started: %s.", compiler_.path.c_str(),
                           strerror(result.code));
    case End::kTimedOut:
      return Status::error(RT_ERROR_TIMEOUT, "The compiler %s was killed after %lld seconds, the limit (RT_CC_TIMEOUT).",
                           compiler_.path.c_str(), static_cast<long long>(compiler_.seconds));
    case End::kCancelled:
      return Status::error(RT_ERROR_SHUT_DOWN, "The compiler %s was killed: its result is not wanted any more.",
                           compiler_.path.c_str());
    case End::kSignalled:
      return failure(step, "was ended by signal %d (%s)", result.code, strsignal(result.code));
    case End::kExited:
      if (result.code != 0) return failure(step, "gave up with exit status %d", result.code);
      return Status();
    case End::kUnknown:
      return Status();  // what it wrote decides
  }
  return Status();
}

constexpr const char* kCompiling = "it compiled";

// Whether the compiler met a fault of its own, and not one of the source or of the machine (SIGKILL: memory ran out).
bool brokeDown(const ProcessResult& result) {
  if (result.end == End::kSignalled) {
    return result.code == SIGSEGV || result.code == SIGABRT || result.code == SIGILL || result.code == SIGBUS ||
           result.code == SIGFPE;
  }
  if (result.end != End::kExited || result.code == 0) return false;
  const auto says = [&](const char* words) { return result.output.find(words) != std::string::npos; };
  if (says("internal compiler error: Killed")) return false;
  return says("internal compiler error: ") || says("PLEASE submit a bug report to ");  // gcc, clang
}

ProcessJob Build::compilation(size_t unit, bool simpler, const char* step, const char* ending) const {
  std::vector<std::string> arguments = begunWith(compiler_);
  addFlags(&arguments, compiler_, job_.flags);
  if (simpler) arguments.push_back(job_.simpler);
  if (!job_.folder.empty()) arguments.push_back("-fdebug-prefix-map=" + folder_.path() + "=" + job_.folder);
  arguments.insert(arguments.end(), {"-x", "c++", step, "-o", unitName(unit, ending), unitName(unit, ".cpp")});
  return process(std::move(arguments));
}

Status Build::compileUnits(std::vector<std::string>* undefined) {
  std::vector<ProcessJob> jobs;
  for (size_t i = 0; i < job_.texts.size(); ++i) jobs.push_back(compilation(i, false));
  std::vector<ProcessResult> results = runProcesses(jobs, job_.cancel);
  const bool hopeless = std::any_of(results.begin(), results.end(),
                                    [](const ProcessResult& result) { return !result.succeeded() && !brokeDown(result); });
  for (size_t i = 0; i < results.size() && !job_.simpler.empty() && !hopeless; ++i) {
    if (!brokeDown(results[i])) continue;
    log::write(RT_LOG_INFO, "The compiler %s broke down over a source and is given it again with %s.", compiler_.path.c_str(),
               job_.simpler.c_str());
    results[i] = std::move(runProcesses({compilation(i, true)}, job_.cancel)[0]);
  }
  Status status;
  for (const ProcessResult& result : results) {
    keepOutput(result);
    if (status.ok()) status = judge(result, kCompiling);
  }
  for (size_t i = 0; i < job_.texts.size() && status.ok(); ++i) status = checkUnit(undefined, unitName(i, ".o"));
  return status;
}

Status Build::checkUnit(std::vector<std::string>* undefined, const std::string& name) {
  std::vector<unsigned char> unit;
  if (const int error = folder_.read(&unit, name.c_str(), kMaxFileBytes); error != 0) {
    return failure(kCompiling, "left no object file that can be read (%s)", strerror(error));
  }
  std::vector<std::string> own;
  const std::string wrong = checkRelocatable(&own, unit.data(), unit.size());
  undefined->insert(undefined->end(), own.begin(), own.end());
  return wrong.empty() ? Status() : failure(kCompiling, "wrote a file that %s", wrong.c_str());
}

// A failure here is no failure of the build: the compiler's driver then links again.
bool Build::linkDirectly(std::vector<unsigned char>* object, const std::vector<std::string>& undefined) {
  const std::vector<std::string> linkers = findPrograms("ld", compiler_.search_path);
  // Names that begin so are of the compiler's own library, whose place the driver knows; those of a sanitizer are in the
  // process.
  const auto isCompilers = [](const std::string& name) {
    const bool sanitizers = name.starts_with("__asan_") || name.starts_with("__tsan_") || name.starts_with("__ubsan_");
    return name.starts_with("__") && !sanitizers;
  };
  if (linkers.empty() || std::any_of(undefined.begin(), undefined.end(), isCompilers)) return false;
  std::vector<std::string> arguments = {linkers[0]};
  for (const char* argument : {"-shared", "--eh-frame-hdr", "--hash-style=gnu", "--build-id=none", "-znoseparate-code", "-znow",
                               "-znoexecstack", "-o", "unit.so"}) {
    arguments.emplace_back(argument);
  }
  addUnits(&arguments);
  arguments.insert(arguments.end(), {"--as-needed", "-l:libm.so.6"});
  ProcessJob job = process(std::move(arguments));
  job.milliseconds = std::min(job.milliseconds, kMaxLinkMilliseconds);
  const ProcessResult result = std::move(runProcesses({std::move(job)}, job_.cancel)[0]);
  return result.succeeded() && folder_.read(object, "unit.so", kMaxFileBytes) == 0 &&
         checkSharedObject(object->data(), object->size()).empty();
}

Status Build::link(std::vector<unsigned char>* object, const std::vector<std::string>& undefined) {
  constexpr const char* kStep = "it linked";
  if (linkDirectly(object, undefined)) return Status();
  // The flags of the compilation are not repeated: for some of them, drivers add code that changes the floating-point mode of
  // the loading thread.
  std::vector<std::string> arguments = begunWith(compiler_);
  for (const char* argument : {"-shared", "-nostdlib", "-Wl,-znow,-znoexecstack", "-o", "linked.so"}) {
    arguments.emplace_back(argument);
  }
  addUnits(&arguments);
  arguments.insert(arguments.end(), {"-lm", "-lgcc"});
  const ProcessResult result = start(std::move(arguments));
  keepOutput(result);
  RT_TRY(judge(result, kStep));
  if (const int error = folder_.read(object, "linked.so", kMaxFileBytes); error != 0) {
    return failure(kStep, "left no shared object that can be read (%s)", strerror(error));
  }
  const std::string wrong = checkSharedObject(object->data(), object->size());
  return wrong.empty() ? Status() : failure(kStep, "wrote a file that %s", wrong.c_str());
}

Status Build::run(std::vector<unsigned char>* object) {
  std::vector<std::string> undefined;
  RT_TRY(begin());
  RT_TRY(compileUnits(&undefined));
  return link(object, undefined);
}

Status Build::runToAssembly(std::string* text) {
  RT_TRY(begin());
  for (size_t i = 0; i < job_.texts.size(); ++i) {
    const ProcessResult result = std::move(runProcesses({compilation(i, false, "-S", ".s")}, job_.cancel)[0]);
    keepOutput(result);
    RT_TRY(judge(result, kCompiling));
    std::vector<unsigned char> unit;
    if (const int error = folder_.read(&unit, unitName(i, ".s").c_str(), kMaxFileBytes); error != 0) {
      return failure(kCompiling, "left no assembly that can be read (%s)", strerror(error));
    }
    text->append(unit.begin(), unit.end());
  }
  return Status();
}

}  // namespace

std::vector<std::string> findPrograms(std::string_view name, std::string_view path) {
  std::vector<std::string> found;
  while (!path.empty()) {
    const size_t end = std::min(path.find(':'), path.size());
    const std::string_view folder = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (folder.empty() || folder[0] != '/') continue;
    std::string file = std::string(folder) + "/" + std::string(name);
    if (isProgram(file)) found.push_back(std::move(file));
  }
  return found;
}

Status findCompiler(Compiler* compiler) {
  const char* wanted = config::get(config::Variable::kCompiler);
  const std::string path = searchPath();
  const std::string question = std::string(wanted == nullptr ? "" : wanted) + "\n" + path;
  std::lock_guard lock(known_mutex);
  Known& last = known();
  if (last.question != question || last.programs.empty() || !isProgram(last.programs[0]) ||
      identityOfAll(last.programs) != last.compiler.identity) {
    last = Known();
    std::vector<std::string> programs;
    RT_TRY(search(&programs, path));
    last.compiler.path = programs[0];
    // Without the flag zig has unoptimised code trap where C++ leaves the result open, as by a shift by 40.
    if (isZig(programs[0])) last.compiler.words = {"c++", "-fno-sanitize=undefined"};
    last.compiler.identity = identityOfAll(programs);
    last.question = question;
    last.programs = std::move(programs);
  }
  *compiler = last.compiler;
  compiler->search_path = path;
  compiler->environment = handedOn();
  compiler->temporary = temporaryFolder();
  if (!compiler->words.empty()) addZigFolders(&compiler->environment, compiler->temporary);
  compiler->seconds = config::integer(config::Variable::kCompilerTimeout, 1, 86400, 300);
  return Status();
}

Status compile(std::vector<unsigned char>* object, std::string* log, const Compiler& compiler, const CompileJob& job) {
  object->clear();
  return Build(compiler, log, job).run(object);
}

Status compileToAssembly(std::string* text, std::string* log, const Compiler& compiler, const CompileJob& job) {
  text->clear();
  return Build(compiler, log, job).runToAssembly(text);
}

}  // namespace manyrt::compiler
