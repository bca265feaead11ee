// Reads and writes whole files through descriptors. Signals of full disks do not reach the program. Private folders are removed
// with all files that a compiler left in them.
#include "compiler/toolchain/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/fault.h"
#include "base/log.h"
#include "base/os/file_size_signal.h"

namespace manyrt::compiler {
namespace {

constexpr char kSystemFolder[] = "/tmp";
constexpr int kDeepest = 32;  // of folders that a compiler makes in ours

// Removes what is in an open folder; takes the descriptor.
void removeContents(int descriptor, int depth) {
  DIR* folder = fdopendir(descriptor);
  if (folder == nullptr) {
    close(descriptor);
    return;
  }
  while (const dirent* entry = readdir(folder)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (unlinkat(dirfd(folder), entry->d_name, 0) == 0 || depth == kDeepest) continue;
    const int inner = openat(dirfd(folder), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) continue;
    removeContents(inner, depth + 1);
    unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
  }
  closedir(folder);
}

}  // namespace

int writeAll(int descriptor, const void* data, size_t size) {
  FileSizeSignal signal;
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    if (fault::fails("kernels.write")) return ENOSPC;
    const ssize_t written = write(descriptor, at, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      signal.exceeded = errno == EFBIG;
      return errno;
    }
    if (written == 0) return EIO;
    at += written;
    size -= static_cast<size_t>(written);
  }
  return 0;
}

int readSome(size_t* done, int descriptor, void* data, size_t size) {
  *done = 0;
  while (*done < size) {
    const ssize_t count = read(descriptor, static_cast<char*>(data) + *done, size - *done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    *done += static_cast<size_t>(count);
  }
  return 0;
}

int readAll(std::vector<unsigned char>* data, int descriptor, uint64_t most) {
  struct stat about;
  if (fstat(descriptor, &about) != 0) return errno;
  if (!S_ISREG(about.st_mode)) return EINVAL;
  if (static_cast<uint64_t>(about.st_size) > most) return EFBIG;
  data->resize(static_cast<size_t>(about.st_size));
  size_t done = 0;
  const int error = readSome(&done, descriptor, data->data(), data->size());
  data->resize(done);  // it may have become shorter meanwhile
  return error;
}

std::string temporaryFolder() {
  const char* folder = secure_getenv("TMPDIR");
  return folder == nullptr || folder[0] != '/' ? kSystemFolder : folder;
}

int PrivateFolder::create(const std::string& parent) {
  const int error = createIn(parent);
  if (error == 0 || parent == kSystemFolder || createIn(kSystemFolder) != 0) return error;
  static std::atomic<bool> said{false};
  // Relaxed: it only lets one thread write the line.
  if (!said.exchange(true, std::memory_order_relaxed)) {
    log::write(RT_LOG_WARNING, "Files for compilers go to %s, because \"%s\" (TMPDIR) takes none: %s.", kSystemFolder,
               parent.c_str(), strerror(error));
  }
  return 0;
}

int PrivateFolder::createIn(const std::string& parent) {
  std::string path = parent + "/manyrt-XXXXXX";
  if (fault::fails("kernels.folder")) return ENOSPC;
  if (mkdtemp(path.data()) == nullptr) return errno;
  path_ = std::move(path);
  folder_ = Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return folder_.valid() ? 0 : errno;
}

std::string fileIdentity(const std::string& path) {
  char resolved[PATH_MAX];
  struct stat about;
  if (realpath(path.c_str(), resolved) == nullptr || stat(resolved, &about) != 0) return "";
  return std::string(resolved) + " " + std::to_string(about.st_size) + " " + std::to_string(about.st_mtim.tv_sec) + "." +
         std::to_string(about.st_mtim.tv_nsec) + "\n";
}

PrivateFolder::~PrivateFolder() {
  if (folder_.valid()) {
    const int copy = fcntl(folder_.get(), F_DUPFD_CLOEXEC, 0);
    if (copy >= 0) removeContents(copy, 0);
  }
  if (!path_.empty()) rmdir(path_.c_str());
}

int PrivateFolder::write(const char* name, const void* data, size_t size) const {
  Descriptor file(openat(folder_.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.valid() ? writeAll(file.get(), data, size) : errno;
}

int PrivateFolder::link(const char* name, const std::string& target) const {
  return symlinkat(target.c_str(), folder_.get(), name) == 0 ? 0 : errno;
}

int PrivateFolder::read(std::vector<unsigned char>* data, const char* name, uint64_t most) const {
  Descriptor file(openat(folder_.get(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  return file.valid() ? readAll(data, file.get(), most) : errno;
}

}  // namespace manyrt::compiler
