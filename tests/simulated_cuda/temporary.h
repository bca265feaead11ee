// A private folder that is gone with its object, and files in it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace manyrt::simulated {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  bool good() const { return !path_.empty(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool writeFile(const std::string& path, const void* bytes, size_t size);
bool readFile(const std::string& path, std::vector<unsigned char>* bytes);

}  // namespace manyrt::simulated
