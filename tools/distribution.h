// Which Linux this is, and how its packages are installed: for advice, from os-release(5).
#pragma once

#include <string>

enum class Needed { kCompiler, kOpenCl, kCudaRuntime, kNvrtc };

struct Distribution {
  std::string name;    // "Debian GNU/Linux 12 (bookworm)", or "an unknown distribution"
  std::string family;  // "debian", "fedora", "suse", "arch" or "alpine"; empty: none of these
};

// `path`: a file of os-release's form. A file that is not there, or is no such file, is an unknown distribution.
Distribution readDistribution(const std::string& path);

// "apt install g++"; for a family that is not known what is needed, in words.
std::string adviceFor(const Distribution& distribution, Needed needed);
