// Handles. A table keeps the objects of one kind in slots of fixed address and type. A handle carries kind,
// generation and slot index, so that a load and a compare tell a stale or foreign one. `find` is valid under an epoch guard;
// `Lease` keeps an object beyond it. Destroying closes the generation. The object goes when the guards and leases have ended. A
// last lease that ends inside a guard leaves that to the end of the call. Managers own tables; nothing here knows the objects.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "base/fault.h"
#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/spin_lock.h"

namespace manyrt {

// The bits of a handle: generation 32, index 24, kind 8.
using HandleBits = uint64_t;

inline uint8_t handleKind(HandleBits bits) { return static_cast<uint8_t>(bits & 0xff); }

template <class Handle>
HandleBits toBits(Handle handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

template <class T>
class SlotTable;

// Stands in front of every object of a table.
template <class T>
class Slot final : public epoch::Retired {
 public:
  // Called twice: when the guards have ended, which drops the handle's own lease, and through drop() after the last lease.
  // Relaxed: 0 was stored by this thread, which dropped the last lease. Else the handle's own lease is still counted.
  void reclaim() override { leases_.load(std::memory_order_relaxed) == 0 ? end() : drop(); }

 private:
  friend class SlotTable<T>;
  template <class>
  friend class Lease;

  T* object() { return std::launder(reinterpret_cast<T*>(storage_)); }
  void drop();  // gives one lease back, or that of the handle
  void end();   // destructs the object, after the last lease

  std::atomic<uint32_t> generation_{0};  // of the live handle; see kClosed
  std::atomic<uint32_t> leases_{0};
  uint32_t index_ = 0;
  uint32_t last_generation_ = 0;
  Slot* next_free_ = nullptr;
  SlotTable<T>* table_ = nullptr;
  alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char storage_[sizeof(T)];
};

// A counted hold on an object: it outlives its handle until the last lease is gone.
template <class T>
class Lease {
 public:
  Lease() = default;
  explicit Lease(T* object) : object_(object) {  // under a guard, or while another lease exists
    // Relaxed: the guard, or the other lease, keeps the object meanwhile. The drop that ends it is acq_rel.
    if (object_ != nullptr) slot()->leases_.fetch_add(1, std::memory_order_relaxed);
  }
  Lease(const Lease& other) : Lease(other.object_) {}
  Lease(Lease&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Lease& operator=(Lease other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Lease() {
    if (object_ != nullptr) slot()->drop();
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  Slot<T>* slot() const { return SlotTable<T>::slotOf(object_); }
  T* object_ = nullptr;
};

template <class T>
class SlotTable {
 public:
  static constexpr uint32_t kChunk = 256;
  static constexpr uint32_t kChunks = 1u << 14;  // 4 million objects of a kind
  static constexpr uint32_t kClosed = 0;         // no handle has this generation

  constexpr explicit SlotTable(uint8_t kind) : kind_(kind) {}

  // Constructs an object and opens its handle. Throws bad_alloc; null when the table is full.
  template <class... Args>
  T* create(HandleBits* bits, Args&&... args) {
    Slot<T>* slot = takeFree();
    if (slot == nullptr) return nullptr;
    T* object;
    try {
      if (fault::fails("object")) throw std::bad_alloc();
      object = new (slot->storage_) T(std::forward<Args>(args)...);
    } catch (...) {  // the slot has to go back
      giveBack(slot);
      throw;
    }
    // Relaxed: the release of the generation below publishes it.
    slot->leases_.store(1, std::memory_order_relaxed);
    uint32_t generation = slot->last_generation_ + 1;
    if (generation == kClosed) generation = 1;
    slot->last_generation_ = generation;
    *bits = (HandleBits{generation} << 32) | (HandleBits{slot->index_} << 8) | kind_;
    live_.fetch_add(1, std::memory_order_relaxed);
    slot->generation_.store(generation, std::memory_order_release);  // pairs with find(): the object is whole
    return object;
  }

  // Null for what is not a live handle of this kind. Under a guard.
  T* find(HandleBits bits) const {
    uint32_t index = static_cast<uint32_t>(bits >> 8) & 0xffffff;
    if (handleKind(bits) != kind_ || index >= kChunk * kChunks) [[unlikely]]
      return nullptr;
    Slot<T>* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    if (chunk == nullptr) [[unlikely]]
      return nullptr;
    // The slot is never freed, so that a stale handle may be compared with it. Acquire pairs with create(). The guard began
    // before this load: an object that was found open is not reclaimed while the guard stands.
    Slot<T>* slot = &chunk[index % kChunk];
    uint32_t generation = static_cast<uint32_t>(bits >> 32);
    if (slot->generation_.load(std::memory_order_acquire) != generation || generation == kClosed) [[unlikely]]
      return nullptr;
    return slot->object();
  }

  // Closes the handle: true for exactly one caller. The object goes when guards and leases allow.
  bool destroy(HandleBits bits) {
    T* object = find(bits);
    if (object == nullptr) return false;
    Slot<T>* slot = slotOf(object);
    uint32_t generation = static_cast<uint32_t>(bits >> 32);
    // One of several callers closes it. seq_cst: retire() reads the epoch after this store in the one order of both.
    if (!slot->generation_.compare_exchange_strong(generation, kClosed, std::memory_order_seq_cst)) return false;
    live_.fetch_sub(1, std::memory_order_relaxed);
    epoch::retire(slot);
    return true;
  }

  uint8_t kind() const { return kind_; }
  uint64_t live() const { return live_.load(std::memory_order_relaxed); }

  // Visits every live object, under a guard. It may miss those that are opened or closed meanwhile.
  template <class Visitor>
  void forEach(Visitor visitor) {
    for (uint32_t c = 0; c < chunk_count_.load(std::memory_order_acquire); ++c) {
      Slot<T>* chunk = chunks_[c].load(std::memory_order_acquire);
      for (uint32_t i = 0; chunk != nullptr && i < kChunk; ++i) {
        // Acquire, as in find(): the object of an open generation is whole.
        uint32_t generation = chunk[i].generation_.load(std::memory_order_acquire);
        if (generation == kClosed) continue;
        visitor(*chunk[i].object(), (HandleBits{generation} << 32) | (HandleBits{chunk[i].index_} << 8) | kind_);
      }
    }
  }

  static Slot<T>* slotOf(T* object) {
    return reinterpret_cast<Slot<T>*>(reinterpret_cast<unsigned char*>(object) - storageOffset());
  }

 private:
  friend class Slot<T>;

  static constexpr size_t storageOffset() {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
    return offsetof(Slot<T>, storage_);  // not standard layout, but single inheritance: both compilers lay it out so
#pragma GCC diagnostic pop
  }

  Slot<T>* takeFree() {
    std::lock_guard lock(lock_);
    if (free_ == nullptr) {
      uint32_t chunk_index = chunk_count_.load(std::memory_order_relaxed);
      if (chunk_index == kChunks) return nullptr;
      if (fault::fails("slots")) throw std::bad_alloc();
      Slot<T>* chunk = new Slot<T>[kChunk];  // never freed: stale handles are looked up in it
      for (uint32_t i = kChunk; i-- > 0;) {
        chunk[i].index_ = chunk_index * kChunk + i;
        chunk[i].table_ = this;
        chunk[i].next_free_ = free_;
        free_ = &chunk[i];
      }
      chunks_[chunk_index].store(chunk, std::memory_order_release);
      chunk_count_.store(chunk_index + 1, std::memory_order_release);
    }
    Slot<T>* slot = free_;
    free_ = slot->next_free_;
    return slot;
  }

  void giveBack(Slot<T>* slot) {
    std::lock_guard lock(lock_);
    slot->next_free_ = free_;
    free_ = slot;
  }

  const uint8_t kind_;
  Ranked<SpinLock, LockRank::kSlotTable> lock_;
  Slot<T>* free_ = nullptr;
  // Written under lock_, each chunk before the count that includes it, with release. find() and forEach() acquire. live_ is a
  // count for reports: relaxed.
  std::atomic<uint32_t> chunk_count_{0};
  std::atomic<uint64_t> live_{0};
  std::atomic<Slot<T>*> chunks_[kChunks] = {};
};

template <class T>
void Slot<T>::drop() {
  // Release: what this lease was used for comes before the end. Acquire: the last one sees what all the others did.
  if (leases_.fetch_sub(1, std::memory_order_acq_rel) == 1) epoch::finish(this);
}

template <class T>
void Slot<T>::end() {
  object()->~T();
  table_->giveBack(this);
}

}  // namespace manyrt
