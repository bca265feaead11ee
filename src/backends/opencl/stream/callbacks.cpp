// Registering callbacks, and the thread that looks where there are none.
#include "backends/opencl/stream/callbacks.h"

#include <algorithm>
#include <climits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt::opencl {
namespace {

// Looks at events until they are over, all of them on one thread. After each look it queues up again, so that others get their
// turn on that thread.
class Watch final : public host_threads::Job {
 public:
  // Throws bad_alloc.
  void add(Device& device, cl_event event, Ref<Trigger> trigger) {
    std::lock_guard lock(mutex_);
    // First, as it may throw: then the event has not been retained.
    watched_.push_back({&device, event, std::move(trigger)});
    (void)RT_CL_PLAIN(clRetainEvent, event);
    nap_ = kMinNap;
    if (!std::exchange(running_, true)) host_threads::submit(this);
  }

  void run() override {
    // Fires under the mutex: triggers only hand over, as Trigger::fired() says. add() sets running_ under it as well, so an
    // event that comes while this ends starts the job anew. Naps grow while nothing fires, and add() makes them short again.
    uint64_t nap;
    {
      std::lock_guard lock(mutex_);
      const bool fired = std::erase_if(watched_, fireIfOver) != 0;
      nap = nap_ = fired ? kMinNap : std::min(nap_ + nap_ / 4, kMaxNap);
      running_ = !watched_.empty();
      if (!running_) return;
    }
    std::atomic<uint32_t> never{0};
    (void)futexWait(&never, 0, Deadline::after(nap));
    host_threads::submit(this);
  }

 private:
  struct Watched {
    Device* device;
    cl_event event;  // retained
    Ref<Trigger> trigger;
  };
  static constexpr uint64_t kMinNap = 20'000, kMaxNap = 500'000;  // nanoseconds

  static bool fireIfOver(const Watched& watched) {
    Error status = CL_SUCCESS;
    // A lost device fires all: whatever waits then finds the failure by itself.
    const bool lost = watched.device->isLost();  // at exit, too, when its driver may be gone
    if (!lost && !isOver(watched.event, &status)) return false;
    watched.trigger->fire();
    if (!lost) (void)RT_CL_PLAIN(clReleaseEvent, watched.event);
    return true;
  }

  Ranked<std::mutex, LockRank::kClWatch> mutex_;
  std::vector<Watched> watched_;
  uint64_t nap_ = kMinNap;
  bool running_ = false;
};

Status watch(Device& device, cl_event event, Ref<Trigger> trigger) {
  // One for all devices: a thread for each would be asleep most of the time.
  static auto* all = new (std::nothrow) Watch;  // never destroyed
  RT_TRY(host_threads::reserve());
  if (all == nullptr) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  try {
    all->add(device, event, std::move(trigger));
  } catch (const std::bad_alloc&) {  // answered as a driver's refusal would be
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  return Status();
}

void CL_CALLBACK onDriverThread(cl_event, cl_int, void* user) {
  auto* trigger = static_cast<Trigger*>(user);
  trigger->fire();
  trigger->drop();  // the driver's
}

}  // namespace

void WakeTrigger::fired() {
  word_.store(1, std::memory_order_release);  // before the wake-up: a thread that comes later does not sleep
  futexWake(&word_, INT_MAX);
}

bool isOver(cl_event event, Error* status) {
  cl_int now = CL_QUEUED;
  const Error error = RT_CL_PLAIN(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, nullptr);
  // A driver that cannot answer counts as over, with its error: a wait must end.
  *status = error != CL_SUCCESS ? error : now;
  return error != CL_SUCCESS || now <= CL_COMPLETE;
}

Status whenOver(Device& device, cl_event event, Ref<Trigger> trigger) {
  Error status = CL_SUCCESS;
  if (isOver(event, &status)) return trigger->fire(), Status();
  if (device.quirks().has(Quirk::kNoCallbacks)) return watch(device, event, std::move(trigger));
  // For the driver, which may call at any time from here on, also before its call returns.
  trigger->retain();  // the driver's
  const Error error = RT_CL_CALL(clSetEventCallback, event, CL_COMPLETE, onDriverThread, trigger.get());
  if (error != CL_SUCCESS) {
    // The driver refused, and will not call. The reference that was taken for it ends here.
    trigger->drop();
    return watch(device, event, std::move(trigger));
  }
  // Firing twice does no harm: the trigger acts once.
  if (isOver(event, &status)) trigger->fire();  // a driver may have been done before it was asked to call
  return Status();
}

}  // namespace manyrt::opencl
