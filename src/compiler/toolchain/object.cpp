// Loading through a sealed memfd. The C library takes two objects of one path for one library, and numbers of descriptors are
// soon used again. Each load therefore spells its path differently from every other.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/fault.h"
#include "base/os/sanitizer.h"
#include "compiler/image.h"
#include "compiler/toolchain/elf.h"
#include "compiler/toolchain/file.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

namespace manyrt::compiler {
namespace {

// Some systems give out memory files only to those that promise not to start them as programs; mapping is still allowed.
Descriptor makeMemoryFile() {
  if (fault::fails("kernels.memfd")) return Descriptor();
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int number = memfd_create("manyrt kernel", kFlags);
  if (number >= 0 || errno == ENOSYS) return Descriptor(number);
  return Descriptor(memfd_create("manyrt kernel", kFlags | MFD_NOEXEC_SEAL));
}

// A sanitizer reads the lines of a report from the file by this path, perhaps in a process of its own. So the file stays open
// with the object, and the path names this process.
bool isReadLater() { return sanitizer::hasAddress() || sanitizer::hasThread(); }

// "/proc/self/fd/" and steps that lead nowhere, one for each bit of a number that grows with every load.
std::string pathOf(int descriptor) {
  // Relaxed: the numbers only have to differ.
  static std::atomic<uint32_t> loads{0};
  std::string path = "/proc/" + (isReadLater() ? std::to_string(getpid()) : "self") + "/fd/";
  for (uint32_t serial = loads.fetch_add(1, std::memory_order_relaxed) + 1; serial != 0; serial >>= 1) {
    path += (serial & 1) != 0 ? ".//" : "./";
  }
  return path + std::to_string(descriptor);
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

// False: there is no memory file, or no /proc to name it by.
bool loadFromMemory(void** handle, Descriptor* file, Status* status, const void* data, size_t size, const char* name) {
  *file = makeMemoryFile();
  if (!file->valid() || writeAll(file->get(), data, size) != 0) return false;
  fcntl(file->get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  const std::string path = pathOf(file->get());
  if (access(path.c_str(), F_OK) != 0) return false;
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

Status Object::load(Ref<Object>* object, const void* data, size_t size, const char* name) {
  const std::string wrong = checkSharedObject(data, size);
  if (!wrong.empty()) {
    return Status::error(RT_ERROR_INVALID_IMAGE, "The image of \"%s\" (%zu bytes) %s.", name, size, wrong.c_str());
  }
  void* handle = nullptr;
  Descriptor file;
  Status status;
  if (!loadFromMemory(&handle, &file, &status, data, size, name)) status = loadFromFolder(&handle, data, size, name);
  RT_TRY(status);
  Object* fresh = new (std::nothrow) Object(handle);
  if (fresh == nullptr) {
    closeObject(handle);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  if (isReadLater()) fresh->file_ = std::move(file);
  *object = Ref<Object>::adopt(fresh);
  return Status();
}

Object::~Object() {
  if (watcher_ != nullptr) watcher_(this);
  closeObject(handle_);
}

void* Object::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace manyrt::compiler
