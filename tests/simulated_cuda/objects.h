// Handles. They are numbers that look like addresses and are never given twice, so that a stale one is known as such. CUDA
// leaves the use of a destroyed handle undefined; here it is a violation and cudaErrorInvalidResourceHandle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "interface.h"
#include "report.h"

namespace manyrt::simulated {

template <class T, class Handle>
class Table {
 public:
  Table(const char* noun, unsigned kind) : noun_(noun), first_((uintptr_t{0x5C00} + kind) << 32) {}

  Handle add(std::shared_ptr<T> object) {
    std::lock_guard lock(mutex_);
    const uintptr_t handle = first_ + 16 * ++made_;
    objects_.emplace(handle, std::move(object));
    return reinterpret_cast<Handle>(handle);
  }
  std::shared_ptr<T> find(Handle handle) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    if (found != objects_.end()) return found->second;
    complain(handle);
    return nullptr;
  }
  std::shared_ptr<T> remove(Handle handle) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects_.end()) {
      complain(handle);
      return nullptr;
    }
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }
  template <class Condition>
  std::vector<std::shared_ptr<T>> removeIf(Condition condition) {
    std::vector<std::shared_ptr<T>> removed;
    std::lock_guard lock(mutex_);
    for (auto at = objects_.begin(); at != objects_.end();) {
      if (!condition(*at->second)) {
        ++at;
        continue;
      }
      removed.push_back(std::move(at->second));
      at = objects_.erase(at);
    }
    return removed;
  }
  int live() {
    std::lock_guard lock(mutex_);
    return static_cast<int>(objects_.size());
  }

 private:
  void complain(Handle handle) {
    if (handle == nullptr) return;
    const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
    const bool stale = value > first_ && value <= first_ + 16 * made_ && value % 16 == 0;
    violation("%s %p %s", noun_, static_cast<void*>(handle), stale ? "is used after its end" : "was never made");
  }

  const char* const noun_;
  const uintptr_t first_;
  std::mutex mutex_;
  uintptr_t made_ = 0;
  std::map<uintptr_t, std::shared_ptr<T>> objects_;
};

void reportLive();  // each kind that has live objects, on stderr

}  // namespace manyrt::simulated
