// The calls of a stream that is not held: one lock, one test whether it is held, one call of the driver. They are compiled
// for each driver, so that no virtual call stands on the way. `Native` is its final stream class, which names
// FastStream<Native> a friend.
#pragma once

#include "backends/driver/context.h"
#include "backends/driver/device.h"
#include "backends/driver/stream.h"

namespace manyrt::driver {

// The result of a launch of a replay.
struct Launched {
  uint64_t serial = 0;      // its submission; 0: nothing was submitted
  Ref<backend::Point> end;  // after it, where the stream holds it back
  bool refused = false;     // the stream is held, and the caller asked for a launch that is not held back
};

template <class Native>
class FastStream : public Stream {
 public:
  using Stream::Stream;

  [[gnu::hot]] Status launch(backend::Kernel& kernel, const backend::Launch& launch) final {
    return submit([&] { return native().Native::enqueueLaunch(kernel, launch); },
                  [&]() -> Work { return LaunchCommand(kernel, launch); });
  }
  Status copy(const backend::Copy& copy) override {
    return submit([&] { return native().Native::enqueueCopy(copy); }, [&]() -> Work { return copy; },
                  [&] { return native().Native::hostPart(copy) == HostPart::kNone; });
  }
  Status fill(const backend::Fill& fill) override {
    return submit([&] { return native().Native::enqueueFill(fill); }, [&]() -> Work { return fill; },
                  [&] { return native().Native::hostPart(fill) == HostPart::kNone; });
  }
  Status prefetch(const void* address, uint64_t size, bool to_host) final {
    const backend::PrefetchStep prefetch{address, size, to_host};
    return submit([&] { return native().Native::enqueuePrefetch(prefetch); }, [&]() -> Work { return prefetch; });
  }
  [[gnu::hot]] Status record(Ref<backend::Point> point) final {
    std::lock_guard lock(mutex_);
    if (isHeld()) [[unlikely]]
      return keepAway([&]() -> Work { return RecordCommand{std::move(point)}; });
    Status status = device().isLost() ? device().lost() : Status();
    if (status.ok()) status = native().Native::enqueueRecord(*point, latch.failed() ? latch.get() : Status(), nextSerial());
    count();
    return status;
  }
  // A graph as one submission. With `at_once` nothing is done where it would be held back, and that is said.
  [[gnu::hot]] Status replay(backend::Replay& replay, Launched* launched, bool at_once) {
    std::lock_guard lock(mutex_);
    if (!isHeld()) [[likely]] {
      launched->serial = nextSerial();
      return submitNow([&] { return native().Native::enqueueReplay(replay, nullptr); });
    }
    if (at_once) {
      launched->refused = true;
      return Status();
    }
    Ref<backend::Point> end;
    RT_TRY(context().createPoint(&end, false));
    const uint64_t serial = nextSerial();
    RT_TRY(keep(ReplayCommand{Ref<backend::Replay>(&replay), versionOf(replay), end}));
    launched->serial = serial;
    launched->end = std::move(end);
    return Status();
  }

 protected:
  // `now` gives the work to the driver, `work` makes what a held stream keeps instead. `may` says under the mutex whether the
  // work can be given to the driver at all.
  template <class Now, class MakeWork, class May = bool (*)()>
  [[gnu::always_inline]] Status submit(
      Now now, MakeWork work, May may = [] { return true; }) {
    std::lock_guard lock(mutex_);
    if (!isHeld() && may()) [[likely]]
      return submitNow(now);
    return keepAway(work);
  }
  // Under the mutex, of a stream that is not held.
  template <class Now>
  [[gnu::always_inline]] Status submitNow(Now now) {
    Status status = device().isLost() ? device().lost() : unlessFailed(now);
    count();
    if (!traits_.gathers) native().Native::flush();
    return status;
  }

 private:
  // Out of the way: a command is large, and its place on the stack would be the fast path's.
  template <class MakeWork>
  [[gnu::noinline, gnu::cold]] Status keepAway(MakeWork work) {
    return keep(work());
  }
  Native& native() { return static_cast<Native&>(*this); }
};

}  // namespace manyrt::driver
