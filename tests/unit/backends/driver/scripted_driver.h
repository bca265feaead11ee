// A driver whose every answer a test decides. Enqueued work is written down, the device comes on when the test says so, and
// each function can be told to refuse.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "backends/driver/device.h"
#include "backends/driver/fast_stream.h"
#include "backends/driver/point.h"
#include "backends/driver/replay.h"
#include "unit/backends/rig.h"

namespace manyrt::test::scripted {

// The work that a stream has been given, and how far the device has come with it. Any thread.
class Queue {
 public:
  uint64_t push(const std::string& what) {
    std::lock_guard lock(mutex_);
    log_.push_back(what);
    if (at_once) done_ = log_.size();
    return log_.size();
  }
  void comeOn(uint64_t to = UINT64_MAX) {  // the device
    std::lock_guard lock(mutex_);
    done_ = std::max(done_, std::min<uint64_t>(to, log_.size()));
  }
  bool isOver(uint64_t number) {
    std::lock_guard lock(mutex_);
    return done_ >= number;
  }
  bool isIdle() {
    std::lock_guard lock(mutex_);
    return done_ == log_.size();
  }
  std::vector<std::string> log() {
    std::lock_guard lock(mutex_);
    return log_;
  }
  std::atomic<bool> at_once{false};

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;
  uint64_t done_ = 0;
};

class Point final : public driver::Point {
 public:
  void recordedIn(Queue& queue, const std::string& what, Status carried) {
    queue_ = &queue;
    number_ = queue.push(what);
    recorded(std::move(carried));
  }
  // The driver says that the device has come here. False: the point was passed before.
  bool reach() { return passOnce(recordedStatus(), 0); }
  using driver::Point::renewInPlace;

  bool tells = false;   // the driver calls reach() by itself; changed while nothing is recorded
  bool sleeps = false;  // the driver waits for the device; likewise
  std::atomic<int> asked_to_tell{0}, asked_to_sleep{0};

 private:
  bool ask(Status* status, int64_t*) override {
    if (!queue_->isOver(number_)) return false;
    *status = recordedStatus();
    return true;
  }
  bool sleep(int64_t*) override {
    ++asked_to_sleep;
    if (sleeps) queue_->comeOn();
    return sleeps;
  }
  bool tellWhenReached() override {
    ++asked_to_tell;
    return tells;
  }
  Queue* queue_ = nullptr;
  uint64_t number_ = 0;
};

class Stream final : public driver::FastStream<Stream> {
 public:
  struct Answers {
    bool can_be_asked = true;   // else markers have to tell
    bool says_nothing = false;  // to a question, at this moment
    bool takes_tasks = false;
    bool waits_for_points = true;  // on the device
    bool refuses_waits = false;    // fails them
    bool tells = true;             // when the device has come to a host function
    Slept slept = Slept::kNotNow;
    Status next;  // of the next enqueued thing, once
  };
  Stream(driver::Context& context, const Traits& traits) : FastStream(context, traits) {}
  void native(uint64_t out[2]) override { out[0] = out[1] = 0; }
  using FastStream::noteKernel;

  Queue queue;
  Answers answers;  // changed while nothing runs
  std::atomic<int> flushes{0}, questions{0}, sleeps{0}, tells{0};
  std::atomic<bool> wants_resume{false};
  // The device has come to where a host function stands.
  void tellNow() {
    if (wants_resume.exchange(false)) resume();
  }
  static Traits plain() { return {.hold_fault = "scripted.hold"}; }
  static Traits gathering() { return {.hold_fault = "scripted.hold", .gathers = true}; }
  static Traits failing() { return {.hold_fault = "scripted.hold", .fails_by_command = true}; }

 private:
  friend class driver::FastStream<Stream>;
  Status give(const std::string& what) {
    queue.push(what);
    return std::exchange(answers.next, Status());
  }
  Status enqueueLaunch(backend::Kernel& kernel, const backend::Launch& launch) override {
    std::string what = "launch";
    for (size_t i = 0; i < kernel.arguments().size(); ++i) {
      int value;
      memcpy(&value, launch.arguments[i], sizeof value);
      what += " " + std::to_string(value);
    }
    return give(what);
  }
  Status enqueueCopy(const backend::Copy&) override { return give("copy"); }
  Status enqueueFill(const backend::Fill&) override { return give("fill"); }
  Status enqueuePrefetch(const backend::PrefetchStep&) override { return give("prefetch"); }
  Status enqueueReplay(backend::Replay&, RefCounted*) override { return give("replay"); }
  Status enqueueRecord(backend::Point& point, Status carried, uint64_t serial) override {
    if (Status status = std::exchange(answers.next, Status()); !status.ok()) return status;
    static_cast<Point&>(point).recordedIn(queue, "record " + std::to_string(serial), std::move(carried));
    return Status();
  }
  Status enqueueMark(backend::Point& point) override {
    static_cast<Point&>(point).recordedIn(queue, "mark", Status());
    return Status();
  }
  Status enqueueWait(backend::Point& point, bool* taken) override {
    auto* own = dynamic_cast<Point*>(&point);
    *taken = answers.waits_for_points && own != nullptr && own->isRecorded();
    if (!*taken) return Status();
    if (answers.refuses_waits) return Status::error(RT_ERROR_DRIVER, "It refuses to wait.");
    return give("wait");
  }
  Status enqueueTask(std::unique_ptr<Task>* task, uint64_t, bool* taken) override {
    *taken = answers.takes_tasks;
    if (!*taken) return Status();
    queue.push("task");
    latch.set((*task)->run(latch.get()));
    task->reset();
    return Status();
  }
  void flush() override { ++flushes; }
  Progress ask() override {
    ++questions;
    if (answers.says_nothing) return Progress::kUnknown;
    return answers.can_be_asked && queue.isIdle() ? Progress::kOver : Progress::kRunning;
  }
  bool tellWhenReached() override {
    ++tells;
    if (answers.tells) wants_resume = true;
    return answers.tells;
  }
  Slept sleep(uint64_t, Deadline, int64_t) override {
    ++sleeps;
    return answers.slept;
  }
};

template <bool kDriverOrders>
class OrderedReplay final : public driver::Replay<Stream, kDriverOrders> {
 public:
  Status change(bool* changed, uint32_t, const backend::ReplayStep::Work&) override {
    *changed = !this->isHeldBack();
    return Status();
  }
};

class Kernel final : public backend::Kernel {
 public:
  Kernel() { addArgument(sizeof(int), RT_ARG_VALUE); }
  uint32_t maxActiveGroups(uint32_t, uint64_t) const override { return 1; }
  uint32_t preferredGroupMultiple() const override { return 1; }
};

class Context final : public driver::Context {
 public:
  Context(driver::Device& device, backend::WaitPolicy policy) : driver::Context(device, policy) {}
  void deviceLost() override {
    ++losses;
    driver::Context::deviceLost();
  }
  std::atomic<int> losses{0};
  Status createStream(Ref<backend::Stream>* stream, const backend::StreamOptions&) override {
    *stream = make(Stream::plain());
    return Status();
  }
  Ref<Stream> make(const auto& traits) {
    Ref<Stream> made = Ref<Stream>::adopt(new Stream(*this, traits));
    add(*made, "scripted");
    return made;
  }
  Status createPoint(Ref<backend::Point>* point, bool) override {
    *point = Ref<backend::Point>::adopt(new Point);
    return Status();
  }
  Status allocate(backend::Memory*, int32_t, uint64_t, uint64_t) override { return Status::bare(RT_ERROR_OUT_OF_MEMORY); }
  void release(const backend::Memory&) override {}
  void native(uint64_t out[2]) override { out[0] = out[1] = 0; }
  void nativePoint(backend::Point&, uint64_t out[2]) override { out[0] = out[1] = 0; }
};

class Device final : public driver::Device {
 public:
  Device() { snprintf(properties_.id, sizeof properties_.id, "scripted:0"); }
  bool has(int32_t) const override { return false; }
  Status attribute(int64_t* value, int32_t) override { return *value = 0, Status(); }
  Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes) override { return *free_bytes = *total_bytes = 0, Status(); }
  bool canAccess(const backend::Device&) const override { return false; }
  Status createContext(Ref<backend::Context>* context, const backend::ContextOptions& options) override {
    Ref<Context> made = Ref<Context>::adopt(new Context(*this, options.wait));
    add(*made);
    *context = std::move(made);
    return Status();
  }
  void native(uint64_t out[2]) override { out[0] = out[1] = 0; }
};

}  // namespace manyrt::test::scripted
