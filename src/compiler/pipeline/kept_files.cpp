// The folder: beside the compiled code in the cache, a path of the user's, or one of the process's own below TMPDIR.
#include "compiler/pipeline/kept_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/config.h"
#include "base/log.h"
#include "base/os/descriptor.h"
#include "compiler/cache/cache.h"
#include "compiler/toolchain/file.h"

namespace manyrt::compiler {
namespace {

constexpr size_t kMostFolders = 64;  // the oldest goes before one more is made

void complain(const std::string& path) {
  static std::atomic<bool> said{false};
  // Relaxed: it only lets one thread write the line.
  if (said.exchange(true, std::memory_order_relaxed)) return;
  log::write(RT_LOG_WARNING, "Files for debuggers are not kept in \"%s\": %s.", path.c_str(), strerror(errno));
}

bool makeFolder(const std::string& path) { return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST; }

// Where no cache is, one for all builds of the process. Stays: a debugger may look at a core file later.
std::string folderOfProcess() {
  static const auto* const made = new std::string([] {  // never destroyed: builds go on at the end of the process
    std::string path = temporaryFolder() + "/manyrt-debug-XXXXXX";
    if (mkdtemp(path.data()) != nullptr) return path;
    complain(path);
    return std::string();
  }());
  return *made;
}

bool isOn(const char* value) { return value != nullptr && strcmp(value, "0") != 0; }

std::string baseFolder(const char* given, bool may_be_temporary) {
  if (given != nullptr && given[0] == '/') return given;
  const std::string cache = cache::folder();
  if (!cache.empty()) return cache + "/debug";
  return may_be_temporary ? folderOfProcess() : "";
}

int removeFile(int folder, const char* name) { return unlinkat(folder, name, 0); }

// It holds files alone, all of them the library's.
void removeFolder(const std::string& path) {
  DIR* const folder = opendir(path.c_str());
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') (void)removeFile(dirfd(folder), entry->d_name);
  }
  closedir(folder);
  (void)rmdir(path.c_str());
}

void makeRoom(const std::string& base) {
  DIR* const folder = opendir(base.c_str());
  if (folder == nullptr) return;
  std::vector<std::pair<int64_t, std::string>> found;
  while (const dirent* entry = readdir(folder)) {
    struct stat about;
    if (entry->d_name[0] == '.' || fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(about.st_mode)) found.emplace_back(about.st_mtim.tv_sec, base + "/" + entry->d_name);
  }
  closedir(folder);
  std::sort(found.begin(), found.end());
  for (size_t i = 0; i + kMostFolders <= found.size(); ++i) removeFolder(found[i].second);
}

// A name that stands for a file of the folder, and for nothing elsewhere.
bool isPlainName(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.size() < 200 && name.find('/') == std::string_view::npos;
}

bool writeFile(const std::string& path, const void* data, size_t size) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.valid() && writeAll(file.get(), data, size) == 0;
}

}  // namespace

KeptFiles KeptFiles::find(bool debug_option) {
  KeptFiles found;
  const char* debug = config::get(config::Variable::kCpuDebug);
  const char* perf = config::get(config::Variable::kCpuPerf);
  found.debugs_ = isOn(debug);
  found.profiles_ = isOn(perf);
  if (found.debugs_ || found.profiles_ || debug_option) {
    found.base_ = baseFolder(found.debugs_ ? debug : perf, found.debugs_ || found.profiles_);
  }
  return found;
}

std::string KeptFiles::key() const {
  if (!wanted()) return "";
  // The folder stands in the object. "lines": each line of the generated code names its own.
  return std::string("lines ") + (debugs_ ? "debug " : "") + (profiles_ ? "perf " : "") + base_;
}

void KeptFiles::choose(const Digest& key) {
  constexpr size_t kLetters = 16;  // of 2^64 keys no two meet
  folder_ = base_ + "/" + hexadecimal(key).substr(0, kLetters);
  (void)makeFolder(base_.substr(0, base_.find_last_of('/')));
  (void)makeFolder(base_);
  if (access(folder_.c_str(), F_OK) != 0) makeRoom(base_);
  if (!makeFolder(folder_)) {
    complain(folder_);
    folder_.clear();
    base_.clear();
    return;
  }
  log::write(RT_LOG_INFO, "Sources and code for debuggers and profilers are kept in \"%s\".", folder_.c_str());
}

void KeptFiles::keepSources(const Sources& sources) const {
  std::vector<std::string> seen;
  for (uint32_t file = 0; file < sources.count(); ++file) {
    const std::string& name = sources.name(file);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    keepText(name, sources.text(file));
  }
}

void KeptFiles::keepText(const std::string& name, std::string_view text) const {
  if (!wanted() || !isPlainName(name)) return;
  if (!writeFile(folder_ + "/" + name, text.data(), text.size())) complain(folder_);
}

std::string KeptFiles::keepObject(const char* name, const std::vector<unsigned char>& object) const {
  if (!wanted()) return "";
  static std::atomic<uint32_t> serial{0};
  const std::string path = folder_ + "/" + name;
  // Relaxed: the numbers only have to differ.
  const std::string fresh =
      path + "." + std::to_string(getpid()) + "." + std::to_string(serial.fetch_add(1, std::memory_order_relaxed));
  if (writeFile(fresh, object.data(), object.size()) && rename(fresh.c_str(), path.c_str()) == 0) return path;
  complain(folder_);
  (void)unlink(fresh.c_str());
  return "";
}

}  // namespace manyrt::compiler
