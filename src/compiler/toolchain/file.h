// Reading and writing whole files through descriptors, and folders that only this process uses. The compiler, the cache and the
// loader share them; errors are errno values, because each caller has its own sentence for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/os/descriptor.h"

namespace manyrt::compiler {

// 0 or an errno value. A limit on the size of files (RLIMIT_FSIZE) is EFBIG here and no signal for the program.
int writeAll(int descriptor, const void* data, size_t size);

// 0 or an errno value; `done` is less than `size` where the file ends before.
int readSome(size_t* done, int descriptor, void* data, size_t size);

// The whole of an open regular file of at most `most` bytes; EFBIG where it has more, EINVAL where it is no regular file.
int readAll(std::vector<unsigned char>* data, int descriptor, uint64_t most);

// Identifies a file without reading it, by resolved path, size and time of change. Empty where there is no such file.
std::string fileIdentity(const std::string& path);

std::string temporaryFolder();  // TMPDIR, else /tmp

// A folder of mode 0700; removed with all that is in it.
class PrivateFolder {
 public:
  PrivateFolder() = default;
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  // 0 or an errno value. Where `parent` takes no folder the system's does, /tmp, and a line is logged.
  int create(const std::string& parent = temporaryFolder());
  const std::string& path() const { return path_; }
  int write(const char* name, const void* data, size_t size) const;                   // a new file in it
  int link(const char* name, const std::string& target) const;                        // a new symbolic link in it
  int read(std::vector<unsigned char>* data, const char* name, uint64_t most) const;  // ENOENT: there is none

 private:
  int createIn(const std::string& parent);

  std::string path_;
  Descriptor folder_;
};

}  // namespace manyrt::compiler
