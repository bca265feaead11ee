// Looks for the library's file by itself, so that the cache needs no open library: opening takes longer than a small kernel.
#include "compiler/toolchain/nvrtc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "base/config.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "base/os/site_packages.h"
#include "base/os/thread.h"
#include "base/text.h"
#include "compiler/toolchain/file.h"
#include "compiler/toolchain/nvrtc_api.h"

namespace manyrt::compiler {
namespace {

using nvrtc::Table;

constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
constexpr uint32_t kFirstOfThirteen = 13000;  // as driver_version
constexpr int kOldestMajor = 12;              // the first that knows C++20
constexpr size_t kMaxLogBytes = 64 << 10;
constexpr char kAdvice[] =
    "Install NVRTC of CUDA 12 or 13 (NVIDIA's packages: apt install cuda-nvrtc-13-0; PyPI: nvidia-cuda-nvrtc), or set RT_NVRTC "
    "to libnvrtc.so";

// ---- Finding it ----

bool isFile(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

void addFolders(std::vector<std::string>* folders, std::string_view list) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    if (list[0] == '/') folders->emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// Folders that the loader's configuration names: NVIDIA's packages put a file there.
void addConfigured(std::vector<std::string>* folders) {
  constexpr char kConfiguration[] = "/etc/ld.so.conf";
  std::vector<std::string> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir((std::string(kConfiguration) + ".d").c_str()), closedir);
  while (const dirent* entry = folder != nullptr ? readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(".conf")) files.push_back(std::string(kConfiguration) + ".d/" + entry->d_name);
  }
  std::sort(files.begin(), files.end());
  files.emplace_back(kConfiguration);
  for (const std::string& file : files) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) addFolders(folders, line.substr(0, line.find_first_of(" \t\r#")));
  }
}

// In the loader's order, after the packages of NVIDIA that were installed with a wheel of this library.
std::vector<std::string> loaderFolders() {
  std::vector<std::string> folders = nvidiaFolders();
  if (const char* own = secure_getenv("LD_LIBRARY_PATH")) addFolders(&folders, own);
  addConfigured(&folders);
#if defined(__aarch64__)
  addFolders(&folders, "/usr/lib/aarch64-linux-gnu:/lib/aarch64-linux-gnu");
#elif defined(__x86_64__)
  addFolders(&folders, "/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu");
#endif
  addFolders(&folders, "/usr/lib64:/lib64:/usr/lib:/lib:/usr/local/cuda/lib64:/usr/local/cuda/lib");
  return folders;
}

bool findInFolders(std::string* path, const std::vector<std::string>& folders, const char* name) {
  for (const std::string& folder : folders) {
    *path = folder + "/" + name;
    if (isFile(*path)) return true;
  }
  return false;
}

// Asks the loader for this name: the process may have loaded it already, or the loader may know places of its own.
bool findByLoader(std::string* path, const char* name) {
  void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // never closed
  void* function = handle != nullptr ? dlsym(handle, "nvrtcVersion") : nullptr;
  Dl_info about;
  if (function == nullptr || dladdr(function, &about) == 0) return false;
  *path = about.dli_fname;
  return isFile(*path);
}

bool find(std::string* path, const std::vector<std::string>& folders, const char* name) {
  return findInFolders(path, folders, name) || findByLoader(path, name);
}

Status findConfigured(std::string* path, const char* wanted) {
  const bool is_path = strchr(wanted, '/') != nullptr;
  *path = wanted;
  if (is_path ? isFile(*path) : find(path, loaderFolders(), wanted)) return Status();
  return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "RT_NVRTC is \"%s\", which is no file%s.", wanted,
                       is_path ? "" : " that the loader knows");
}

// The settings that decide where the file is found, beside the file system.
struct Search {
  std::string wanted;  // RT_NVRTC
  std::string loader_path;
  bool older_first = false;
  bool operator==(const Search&) const = default;
};

Status searchFolders(std::string* path, const Search& search) {
  if (!search.wanted.empty()) return findConfigured(path, search.wanted.c_str());
  const std::vector<std::string> folders = loaderFolders();
  if (find(path, folders, kNames[search.older_first ? 1 : 0]) || find(path, folders, kNames[search.older_first ? 0 : 1])) {
    return Status();
  }
  return Status::error(RT_ERROR_COMPILER_NOT_FOUND,
                       "Kernels for CUDA need NVRTC, and the loader knows neither %s nor %s, nor are they in "
                       "/usr/local/cuda. %s.",
                       kNames[0], kNames[1], kAdvice);
}

// The result of the last search: a module from the cache is loaded in less time than a search takes. It holds for as long as
// the file is the same; one that is put into an earlier folder meanwhile is for the next process.
struct LastSearch {
  Ranked<std::mutex, LockRank::kNvrtcSearch> mutex;
  Search search;
  NvrtcLibrary found;  // no path: nothing yet
  struct stat file;
};
LastSearch& lastSearch() {
  static LastSearch* instance = new LastSearch{};  // never destroyed: builds may run until the process ends
  return *instance;
}

bool recall(NvrtcLibrary* library, const Search& search) {
  LastSearch& last = lastSearch();
  std::lock_guard lock(last.mutex);
  struct stat now;
  if (last.found.path.empty() || !(last.search == search) || stat(last.found.path.c_str(), &now) != 0) return false;
  const bool same = now.st_dev == last.file.st_dev && now.st_ino == last.file.st_ino && now.st_size == last.file.st_size &&
                    now.st_mtim.tv_sec == last.file.st_mtim.tv_sec && now.st_mtim.tv_nsec == last.file.st_mtim.tv_nsec;
  if (same) *library = last.found;
  return same;
}

void remember(const Search& search, const NvrtcLibrary& library) {
  LastSearch& last = lastSearch();
  std::lock_guard lock(last.mutex);
  last.found = NvrtcLibrary();
  if (stat(library.path.c_str(), &last.file) != 0) return;
  last.search = search;
  last.found = library;
}

// ---- Opening it ----

struct Opened {
  Ranked<std::mutex, LockRank::kNvrtc> mutex;
  std::map<std::string, std::unique_ptr<const Table>> tables;  // by identity
};
Opened& opened() {
  static Opened* instance = new Opened;  // never destroyed: builds may run until the process ends
  return *instance;
}

Status fillTable(Table* table, void* handle, const std::string& path) {
  const char* missing = nullptr;
#define X(id, symbol, result, parameters)                                    \
  table->id = reinterpret_cast<decltype(table->id)>(dlsym(handle, #symbol)); \
  if (table->id == nullptr && missing == nullptr) missing = #symbol;
  RT_NVRTC_TABLE(X)
#undef X
  if (missing != nullptr) {
    return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "\"%s\" is no usable NVRTC: it has no %s. %s.", path.c_str(), missing,
                         kAdvice);
  }
  int major = 0;
  int minor = 0;
  if (table->version(&major, &minor) != nvrtc::kSuccess || major < kOldestMajor) {
    return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "\"%s\" is NVRTC %d.%d, and kernels need %d.0 or newer. %s.",
                         path.c_str(), major, minor, kOldestMajor, kAdvice);
  }
  return Status();
}

Status openTable(const Table** table, const NvrtcLibrary& library) {
  Opened& known = opened();
  std::lock_guard lock(known.mutex);
  if (const auto at = known.tables.find(library.identity); at != known.tables.end()) {
    *table = at->second.get();
    return Status();
  }
  void* handle = fault::fails("nvrtc.open") ? nullptr : dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "NVRTC cannot be opened: %s. %s.",
                         reason != nullptr ? reason : library.path.c_str(), kAdvice);
  }
  auto made = std::make_unique<Table>();
  RT_TRY(fillTable(made.get(), handle, library.path));
  *table = known.tables.emplace(library.identity, std::move(made)).first->second.get();
  return Status();
}

// ---- Compiling ----

// One program of NVRTC, gone at the end.
class Compilation {
 public:
  Compilation(const Table& table, const NvrtcLibrary& library, CudaImage* image)
      : table_(table), library_(library), image_(*image) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (program_ != nullptr) (void)table_.destroyProgram(&program_);
  }
  Status run(const CudaTarget& target, const NvrtcJob& job);
  Status architectures(std::vector<int>* known);

 private:
  Status chooseArchitecture(std::string* option, const CudaTarget& target);
  Status create(const NvrtcJob& job);
  Status takeCode();
  Status failure(nvrtc::Result result, const char* what);
  void takeLog();
  static nvrtc::Result call(const char* point, nvrtc::Result result) {
    return fault::fails(point) ? nvrtc::kOutOfMemory : result;
  }

  const Table& table_;
  const NvrtcLibrary& library_;
  CudaImage& image_;
  nvrtc::Program program_ = nullptr;
};

Status Compilation::failure(nvrtc::Result result, const char* what) {
  const char* name = table_.getErrorString(result);
  if (result == nvrtc::kOutOfMemory) return Status::error(RT_ERROR_OUT_OF_MEMORY, "NVRTC had no memory to %s.", what);
  return Status::error(RT_ERROR_BUILD_FAILED, "NVRTC (%s) could not %s: %s.", library_.path.c_str(), what, name);
}

Status Compilation::architectures(std::vector<int>* known) {
  int count = 0;
  nvrtc::Result result = call("nvrtc.architectures", table_.getNumSupportedArchs(&count));
  if (result != nvrtc::kSuccess) return failure(result, "tell its architectures");
  known->resize(static_cast<size_t>(std::max(count, 1)));
  result = table_.getSupportedArchs(known->data());
  if (result != nvrtc::kSuccess) return failure(result, "tell its architectures");
  known->resize(static_cast<size_t>(std::max(count, 0)));
  return Status();
}

Status Compilation::chooseArchitecture(std::string* option, const CudaTarget& target) {
  std::vector<int> known;
  RT_TRY(architectures(&known));
  const int own = static_cast<int>(target.major * 10 + target.minor);
  if (target.code != CudaTarget::Code::kBest) {
    if (std::find(known.begin(), known.end(), own) == known.end()) {
      return Status::error(RT_ERROR_NOT_SUPPORTED, "NVRTC (%s) does not compile for sm_%d.", library_.path.c_str(), own);
    }
    *option =
        std::string("--gpu-architecture=") + (target.code == CudaTarget::Code::kPtx ? "compute_" : "sm_") + std::to_string(own);
    return Status();
  }
  int best = 0;
  for (const int one : known) {
    if (one <= own) best = std::max(best, one);
  }
  if (best == 0) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "NVRTC (%s) compiles for compute capability %d and newer, and the device has %d: an older NVRTC is "
                         "needed.",
                         library_.path.c_str(), known.empty() ? 0 : *std::min_element(known.begin(), known.end()), own);
  }
  *option = std::string("--gpu-architecture=") + (best == own ? "sm_" : "compute_") + std::to_string(best);
  return Status();
}

Status Compilation::create(const NvrtcJob& job) {
  std::vector<const char*> texts;
  std::vector<const char*> names;
  for (const Header& header : job.headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  const nvrtc::Result result =
      call("nvrtc.create", table_.createProgram(&program_, job.text.c_str(), job.name.c_str(), static_cast<int>(texts.size()),
                                                texts.data(), names.data()));
  return result == nvrtc::kSuccess ? Status() : failure(result, "take the source");
}

void Compilation::takeLog() {
  size_t size = 0;
  if (table_.getProgramLogSize(program_, &size) != nvrtc::kSuccess || size <= 1) return;
  std::string text(size, '\0');
  if (table_.getProgramLog(program_, text.data()) != nvrtc::kSuccess) return;
  text.resize(strnlen(text.data(), size));
  if (text.size() > kMaxLogBytes) text.resize(wholeLetters(text.data(), kMaxLogBytes));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) image_.log += text + "\n";
}

Status Compilation::takeCode() {
  size_t size = 0;
  nvrtc::Result result = call("nvrtc.code", table_.getCubinSize(program_, &size));
  if (result != nvrtc::kSuccess) return failure(result, "give the code");
  image_.is_cubin = size != 0;
  if (!image_.is_cubin) {
    result = table_.getPtxSize(program_, &size);
    if (result != nvrtc::kSuccess || size == 0) return failure(result, "give the code");
  }
  image_.code.resize(size);
  char* code = reinterpret_cast<char*>(image_.code.data());
  result = image_.is_cubin ? table_.getCubin(program_, code) : table_.getPtx(program_, code);
  return result == nvrtc::kSuccess ? Status() : failure(result, "give the code");
}

Status Compilation::run(const CudaTarget& target, const NvrtcJob& job) {
  std::string architecture;
  if (job.choose_architecture) RT_TRY(chooseArchitecture(&architecture, target));
  RT_TRY(create(job));
  std::vector<const char*> options;
  if (job.choose_architecture) options.push_back(architecture.c_str());
  for (const std::string& option : job.options) options.push_back(option.c_str());
  const nvrtc::Result result =
      call("nvrtc.compile", table_.compileProgram(program_, static_cast<int>(options.size()), options.data()));
  takeLog();
  switch (result) {
    case nvrtc::kSuccess:
      return takeCode();
    case nvrtc::kCompilation:
      return Status::error(RT_ERROR_BUILD_FAILED, "NVRTC does not compile \"%s\".", job.name.c_str());
    case nvrtc::kInvalidOption:
      return Status::error(RT_ERROR_INVALID_VALUE, "NVRTC refuses a build option: %s", image_.log.c_str());
    case nvrtc::kBuiltinOperationFailure:
      return Status::error(
          RT_ERROR_COMPILER_NOT_FOUND,
          "NVRTC (%s) cannot open the file of its built-in functions, libnvrtc-builtins, which has to be of the "
          "same version and beside it. %s.",
          library_.path.c_str(), kAdvice);
    default:
      return failure(result, "compile");
  }
}

}  // namespace

Status findNvrtc(NvrtcLibrary* library, uint32_t driver_version) {
  Search search;
  if (const char* wanted = config::get(config::Variable::kNvrtc)) search.wanted = wanted;
  if (const char* own = secure_getenv("LD_LIBRARY_PATH")) search.loader_path = own;
  search.older_first = driver_version != 0 && driver_version < kFirstOfThirteen;
  if (recall(library, search)) return Status();
  RT_TRY(searchFolders(&library->path, search));
  library->identity = fileIdentity(library->path);
  remember(search, *library);
  return Status();
}

Status nvrtcArchitectures(std::vector<uint32_t>* architectures, const NvrtcLibrary& library) {
  const Table* table = nullptr;
  RT_TRY(openTable(&table, library));
  CudaImage unused;
  std::vector<int> known;
  RT_TRY(Compilation(*table, library, &unused).architectures(&known));
  architectures->assign(known.begin(), known.end());
  std::sort(architectures->begin(), architectures->end());
  return Status();
}

Status compileWithNvrtc(CudaImage* image, const NvrtcLibrary& library, const CudaTarget& target, const NvrtcJob& job) {
  const Table* table = nullptr;
  RT_TRY(openTable(&table, library));
  // NVRTC goes as deep as the source is nested.
  struct Call {
    Compilation compilation;
    const CudaTarget& target;
    const NvrtcJob& job;
    Status status;
    bool thrown = false;
  } call{{*table, library, image}, target, job, Status()};
  RT_TRY(runOnLargeStack(
      [](void* user) {
        Call& given = *static_cast<Call*>(user);
        try {
          given.status = given.compilation.run(given.target, given.job);
        } catch (const std::bad_alloc&) {  // an exception must not leave this stack
          given.thrown = true;
        }
      },
      &call));
  return call.thrown ? Status::bare(RT_ERROR_OUT_OF_MEMORY) : call.status;
}

}  // namespace manyrt::compiler
