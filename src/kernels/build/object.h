// Machine code as a loaded object of this process, through a private descriptor (memfd), so that nobody can exchange a file
// between the check and the load.
#pragma once

#include <cstddef>
#include <string>

#include "base/ref.h"
#include "base/status.h"

namespace manyrt::kernels {

// Loaded while there is a Ref. Never loads what is no ELF shared object of this machine: INVALID_IMAGE says why.
class Object : public RefCounted {
 public:
  static Status load(Ref<Object>* object, const void* data, size_t size, const char* name);
  ~Object() override;
  void* symbol(const char* name) const;  // null: none
  // Called when the last Ref is gone and before the code is: for a list that finds objects with tryRetain. Set once, before
  // a second thread sees the object.
  void watch(void (*watcher)(const Object*)) { watcher_ = watcher; }

 private:
  explicit Object(void* handle) : handle_(handle) {}
  void* const handle_;
  void (*watcher_)(const Object*) = nullptr;
};

}  // namespace manyrt::kernels
