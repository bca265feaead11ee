// SPDX-License-Identifier: Apache-2.0
//
// The library as a whole: its version and whether it fits this header, start and end, log, counts of live handles, backends.
#ifndef MANYRT_RT_LIBRARY_HPP_
#define MANYRT_RT_LIBRARY_HPP_

#include <cstdint>
#include <string>

#include "error.hpp"

namespace rt {

/** A version of manyrt. */
struct Version {
  std::uint32_t major = MANYRT_VERSION_MAJOR;
  std::uint32_t minor = MANYRT_VERSION_MINOR;
  std::uint32_t patch = MANYRT_VERSION_PATCH;

  std::string text() const { return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch); }
};

/** The version of this layer, which is that of the rt.h it was compiled with. */
inline constexpr Version headerVersion{};

/** The version of the library that is loaded. */
inline Version libraryVersion() noexcept {
  std::uint32_t number = 0;
  (void)rtGetVersion(&number);
  return Version{number / 10000, number / 100 % 100, number % 100};
}

/** NOT_SUPPORTED if `library` does not fit a program compiled with `header`: of another major version, or older. The lookups of
 *  Device make this check once in a process. */
template <class E = DefaultMode>
Outcome<E, void> checkVersion(Version library = libraryVersion(), Version header = headerVersion, E = {}) {
  const char* reason = nullptr;
  if (library.major != header.major) {
    reason = "another major version";
  } else if (library.minor < header.minor || (library.minor == header.minor && library.patch < header.patch)) {
    reason = "too old";
  }
  if (reason == nullptr) return Outcome<E, void>();
  return detail::refuse<E, void>(RT_ERROR_NOT_SUPPORTED, "The library libmanyrt " + library.text() + " is " + reason +
                                                             ": this program was compiled with rt.h " + header.text() +
                                                             ". Install the matching package libmanyrt" +
                                                             std::to_string(header.major) + ".");
}

namespace detail {

/** The check of versions, once in a process: the answer does not change. */
inline const Result<void>& fits() {
  static const Result<void> result = checkVersion(libraryVersion(), headerVersion, noThrow);
  return result;
}

}  // namespace detail

/** Starts the library and counts a reference; optional. */
template <class E = DefaultMode>
Outcome<E, void> init(E = {}) {
  return detail::done<E>(rtInit());
}

/** Gives back one init(). The last one waits for work in flight and ends the library for good. */
template <class E = DefaultMode>
Outcome<E, void> shutdown(E = {}) {
  return detail::done<E>(rtShutdown());
}

/** The general meaning of a status; static. Failure::message and Error::message() have the particulars. */
inline const char* errorString(rtStatus_t status) noexcept { return rtGetErrorString(status); }

/** Sends log lines to `callback` (nullptr: stderr), which throws nothing. Once this returns, the earlier callback has run for
 *  the last time; it blocks while another thread is inside. */
template <class E = DefaultMode>
Outcome<E, void> setLogCallback(rtLogCallback_t callback, void* user = nullptr, rtLogLevel level = RT_LOG_WARNING, E = {}) {
  return detail::done<E>(rtSetLogCallback(callback, user, level));
}

/** Writes a line to the log, for libraries that are built on this one. */
template <class E = DefaultMode>
Outcome<E, void> writeLog(rtLogLevel level, const char* message, E = {}) {
  return detail::done<E>(rtLogWrite(level, message));
}

/** Handles that the program has made and not destroyed. */
template <class E = DefaultMode>
Outcome<E, std::uint64_t> liveHandleCount(rtHandleKind kind = RT_HANDLE_ALL, E = {}) {
  return detail::fetch<E, std::uint64_t>(rtGetLiveHandleCount, kind);
}

/** Whether a backend can be used, and why not. */
template <class E = DefaultMode>
Outcome<E, rtBackendInfo_t> backendInfo(rtBackend backend, E = {}) {
  return detail::fetchStruct<E>(rtBackendInfo_t RT_BACKEND_INFO_INIT, rtBackendGetInfo, backend);
}

}  // namespace rt

#endif  // MANYRT_RT_LIBRARY_HPP_
