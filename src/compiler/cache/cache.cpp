// The folder of compiled code. All operations are relative to the folder's descriptor, whose owner and mode are checked first.
// An entry is valid only where header, length and checksum agree. A written entry becomes visible whole or not at all.
#include "compiler/cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <vector>

#include "base/config.h"
#include "base/fault.h"
#include "base/log.h"
#include "compiler/toolchain/file.h"
#include "rt.h"

namespace manyrt::compiler::cache {
namespace {

constexpr uint32_t kFormat = 1;  // of an entry; another one is a miss
constexpr uint64_t kMaxEntryBytes = 256 << 20;
constexpr time_t kTouchSeconds = 3600;     // how exactly the time of the last use is kept
constexpr time_t kAbandonedSeconds = 600;  // after which a temporary file has no writer any more
constexpr char kTemporary[] = ".new-";

struct Header {
  char magic[8];
  uint32_t format;
  uint32_t version;  // of the library
  Digest key;
  uint64_t length;    // of what follows
  uint64_t checksum;  // of all before, and of what follows
};
static_assert(sizeof(Header) == 64);

constexpr char kMagic[8] = {'m', 'r', 't', 'c', 'a', 'c', 'h', 'e'};
constexpr uint32_t kVersion = MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH;

// Four chains of steps. For any word a step is a bijection of its state, and for any state one of the word. A change within one
// word of eight bytes is therefore always detected, and any other with probability 1 - 2^-64.
class Checksum {
 public:
  void add(const void* data, size_t size) {
    const unsigned char* at = static_cast<const unsigned char*>(data);
    for (; size >= 32; size -= 32, at += 32) {
      for (size_t chain = 0; chain < 4; ++chain) step(chain, at + 8 * chain);
    }
    unsigned char rest[32] = {};
    if (size > 0) memcpy(rest, at, size);
    for (size_t chain = 0; chain < 4; ++chain) step(chain, rest + 8 * chain);
  }
  uint64_t value() const {
    uint64_t sum = 0x2545f4914f6cdd1d;
    for (const uint64_t chain : chains_) sum = (std::rotl(sum, 23) ^ chain) * kFirst;
    sum = (sum ^ sum >> 32) * kSecond;
    return sum ^ sum >> 29;
  }

 private:
  static constexpr uint64_t kFirst = 0xd6e8feb86659fd93, kSecond = 0xa0761d6478bd642f;  // odd
  void step(size_t chain, const unsigned char* word) {
    uint64_t bits;
    memcpy(&bits, word, sizeof bits);
    chains_[chain] = std::rotl(chains_[chain] ^ bits * kFirst, 29) * kSecond;
  }
  uint64_t chains_[4] = {1, 2, 3, 4};
};

uint64_t checksumOf(const Header& header, const void* data, size_t size) {
  Checksum sum;
  sum.add(&header, offsetof(Header, checksum));
  sum.add(data, size);
  return sum.value();
}

Header headerFor(const Digest& key, const void* data, size_t size) {
  Header header{};
  memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kFormat;
  header.version = kVersion;
  header.key = key;
  header.length = size;
  header.checksum = checksumOf(header, data, size);
  return header;
}

// A folder that fails does so at every build; one line is enough.
void complain(const std::string& path, const char* reason) {
  static std::atomic<bool> done{false};
  // Relaxed here and in the two counters below: they order nothing.
  if (done.exchange(true, std::memory_order_relaxed)) return;
  log::write(RT_LOG_WARNING, "Compiled kernels are not kept in \"%s\": %s.", path.c_str(), reason);
}

constexpr char kNoPath[] = "RT_CACHE_DIR must be an absolute path or \"off\"";

bool isOff(const char* own) { return own != nullptr && strcmp(own, "off") == 0; }

// Empty: off, or nowhere.
std::string configuredPath() {
  if (const char* own = config::get(config::Variable::kCacheFolder)) {
    if (isOff(own)) return "";
    if (own[0] == '/') return own;
    complain(own, kNoPath);
    return "";
  }
  const char* base = secure_getenv("XDG_CACHE_HOME");
  if (base != nullptr && base[0] == '/') return std::string(base) + "/manyrt";
  const char* home = secure_getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/manyrt" : "";
}

void makeFolders(const std::string& path) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at == path.size() || path[at] == '/') mkdir(path.substr(0, at).c_str(), 0700);  // most of them are there
  }
}

// The folder, if it is safe for `user`; `make` it where it is not there. Else `reason` says why it is not used, and is empty
// where there is none.
Descriptor findFolder(std::string* reason, std::string* path, uid_t user, bool make) {
  // After a slash, and for "." in a folder, a symbolic link would be followed.
  while (path->size() > 1 && (path->back() == '/' || path->ends_with("/."))) path->pop_back();
  if (path->ends_with("/..")) {
    *reason = "it ends in \"..\", which may lead anywhere";
    return Descriptor();
  }
  if (path->empty()) return Descriptor();
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder(open(path->c_str(), kFlags));
  if (!folder.valid() && errno == ENOENT) {
    if (!make) return folder;
    makeFolders(*path);
    folder = Descriptor(open(path->c_str(), kFlags));
  }
  struct stat about;
  if (!folder.valid() || fstat(folder.get(), &about) != 0) {
    *reason = errno == ELOOP || errno == ENOTDIR ? "it is no folder, or a symbolic link" : strerror(errno);
    return Descriptor();
  }
  if (about.st_uid != user || (about.st_mode & 0777) != 0700) {
    char text[128];
    snprintf(text, sizeof text, "it belongs to user %u and has mode %03o; it must belong to user %u and have mode 700",
             about.st_uid, about.st_mode & 0777, user);
    *reason = text;
    return Descriptor();
  }
  return folder;
}

Descriptor openFolder(std::string* path, uid_t user, bool make) {
  std::string reason;
  Descriptor folder = findFolder(&reason, path, user, make);
  if (!reason.empty()) complain(*path, reason.c_str());
  return folder;
}

bool isEntryName(const char* name) { return strlen(name) == 64 && strspn(name, "0123456789abcdef") == 64; }
bool isTemporaryName(const char* name) { return strncmp(name, kTemporary, sizeof kTemporary - 1) == 0; }

struct Found {
  std::string name;
  timespec used;
  uint64_t bytes;
  bool temporary;
};

bool usedBefore(const Found& a, const Found& b) {
  return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
}

// The files in it that are the cache's own.
std::vector<Found> listFiles(int folder) {
  std::vector<Found> files;
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(copy < 0 ? nullptr : fdopendir(copy), closedir);
  if (listing == nullptr) {
    if (copy >= 0) close(copy);
    return files;
  }
  while (const dirent* file = readdir(listing.get())) {
    struct stat about;
    const bool temporary = isTemporaryName(file->d_name);
    if (!temporary && !isEntryName(file->d_name)) continue;
    if (fstatat(folder, file->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(about.st_mode)) continue;
    files.push_back({file->d_name, about.st_mtim, static_cast<uint64_t>(about.st_size), temporary});
  }
  return files;
}

// Sums up the folder and removes what its writer has given up.
std::vector<Found> lookThrough(int folder, uint64_t* total) {
  std::vector<Found> entries;
  const time_t now = time(nullptr);
  for (Found& file : listFiles(folder)) {
    if (file.temporary && file.used.tv_sec < now - kAbandonedSeconds) {
      unlinkat(folder, file.name.c_str(), 0);
      continue;
    }
    *total += file.bytes;
    if (!file.temporary) entries.push_back(std::move(file));
  }
  return entries;
}

// Oldest first, until an eighth of the limit is free: so that a full folder is not looked through at every build.
void trim(int folder, uint64_t limit) {
  uint64_t total = 0;
  std::vector<Found> entries = lookThrough(folder, &total);
  if (total <= limit) return;
  std::sort(entries.begin(), entries.end(), usedBefore);
  for (const Found& entry : entries) {
    if (total <= limit - limit / 8) break;
    if (unlinkat(folder, entry.name.c_str(), 0) == 0) total -= entry.bytes;
  }
}

// Looking through a full folder takes milliseconds: at a process's first store, then at each 16th, and for large entries.
bool timeToTrim(size_t size) {
  static std::atomic<uint32_t> stores{0};
  return stores.fetch_add(1, std::memory_order_relaxed) % 16 == 0 || size >= (1 << 20);
}

int writeEntry(int folder, const std::string& temporary, const Header& header, const void* data, size_t size) {
  Descriptor file(openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return errno;
  if (fchmod(file.get(), 0600) != 0) return errno;  // whatever the program's umask is
  if (const int error = writeAll(file.get(), &header, sizeof header); error != 0) return error;
  return writeAll(file.get(), data, size);
}

std::string temporaryName() {
  static std::atomic<uint64_t> counter{0};
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char name[96];
  snprintf(name, sizeof name, "%s%lld-%llx-%llx", kTemporary, static_cast<long long>(getpid()),
           static_cast<unsigned long long>(now.tv_sec) * 1'000'000'000 + static_cast<unsigned long long>(now.tv_nsec),
           static_cast<unsigned long long>(counter.fetch_add(1, std::memory_order_relaxed)));
  return name;
}

}  // namespace

bool load(Entry* entry, const Digest& key) {
  std::string path = configuredPath();
  const uid_t user = geteuid();
  const Descriptor folder = openFolder(&path, user, false);
  if (!folder.valid() || fault::fails("kernels.cache")) return false;
  // Without O_NONBLOCK a FIFO of this name would hold us up.
  const Descriptor file(
      openat(folder.get(), hexadecimal(key).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about;
  if (!file.valid() || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return false;
  if (about.st_uid != user || (about.st_mode & 022) != 0) return false;
  if (about.st_size < static_cast<off_t>(sizeof(Header))) return false;
  const auto whole = static_cast<uint64_t>(about.st_size);
  if (whole > kMaxEntryBytes + sizeof(Header)) return false;
  entry->file_.reset(new (std::nothrow) unsigned char[static_cast<size_t>(whole)]);
  if (entry->file_ == nullptr) return false;
  entry->before_ = sizeof(Header);
  entry->size_ = static_cast<size_t>(whole) - sizeof(Header);
  size_t done = 0;
  if (readSome(&done, file.get(), entry->file_.get(), static_cast<size_t>(whole)) != 0 || done != whole) return false;
  Header header;
  memcpy(&header, entry->file_.get(), sizeof header);
  if (header.length != entry->size_) return false;
  const Header expected = headerFor(key, entry->data(), entry->size_);
  if (memcmp(&header, &expected, sizeof header) != 0) return false;
  if (about.st_mtim.tv_sec < time(nullptr) - kTouchSeconds) futimens(file.get(), nullptr);  // used now
  return true;
}

Directory directory() {
  return {configuredPath(), static_cast<uint64_t>(config::integer(config::Variable::kCacheSize, 1, 1 << 20, 512)) << 20};
}

void store(const Directory& directory, const Digest& key, const void* data, size_t size) {
  if (size > kMaxEntryBytes) return;
  std::string path = directory.path;
  const Descriptor folder = openFolder(&path, geteuid(), true);
  if (!folder.valid()) return;
  const Header header = headerFor(key, data, size);
  const std::string temporary = temporaryName();
  int error = writeEntry(folder.get(), temporary, header, data, size);
  if (error == 0 && renameat(folder.get(), temporary.c_str(), folder.get(), hexadecimal(key).c_str()) != 0) error = errno;
  if (error != 0) {
    unlinkat(folder.get(), temporary.c_str(), 0);
    complain(path, strerror(error));
  }
  if (error == ENOSPC || error == EDQUOT || timeToTrim(size)) trim(folder.get(), directory.max_bytes);
}

std::string folder() {
  std::string path = configuredPath();
  return openFolder(&path, geteuid(), true).valid() ? path : "";
}

Contents contents() {
  Contents found;
  const Directory where = directory();
  const char* own = config::get(config::Variable::kCacheFolder);
  found.path = where.path;
  found.max_bytes = where.max_bytes;
  found.off = isOff(own);
  if (where.path.empty()) {
    found.reason = found.off ? "RT_CACHE_DIR is off" : own != nullptr ? kNoPath : "neither RT_CACHE_DIR nor HOME is set";
    return found;
  }
  const Descriptor folder = findFolder(&found.reason, &found.path, geteuid(), false);
  found.exists = folder.valid() || !found.reason.empty();
  if (!folder.valid()) return found;
  std::vector<Found> files = listFiles(folder.get());
  std::sort(files.begin(), files.end(), [](const Found& a, const Found& b) { return usedBefore(b, a); });
  for (const Found& file : files) {
    if (file.temporary) {
      found.temporary += file.bytes;
    } else {
      found.entries.push_back({file.name, file.bytes, file.used.tv_sec});
    }
  }
  return found;
}

Cleared clear() {
  Cleared cleared;
  std::string path = configuredPath();
  const Descriptor folder = openFolder(&path, geteuid(), false);
  if (!folder.valid()) return cleared;
  for (const Found& file : listFiles(folder.get())) {
    if (unlinkat(folder.get(), file.name.c_str(), 0) == 0) {
      cleared.entries += file.temporary ? 0 : 1;
      cleared.bytes += file.bytes;
    } else if (errno != ENOENT && cleared.failed++ == 0) {
      cleared.reason = strerror(errno);
    }
  }
  return cleared;
}

}  // namespace manyrt::compiler::cache
