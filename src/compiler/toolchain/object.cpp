// Loading through a sealed memfd. The C library takes two objects of one path for one library, and numbers of descriptors are
// soon used again. Each load therefore spells its path differently from every other.
//
// Debuggers and sanitizers open an object by its path, in processes of their own and at any later time. So the path names this
// process, and the file stays open with the object. A path whose number belongs to a pipe by then would hang them.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/fault.h"
#include "base/log.h"
#include "base/os/sanitizer.h"
#include "compiler/image.h"
#include "compiler/toolchain/elf.h"
#include "compiler/toolchain/file.h"
#include "compiler/unit.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

namespace manyrt::compiler {
namespace {

// Files that stay open, of all objects: one in four of the process's descriptors and 256 at most. The rest is the program's,
// and numbers from 1024 on are none for select().
constexpr uint64_t kMostKept = 256;
// Relaxed: threads that load at the same time may exceed the bound by one each.
std::atomic<uint64_t> kept{0};

// A report of a sanitizer has the kernel's lines from its file.
bool isAlwaysKept() { return sanitizer::hasAddress() || sanitizer::hasThread(); }

bool mayKeepAnother() {
  rlimit limit;
  const uint64_t descriptors = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
  return isAlwaysKept() || kept.load(std::memory_order_relaxed) < std::min<uint64_t>(descriptors / 4, kMostKept);
}

// Some systems give out memory files only to those that promise not to start them as programs; mapping is still allowed.
// Standard numbers stay free: a program that closed its output must not write here.
Descriptor makeMemoryFile() {
  if (fault::fails("kernels.memfd")) return Descriptor();
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Descriptor file(memfd_create("manyrt kernel", kFlags));
  if (!file.valid() && errno != ENOSYS) file = Descriptor(memfd_create("manyrt kernel", kFlags | MFD_NOEXEC_SEAL));
  if (!file.valid() || file.get() > STDERR_FILENO) return file;
  return Descriptor(fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

// This process's folder, by the number that it has in the mounted /proc: another than getpid()'s where that belongs to a PID
// namespace further out. Empty: /proc is not mounted.
std::string ownProcFolder() {
  char number[32];
  const ssize_t length = readlink("/proc/self", number, sizeof number);
  return length <= 0 ? "" : "/proc/" + std::string(number, static_cast<size_t>(length));
}

// "/proc/<number>/fd/" and steps that lead nowhere, one for each bit of a number that grows with every load. Empty: the file
// has no such path.
std::string pathOf(int descriptor) {
  // Relaxed: the numbers only have to differ.
  static std::atomic<uint32_t> loads{0};
  std::string path = ownProcFolder();
  if (path.empty()) return path;
  path += "/fd/";
  for (uint32_t serial = loads.fetch_add(1, std::memory_order_relaxed) + 1; serial != 0; serial >>= 1) {
    path += (serial & 1) != 0 ? ".//" : "./";
  }
  path += std::to_string(descriptor);
  struct stat own, named;
  const bool same = fstat(descriptor, &own) == 0 && stat(path.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
                    own.st_ino == named.st_ino;
  return same ? path : "";
}

// An object may lie where an earlier one was mapped. The loader orders the two by its own lock, which ThreadSanitizer does not
// see. Here it is said with an atomic.
std::atomic<uint64_t> unloads{0};

void* openObject(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  (void)unloads.load(std::memory_order_acquire);
  return handle;
}

void closeObject(void* handle) {
  unloads.fetch_add(1, std::memory_order_release);
  dlclose(handle);
}

Status refused(const char* name) {
  const char* reason = dlerror();
  return Status::error(RT_ERROR_INVALID_IMAGE, "The image of \"%s\" could not be loaded: %s.", name,
                       reason == nullptr ? "for no reason given" : reason);
}

// A path that is gone before the file's number can belong to another file: debuggers find nothing there, and know no names of
// this object. The system's folder, as threads of the library load too, and read no environment.
void* openThroughLink(const std::string& path) {
  PrivateFolder folder;
  if (folder.create("/tmp") != 0 || folder.link("kernel.so", path) != 0) return nullptr;
  return openObject(folder.path() + "/kernel.so");
}

void sayThatFilesAreClosed() {
  static std::atomic<bool> said{false};
  // Relaxed: it only lets one thread write the line.
  if (said.exchange(true, std::memory_order_relaxed)) return;
  log::write(
      RT_LOG_INFO,
      "Objects of kernels that are loaded from now on have no names in debuggers: each takes a descriptor, and the process's "
      "limit of open files leaves no more for them (in use: %llu).",
      static_cast<unsigned long long>(kept.load(std::memory_order_relaxed)));
}

// False: there is no memory file, or no /proc to name it by. `file` is open where it has to stay so.
bool loadFromMemory(void** handle, Descriptor* file, Status* status, const void* data, size_t size, const char* name) {
  *file = makeMemoryFile();
  if (!file->valid() || writeAll(file->get(), data, size) != 0) return false;
  fcntl(file->get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  const std::string path = pathOf(file->get());
  if (path.empty()) return false;
  if (!mayKeepAnother()) {
    sayThatFilesAreClosed();
    *handle = openThroughLink(path);
    if (*handle != nullptr) {
      file->close();
      return true;
    }
  }
  *handle = openObject(path);
  if (*handle == nullptr) *status = refused(name);
  return true;
}

// Where /proc is not mounted: a file that no other user can reach, gone when this returns.
Status loadFromFolder(void** handle, const void* data, size_t size, const char* name) {
  PrivateFolder folder;
  int error = folder.create();
  if (error == 0) error = folder.write("kernel.so", data, size);
  if (error != 0) {
    return Status::error(RT_ERROR_IO, "The %zu bytes of \"%s\" could not be written to be loaded: %s.", size, name,
                         strerror(error));
  }
  *handle = openObject(folder.path() + "/kernel.so");
  return *handle != nullptr ? Status() : refused(name);
}

}  // namespace

Status Object::load(Ref<Object>* object, const void* data, size_t size, const char* name, const std::string& path) {
  const std::string wrong = checkSharedObject(data, size);
  if (!wrong.empty()) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The image of \"%s\" (%zu bytes) %s.", name, size, wrong.c_str());
  }
  void* handle = path.empty() ? nullptr : openObject(path);
  Descriptor file;
  Status status;
  if (handle == nullptr && !loadFromMemory(&handle, &file, &status, data, size, name)) {
    file.close();
    status = loadFromFolder(&handle, data, size, name);
  }
  RT_TRY(status);
  Object* fresh = new (std::nothrow) Object(handle, std::move(file));
  if (fresh == nullptr) {
    closeObject(handle);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  *object = Ref<Object>::adopt(fresh);
  fresh->findCode(data, size);
  if (!fresh->file_.valid()) fresh->copy_.assign(static_cast<const char*>(data), size);
  return Status();
}

Ref<Object> Object::part(const Ref<Object>& whole, std::string ending, uint64_t bytes) {
  return Ref<Object>::adopt(new Object(whole, std::move(ending), bytes));
}

Status Object::readFile(std::string* bytes) const {
  if (whole_) {
    return Status::error(
        RT_ERROR_NOT_SUPPORTED,
        "The quick code of the module was compiled together with that of other modules, and has no file of its "
        "own for an image.");
  }
  if (!file_.valid()) {
    *bytes = copy_;
    return Status();
  }
  bytes->resize(static_cast<size_t>(file_bytes_));
  for (size_t done = 0; done < bytes->size();) {
    const ssize_t got = pread(file_.get(), bytes->data() + done, bytes->size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return Status::error(RT_ERROR_IO, "The code of a module could not be read: %s.", strerror(got < 0 ? errno : EIO));
    done += static_cast<size_t>(got);
  }
  return Status();
}

// Where the loader has put the code, and its lines: for the report of a crash, which cannot ask the loader.
void Object::findCode(const void* data, size_t size) {
  file_bytes_ = size;
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr) return;
  base_ = map->l_addr;
  uint64_t first = 0, bytes = 0;
  codeOf(&first, &bytes, data, size);
  begin_ = base_ + first;
  bytes_ = bytes;
  lines_.read(data, size);
}

Object::Object(void* handle, Descriptor file) : handle_(handle), file_(std::move(file)) {
  if (file_.valid()) kept.fetch_add(1, std::memory_order_relaxed);
}

// The code of the whole, without its lines: code that is compiled together has none.
Object::Object(const Ref<Object>& whole, std::string ending, uint64_t bytes)
    : whole_(whole),
      ending_(std::move(ending)),
      handle_(whole->handle_),
      file_bytes_(bytes),
      base_(whole->base_),
      begin_(whole->begin_),
      bytes_(whole->bytes_) {}

Object::~Object() {
  if (watcher_ != nullptr) watcher_(this);
  if (!whole_) closeObject(handle_);
  if (file_.valid()) kept.fetch_sub(1, std::memory_order_relaxed);
}

KernelCode KernelCode::of(const rtHostModuleKernel_t& kernel, const unsigned char* traits, uint32_t index) {
  const unsigned char known = traits != nullptr ? traits[index] : 0;
  KernelCode code{kernel.function, kernel.local_bytes, kernel.scratch_bytes, kernel.scratch_bytes_per_item};
  if ((known & kJoinsAlong0) != 0) code.joins_along = 0;
  if ((known & kJoinsAlong1) != 0) code.joins_along = 1;
  code.joins_many = (known & kJoinsMany) != 0;
  code.turns_items = (known & kTurnsItems) != 0;
  code.shares_atomics = (known & kSharesAtomics) != 0;
  return code;
}

void* Object::symbol(const char* name) const { return dlsym(handle_, ending_.empty() ? name : (name + ending_).c_str()); }

}  // namespace manyrt::compiler
