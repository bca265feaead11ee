// The loader knows where this library's code came from. For a program it has the name by which it was started, which need be no
// path: the system has that.
#include "base/os/site_packages.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>

namespace manyrt {
namespace {

std::string resolved(const char* path) {
  char whole[PATH_MAX];
  return realpath(path, whole) != nullptr ? whole : "";
}

std::string find() {
  Dl_info about;
  if (dladdr(reinterpret_cast<void*>(&sitePackagesOf), &about) == 0 || about.dli_fname == nullptr) return "";
  const std::string folder = sitePackagesOf(resolved(about.dli_fname));
  if (!folder.empty()) return folder;
  const std::string program = resolved("/proc/self/exe");
  return program.ends_with("/manyrt/bin/manyrt") ? sitePackagesOf(program) : "";
}

}  // namespace

std::string sitePackagesOf(std::string_view path) {
  for (const std::string_view inside : {"/manyrt/lib/libmanyrt.so.0", "/manyrt/bin/manyrt"}) {
    if (!path.ends_with(inside)) continue;
    path.remove_suffix(inside.size());
    // `make install` into a prefix called manyrt has such paths too: a wheel's folder has the modules beside them.
    struct stat about;
    const std::string folder(path);
    return stat((folder + "/manyrt/_interface.py").c_str(), &about) == 0 ? folder : "";
  }
  return "";
}

const std::string& sitePackages() {
  static const auto* folder = new std::string(find());  // never destroyed: builds may run until the process ends
  return *folder;
}

std::vector<std::string> nvidiaFolders() {
  std::vector<std::string> folders;
  if (sitePackages().empty()) return folders;
  for (const char* inside : {"/nvidia/cu13/lib", "/nvidia/cuda_nvrtc/lib", "/nvidia/cuda_runtime/lib"}) {
    struct stat about;
    std::string folder = sitePackages() + inside;
    if (stat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace manyrt
