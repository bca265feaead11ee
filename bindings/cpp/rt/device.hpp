// SPDX-License-Identifier: Apache-2.0
//
// Devices: found, never made or destroyed. A Device is a reference that stays valid until the library is shut down.
#ifndef MANYRT_RT_DEVICE_HPP_
#define MANYRT_RT_DEVICE_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "handle.hpp"
#include "library.hpp"

namespace rt {

/** Bytes that can be had and bytes that there are. */
struct MemoryInfo {
  std::uint64_t freeBytes = 0;
  std::uint64_t totalBytes = 0;
};

class Device : public Borrowed<rtDevice_t> {
 public:
  using Borrowed::Borrowed;

  /** The device with this id: "cpu", "cuda:0", "opencl:1". */
  template <class E = DefaultMode>
  static Outcome<E, Device> byName(const std::string& id, E = {}) {
    return find<E>(rtDeviceGetByName, id.c_str());
  }
  /** The device that the environment variable RT_DEVICE names, else the best one. */
  template <class E = DefaultMode>
  static Outcome<E, Device> best(E = {}) {
    return find<E>(rtDeviceGetByName, static_cast<const char*>(nullptr));
  }
  /** The device at an index of a backend. */
  template <class E = DefaultMode>
  static Outcome<E, Device> at(rtBackend backend, std::int32_t ordinal, E = {}) {
    return find<E>(rtDeviceGet, backend, ordinal);
  }
  template <class E = DefaultMode>
  static Outcome<E, std::int32_t> count(rtBackend backend = RT_BACKEND_ALL, E = {}) {
    return detail::fetch<E, std::int32_t>(rtDeviceGetCount, backend);
  }

  template <class E = DefaultMode>
  Outcome<E, rtDeviceProperties_t> properties(E = {}) const {
    return detail::fetchStruct<E>(rtDeviceProperties_t RT_DEVICE_PROPERTIES_INIT, rtDeviceGetProperties, get());
  }
  template <class E = DefaultMode>
  Outcome<E, rtBackend> backend(E = {}) const {
    std::int32_t backend = 0;
    const rtStatus_t status = rtDeviceGetBackend(&backend, nullptr, get());
    return detail::give<E, rtBackend>(status, backend);
  }
  /** Its index within its backend. */
  template <class E = DefaultMode>
  Outcome<E, std::int32_t> ordinal(E = {}) const {
    std::int32_t backend = 0, ordinal = 0;
    const rtStatus_t status = rtDeviceGetBackend(&backend, &ordinal, get());
    return detail::give<E, std::int32_t>(status, ordinal);
  }
  template <class E = DefaultMode>
  Outcome<E, std::int64_t> attribute(rtAttribute attribute, E = {}) const {
    return detail::fetch<E, std::int64_t>(rtDeviceGetAttribute, attribute, get());
  }
  template <class E = DefaultMode>
  Outcome<E, bool> has(rtCapability capability, E = {}) const {
    std::int32_t has = 0;
    const rtStatus_t status = rtDeviceHasCapability(&has, capability, get());
    return detail::give<E, bool>(status, has != 0);
  }
  template <class E = DefaultMode>
  Outcome<E, MemoryInfo> memoryInfo(E = {}) const {
    MemoryInfo info;
    const rtStatus_t status = rtDeviceGetMemInfo(&info.freeBytes, &info.totalBytes, get());
    return detail::give<E, MemoryInfo>(status, info);
  }
  template <class E = DefaultMode>
  Outcome<E, bool> canAccess(Device peer, E = {}) const {
    std::int32_t can = 0;
    const rtStatus_t status = rtDeviceCanAccessPeer(&can, peer.get(), get());
    return detail::give<E, bool>(status, can != 0);
  }
  /** Blocks until the work of all contexts of the device is complete. */
  template <class E = DefaultMode>
  Outcome<E, void> synchronize(E = {}) const {
    return detail::done<E>(rtDeviceSynchronize(get()));
  }
  /** RT_SUCCESS, or RT_ERROR_DEVICE_LOST for the rest of the process. */
  template <class E = DefaultMode>
  Outcome<E, rtStatus_t> status(E = {}) const {
    return detail::fetch<E, rtStatus_t>(rtDeviceGetStatus, get());
  }
  /** Why the device is lost; empty if it is not. */
  template <class E = DefaultMode>
  Outcome<E, std::string> lossMessage(E = {}) const {
    return detail::fetchText<E>(rtDeviceGetLossMessage, true, get());
  }
  /** The driver's device; borrowed. */
  template <class E = DefaultMode>
  Outcome<E, Native> native(E = {}) const {
    return detail::fetchNative<E>(rtDeviceGetNative, get());
  }

 private:
  template <class E, class F, class... A>
  static Outcome<E, Device> find(F function, A... arguments) {
    if (!detail::fits()) return detail::refuse<E, Device>(detail::fits().failure());
    return detail::fetch<E, Device>(function, arguments...);
  }
};

}  // namespace rt

#endif  // MANYRT_RT_DEVICE_HPP_
