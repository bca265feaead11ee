// The result of a call inside the library: a code and, for errors, one sentence with the values and the limit they met.
// A Status is one pointer; success is null, so the fast path neither allocates nor counts. All layers use it. Only src/api
// turns it into rtStatus_t and leaves its sentence on the calling thread.
//
// One rule for failures: the library's own want of memory is bad_alloc, every other failure is a Status. A function that
// allocates lets bad_alloc pass and says "Throws bad_alloc"; the guard of src/api turns it into RT_ERROR_OUT_OF_MEMORY.
// - A bare RT_ERROR_OUT_OF_MEMORY stands where bad_alloc cannot pass: where a `catch` ends it, and at a fault point before a
// call that returns a Status. A fault point before an allocation throws.
// - A `catch` of bad_alloc stands where the call must not throw: noexcept, destructors, threads, callbacks of drivers. Else it
// stands only where no destructor undoes what has to be undone. A comment says which of these it is.
// - Memory of the program or of a device that is missing is a Status with a sentence: which memory, how much, of what.
// - So is host memory of the library for keeping track of such memory, where a `catch` has undone the rest. The program then
// learns which allocation or range it was.
// - An expected outcome (not ready, full, nothing there) is a value, or a bare Status without a sentence.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "rt.h"

namespace manyrt {

class [[nodiscard]] Status {
 public:
  struct Record {
    std::atomic<uint32_t> references;  // kImmortal: one of the records that need no memory
    rtStatus_t code;
    char* text;  // "" for expected outcomes such as time-outs
  };

  constexpr Status() noexcept = default;
  Status(const Status& other) noexcept : record_(other.record_) { retain(record_); }
  Status(Status&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~Status() {
    if (record_ != nullptr) [[unlikely]]
      release(record_);
  }

  // A failure with its sentence. Never fails itself: without memory the sentence is lost and the code stays.
  static Status error(rtStatus_t code, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
  // An expected outcome (RT_NOT_READY, RT_ERROR_TIMEOUT), or a code with the sentence of rtGetErrorString.
  static Status bare(rtStatus_t code) noexcept;

  bool ok() const { return record_ == nullptr; }
  rtStatus_t code() const { return record_ == nullptr ? RT_SUCCESS : record_->code; }
  const char* message() const { return record_ == nullptr ? "" : record_->text; }

 private:
  friend class StatusLatch;
  static constexpr uint32_t kImmortal = 0x80000000u;
  explicit Status(Record* record) noexcept : record_(record) {}
  static void retain(Record* record) {
    // Relaxed: the caller has a reference already.
    if (record != nullptr && record->references.load(std::memory_order_relaxed) < kImmortal) {
      record->references.fetch_add(1, std::memory_order_relaxed);
    }
  }
  static void release(Record* record);  // not null

  Record* record_ = nullptr;
};

// Holds the first failure of a stream until one caller takes it. `failed` is one load, since every submission asks it.
class StatusLatch {
 public:
  ~StatusLatch() { (void)take(); }
  // Acquire pairs with set(): the record is complete.
  bool failed() const { return record_.load(std::memory_order_acquire) != nullptr; }
  void set(Status status);                                              // keeps the first one
  Status get() const { return failed() ? copyOfFailure() : Status(); }  // success if nothing failed
  Status take() { return failed() ? takeFailure() : Status(); }         // exactly one caller gets the failure

 private:
  Status copyOfFailure() const;
  Status takeFailure();

  mutable std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
  std::atomic<Status::Record*> record_{nullptr};
};

const char* errorName(rtStatus_t code);    // "RT_ERROR_BUSY"; unknown: "RT_ERROR_UNKNOWN"
const char* errorString(rtStatus_t code);  // a sentence that needs no values

}  // namespace manyrt

#define RT_TRY(expression)                                                      \
  do {                                                                          \
    if (::manyrt::Status rt_try_ = (expression); !rt_try_.ok()) return rt_try_; \
  } while (0)

#define RT_CHECK_ARG(condition, ...)                                       \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      return ::manyrt::Status::error(RT_ERROR_INVALID_VALUE, __VA_ARGS__); \
  } while (0)
