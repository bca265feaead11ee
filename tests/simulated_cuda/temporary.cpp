// Folders of mode 0700 below TMPDIR.
#include "temporary.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace manyrt::simulated {

TemporaryFolder::TemporaryFolder() {
  const char* parent = getenv("TMPDIR");
  std::string pattern = std::string(parent == nullptr || *parent == 0 ? "/tmp" : parent) + "/simulated-cuda-XXXXXX";
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (good()) std::filesystem::remove_all(path_, ignored);
}

bool writeFile(const std::string& path, const void* bytes, size_t size) {
  FILE* file = fopen(path.c_str(), "wbe");
  if (file == nullptr) return false;
  const bool whole = fwrite(bytes, 1, size, file) == size;
  return fclose(file) == 0 && whole;
}

bool readFile(const std::string& path, std::vector<unsigned char>* bytes) {
  FILE* file = fopen(path.c_str(), "rbe");
  if (file == nullptr) return false;
  bytes->clear();
  unsigned char piece[65536];
  size_t count;
  while ((count = fread(piece, 1, sizeof piece, file)) != 0) bytes->insert(bytes->end(), piece, piece + count);
  fclose(file);
  return true;
}

}  // namespace manyrt::simulated
