// The folder of Python packages that this library is installed in, if it came in a wheel. Packages beside it may bring what
// manyrt opens or starts: NVIDIA's libraries, a C++ compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manyrt {

// The folder that has `manyrt/lib/libmanyrt.so.0` or `manyrt/bin/manyrt`, this library or program, as an absolute path. Empty:
// the library is installed in another way. Asked once; costs nothing later.
const std::string& sitePackages();

// The folder site-packages above the path of a library or program, or empty. For sitePackages() and its test.
std::string sitePackagesOf(std::string_view path);

// The folders of NVIDIA's packages that have libraries of CUDA, those that are there, of CUDA 13 first. Empty without a wheel.
std::vector<std::string> nvidiaFolders();

}  // namespace manyrt
