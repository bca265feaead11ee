// Queueing and running of what a null stream carries, by whichever thread submits it or ends its wait.
#include "backends/null/stream.h"

#include <climits>
#include <cstring>
#include <new>

#include "base/os/futex.h"

namespace manyrt::null {

Status Stream::launch(backend::Kernel&, const backend::Launch&) {
  RT_TRY(driverCall("null.launch"));
  uint64_t word = word_.load(std::memory_order_acquire);
  while ((word & kHeld) == 0) {
    if (word_.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel)) return Status();
  }
  return enqueue("null.hold", {});
}

Status Stream::call(Task* task, backend::TaskKind kind) {
  const bool user = kind != backend::TaskKind::kInternal;
  Status status = user ? host_threads::reserve() : Status();
  if (status.ok()) status = enqueue("null.call", {.kind = user ? Kind::kUser : Kind::kInternal, .task = task});
  if (!status.ok()) delete task;
  return status;
}

Status Stream::enqueue(const char* call, Command&& command, bool at_once) {
  RT_TRY(driverCall(call));
  Command* queued = new (std::nothrow) Command(std::move(command));
  if (queued == nullptr) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for another command of a stream.");
  std::unique_lock lock(mutex_);
  if (at_once && (first_ != nullptr || running_)) return delete queued, Status::bare(RT_NOT_READY);
  uint64_t word = word_.load(std::memory_order_acquire);
  do {
    if ((word & kHeld) == 0) done_.store(word, std::memory_order_release);
  } while (!word_.compare_exchange_weak(word, (word | kHeld) + 1, std::memory_order_acq_rel));
  *last_ = queued;
  last_ = &queued->next;
  if (std::exchange(running_, true)) return Status();
  lock.unlock();
  drain();
  return Status();
}

void Stream::drain() {
  Ref<Stream> self(this);
  for (;;) {
    mutex_.lock();
    Command* command = first_;
    if (command == nullptr) {
      running_ = false;
      word_.fetch_and(~kHeld, std::memory_order_acq_rel);
    }
    mutex_.unlock();
    if (command == nullptr || !execute(*command)) return;
    mutex_.lock();
    first_ = command->next;
    if (first_ == nullptr) last_ = &first_;
    done_.fetch_add(1, std::memory_order_seq_cst);
    mutex_.unlock();
    delete command;
    progress_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0) futexWake(&progress_, INT_MAX);
  }
}

char* Stream::bytes(const void* address) const {
  uint64_t offset = 0;
  void* behind = distant_ != nullptr ? distant_->find(address, &offset) : nullptr;
  return static_cast<char*>(behind != nullptr ? behind : const_cast<void*>(address)) + (behind != nullptr ? offset : 0);
}

bool Stream::execute(Command& command) {
  const uint64_t width = command.fill.width, size = width < command.fill.pattern_size ? width : command.fill.pattern_size;
  switch (command.kind) {
    case Kind::kCopy:
      for (uint64_t row = 0; row < command.copy.height && !latch.failed(); ++row) {
        memcpy(bytes(command.copy.dst) + row * command.copy.dst_pitch, bytes(command.copy.src) + row * command.copy.src_pitch,
               command.copy.width);
      }
      return true;
    case Kind::kFill:
      for (uint64_t row = 0; row < command.fill.height && !latch.failed(); ++row) {
        void* at = memcpy(bytes(command.fill.dst) + row * command.fill.pitch, command.fill.pattern, size);
        for (uint64_t i = size; i < width; i *= 2) memcpy(static_cast<char*>(at) + i, at, i < width - i ? i : width - i);
      }
      return true;
    case Kind::kRecord:
      announce(done_.load(std::memory_order_relaxed) + 1);
      command.point->complete(latch.get(), nowNanoseconds());
      return true;
    case Kind::kWait:
      if (latch.failed() && command.skip == backend::Skip::kOnFailure) return true;
      retain();  // until it goes on
      if (command.point->subscribe(this)) return false;
      drop();  // it was passed
      latch.set(command.point->status());
      return true;
    case Kind::kInternal:
      if (command.task->tells()) announce(done_.load(std::memory_order_relaxed) + 1);
      latch.set(command.task->run(latch.get()));
      delete std::exchange(command.task, nullptr);
      return true;
    case Kind::kUser:
      if (command.task == nullptr) return true;  // has run
      retain();
      host_threads::submit(this);
      return false;
    default:
      return true;
  }
}

void Stream::run() {
  if (first_->task != nullptr) {  // else its point was passed
    task_stream_ = this;
    latch.set(first_->task->run(latch.get()));
    delete std::exchange(first_->task, nullptr);
    task_stream_ = nullptr;
  }
  drain(), drop();
}

uint64_t Stream::completed() {
  // done_ is read between two equal looks at the word: it belongs to this time of being held.
  for (;;) {
    uint64_t word = word_.load(std::memory_order_acquire);
    if ((word & kHeld) == 0) return word;
    uint64_t done = done_.load(std::memory_order_acquire);
    if (word_.load(std::memory_order_acquire) == word) return done;
  }
}

bool Stream::wait(uint64_t serial, Deadline deadline) {
  while (completed() < serial) {
    uint32_t progress = progress_.load(std::memory_order_seq_cst);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    bool in_time = completed() >= serial || futexWait(&progress_, progress, deadline);
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    if (!in_time && deadline.passed()) return completed() >= serial;
  }
  return true;
}

}  // namespace manyrt::null
