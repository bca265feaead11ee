// SPDX-License-Identifier: Apache-2.0
//
// Errors of rt.hpp: a failure as an exception of its own kind or as a Result, by the last argument of each call. All other
// headers of this folder turn the status of a C function into one of the two here, with the library's sentence.
#ifndef MANYRT_RT_ERROR_HPP_
#define MANYRT_RT_ERROR_HPP_

#include <rt.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#if defined(__cpp_exceptions)
#define MANYRT_CPP_EXCEPTIONS 1
#else
#define MANYRT_CPP_EXCEPTIONS 0
#endif

namespace rt {

/** A failure: the status and the sentence about it. */
struct Failure {
  rtStatus_t status = RT_ERROR_INTERNAL;
  std::string message;

  /** "RT_ERROR_OUT_OF_MEMORY"; static. */
  const char* name() const noexcept { return rtGetErrorName(status); }
};

#if MANYRT_CPP_EXCEPTIONS
/** The exception of every throwing call of rt.hpp. what() is the name and the sentence. */
class Error : public std::runtime_error {
 public:
  explicit Error(const Failure& failure)
      : std::runtime_error(std::string(failure.name()) + ": " + failure.message),
        status_(failure.status),
        nameSize_(std::char_traits<char>::length(failure.name()) + 2) {}

  rtStatus_t status() const noexcept { return status_; }
  /** "RT_ERROR_OUT_OF_MEMORY"; static. */
  const char* name() const noexcept { return rtGetErrorName(status_); }
  /** The sentence alone; lives as long as the error. */
  const char* message() const noexcept { return what() + nameSize_; }

 private:
  rtStatus_t status_;
  std::size_t nameSize_;
};

/** One kind of Error for each status below zero. */
template <rtStatus_t Code>
class ErrorOf final : public Error {
 public:
  using Error::Error;
};
#endif

#define MANYRT_CPP_ERRORS(KIND)                          \
  KIND(InvalidValue, RT_ERROR_INVALID_VALUE)             \
  KIND(InvalidHandle, RT_ERROR_INVALID_HANDLE)           \
  KIND(InvalidDevice, RT_ERROR_INVALID_DEVICE)           \
  KIND(WrongContext, RT_ERROR_WRONG_CONTEXT)             \
  KIND(OutOfMemory, RT_ERROR_OUT_OF_MEMORY)              \
  KIND(NotSupported, RT_ERROR_NOT_SUPPORTED)             \
  KIND(NotFound, RT_ERROR_NOT_FOUND)                     \
  KIND(BuildFailed, RT_ERROR_BUILD_FAILED)               \
  KIND(CompilerNotFound, RT_ERROR_COMPILER_NOT_FOUND)    \
  KIND(InvalidImage, RT_ERROR_INVALID_IMAGE)             \
  KIND(LaunchFailed, RT_ERROR_LAUNCH_FAILED)             \
  KIND(CaptureUnsafe, RT_ERROR_CAPTURE_UNSAFE)           \
  KIND(CaptureInvalidated, RT_ERROR_CAPTURE_INVALIDATED) \
  KIND(Busy, RT_ERROR_BUSY)                              \
  KIND(TimedOut, RT_ERROR_TIMEOUT)                       \
  KIND(DeviceLost, RT_ERROR_DEVICE_LOST)                 \
  KIND(BackendUnavailable, RT_ERROR_BACKEND_UNAVAILABLE) \
  KIND(DriverError, RT_ERROR_DRIVER)                     \
  KIND(Forked, RT_ERROR_FORKED)                          \
  KIND(ShutDown, RT_ERROR_SHUT_DOWN)                     \
  KIND(IoError, RT_ERROR_IO)                             \
  KIND(InternalError, RT_ERROR_INTERNAL)

#if MANYRT_CPP_EXCEPTIONS
#define MANYRT_CPP_KIND(kind, code) using kind = ErrorOf<code>;
MANYRT_CPP_ERRORS(MANYRT_CPP_KIND)
#undef MANYRT_CPP_KIND

/** Throws the kind of Error that belongs to the failure's status. */
[[noreturn]] inline void raise(const Failure& failure) {
  switch (failure.status) {
#define MANYRT_CPP_THROW(kind, code) \
  case code:                         \
    throw kind(failure);
    MANYRT_CPP_ERRORS(MANYRT_CPP_THROW)
#undef MANYRT_CPP_THROW
    default:
      throw Error(failure);
  }
}
#endif
#undef MANYRT_CPP_ERRORS

/** A value or a failure, as std::expected. */
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  rtStatus_t status() const noexcept { return ok() ? RT_SUCCESS : std::get_if<1>(&state_)->status; }

  /** The value; only where ok(). */
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }
  /** The failure; only where not ok(). */
  const Failure& failure() const noexcept { return *std::get_if<1>(&state_); }

#if MANYRT_CPP_EXCEPTIONS
  /** The value; throws the failure's Error where there is none. */
  T value() && {
    if (!ok()) raise(failure());
    return std::move(**this);
  }
  const T& value() const& {
    if (!ok()) raise(failure());
    return **this;
  }
#endif

 private:
  std::variant<T, Failure> state_;
};

/** Success or a failure. */
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept = default;
  Result(Failure failure) : failure_(std::move(failure)), ok_(false) {}

  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  rtStatus_t status() const noexcept { return ok_ ? static_cast<rtStatus_t>(RT_SUCCESS) : failure_.status; }
  /** The failure; only where not ok(). */
  const Failure& failure() const noexcept { return failure_; }

#if MANYRT_CPP_EXCEPTIONS
  /** Throws the failure's Error, if there is one. */
  void value() const {
    if (!ok_) raise(failure_);
  }
#endif

 private:
  Failure failure_;
  bool ok_ = true;
};

/** The mode of a call, its last argument: Throw returns T and throws; NoThrow returns Result<T>. */
struct NoThrow {
  template <class T>
  using Of = Result<T>;
};
inline constexpr NoThrow noThrow{};
#if MANYRT_CPP_EXCEPTIONS
struct Throw {
  template <class T>
  using Of = T;
};
using DefaultMode = Throw;
#else
using DefaultMode = NoThrow;
#endif

/** The return type of a call of mode E: T or Result<T>. */
template <class E, class T>
using Outcome = typename E::template Of<T>;

/** The sentence of this thread's last failed call of the library; empty if no call has failed. */
inline std::string lastErrorMessage() {
  std::string text;
  std::size_t needed = 0;
  while (rtGetLastErrorMessage(text.data(), text.size(), &needed) >= 0 && needed > text.size()) text.resize(needed);
  text.resize(needed > 0 ? needed - 1 : 0);
  return text;
}

namespace detail {

// Time-outs and RT_NOT_READY leave no sentence, so that the last one would be about another call.
inline Failure failureOf(rtStatus_t status) {
  const bool silent = status >= 0 || status == RT_ERROR_TIMEOUT;
  return Failure{status, silent ? std::string(rtGetErrorString(status)) : lastErrorMessage()};
}

template <class E, class T>
Outcome<E, T> refuse(Failure failure) {
#if MANYRT_CPP_EXCEPTIONS
  if constexpr (std::is_same_v<E, Throw>) {
    raise(failure);
  } else {
    return Result<T>(std::move(failure));
  }
#else
  return Result<T>(std::move(failure));
#endif
}

template <class E, class T>
Outcome<E, T> refuse(rtStatus_t status, std::string message) {
  return refuse<E, T>(Failure{status, std::move(message)});
}

/** The outcome of a call without a value. */
template <class E>
Outcome<E, void> done(rtStatus_t status) {
  if (status < 0) return refuse<E, void>(failureOf(status));
  return Outcome<E, void>();
}

/** The outcome of a call that gave `value`, from which a T is made. */
template <class E, class T, class V>
Outcome<E, T> give(rtStatus_t status, V&& value) {
  if (status < 0) return refuse<E, T>(failureOf(status));
  return T(std::forward<V>(value));
}

/** A Result as the outcome of mode E: functions of several steps are written with results. */
template <class E, class T>
Outcome<E, T> finish(Result<T> result) {
#if MANYRT_CPP_EXCEPTIONS
  if constexpr (std::is_same_v<E, Throw>) {
    return std::move(result).value();
  } else {
    return result;
  }
#else
  return result;
#endif
}

/** Calls a C function whose first parameter is its only output, and makes a T of that. */
template <class E, class T, class Out, class... P, class... A>
Outcome<E, T> fetch(rtStatus_t (*function)(Out*, P...), A... arguments) {
  Out out{};
  const rtStatus_t status = function(&out, arguments...);
  return give<E, T>(status, out);
}

/** As fetch, for a struct that starts from its initialiser. */
template <class E, class Struct, class... P, class... A>
Outcome<E, Struct> fetchStruct(Struct info, rtStatus_t (*function)(Struct*, P...), A... arguments) {
  const rtStatus_t status = function(&info, arguments...);
  return give<E, Struct>(status, info);
}

/** As fetch, for a text of any length: (buffer, size, needed, owner...). */
template <class E, class C, class... P, class... A>
Outcome<E, std::string> fetchText(rtStatus_t (*function)(C*, std::size_t, std::size_t*, P...), bool terminated,
                                  A... arguments) {
  std::string text;
  std::size_t needed = 0;
  do {
    text.resize(needed);
    const rtStatus_t status = function(text.data(), text.size(), &needed, arguments...);
    if (status < 0) return refuse<E, std::string>(failureOf(status));
  } while (needed > text.size());
  text.resize(terminated && needed > 0 ? needed - 1 : needed);
  return text;
}

/** RT_SUCCESS is true, `pending` (RT_NOT_READY or RT_ERROR_TIMEOUT) is false. */
template <class E>
Outcome<E, bool> reached(rtStatus_t status, rtStatus_t pending) {
  if (status == pending) return false;
  return give<E, bool>(status, true);
}

}  // namespace detail
}  // namespace rt

#endif  // MANYRT_RT_ERROR_HPP_
