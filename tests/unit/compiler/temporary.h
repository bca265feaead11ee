// A folder for one test, and environment variables that are as before when the test ends.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace manyrt::compiler {

class TemporaryTest : public testing::Test {
 protected:
  TemporaryTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "manyrt-test-XXXXXX").string();
    const char* made = mkdtemp(pattern.data());
    if (made != nullptr) folder_ = made;
  }
  ~TemporaryTest() override {
    for (const auto& [name, value] : before_) {
      if (value.first) {
        setenv(name.c_str(), value.second.c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  void SetUp() override { ASSERT_FALSE(folder_.empty()) << "no folder for the test"; }

  void environment(const std::string& name, const char* value) {  // null: not set
    const char* old = getenv(name.c_str());
    before_.try_emplace(name, old != nullptr, old == nullptr ? "" : old);
    if (value != nullptr) {
      setenv(name.c_str(), value, 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    std::ofstream(path(name), std::ios::binary) << text;
    chmod(path(name).c_str(), mode);
    return path(name);
  }
  static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  const std::string& folder() const { return folder_; }
  // Files and folders in one; none where it is missing.
  size_t entriesIn(const std::string& name) const {
    std::error_code missing;
    const std::filesystem::directory_iterator all(path(name), missing);
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

 private:
  std::string folder_;
  std::map<std::string, std::pair<bool, std::string>> before_;
};

inline size_t openDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace manyrt::compiler
