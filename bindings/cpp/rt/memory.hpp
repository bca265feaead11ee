// SPDX-License-Identifier: Apache-2.0
//
// Memory: Buffer owns typed memory of a device or of the host, and allocations come from a MemPool. The functions at the end
// copy and fill with waiting. Frees never block: memory in use is used again when its last use is complete.
#ifndef MANYRT_RT_MEMORY_HPP_
#define MANYRT_RT_MEMORY_HPP_

#include <limits>

#include "stream.hpp"

namespace rt {

struct MallocOptions : rtMallocOptions_t {
  MallocOptions() noexcept : rtMallocOptions_t RT_MALLOC_OPTIONS_INIT {}
  void setLabel(std::string_view text) noexcept { detail::setLabel(label, text); }
};

struct MemPoolOptions : rtMemPoolOptions_t {
  MemPoolOptions() noexcept : rtMemPoolOptions_t RT_MEM_POOL_OPTIONS_INIT {}
  void setLabel(std::string_view text) noexcept { detail::setLabel(label, text); }
};

class MemPoolRef : public Borrowed<rtMemPool_t> {
 public:
  using Borrowed::Borrowed;

  /** Gives unused memory above `keepBytes` back to the driver. */
  template <class E = DefaultMode>
  Outcome<E, void> trim(std::uint64_t keepBytes = 0, E = {}) const {
    return detail::done<E>(rtMemPoolTrim(keepBytes, get()));
  }
  /** A hard limit in bytes; 0: none. */
  template <class E = DefaultMode>
  Outcome<E, void> setLimit(std::uint64_t bytes, E = {}) const {
    return detail::done<E>(rtMemPoolSetLimit(bytes, get()));
  }
  /** Unused bytes that are kept when streams are synchronised. */
  template <class E = DefaultMode>
  Outcome<E, void> setReleaseThreshold(std::uint64_t bytes, E = {}) const {
    return detail::done<E>(rtMemPoolSetReleaseThreshold(bytes, get()));
  }
  /** While on, what any thread allocates keeps its address, freed or not, as long as a graph may name it. */
  template <class E = DefaultMode>
  Outcome<E, void> setPinMode(bool on, E = {}) const {
    return detail::done<E>(rtMemPoolSetPinMode(on ? 1 : 0, get()));
  }
  template <class E = DefaultMode>
  Outcome<E, rtMemPoolStats_t> stats(E = {}) const {
    return detail::fetchStruct<E>(rtMemPoolStats_t RT_MEM_POOL_STATS_INIT, rtMemPoolGetStats, get());
  }
  template <class E = DefaultMode>
  Outcome<E, void> resetPeak(E = {}) const {
    return detail::done<E>(rtMemPoolResetPeak(get()));
  }
  /** All blocks of the pool as JSON. */
  template <class E = DefaultMode>
  Outcome<E, std::string> dumpJson(E = {}) const {
    return detail::fetchText<E>(rtMemPoolDumpJson, true, get());
  }
  /** Called before an allocation fails; returns nonzero if it has freed something. It throws nothing. nullptr: none. */
  template <class E = DefaultMode>
  Outcome<E, void> setOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user = nullptr, E = {}) const {
    return detail::done<E>(rtMemPoolSetOutOfMemoryCallback(callback, user, get()));
  }
};

class MemPool : public Owner<MemPoolRef, rtMemPoolDestroy> {
 public:
  using Owner::Owner;

  template <class E = DefaultMode>
  static Outcome<E, MemPool> create(const ContextRef& context = {}, const MemPoolOptions& options = {}, E = {}) {
    return detail::fetch<E, MemPool>(rtMemPoolCreate, &options, context.get());
  }
};

/** The library's facts about an address; kind RT_POINTER_UNKNOWN for memory that is not the library's. */
template <class E = DefaultMode>
Outcome<E, rtPointerAttributes_t> pointerAttributes(const void* pointer, E = {}) {
  return detail::fetchStruct<E>(rtPointerAttributes_t RT_POINTER_ATTRIBUTES_INIT, rtPointerGetAttributes, pointer);
}

/** The driver's form of an address; borrowed until the memory is freed. */
template <class E = DefaultMode>
Outcome<E, Native> pointerNative(const void* pointer, E = {}) {
  return detail::fetchNative<E>(rtPointerGetNative, pointer);
}

/** Owns elements in memory of the kind Kind: of the device, pinned on the host, or shared by both. Empty after a move. */
template <class T, rtMemoryKind Kind = RT_MEMORY_DEVICE>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "elements of a Buffer are trivially copyable");

 public:
  using value_type = T;
  static constexpr bool kOnHost = Kind != RT_MEMORY_DEVICE;

  Buffer() noexcept = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        open_(std::exchange(other.open_, false)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      close();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      open_ = std::exchange(other.open_, false);
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { close(); }

  /** Allocates; the contents are undefined. Pinned memory is ordinary memory, with a line in the log, where a device has none.
   */
  template <class E = DefaultMode>
  static Outcome<E, Buffer> create(std::size_t count, const ContextRef& context = {}, E = {}) {
    constexpr auto function = Kind == RT_MEMORY_DEVICE ? rtMalloc : Kind == RT_MEMORY_HOST ? rtMallocHost : rtMallocShared;
    return allocate<E>(count, [&](void** pointer, std::size_t size) { return function(pointer, size, context.get()); });
  }
  /** options.kind is that of the Buffer. */
  template <class E = DefaultMode>
  static Outcome<E, Buffer> create(std::size_t count, MallocOptions options, const ContextRef& context = {}, E = {}) {
    options.kind = Kind;
    return allocate<E>(
        count, [&](void** pointer, std::size_t size) { return rtMallocWithOptions(pointer, size, &options, context.get()); });
  }
  /** Allocates in the stream's order: later work of the stream may use it at once. */
  template <class E = DefaultMode>
  static Outcome<E, Buffer> createAsync(std::size_t count, const StreamRef& stream, E = {}) {
    static_assert(Kind == RT_MEMORY_DEVICE, "rtMallocAsync has memory of the device alone");
    return allocate<E>(count, [&](void** pointer, std::size_t size) { return rtMallocAsync(pointer, size, stream.get()); });
  }
  /** Allocates from a pool of the same kind, in the stream's order; alignment 0: 256 bytes. */
  template <class E = DefaultMode>
  static Outcome<E, Buffer> fromPool(std::size_t count, const MemPoolRef& pool, const StreamRef& stream = {},
                                     std::size_t alignment = 0, E = {}) {
    return allocate<E>(count, [&](void** pointer, std::size_t size) {
      return rtMallocFromPool(pointer, size, alignment, stream.get(), pool.get());
    });
  }
  /** Makes `count` elements of another library known, which stays the owner. */
  template <class E = DefaultMode>
  static Outcome<E, Buffer> fromNative(const Native& native, std::size_t count, const ContextRef& context = {}, E = {}) {
    return allocate<E>(
        count, [&](void** pointer, std::size_t size) { return rtMemImport(pointer, native.data(), size, context.get()); });
  }
  /** The same; `owner` is let go when this buffer has ended and no work or graph uses the memory. */
  template <class E = DefaultMode>
  static Outcome<E, Buffer> fromNative(const Native& native, std::size_t count, std::shared_ptr<const void> owner,
                                       const ContextRef& context = {}, E = {}) {
    using Kept = std::shared_ptr<const void>;
    std::unique_ptr<Kept> kept(new (std::nothrow) Kept(std::move(owner)));
    if (kept == nullptr) return detail::refuse<E, Buffer>(RT_ERROR_OUT_OF_MEMORY, "No memory for the owner of a buffer.");
    return allocate<E>(count, [&](void** pointer, std::size_t size) {
      const rtStatus_t status = rtMemImportWithRelease(
          pointer, native.data(), size, kept.get(), [](void* user) { delete static_cast<Kept*>(user); }, context.get());
      if (status >= 0) (void)kept.release();
      return status;
    });
  }
  /** Takes over `count` elements that rtFree frees. */
  static Buffer adopt(T* data, std::size_t count) noexcept { return Buffer(data, count); }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  bool empty() const noexcept { return size_ == 0; }
  explicit operator bool() const noexcept { return data_ != nullptr; }
  /** True if it was closed, released, moved from, or never made: copies and kernels refuse it then. A Buffer of 0 elements is
   *  not closed. */
  bool closed() const noexcept { return !open_; }

  /** A DeviceSpan of device memory, else a Span. */
  auto span() const noexcept {
    if constexpr (kOnHost) {
      return Span<T>(data_, size_);
    } else {
      return DeviceSpan<T>(data_, size_);
    }
  }
  /** Shared memory as memory of the device; of pinned memory see hostDevicePointer. */
  DeviceSpan<T> deviceSpan() const noexcept {
    static_assert(Kind != RT_MEMORY_HOST, "pinned memory has an address of its own on a device: hostDevicePointer");
    return DeviceSpan<T>(data_, size_);
  }
  /** `count` elements from `offset` on; INVALID_VALUE where they leave the buffer. */
  template <class E = DefaultMode>
  auto slice(std::size_t offset, std::size_t count, E mode = {}) const {
    return span().slice(offset, count, mode);
  }

  T* begin() const noexcept { return hostData(); }
  T* end() const noexcept { return hostData() + size_; }
  /** The element at an index below size(), which is not checked. */
  T& operator[](std::size_t index) const noexcept { return hostData()[index]; }

  /** Frees now; a second call does nothing. */
  void close() noexcept { (void)rtFree(release()); }
  /** Frees in the stream's order: later work of the stream must not use it. The buffer stays if that is refused. */
  template <class E = DefaultMode>
  Outcome<E, void> closeAsync(const StreamRef& stream, E = {}) {
    const rtStatus_t status = rtFreeAsync(data_, stream.get());
    if (status >= 0) (void)release();
    return detail::done<E>(status);
  }
  /** Gives the memory up without freeing it. */
  [[nodiscard]] T* release() noexcept {
    size_ = 0;
    open_ = false;
    return std::exchange(data_, nullptr);
  }

 private:
  Buffer(T* data, std::size_t size) noexcept : data_(data), size_(size), open_(true) {}

  T* hostData() const noexcept {
    static_assert(kOnHost, "the host does not read or write memory of a device: copy it");
    return data_;
  }

  template <class E, class F>
  static Outcome<E, Buffer> allocate(std::size_t count, F function) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      return detail::refuse<E, Buffer>(RT_ERROR_OUT_OF_MEMORY, std::to_string(count) + " elements of " +
                                                                   std::to_string(sizeof(T)) + " bytes are above 2^64 bytes.");
    }
    void* pointer = nullptr;
    const rtStatus_t status = function(&pointer, count * sizeof(T));
    return detail::give<E, Buffer>(status, Buffer(static_cast<T*>(pointer), count));
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  bool open_ = false;
};

/** Pinned memory of the host, and memory with one address for host and device. */
template <class T>
using HostBuffer = Buffer<T, RT_MEMORY_HOST>;
template <class T>
using SharedBuffer = Buffer<T, RT_MEMORY_SHARED>;

namespace detail {

template <class M>
using ElementOf = typename decltype(viewOf(std::declval<M&>()))::element_type;

}  // namespace detail

/** The device's address of pinned, shared or registered memory: a HostBuffer, a Span, a container of the host. */
template <class M, class E = DefaultMode, class T = detail::ElementOf<M>>
Outcome<E, DeviceSpan<T>> hostDevicePointer(M&& memory, const ContextRef& context = {}, E = {}) {
  const Span<T> host = detail::viewOf(memory);
  void* pointer = nullptr;
  const rtStatus_t status = rtHostGetDevicePointer(&pointer, const_cast<std::remove_const_t<T>*>(host.data()), context.get());
  return detail::give<E, DeviceSpan<T>>(status, DeviceSpan<T>(static_cast<T*>(pointer), host.size()));
}

/** Pins the program's own memory; its end unpins it, which may block while copies use it. The memory outlives it. It may end on
 *  any thread, whatever context is current there, and after its context; graphs that name the memory end first. */
class Registration {
 public:
  Registration() noexcept = default;
  Registration(Registration&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)), context_(other.context_) {}
  Registration& operator=(Registration&& other) noexcept {
    if (this != &other) {
      close();
      pointer_ = std::exchange(other.pointer_, nullptr);
      context_ = other.context_;
    }
    return *this;
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() { close(); }

  /** memory: a Span or a container of the host. */
  template <class M, class E = DefaultMode>
  static Outcome<E, Registration> create(M&& memory, const ContextRef& context = {}, E = {}) {
    static_assert(detail::outlivesCall<M>(), "the memory to register is a temporary, which ends before the registration");
    static_assert(!std::is_const_v<detail::ElementOf<M>>, "the memory to register is const");
    const Result<rtContext_t> owner = contextOf(context);
    if (!owner) return detail::refuse<E, Registration>(owner.failure());
    const Span<detail::ElementOf<M>> range = detail::viewOf(memory);
    const rtStatus_t status = rtHostRegister(range.data(), range.bytes(), *owner);
    if (status < 0) return detail::refuse<E, Registration>(detail::failureOf(status));
    return Registration(range.data(), *owner);
  }
  void close() noexcept {
    void* const pointer = std::exchange(pointer_, nullptr);
    if (pointer == nullptr || rtHostUnregister(pointer, context_) != RT_ERROR_INVALID_HANDLE) return;
    // The context is gone. Then any other one does, and the device still has its primary context.
    rtPointerAttributes_t known = RT_POINTER_ATTRIBUTES_INIT;
    rtContext_t primary = nullptr;
    if (rtPointerGetAttributes(&known, pointer) < 0 || rtContextGetPrimary(&primary, known.device) < 0) return;
    (void)rtHostUnregister(pointer, primary);
  }

 private:
  /** The context that a null one means now: at the end another one may be current. */
  static Result<rtContext_t> contextOf(const ContextRef& context) {
    if (context) return context.get();
    rtContext_t found = nullptr;
    rtDevice_t device = nullptr;
    rtStatus_t status = rtContextGetDevice(&device, nullptr);
    if (status >= 0) status = rtContextGetCurrent(&found);
    if (status >= 0 && found == nullptr) status = rtContextGetPrimary(&found, device);
    if (status < 0) return detail::failureOf(status);
    return found;
  }

  Registration(void* pointer, rtContext_t context) noexcept : pointer_(pointer), context_(context) {}

  void* pointer_ = nullptr;
  rtContext_t context_ = nullptr;
};

/** Copies and waits, on the default stream of the context that owns the device's side; no order towards other streams. Takes
 *  what StreamRef::copy takes, with the same rules for sizes and types. */
template <class D, class S, class E = DefaultMode>
Outcome<E, void> copy(D&& dst, const S& src, E = {}) {
  const Result<detail::Copy> copy = detail::makeCopy(dst, src);
  if (!copy) return detail::refuse<E, void>(copy.failure());
  return detail::done<E>(rtMemcpy(copy->dst, copy->src, copy->bytes, copy->kind));
}

/** The same for bytes at two addresses. */
template <class E = DefaultMode>
Outcome<E, void> copyBytes(void* dst, const void* src, std::size_t size, rtMemcpyKind kind = RT_MEMCPY_DEFAULT, E = {}) {
  return detail::done<E>(rtMemcpy(dst, src, size, kind));
}

/** Rows of `width` bytes, each `pitch` bytes after the one before. */
template <class E = DefaultMode>
Outcome<E, void> copyRows(void* dst, std::size_t dstPitch, const void* src, std::size_t srcPitch, std::size_t width,
                          std::size_t height, rtMemcpyKind kind = RT_MEMCPY_DEFAULT, E = {}) {
  return detail::done<E>(rtMemcpy2D(dst, dstPitch, src, srcPitch, width, height, kind));
}

/** Sets every byte and waits. */
template <class D, class E = DefaultMode>
Outcome<E, void> setBytes(D&& dst, std::uint8_t value, E = {}) {
  const auto to = detail::viewOf(dst);
  static_assert(!std::is_const_v<typename decltype(to)::element_type>, "the destination of a fill is const");
  if (detail::isClosed(dst)) return detail::refuse<E, void>(detail::closedBuffer("The destination of a fill"));
  return detail::done<E>(rtMemset(to.data(), value, to.bytes()));
}

}  // namespace rt

#endif  // MANYRT_RT_MEMORY_HPP_
