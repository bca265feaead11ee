// SPDX-License-Identifier: Apache-2.0
//
// Contexts: what owns the streams, memory and modules of a device. ContextRef has the calls, Context owns one. A null
// ContextRef is this thread's current context, or where none is set the primary context of the default device.
#ifndef MANYRT_RT_CONTEXT_HPP_
#define MANYRT_RT_CONTEXT_HPP_

#include <memory>
#include <string_view>

#include "device.hpp"

namespace rt {

class MemPoolRef;
class Runtime;
class StreamRef;

struct ContextOptions : rtContextOptions_t {
  ContextOptions() noexcept : rtContextOptions_t RT_CONTEXT_OPTIONS_INIT {}
  void setLabel(std::string_view text) noexcept { detail::setLabel(label, text); }
};

class ContextRef : public Borrowed<rtContext_t> {
 public:
  using Borrowed::Borrowed;

  /** The context that makeCurrent() has set on this thread; null where none is set. */
  template <class E = DefaultMode>
  static Outcome<E, ContextRef> current(E = {}) {
    return detail::fetch<E, ContextRef>(rtContextGetCurrent);
  }
  /** A device's shared context, which lives until the library is shut down. */
  template <class E = DefaultMode>
  static Outcome<E, ContextRef> primary(Device device, E = {}) {
    return detail::fetch<E, ContextRef>(rtContextGetPrimary, device.get());
  }
  /** Makes it this thread's current context; ContextRef().makeCurrent() goes back to the default. */
  template <class E = DefaultMode>
  Outcome<E, void> makeCurrent(E = {}) const {
    return detail::done<E>(rtContextSetCurrent(get()));
  }
  template <class E = DefaultMode>
  Outcome<E, Device> device(E = {}) const {
    return detail::fetch<E, Device>(rtContextGetDevice, get());
  }
  template <class E = DefaultMode>
  Outcome<E, StreamRef> defaultStream(E = {}) const {
    return detail::fetch<E, StreamRef>(rtContextGetDefaultStream, get());
  }
  template <class E = DefaultMode>
  Outcome<E, MemPoolRef> defaultPool(E = {}) const {
    return detail::fetch<E, MemPoolRef>(rtContextGetDefaultPool, get());
  }
  /** Counts of its streams, events and points. */
  template <class E = DefaultMode>
  Outcome<E, rtContextStats_t> stats(E = {}) const {
    return detail::fetchStruct<E>(rtContextStats_t RT_CONTEXT_STATS_INIT, rtContextGetStats, get());
  }
  /** Has later allocations come from `pool`, which stays the caller's. */
  template <class E = DefaultMode>
  Outcome<E, void> setDefaultPool(const Borrowed<rtMemPool_t>& pool, E = {}) const {
    return detail::done<E>(rtContextSetDefaultPool(pool.get(), get()));
  }
  /** Blocks until all work that was submitted to the context before is complete. */
  template <class E = DefaultMode>
  Outcome<E, void> synchronize(E = {}) const {
    return detail::done<E>(rtContextSynchronize(get()));
  }
  /** Gives back what the context has made lazily; BUSY while a child is alive. */
  template <class E = DefaultMode>
  Outcome<E, void> reset(E = {}) const {
    return detail::done<E>(rtContextReset(get()));
  }
  /** Lets kernels of this context reach memory of `peer`. */
  template <class E = DefaultMode>
  Outcome<E, void> enablePeerAccess(ContextRef peer, E = {}) const {
    return detail::done<E>(rtContextEnablePeerAccess(peer.get(), get()));
  }
  template <class E = DefaultMode>
  Outcome<E, MemoryInfo> memoryInfo(E = {}) const {
    MemoryInfo info;
    const rtStatus_t status = rtMemGetInfo(&info.freeBytes, &info.totalBytes, get());
    return detail::give<E, MemoryInfo>(status, info);
  }
  /** Keeps one pointer with the context; `release` is called once with it when it is replaced or the context ends. */
  template <class E = DefaultMode>
  Outcome<E, void> setUserData(void* user, rtReleaseFunction_t release = nullptr, E = {}) const {
    return detail::done<E>(rtContextSetUserData(user, release, get()));
  }
  /** The same for an object, which the context owns from then on. */
  template <class T, class E = DefaultMode>
  Outcome<E, void> setUserData(std::unique_ptr<T> user, E = {}) const {
    const rtStatus_t status = rtContextSetUserData(
        user.get(), [](void* pointer) { delete static_cast<T*>(pointer); }, get());
    if (status >= 0) (void)user.release();
    return detail::done<E>(status);
  }
  template <class E = DefaultMode>
  Outcome<E, void*> userData(E = {}) const {
    return detail::fetch<E, void*>(rtContextGetUserData, get());
  }
  /** The driver's context; borrowed. */
  template <class E = DefaultMode>
  Outcome<E, Native> native(E = {}) const {
    return detail::fetchNative<E>(rtContextGetNative, get());
  }
};

/** Owns a context. Handles of its children are stale once it ends; memory stays until its own Buffer ends. */
class Context : public Owner<ContextRef, rtContextDestroy> {
 public:
  using Owner::Owner;

  template <class E = DefaultMode>
  static Outcome<E, Context> create(Device device, const ContextOptions& options = {}, E = {}) {
    return detail::fetch<E, Context>(rtContextCreate, &options, device.get());
  }
  /** Makes a context from one of another library, which stays the owner. */
  template <class E = DefaultMode>
  static Outcome<E, Context> fromNative(const Native& native, Device device, E = {}) {
    return detail::fetch<E, Context>(rtContextImport, native.data(), device.get());
  }
#if MANYRT_CPP_EXCEPTIONS
  /** A Runtime for the device, with a context and a stream of its own, current on this thread: see runtime.hpp. */
  static std::unique_ptr<Runtime> runtime(Device device);
#endif
};

}  // namespace rt

#endif  // MANYRT_RT_CONTEXT_HPP_
