// Intrusive reference counts for objects that streams, points and kernels share across threads. The last drop calls `recycle`,
// which deletes the object unless its class keeps objects for reuse. A retain is relaxed, since the caller has a reference
// already; a drop is acq_rel, so that the last one comes after every use.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace manyrt {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  // For an object that was found by its address. False: its last reference is gone already.
  bool tryRetain() {
    uint32_t count = references_.load(std::memory_order_relaxed);
    // The count is never raised from 0, where recycle() has begun. A stale count makes the exchange fail, which reads it anew.
    while (count != 0 && !references_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) {
    }
    return count != 0;
  }
  void drop() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) recycle();
  }
  // For places where an object may not end, such as under a lock. False: this is the last reference, and it is kept.
  bool dropUnlessLast() {
    // Relaxed: the exchange below checks the count.
    uint32_t count = references_.load(std::memory_order_relaxed);
    // The release half is that of drop(); the count never reaches 0 here.
    while (count > 1 && !references_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) {
    }
    return count > 1;
  }
  // Acquire: a caller that finds itself the only holder comes after the drops of all others.
  uint32_t references() const { return references_.load(std::memory_order_acquire); }

 protected:
  virtual void recycle() { delete this; }
  void revive() { references_.store(1, std::memory_order_release); }  // hands a recycled object out again

 private:
  std::atomic<uint32_t> references_{1};  // born owned: Ref<T>::adopt(new T)
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  Ref(Ref<U> other) noexcept : object_(other.detach()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->drop();
  }
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }

  T* get() const { return object_; }
  T* detach() { return std::exchange(object_, nullptr); }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const T* other) const { return object_ == other; }

 private:
  T* object_ = nullptr;
};

}  // namespace manyrt
