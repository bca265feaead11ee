// Runs the tests of kernels with a cache folder of their own, empty at the start and gone at the end. So nothing that an
// earlier build of the library has compiled is run. A file that several tests build is compiled once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "rt.h"
#include "support/skip_list.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rttest::SkipList* skips = rttest::SkipList::install(MANYRT_SKIPS);
  if (skips == nullptr) return 1;
  std::string folder = (std::filesystem::temp_directory_path() / "manyrt-kernels.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr || setenv("RT_CACHE_DIR", folder.c_str(), 1) != 0) {
    std::cerr << "No folder for the cache: " << folder << '\n';
    return 1;
  }
  // Held until the end, so that every test finds the same devices.
  if (rtInit() != RT_SUCCESS) return 1;
  const int failed = RUN_ALL_TESTS();
  const rtStatus_t ended = rtShutdown();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return !skips->report() || failed != 0 || ended != RT_SUCCESS ? 1 : 0;
}
