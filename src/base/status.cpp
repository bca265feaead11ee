// Records of failures, and the one table of codes, names and texts that rtGetErrorName, rtGetErrorString and the bare
// statuses are made from. Knows neither where failures come from nor where they go.
#include "base/status.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/fault.h"
#include "base/spin_lock.h"

namespace manyrt {
namespace {

// code, name, text
#define RT_STATUS_TABLE(X)                                                                      \
  X(RT_SUCCESS, "The call succeeded.")                                                          \
  X(RT_NOT_READY, "The work asked about is not complete yet.")                                  \
  X(RT_ERROR_INVALID_VALUE, "An argument is outside what the function accepts.")                \
  X(RT_ERROR_INVALID_HANDLE, "A handle is null, destroyed, of another kind, or was never one.") \
  X(RT_ERROR_INVALID_DEVICE, "There is no device with this ordinal.")                           \
  X(RT_ERROR_WRONG_CONTEXT, "Objects of two contexts meet where they must share one.")          \
  X(RT_ERROR_OUT_OF_MEMORY, "There is not enough memory.")                                      \
  X(RT_ERROR_NOT_SUPPORTED, "The device, or this version of the library, cannot do this.")      \
  X(RT_ERROR_NOT_FOUND, "Nothing of this name exists.")                                         \
  X(RT_ERROR_BUILD_FAILED, "The source did not build.")                                         \
  X(RT_ERROR_COMPILER_NOT_FOUND, "No compiler for this device was found.")                      \
  X(RT_ERROR_INVALID_IMAGE, "The image is damaged or made for another device.")                 \
  X(RT_ERROR_LAUNCH_FAILED, "A kernel, or a function in a stream, failed.")                     \
  X(RT_ERROR_CAPTURE_UNSAFE, "The call is not allowed while its stream is captured.")           \
  X(RT_ERROR_CAPTURE_INVALIDATED, "The capture was made invalid by an earlier call.")           \
  X(RT_ERROR_BUSY, "The object is in use in a way that forbids the call.")                      \
  X(RT_ERROR_TIMEOUT, "The time given has passed.")                                             \
  X(RT_ERROR_DEVICE_LOST, "The device was lost.")                                               \
  X(RT_ERROR_BACKEND_UNAVAILABLE, "The backend has no driver, library or device here.")         \
  X(RT_ERROR_DRIVER, "The driver reported an error of its own.")                                \
  X(RT_ERROR_FORKED, "The library was started before fork; the child cannot use it.")           \
  X(RT_ERROR_SHUT_DOWN, "The library has been shut down.")                                      \
  X(RT_ERROR_IO, "A file could not be read or written.")                                        \
  X(RT_ERROR_INTERNAL, "The library met a state that it should never reach.")

struct Entry {
  rtStatus_t code;
  const char* name;
  const char* text;
};
constexpr Entry kEntries[] = {
#define X(code, text) {code, #code, text},
    RT_STATUS_TABLE(X)
#undef X
};

const Entry* find(rtStatus_t code) {
  for (const Entry& entry : kEntries) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

constexpr size_t kEntryCount = sizeof kEntries / sizeof kEntries[0];

}  // namespace

const char* errorName(rtStatus_t code) {
  const Entry* entry = find(code);
  return entry == nullptr ? "RT_ERROR_UNKNOWN" : entry->name;
}

const char* errorString(rtStatus_t code) {
  const Entry* entry = find(code);
  return entry == nullptr ? "No status of the library has this number." : entry->text;
}

Status Status::bare(rtStatus_t code) noexcept {
  static char empty[] = "";
  struct Table {
    Record records[kEntryCount];
    Table() {
      for (size_t i = 0; i < kEntryCount; ++i) {
        // Relaxed: the initialisation of a static object publishes it.
        records[i].references.store(kImmortal, std::memory_order_relaxed);
        records[i].code = kEntries[i].code;
        bool expected = kEntries[i].code == RT_ERROR_TIMEOUT || kEntries[i].code == RT_NOT_READY;
        records[i].text = expected ? empty : const_cast<char*>(kEntries[i].text);
      }
    }
  };
  alignas(Table) static unsigned char storage[sizeof(Table)];
  static Table* table = new (storage) Table;  // never destroyed: statuses are made until the process ends
  if (code == RT_SUCCESS) return Status();
  for (Record& record : table->records) {
    if (record.code == code) return Status(&record);
  }
  return bare(RT_ERROR_INTERNAL);
}

Status Status::error(rtStatus_t code, const char* format, ...) noexcept {
  constexpr size_t kMaxBytes = 96 << 10;  // a compiler's log of 64 KiB, and what is said about it
  char text[4096];
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  size_t size = length < 0 ? 0 : static_cast<size_t>(length) + 1;
  if (size > kMaxBytes) size = kMaxBytes;
  void* memory = size == 0 || fault::fails("status") ? nullptr : malloc(sizeof(Record) + size);
  if (memory == nullptr) {
    va_end(again);
    return bare(code);
  }
  Record* record = new (memory) Record;
  // Relaxed: no other thread knows the record yet.
  record->references.store(1, std::memory_order_relaxed);
  record->code = code;
  record->text = static_cast<char*>(memory) + sizeof(Record);
  if (size <= sizeof text) {
    memcpy(record->text, text, size);
  } else {
    vsnprintf(record->text, size, format, again);
  }
  va_end(again);
  record->text[size - 1] = '\0';
  return Status(record);
}

void Status::release(Record* record) {
  // Relaxed: whether a record is immortal never changes.
  if (record->references.load(std::memory_order_relaxed) >= kImmortal) return;
  // acq_rel: the last release comes after all reads of the text on other threads.
  if (record->references.fetch_sub(1, std::memory_order_acq_rel) == 1) free(record);
}

namespace {
struct FlagGuard {  // held for a few loads and stores; waiting threads spin
  explicit FlagGuard(std::atomic_flag& held) : flag(held) {
    while (flag.test_and_set(std::memory_order_acquire)) relaxCpu();
  }
  ~FlagGuard() { flag.clear(std::memory_order_release); }
  std::atomic_flag& flag;
};
}  // namespace

void StatusLatch::set(Status status) {
  if (status.ok()) return;
  FlagGuard guard(lock_);
  if (record_.load(std::memory_order_relaxed) != nullptr) return;  // under the flag, which orders all changes
  // Release: pairs with failed(), after which another thread may read the record.
  record_.store(std::exchange(status.record_, nullptr), std::memory_order_release);
}

Status StatusLatch::copyOfFailure() const {
  FlagGuard guard(lock_);
  // Relaxed under the flag, which also keeps takeFailure() away while the reference is taken.
  Status::Record* record = record_.load(std::memory_order_relaxed);
  Status::retain(record);
  return Status(record);
}

Status StatusLatch::takeFailure() {
  FlagGuard guard(lock_);
  return Status(record_.exchange(nullptr, std::memory_order_acq_rel));  // acquire: pairs with set(), for the text
}

}  // namespace manyrt
