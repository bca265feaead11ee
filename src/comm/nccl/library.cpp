// Opening NCCL and taking its functions. A file that RT_NCCL names and that cannot be used is a failure, never another file.
#include "comm/nccl/library.h"

#include <dlfcn.h>

#include <mutex>
#include <string>

#include "base/config.h"
#include "base/os/dynamic_library.h"

namespace manyrt::comm::nccl {
namespace {

constexpr char kFile[] = "libnccl.so.2";

Status take(Library* library, void* handle, const std::string& file) {
  const auto missing = [&](const char* symbol) {
    return Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "%s has no %s: the engine of NCCL needs NCCL 2.18 or later.",
                         file.c_str(), symbol);
  };
  const auto find = [&](auto* function, const char* symbol) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(handle, symbol));
    return *function != nullptr;
  };
#define X(member, symbol, parameters) \
  if (!find(&library->member, #symbol)) return missing(#symbol);
  MANYRT_NCCL_FUNCTIONS(X)
#undef X
  if (!find(&library->errorString, "ncclGetErrorString")) return missing("ncclGetErrorString");
  if (!find(&library->lastError, "ncclGetLastError")) return missing("ncclGetLastError");
  // A version may have all functions by name and other structs: the number decides.
  if (library->getVersion(&library->version) != kSuccess || library->version < kOldestVersion) {
    return Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "%s is NCCL %d.%d; the engine needs 2.18 or later.", file.c_str(),
                         library->version / 10000, library->version / 100 % 100);
  }
  return Status();
}

Status openOnce(Library* library) {
  const char* const named = config::get(config::Variable::kNccl);
  const std::string file = named != nullptr ? named : kFile;
  std::string reason;
  void* const handle = openLibrary(file.c_str(), &reason);
  if (handle != nullptr) return take(library, handle, file);
  // The user has named a file, and is told if it fails.
  if (named != nullptr) {
    return Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "RT_NCCL=%s cannot be opened: %s.", named,
                         reason.empty() ? "there is no such file" : reason.c_str());
  }
  return Status::error(RT_ERROR_BACKEND_UNAVAILABLE,
                       "NCCL (%s) %s%s. It is in NVIDIA's package libnccl2; RT_NCCL may name a file.", kFile,
                       reason.empty() ? "is not installed" : "did not load: ", reason.c_str());
}

}  // namespace

Status open(const Library** out) {
  struct Opened {
    Library library;
    Status status;
    Opened() : status(openOnce(&library)) {}
  };
  static const Opened* const opened = new Opened;  // never destroyed, as the library is never closed
  *out = &opened->library;
  return opened->status;
}

std::string versionText(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

Status failure(const Library& library, const char* call, Result result) {
  // NCCL's number says little; its last words name the call of the system that failed.
  const char* const last = library.lastError(nullptr);
  const bool says = last != nullptr && *last != '\0';
  return Status::error(RT_ERROR_DRIVER, "%s failed: %s%s%s.", call, library.errorString(result), says ? ": " : "",
                       says ? last : "");
}

}  // namespace manyrt::comm::nccl
