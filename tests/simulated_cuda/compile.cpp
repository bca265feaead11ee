// Preprocessing, looking for kernels, compiling, and what is asked of the object afterwards.
#include "compile.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <mutex>

#include "blob.h"
#include "device.h"
#include "scan.h"
#include "settings.h"
#include "temporary.h"
#include "unit.h"

extern char** environ;

namespace manyrt::simulated {
namespace {

bool write(const std::string& path, std::string_view text) { return writeFile(path, text.data(), text.size()); }

std::string readText(const std::string& path) {
  std::vector<unsigned char> bytes;
  readFile(path, &bytes);
  return {bytes.begin(), bytes.end()};
}

// Without a shell. The output, standard and error, is appended to the log.
bool runCompiler(std::vector<std::string> arguments, const TemporaryFolder& folder, std::string* log) {
  arguments.insert(arguments.begin(), settings().compiler);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const std::string output = folder.path() + "/output";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    *log += "the compiler '" + settings().compiler + "' cannot be started\n";
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  *log += readText(output);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// "name:line:column: error: ..." in NVRTC's form: "name(line): error: ...". Other lines stay.
std::string asNvrtcWrites(const std::string& line) {
  for (const char* kind : {": error: ", ": fatal error: ", ": warning: ", ": note: "}) {
    const size_t message = line.find(kind);
    if (message == std::string::npos) continue;
    const auto numberBefore = [&](size_t end) {  // where ":number" begins that ends there; npos: it does not
      size_t at = end;
      while (at > 0 && line[at - 1] >= '0' && line[at - 1] <= '9') --at;
      return at < end && at > 0 && line[at - 1] == ':' ? at - 1 : std::string::npos;
    };
    const size_t last = numberBefore(message);
    if (last == std::string::npos) return line;
    const size_t first = numberBefore(last);
    const size_t begin = first == std::string::npos ? last : first, end = first == std::string::npos ? message : last;
    return line.substr(0, begin) + "(" + line.substr(begin + 1, end - begin - 1) + ")" + line.substr(message);
  }
  return line;
}

std::string logAsNvrtcWrites(const std::string& log) {
  std::string written;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find('\n', at), log.size());
    written += asNvrtcWrites(log.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return written;
}

// A simulated_cuda::Kernel. Written out, so that it is initialised by constants.
std::string row(const std::string& object, const std::string& bounds) {
  const std::string its = "simulated_cuda::Description<(" + object + ")>::";
  return "{(const void*)(" + object + "), " + its + "invoke, " + its + "kCount, " + its + "kLayout.offsets, " + its +
         "kLayout.sizes, " + bounds + "},\n";
}

std::string list(const Source& source, const Scanned& scanned) {
  std::string text = "\n# 1 \"simulated_cuda_list\"\n";
  const std::string kExported = "extern \"C\" __attribute__((visibility(\"default\"), used)) ";
  text += kExported + "const simulated_cuda::Kernel simulated_cuda_kernels[] = {\n";
  for (const Scanned::Kernel& kernel : scanned.kernels) {
    text += row("&::" + kernel.name, kernel.bounds.empty() ? "0" : kernel.bounds);
  }
  for (const std::string& expression : source.expressions) text += row("&" + expression, "0");
  const size_t count = scanned.kernels.size() + source.expressions.size();
  text += "{}};\n" + kExported + "const unsigned simulated_cuda_kernel_count = " + std::to_string(count) + ";\n";
  text += kExported + "const unsigned simulated_cuda_listed = " + std::to_string(scanned.kernels.size()) + ";\n";
  if (scanned.dynamic_shared.empty()) return text;
  // All arrays without a size are the same memory.
  text += "asm(\".pushsection .tbss.simulated,\\\"awT\\\",@nobits\\n.balign 128\\n";
  for (const std::string& name : scanned.dynamic_shared) {
    text += ".globl " + name + "\\n.hidden " + name + "\\n.type " + name + ", @tls_object\\n" + name + ":\\n";
  }
  const size_t bytes = kSharedOptinBytes + kGuardedSharedBytes;
  return text + ".globl simulated_cuda_dynamic\\n.type simulated_cuda_dynamic, @tls_object\\nsimulated_cuda_dynamic:\\n.zero " +
         std::to_string(bytes) + "\\n.popsection\\n\");\n";
}

std::vector<std::string> preprocessing(const Source& source, const CompileOptions& options, const std::string& folder) {
  const std::string architecture = std::to_string(options.architecture * 10);
  std::vector<std::string> arguments = {"-E",
                                        "-x",
                                        "c++",
                                        "-std=" + options.standard,
                                        "-nostdinc",
                                        "-nostdinc++",
                                        "-D__CUDACC__=1",
                                        "-D__CUDACC_RTC__=1",
                                        "-D__NVCC__=1",
                                        "-D__CUDA_ARCH__=" + architecture,
                                        "-D__CUDACC_VER_MAJOR__=" + std::to_string(settings().version / 1000),
                                        "-D__CUDACC_VER_MINOR__=" + std::to_string(settings().version % 1000 / 10)};
  for (const std::string& option : options.passed_on) arguments.push_back(option);
  if (!source.headers.empty()) arguments.push_back("-I" + folder + "/headers");
  arguments.insert(arguments.end(), {"-include", folder + "/simulated_cuda.h", folder + "/unit.cu", "-o", folder + "/unit.ii"});
  return arguments;
}

std::vector<std::string> compiling(const CompileOptions& options, const std::string& folder) {
  std::vector<std::string> arguments = {"-x",
                                        "c++-cpp-output",
                                        "-std=" + options.standard,
                                        "-O1",
                                        "-g0",
                                        "-fPIC",
                                        "-shared",
                                        "-fvisibility=hidden",
                                        "-fno-builtin",
                                        "-fno-exceptions",
                                        "-fno-rtti",
                                        "-fwrapv",
                                        "-fno-strict-aliasing",
                                        "-fno-delete-null-pointer-checks",
                                        "-ffp-contract=off",
                                        "-fno-extern-tls-init",
                                        "-fno-threadsafe-statics",
                                        "-fno-stack-protector",
                                        "-fimplicit-constexpr",
                                        "-w",
                                        "-Wno-psabi",
                                        "-U_FORTIFY_SOURCE",
                                        "-fno-diagnostics-show-caret",
                                        "-fno-diagnostics-show-option",
                                        "-fdiagnostics-color=never"};
  if (settings().check) {
    arguments.insert(arguments.end(),
                     {"-fsanitize=kernel-address", "--param", "asan-instrumentation-with-call-threshold=0", "--param",
                      "asan-stack=0", "--param", "asan-globals=0", "-fno-sanitize-address-use-after-scope"});
  }
  arguments.insert(arguments.end(),
                   {folder + "/unit.ii", "-o", folder + "/unit.so", "-Wl,-z,defs", "-Wl,--build-id=none", "-lm"});
  return arguments;
}

bool writeSources(const Source& source, const std::string& folder) {
  bool whole = write(folder + "/simulated_cuda.h", kernelHeaders());
  std::error_code ignored;
  for (const auto& [name, text] : source.headers) {
    const std::filesystem::path path = std::filesystem::path(folder) / "headers" / name;
    std::filesystem::create_directories(path.parent_path(), ignored);
    whole = whole && write(path.string(), text);
  }
  std::string name;
  for (const char letter : source.name) {
    if (letter == '"' || letter == '\\') name += '\\';
    name += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return whole && write(folder + "/unit.cu", "#line 1 \"" + name + "\"\n" + source.text + "\n");
}

// Finds the linker's names of the expressions, and whether the kernels fit into shared memory.
bool examine(const Source& source, Compiled* made) {
  const std::shared_ptr<Unit> unit = Unit::load(made->object, &made->log);
  if (unit == nullptr) return false;
  for (const Unit::Kernel& kernel : unit->kernels) {
    if (kernel.shared_bytes <= kSharedBytes) continue;
    made->log += "ptxas error : entry function '" + kernel.name + "' uses too much shared data (" +
                 std::to_string(kernel.shared_bytes) + " bytes, " + std::to_string(kSharedBytes) + " max)\n";
    return false;
  }
  for (size_t i = 0; i < source.expressions.size(); ++i) {
    const std::string* name = unit->nameOf(unit->listed(i));
    if (name == nullptr) return false;
    made->lowered.push_back(*name);
  }
  return true;
}

// The units that this process has compiled, by everything that went in: loops over faults compile the same again and again.
// Only the latest; and nothing that may read files of the program's, which change.
class Known {
 public:
  static std::string key(const Source& source, const CompileOptions& options) {
    std::string key = std::to_string(options.architecture) + options.standard;
    const auto add = [&](const std::string& part) { key.append(1, '\0').append(part); };
    add(source.name);
    add(source.text);
    for (const auto& [name, text] : source.headers) add(name + '\1' + text);
    for (const std::string& expression : source.expressions) add('\2' + expression);
    for (const std::string& option : options.passed_on) add('\3' + option);
    return key;
  }
  static bool mayKeep(const CompileOptions& options) {
    return std::none_of(options.passed_on.begin(), options.passed_on.end(),
                        [](const std::string& option) { return option.rfind("-I", 0) == 0 || option == "-include"; });
  }
  bool find(const std::string& key, Compiled* made) {
    std::lock_guard lock(mutex_);
    const auto at = std::find_if(latest_.begin(), latest_.end(), [&](const auto& entry) { return entry.first == key; });
    if (at == latest_.end()) return false;
    *made = at->second;
    return true;
  }
  void add(const std::string& key, const Compiled& made) {
    constexpr size_t kMaxKept = 8;
    std::lock_guard lock(mutex_);
    latest_.emplace_front(key, made);
    if (latest_.size() > kMaxKept) latest_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<std::string, Compiled>> latest_;
};

Known& known() {
  static auto* instance = new Known;
  return *instance;
}

}  // namespace

Compiled compile(const Source& source, const CompileOptions& options) {
  Compiled made;
  const std::string key = Known::key(source, options);
  if (known().find(key, &made)) return made;
  TemporaryFolder folder;
  if (!folder.good() || !writeSources(source, folder.path())) {
    made.log = "the source cannot be written to a temporary folder\n";
    return made;
  }
  bool good = runCompiler(preprocessing(source, options, folder.path()), folder, &made.log);
  if (good) {
    const Scanned scanned = scan(readText(folder.path() + "/unit.ii"));
    good = write(folder.path() + "/unit.ii", scanned.text + list(source, scanned)) &&
           runCompiler(compiling(options, folder.path()), folder, &made.log);
  }
  good = good && readFile(folder.path() + "/unit.so", &made.object) && examine(source, &made);
  made.log = logAsNvrtcWrites(made.log);
  made.good = good;
  if (good && Known::mayKeep(options)) known().add(key, made);
  return made;
}

}  // namespace manyrt::simulated
