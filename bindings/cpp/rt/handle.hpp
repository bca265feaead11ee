// SPDX-License-Identifier: Apache-2.0
//
// Handles of rt.hpp: Borrowed holds one and owns nothing; Owner adds the destroy function. The classes of the other headers
// derive from these two. Which calls a handle has is none of their business.
#ifndef MANYRT_RT_HANDLE_HPP_
#define MANYRT_RT_HANDLE_HPP_

#include <array>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "error.hpp"

struct rtComm_st;  // of rt_comm.h, which rt_comm.hpp includes

namespace rt {
namespace detail {

constexpr const char* kindName(rtDevice_t) { return "Device"; }
constexpr const char* kindName(rtContext_t) { return "Context"; }
constexpr const char* kindName(rtStream_t) { return "Stream"; }
constexpr const char* kindName(rtEvent_t) { return "Event"; }
constexpr const char* kindName(rtFence_t) { return "Fence"; }
constexpr const char* kindName(rtMemPool_t) { return "MemPool"; }
constexpr const char* kindName(rtKernel_t) { return "Kernel"; }
constexpr const char* kindName(rtModule_t) { return "Module"; }
constexpr const char* kindName(rtGraph_t) { return "Graph"; }
constexpr const char* kindName(rtGraphNode_t) { return "GraphNode"; }
constexpr const char* kindName(rtGraphBuffer_t) { return "GraphBuffer"; }
constexpr const char* kindName(rtGraphValue_t) { return "GraphValue"; }
constexpr const char* kindName(rtCapturePlan_t) { return "CapturePlan"; }
constexpr const char* kindName(rtGraphExec_t) { return "GraphExec"; }
constexpr const char* kindName(rtComm_st*) { return "Comm"; }

/** The handle of an owner that owns nothing. It is not null, as null means the default stream or the current context: a call
 *  on such an owner is INVALID_HANDLE. */
template <class H>
H noHandle() noexcept {
  return reinterpret_cast<H>(~std::uintptr_t{0});
}

template <std::size_t Size>
void setLabel(char (&label)[Size], std::string_view text) noexcept {
  const std::size_t size = text.size() < Size ? text.size() : Size - 1;
  std::memcpy(label, text.data(), size);
  label[size] = '\0';
}

using Native = std::array<std::uint64_t, 2>;

template <class E, class H>
Outcome<E, Native> fetchNative(rtStatus_t (*function)(std::uint64_t*, H), H handle) {
  Native native{};
  const rtStatus_t status = function(native.data(), handle);
  return give<E, Native>(status, native);
}

}  // namespace detail

using detail::Native;

/** A handle that is not owned. Valid as long as its object is; a call on a stale one is INVALID_HANDLE. */
template <class H>
class Borrowed {
 public:
  using Handle = H;

  constexpr Borrowed() noexcept = default;
  constexpr explicit Borrowed(H handle) noexcept : handle_(handle) {}

  /** The handle for functions of rt.h. */
  constexpr H get() const noexcept { return handle_; }
  constexpr explicit operator bool() const noexcept { return handle_ != nullptr; }

  friend constexpr bool operator==(const Borrowed& a, const Borrowed& b) noexcept { return a.handle_ == b.handle_; }
  friend constexpr bool operator!=(const Borrowed& a, const Borrowed& b) noexcept { return a.handle_ != b.handle_; }

  /** Writes the kind and the bits of the handle: "rt::Stream(0x300000001)". */
  friend std::ostream& operator<<(std::ostream& out, const Borrowed& handle) {
    return out << "rt::" << detail::kindName(handle.handle_) << '(' << static_cast<const void*>(handle.handle_) << ')';
  }

 protected:
  H handle_ = nullptr;
};

/** The one owner of an object: moved, not copied. Its end destroys the object, which never blocks: work in flight completes. */
template <class Ref, auto Destroy>
class Owner : public Ref {
 public:
  using Handle = typename Ref::Handle;

  /** Owns nothing; every call on it is INVALID_HANDLE. */
  Owner() noexcept : Ref(detail::noHandle<Handle>()) {}
  /** Takes the object over; a null handle is none, and never the default stream or the current context. */
  explicit Owner(Handle handle) noexcept
      : Ref(handle != nullptr ? handle : detail::noHandle<Handle>()), owned_(handle != nullptr) {}
  Owner(Owner&& other) noexcept : Ref(other.handle_), owned_(std::exchange(other.owned_, false)) {
    other.handle_ = detail::noHandle<Handle>();
  }
  Owner& operator=(Owner&& other) noexcept {
    if (this != &other) {
      close();
      owned_ = std::exchange(other.owned_, false);
      this->handle_ = std::exchange(other.handle_, detail::noHandle<Handle>());
    }
    return *this;
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { close(); }

  /** Destroys the object now; a second call does nothing. Every other call on it is INVALID_HANDLE from then on. */
  void close() noexcept {
    if (std::exchange(owned_, false)) (void)Destroy(this->handle_);
  }
  /** Gives the object up without destroying it. */
  [[nodiscard]] Handle release() noexcept {
    owned_ = false;
    return std::exchange(this->handle_, detail::noHandle<Handle>());
  }
  /** True if there is an object to destroy. */
  explicit operator bool() const noexcept { return owned_; }

 private:
  bool owned_ = false;
};

}  // namespace rt

#endif  // MANYRT_RT_HANDLE_HPP_
