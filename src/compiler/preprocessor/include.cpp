// Headers from memory and from folders. Only regular files are read, so that no pipe or device can block a build. Device and
// inode identify a file, not the spelling of its path.
#include "compiler/preprocessor/include.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace manyrt::compiler {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

std::string folderOf(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == name.npos ? std::string() : slash == 0 ? std::string("/") : std::string(name.substr(0, slash));
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder == "." ? name : folder.ends_with('/') ? folder + name : folder + "/" + name;
}

// Up to `size` bytes, fewer where the file has become shorter meanwhile. False with errno.
bool readAll(std::string* out, int fd, size_t size) {
  out->resize(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(fd, out->data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  out->resize(done);
  return true;
}

}  // namespace

IncludedFile* Files::lex(IncludedFile& file) {
  file.usable = lexFile(&file.lexed, sources_, file.file, names_, kMaxTokens - lexemes_, diagnostics_);
  lexemes_ += static_cast<uint32_t>(file.lexed.lexemes.size());
  return file.usable ? &file : nullptr;
}

IncludedFile* Files::add(uint32_t file) {
  IncludedFile& included = files_.emplace_back();
  included.file = file;
  included.folder = folderOf(sources_.name(file));
  if (included.folder.empty()) included.folder = options_.source_folder;
  return lex(included);
}

const Header* Files::inMemory(const std::string& name) const {
  for (const Header& header : options_.headers) {
    if (header.name == name) return &header;
  }
  return nullptr;
}

IncludedFile* Files::useHeader(const Header& header) {
  IncludedFile*& known = headers_[&header];
  if (known != nullptr) return known->usable ? known : nullptr;
  known = &files_.emplace_back();
  known->file = sources_.add(header.name, header.text);
  known->folder = folderOf(header.name);
  known->in_memory = true;
  return lex(*known);
}

Files::Found Files::open(IncludedFile** out, const std::string& path, Location where) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) return Found::kNo;
  // The file is opened before it is looked at, so that both concern the same file. O_NONBLOCK keeps a pipe from blocking the
  // open. A file that is already known under another path keeps its text and its include guard.
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0) {
    diagnostics_.error(where, "The header \"%s\" cannot be opened: %s.", path.c_str(), strerror(errno));
    return Found::kError;
  }
  if (S_ISDIR(status.st_mode)) return Found::kNo;
  if (!S_ISREG(status.st_mode)) {
    diagnostics_.error(where, "The header \"%s\" is not a regular file.", path.c_str());
    return Found::kError;
  }
  if (status.st_size > kMaxFileBytes) {
    diagnostics_.error(where, "The header \"%s\" has %lld bytes; %u are the limit.", path.c_str(),
                       static_cast<long long>(status.st_size), kMaxFileBytes);
    return Found::kError;
  }
  IncludedFile*& known = by_identity_[{status.st_dev, status.st_ino}];
  if (known == nullptr) {
    std::string text;
    if (!readAll(&text, file.get(), static_cast<size_t>(status.st_size))) {
      diagnostics_.error(where, "The header \"%s\" cannot be read: %s.", path.c_str(), strerror(errno));
      return Found::kError;
    }
    known = &files_.emplace_back();
    known->file = sources_.add(path, std::move(text));
    known->folder = folderOf(path);
    (void)lex(*known);
  }
  *out = known;
  return known->usable ? Found::kYes : Found::kError;
}

IncludedFile* Files::find(const std::string& name, bool angled, const IncludedFile& from, Location where) {
  if (name.empty() || name.find('\0') != name.npos) {
    diagnostics_.error(where, "The name of the header is empty or has a zero byte.");
    return nullptr;
  }
  if (const Header* header = inMemory(name)) return useHeader(*header);
  // Headers in memory come first, because the caller passed them for this build. Then the order is that of C compilers: the
  // folder of the including file, for names in quotes, and the folders of -I.
  std::string looked = std::to_string(options_.headers.size()) + " headers in memory";
  std::vector<std::string> paths;
  if (name.front() == '/') {
    paths.push_back(name);
    looked += ", and the file itself";
  } else {
    if (!angled && !from.folder.empty()) {
      paths.push_back(joined(from.folder, name));
      looked += ", \"" + from.folder + "\"";
    }
    for (const std::string& folder : options_.include_folders) {
      paths.push_back(joined(folder, name));
      looked += ", \"" + folder + "\"";
    }
  }
  if (!angled && from.in_memory && !from.folder.empty() && name.front() != '/') {
    if (const Header* header = inMemory(paths.front())) return useHeader(*header);
    paths.erase(paths.begin());  // no folder of the machine: the caller made the name up
  }
  for (const std::string& path : paths) {
    IncludedFile* found = nullptr;
    switch (open(&found, path, where)) {
      case Found::kYes:
        if (options_.found != nullptr) options_.found->push_back({name, path, sources_.text(found->file)});
        return found;
      case Found::kError:
        return nullptr;
      case Found::kNo:
        break;
    }
  }
  diagnostics_.error(where, "The header \"%s\" was not found. Looked at: %s.", name.c_str(), looked.c_str());
  return nullptr;
}

}  // namespace manyrt::compiler
