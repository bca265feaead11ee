// Machine code as a loaded object of this process, through a private descriptor (memfd), so that nobody can exchange a file
// between the check and the load.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "base/ref.h"
#include "base/status.h"
#include "rt.h"

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

  // Better code for the same kernels, in the same order, with the same results and the same memory for a group: null until
  // there is some. Both stay loaded as long as this object.
  const std::atomic<const rtHostModuleKernel_t*>& better() const { return better_; }
  void setBetter(Ref<Object> object, const rtHostModuleKernel_t* kernels) {  // once
    better_object_ = std::move(object);
    better_.store(kernels, std::memory_order_release);
  }

 private:
  explicit Object(void* handle) : handle_(handle) {}
  void* const handle_;
  std::atomic<const rtHostModuleKernel_t*> better_{nullptr};
  Ref<Object> better_object_;
  void (*watcher_)(const Object*) = nullptr;
};

}  // namespace manyrt::kernels
