// SPDX-License-Identifier: Apache-2.0
//
// Ranges of memory that own nothing. Span is for memory that the host reads and writes. DeviceSpan is for addresses of a
// device, which the host passes on and does not follow. Copies take both and everything that converts to them.
#ifndef MANYRT_RT_SPAN_HPP_
#define MANYRT_RT_SPAN_HPP_

#include <cstddef>
#include <string>
#include <type_traits>

#if __cplusplus >= 202002L && defined(__has_include)
#if __has_include(<span>)
#include <span>
#endif
#endif

#include "error.hpp"

namespace rt {
namespace detail {

template <class C>
using DataOf = std::remove_pointer_t<decltype(std::declval<C&>().data())>;

template <class E, class S>
Outcome<E, S> slice(const S& span, std::size_t offset, std::size_t count) {
  if (offset <= span.size() && count <= span.size() - offset) return S(span.data() + offset, count);
  return refuse<E, S>(RT_ERROR_INVALID_VALUE, "A slice of " + std::to_string(count) + " elements at index " +
                                                  std::to_string(offset) + " leaves the " + std::to_string(span.size()) +
                                                  " elements of the range.");
}

}  // namespace detail

/** Elements in host memory; as std::span, which converts to it and from it. */
template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t Size>
  constexpr Span(T (&array)[Size]) noexcept : data_(array), size_(Size) {}
  /** From a vector, an array, a string, a std::span: what has data() and size(). */
  template <class C, class D = detail::DataOf<C>, class = std::enable_if_t<std::is_convertible_v<D (*)[], T (*)[]>>>
  constexpr Span(C&& container) noexcept : data_(container.data()), size_(container.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  /** The element at an index below size(), which is not checked. */
  constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }
  /** `count` elements from `offset` on; INVALID_VALUE where they leave the range. */
  template <class E = DefaultMode>
  Outcome<E, Span> slice(std::size_t offset, std::size_t count, E = {}) const {
    return detail::slice<E>(*this, offset, count);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <class C>
Span(C&&) -> Span<detail::DataOf<C>>;
template <class T, std::size_t Size>
Span(T (&)[Size]) -> Span<T>;

/** Elements in memory of a device. The host does not follow its addresses. */
template <class T>
class DeviceSpan {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr DeviceSpan() noexcept = default;
  constexpr DeviceSpan(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  constexpr DeviceSpan(const DeviceSpan<U>& other) noexcept : data_(other.data()), size_(other.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /** `count` elements from `offset` on; INVALID_VALUE where they leave the range. */
  template <class E = DefaultMode>
  Outcome<E, DeviceSpan> slice(std::size_t offset, std::size_t count, E = {}) const {
    return detail::slice<E>(*this, offset, count);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {

template <class X>
struct IsSpan : std::false_type {};
template <class T>
struct IsSpan<Span<T>> : std::true_type {};
template <class T>
struct IsSpan<DeviceSpan<T>> : std::true_type {};

template <class X, class = void>
struct HasSpan : std::false_type {};
template <class X>
struct HasSpan<X, std::void_t<decltype(std::declval<X&>().span())>> : std::true_type {};

template <class X, class = void>
struct CanBeClosed : std::false_type {};
template <class X>
struct CanBeClosed<X, std::void_t<decltype(std::declval<const X&>().closed())>> : std::true_type {};

/** True for a Buffer that was closed or moved from. Spans and containers are never closed. */
template <class X>
bool isClosed(const X& x) noexcept {
  if constexpr (CanBeClosed<X>::value) {
    return x.closed();
  } else {
    (void)x;
    return false;
  }
}
inline Failure closedBuffer(const std::string& what) {
  return Failure{RT_ERROR_INVALID_HANDLE, what + " is a Buffer that was closed or moved from."};
}

/** True for a container that owns its elements: a const one gives const elements, which a view does not. */
template <class C, class = void>
struct OwnsElements : std::false_type {};
template <class C>
struct OwnsElements<C, std::void_t<decltype(std::declval<const C&>().data()), decltype(std::declval<C&>().data())>>
    : std::bool_constant<!std::is_same_v<decltype(std::declval<const C&>().data()), decltype(std::declval<C&>().data())>> {};

/** False where D, deduced from a D&&, is a container that ends with the call: what the library keeps would have no memory. A
 *  Buffer may end, as the library frees after the last use. */
template <class D>
constexpr bool outlivesCall() {
  return std::is_lvalue_reference_v<D> || (!std::is_array_v<D> && !OwnsElements<D>::value);
}

/** The Span or DeviceSpan of a span, of a Buffer or of a container of the host. */
template <class X>
auto viewOf(X& x) {
  if constexpr (IsSpan<std::remove_const_t<X>>::value) {
    return x;
  } else if constexpr (HasSpan<X>::value) {
    return x.span();
  } else {
    return Span(x);
  }
}

template <class T>
constexpr bool onDevice(const DeviceSpan<T>&) {
  return true;
}
template <class T>
constexpr bool onDevice(const Span<T>&) {
  return false;
}

/** The parts of a copy, checked as far as types and sizes tell. */
struct Copy {
  void* dst;
  const void* src;
  std::size_t bytes;
  std::int32_t kind;
};

template <class D, class S>
Result<Copy> makeCopy(D& dst, const S& src) {
  const auto to = viewOf(dst);
  const auto from = viewOf(src);
  using To = typename decltype(to)::element_type;
  using From = typename decltype(from)::value_type;
  static_assert(!std::is_const_v<To>, "the destination of a copy is const");
  static_assert(std::is_same_v<std::remove_cv_t<To>, From>, "source and destination of a copy have different element types");
  static_assert(std::is_trivially_copyable_v<From>, "elements of a copy are trivially copyable");
  if (isClosed(dst)) return closedBuffer("The destination of a copy");
  if (isClosed(src)) return closedBuffer("The source of a copy");
  if (to.size() != from.size()) {
    return Failure{RT_ERROR_INVALID_VALUE, "A copy of " + std::to_string(from.size()) + " elements (" +
                                               std::to_string(from.bytes()) + " bytes) goes to a destination of " +
                                               std::to_string(to.size()) + " elements (" + std::to_string(to.bytes()) +
                                               " bytes); slice() takes a part of either."};
  }
  const std::int32_t kind = onDevice(to) ? (onDevice(from) ? RT_MEMCPY_DEVICE_TO_DEVICE : RT_MEMCPY_HOST_TO_DEVICE)
                                         : (onDevice(from) ? RT_MEMCPY_DEVICE_TO_HOST : RT_MEMCPY_HOST_TO_HOST);
  return Copy{to.data(), from.data(), to.bytes(), kind};
}

}  // namespace detail
}  // namespace rt

#if defined(__cpp_lib_span)
/** So that a std::span is made of a Span that is a temporary: the elements outlive it. */
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<rt::Span<T>> = true;
#endif

#endif  // MANYRT_RT_SPAN_HPP_
