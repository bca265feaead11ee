// A stream of the null backend. While nothing holds it back a launch is one compare-and-swap on the word that numbers
// submissions. Anything else is queued and run at once by the thread that submits it, or, behind a point that is not passed
// or a user's function, by the thread that ends the wait. Contexts make streams; nothing here knows of devices.
#pragma once

#include <atomic>
#include <mutex>

#include "backends/backend.h"
#include "backends/reserved_addresses.h"
#include "base/fault.h"
#include "base/host_threads.h"
#include "base/lock_order.h"

namespace manyrt::null {

// The driver's call that a test told to fail.
inline Status driverCall(const char* name) {
  return fault::fails(name) ? Status::error(RT_ERROR_DRIVER, "The simulated driver failed in %s.", name) : Status();
}

inline void setNative(uint64_t out[2], const void* object) {
  out[0] = reinterpret_cast<uintptr_t>(object);
  out[1] = 0;
}

class Stream final : public backend::Stream, private backend::Waiter, private host_threads::Job {
 public:
  explicit Stream(backend::ReservedAddresses* distant) : distant_(distant) {}
  Status launch(backend::Kernel& kernel, const backend::Launch& launch) override;
  Status copy(const backend::Copy& copy) override { return enqueue("null.copy", {.kind = Kind::kCopy, .copy = copy}); }
  Status fill(const backend::Fill& fill) override { return enqueue("null.fill", {.kind = Kind::kFill, .fill = fill}); }
  Status prefetch(const void*, uint64_t, bool) override { return enqueue("null.prefetch", {}); }
  Status record(Ref<backend::Point> point) override {
    return enqueue("null.record", {.kind = Kind::kRecord, .point = std::move(point)});
  }
  Status wait(Ref<backend::Point> point, backend::Skip skip) override {
    RT_TRY(host_threads::reserve());  // what goes on when the point is passed
    return enqueue("null.wait", {.kind = Kind::kWait, .skip = skip, .point = std::move(point)});
  }
  Status call(Task* task, backend::TaskKind kind) override;
  bool copyNow(const backend::Copy&) override { return false; }
  bool copyAndRead(const backend::Copy& copy, Status* status) override {
    *status = enqueue("null.copy", {.kind = Kind::kCopy, .copy = copy}, true);
    return status->code() != RT_NOT_READY;
  }
  uint64_t submitted() const override { return word_.load(std::memory_order_acquire) & ~kHeld; }
  uint64_t completed() override;
  bool wait(uint64_t serial, Deadline deadline) override;
  bool isInsideTask() const override { return task_stream_ == this; }
  void native(uint64_t out[2]) override { setNative(out, this); }

 private:
  enum class Kind { kNothing, kCopy, kFill, kRecord, kWait, kInternal, kUser };
  struct Command {
    Kind kind = Kind::kNothing;
    backend::Skip skip = backend::Skip::kOnFailure;  // of a wait
    backend::Copy copy{};
    backend::Fill fill{};
    Ref<backend::Point> point = nullptr;
    Task* task = nullptr;
    Command* next = nullptr;
  };
  static inline thread_local const Stream* task_stream_ = nullptr;  // whose user's function this thread runs
  static constexpr uint64_t kHeld = uint64_t{1} << 63;

  Status enqueue(const char* call, Command&& command, bool at_once = false);  // at once or RT_NOT_READY, and nothing was done
  void drain();                                                               // by the one thread that has running_
  bool execute(Command& command);                                             // false: passed() or run() goes on
  char* bytes(const void* address) const;
  void passed(backend::Point&) override { host_threads::submit(this); }
  void run() override;

  backend::ReservedAddresses* const distant_;  // of its device; null: memory is the host's
  std::atomic<uint64_t> word_{0};              // kHeld while commands are queued, and the number of submissions
  std::atomic<uint64_t> done_{0};              // meaningful while kHeld is set
  std::atomic<uint32_t> progress_{0};
  std::atomic<uint32_t> sleepers_{0};
  Ranked<std::mutex, LockRank::kNullStream> mutex_;  // of the queue
  Command* first_ = nullptr;
  Command** last_ = &first_;
  bool running_ = false;
};

}  // namespace manyrt::null
