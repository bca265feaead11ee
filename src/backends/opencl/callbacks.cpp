// Registering callbacks, and the thread that looks where there are none.
#include "backends/opencl/callbacks.h"

#include <climits>
#include <new>

#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"
#include "base/futex.h"

namespace manyrt::opencl {
namespace {

// Looks at one event until it is over. Behind each look it queues up again, so that others get their turn on its thread.
class Watcher final : public host_threads::Job {
 public:
  Watcher(Device& device, cl_event event, Ref<Trigger> trigger) : device_(device), event_(event), trigger_(std::move(trigger)) {
    (void)RT_CL_PLAIN(clRetainEvent, event_);
  }
  ~Watcher() override { (void)RT_CL_PLAIN(clReleaseEvent, event_); }
  void run() override {
    constexpr uint64_t kNapNanoseconds = 50'000;
    Error status = CL_SUCCESS;
    if (device_.isLost() || isOver(event_, &status)) {
      trigger_->fire();
      delete this;
      return;
    }
    std::atomic<uint32_t> never{0};
    (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
    host_threads::submit(this);
  }

 private:
  Device& device_;
  const cl_event event_;
  const Ref<Trigger> trigger_;
};

Status watch(Device& device, cl_event event, Ref<Trigger> trigger) {
  RT_TRY(host_threads::reserve());
  auto* watcher = new (std::nothrow) Watcher(device, event, std::move(trigger));
  if (watcher == nullptr) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  host_threads::submit(watcher);
  return Status();
}

void CL_CALLBACK onDriverThread(cl_event, cl_int, void* user) {
  auto* trigger = static_cast<Trigger*>(user);
  trigger->fire();
  trigger->drop();  // the driver's
}

}  // namespace

void WakeTrigger::fired() {
  word_.store(1, std::memory_order_release);
  futexWake(&word_, INT_MAX);
}

bool isOver(cl_event event, Error* status) {
  cl_int now = CL_QUEUED;
  const Error error = RT_CL_PLAIN(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, nullptr);
  *status = error != CL_SUCCESS ? error : now;
  return error != CL_SUCCESS || now <= CL_COMPLETE;
}

Status whenOver(Device& device, cl_event event, Ref<Trigger> trigger) {
  Error status = CL_SUCCESS;
  if (isOver(event, &status)) return trigger->fire(), Status();
  if (device.quirks().has(Quirk::kNoCallbacks)) return watch(device, event, std::move(trigger));
  trigger->retain();  // the driver's
  const Error error = RT_CL_CALL(clSetEventCallback, event, CL_COMPLETE, onDriverThread, trigger.get());
  if (error != CL_SUCCESS) {
    trigger->drop();
    return watch(device, event, std::move(trigger));
  }
  if (isOver(event, &status)) trigger->fire();  // a driver may have been done before it was asked to call
  return Status();
}

}  // namespace manyrt::opencl
