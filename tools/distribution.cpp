// os-release has lines NAME="value"; ID_LIKE names the distributions that one is made from, the nearest first.
#include "distribution.h"

#include <fstream>
#include <map>
#include <sstream>

namespace {

struct Packages {
  const char *family, *install, *compiler, *opencl, *cuda_runtime, *nvrtc;
};
// CUDA's are those of NVIDIA's own repository, where there is one for the family.
constexpr const char* kNvidia = " (in NVIDIA's repository)";
constexpr Packages kPackages[] = {
    {"debian", "apt install ", "g++", "ocl-icd-libopencl1 pocl-opencl-icd", "cuda-cudart-13-0", "cuda-nvrtc-13-0"},
    {"fedora", "dnf install ", "gcc-c++", "ocl-icd pocl", "cuda-cudart-13-0", "cuda-nvrtc-13-0"},
    {"suse", "zypper install ", "gcc-c++", "libOpenCL1 pocl", "cuda-cudart-13-0", "cuda-nvrtc-13-0"},
    {"arch", "pacman -S ", "gcc", "ocl-icd pocl", "cuda", "cuda"},
    {"alpine", "apk add ", "g++", "opencl-icd-loader", nullptr, nullptr},
};

std::string unquoted(std::string value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

// Families by the identifiers that their members have.
std::string familyOf(const std::string& identifiers) {
  static const std::map<std::string, std::string> families = {{"debian", "debian"}, {"ubuntu", "debian"},
                                                              {"fedora", "fedora"}, {"rhel", "fedora"},
                                                              {"centos", "fedora"}, {"amzn", "fedora"},
                                                              {"suse", "suse"},     {"opensuse", "suse"},
                                                              {"sles", "suse"},     {"opensuse-leap", "suse"},
                                                              {"arch", "arch"},     {"manjaro", "arch"},
                                                              {"alpine", "alpine"}, {"opensuse-tumbleweed", "suse"}};
  std::istringstream words(identifiers);
  for (std::string word; words >> word;) {
    if (const auto found = families.find(word); found != families.end()) return found->second;
  }
  return "";
}

}  // namespace

Distribution readDistribution(const std::string& path) {
  Distribution found{"an unknown distribution", ""};
  std::ifstream file(path);
  std::string identifier, like;
  for (std::string line; std::getline(file, line);) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, equals), value = unquoted(line.substr(equals + 1));
    if (key == "PRETTY_NAME" && !value.empty()) found.name = value;
    if (key == "ID") identifier = value;
    if (key == "ID_LIKE") like = value;
  }
  found.family = familyOf(identifier + ' ' + like);
  return found;
}

std::string adviceFor(const Distribution& distribution, Needed needed) {
  for (const Packages& each : kPackages) {
    if (distribution.family != each.family) continue;
    switch (needed) {
      case Needed::kCompiler:
        return std::string(each.install) + each.compiler;
      case Needed::kOpenCl:
        return std::string(each.install) + each.opencl;
      case Needed::kCudaRuntime:
        if (each.cuda_runtime == nullptr) break;
        return std::string(each.install) + each.cuda_runtime + (distribution.family == "arch" ? "" : kNvidia);
      case Needed::kNvrtc:
        if (each.nvrtc == nullptr) break;
        return std::string(each.install) + each.nvrtc + (distribution.family == "arch" ? "" : kNvidia);
    }
  }
  switch (needed) {
    case Needed::kCompiler:
      return "the package that has g++ or clang++";
    case Needed::kOpenCl:
      return "the packages of OpenCL's loader (libOpenCL.so.1) and of a driver, such as PoCL";
    case Needed::kCudaRuntime:
      return "the runtime of CUDA 12 or 13 (libcudart.so)";
    case Needed::kNvrtc:
      return "NVRTC of CUDA 12 or 13 (libnvrtc.so)";
  }
  return "";
}
