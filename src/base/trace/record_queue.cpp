// Chunks of records, the thread that writes them, and the file. Chrome's JSON array format allows a missing end. So a killed
// process leaves a usable file, which lacks the events in chunks that were not written.
#include "base/trace/record_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "base/lock_order.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/os/file_size_signal.h"
#include "base/os/thread.h"
#include "base/trace.h"
#include "base/trace/record_text.h"

namespace manyrt::trace::queue {
namespace {

struct Chunk {
  static constexpr size_t kSize = size_t{64} << 10;
  Chunk* next = nullptr;
  size_t used = 0;
  int64_t since = 0;  // the time of its first record that has one; 0: none
  alignas(8) char records[kSize];
};
constexpr size_t kMaxChunks = 256;
constexpr int64_t kOld = 100'000'000;  // nanoseconds

// In order, linked by `next`.
struct Chunks {
  Chunk *first = nullptr, *last = nullptr;
  void add(Chunk* chunk) {
    chunk->next = nullptr;
    (last == nullptr ? first : last->next) = chunk;
    last = chunk;
  }
  Chunk* take() {
    Chunk* const chunk = first;
    if (chunk == nullptr) return nullptr;
    first = chunk->next;
    if (first == nullptr) last = nullptr;
    return chunk;
  }
};

// Text on its way into the file. Not stdio, which writes its buffer at any time: around each write a FileSizeSignal has to
// stand. A system call for each 32 KiB costs twice the time of one for 256.
class File final : public record::Output {
 public:
  int descriptor = -1;
  int error = 0;  // errno of the write that failed

  char* room(size_t bytes) override {
    if (used_ + bytes > sizeof buffer_ && !flush()) return nullptr;
    return error == 0 ? buffer_ + used_ : nullptr;
  }
  void used(size_t bytes) override { used_ += bytes; }
  // False: the write fails, and what was in the buffer is dropped.
  bool flush() {
    FileSizeSignal signal;
    const char* at = buffer_;
    size_t left = std::exchange(used_, 0);
    while (left > 0 && error == 0) {
      const ssize_t written = write(descriptor, at, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        error = written < 0 ? errno : EIO;
        signal.exceeded = error == EFBIG;
        break;
      }
      at += written;
      left -= static_cast<size_t>(written);
    }
    return error == 0;
  }
  void open(int file) {
    descriptor = file;
    error = 0;
    used_ = 0;
  }
  void close() { ::close(std::exchange(descriptor, -1)); }

 private:
  size_t used_ = 0;
  char buffer_[size_t{256} << 10];
};

struct Queue {
  enum class State : uint8_t { kClosed, kOpen, kEnding, kFailed };
  enum class Thread : uint8_t { kNone, kRuns, kCannotStart };

  Ranked<std::mutex, LockRank::kTrace> mutex;
  ConditionVariable filled;   // for the thread: a chunk was handed on, or the file ends
  ConditionVariable emptied;  // for all others: a chunk is free, or the thread has ended
  State state = State::kClosed;
  Thread thread = Thread::kNone;
  bool failure_is_told = false;
  int ended_by = 0;  // of kFailed: errno
  char* path = nullptr;
  Chunk* current = nullptr;
  Chunks full, empty;
  size_t chunks = 0;  // that exist
  // Used by the thread while it runs, without the lock; else under the lock.
  File file;
  record::Text text;
};
Queue& queue() { return neverDestroyed<Queue>(); }
using Lock = std::unique_lock<decltype(Queue::mutex)>;

// Takes a chunk that is not needed any more.
void release(Queue& all, Chunk* chunk) {
  chunk->used = 0;
  chunk->since = 0;
  all.empty.add(chunk);
}

void fail(Queue& all, int error) {
  all.ended_by = error;
  all.failure_is_told = false;
  if (all.state == Queue::State::kOpen) all.state = Queue::State::kFailed;
  while (Chunk* const chunk = all.full.take()) release(all, chunk);
}

// The buffer goes out where nothing follows at once: a killed process loses less.
void writeOut(Queue& all, const Chunk& chunk, bool more) {
  if (all.file.error == 0 && all.text.write(chunk.records, chunk.used, all.file) && !more) (void)all.file.flush();
}

// The body of the thread, until the file ends.
void writeChunks(void*) {
  Queue& all = queue();
  Lock lock(all.mutex);
  for (;;) {
    all.filled.wait(lock, [&] { return all.full.first != nullptr || all.state == Queue::State::kEnding; });
    Chunk* const chunk = all.full.take();
    if (chunk == nullptr) break;
    const bool more = all.full.first != nullptr;
    lock.unlock();
    writeOut(all, *chunk, more);
    lock.lock();
    release(all, chunk);
    if (all.file.error != 0 && all.ended_by == 0) fail(all, all.file.error);
    all.emptied.notify_all();
  }
  all.thread = Queue::Thread::kNone;
  all.emptied.notify_all();
}

void writeHere(Queue& all) {
  while (Chunk* const chunk = all.full.take()) {
    writeOut(all, *chunk, true);
    release(all, chunk);
  }
  if (all.file.error != 0 && all.ended_by == 0) fail(all, all.file.error);
}

// Hands the full chunk on and gets another one. False: nothing can be put.
bool nextChunk(Queue& all, Lock& lock) {
  if (all.current != nullptr) {
    all.full.add(std::exchange(all.current, nullptr));
    if (all.thread == Queue::Thread::kNone) {
      const bool starts = startThread("manyrt-trace", writeChunks, nullptr).ok();
      all.thread = starts ? Queue::Thread::kRuns : Queue::Thread::kCannotStart;
    }
    if (all.thread == Queue::Thread::kRuns) {
      all.filled.notify_one();
    } else {
      writeHere(all);
    }
  }
  while (all.state == Queue::State::kOpen) {
    if (all.current != nullptr) return true;  // another thread has got one meanwhile
    all.current = all.empty.take();
    if (all.current != nullptr) return true;
    if (all.chunks < kMaxChunks) {
      all.current = new (std::nothrow) Chunk;
      if (all.current != nullptr) {
        ++all.chunks;
        return true;
      }
      if (all.chunks == 0) return false;  // a trace fails no call
    }
    all.emptied.wait(lock, [&] { return all.empty.first != nullptr || all.state != Queue::State::kOpen; });
  }
  return false;
}

// Why nothing is put: told once, if it is news.
void refuse(Queue& all) {
  if (all.state != Queue::State::kFailed || std::exchange(all.failure_is_told, true)) return;
  trace::internal::on.fetch_and(~uint32_t{trace::internal::kTimeline}, std::memory_order_relaxed);
  log::write(RT_LOG_WARNING, "The trace %s ends here: %s.", all.path, strerror(all.ended_by));
}

// Ends the thread, after which the file and the text belong to the caller. `all.state` is kEnding.
void endThread(Queue& all, Lock& lock) {
  all.filled.notify_all();
  all.emptied.notify_all();
  all.emptied.wait(lock, [&] { return all.thread != Queue::Thread::kRuns; });
  all.thread = Queue::Thread::kNone;
}

void freeChunks(Queue& all) {
  if (Chunk* const chunk = std::exchange(all.current, nullptr)) all.empty.add(chunk);
  while (Chunk* const chunk = all.full.take()) all.empty.add(chunk);
  while (Chunk* const chunk = all.empty.take()) delete chunk;
  all.chunks = 0;
}

}  // namespace

// Without O_NONBLOCK a pipe that nothing reads would keep the program waiting here.
Status begin(const char* path) {
  Queue& all = queue();
  Lock lock(all.mutex);
  if (all.state == Queue::State::kOpen) {
    return Status::error(RT_ERROR_BUSY, "A timeline is being written to %s: rtTraceStop ends it.", all.path);
  }
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) return Status::error(RT_ERROR_IO, "The trace %s cannot be written: %s.", path, strerror(errno));
  (void)fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  char* const copy = strdup(path);
  if (copy == nullptr) {
    ::close(file);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  if (all.state == Queue::State::kFailed) {  // the earlier one was not ended
    all.state = Queue::State::kEnding;
    endThread(all, lock);
    all.file.close();
  }
  free(std::exchange(all.path, copy));
  freeChunks(all);
  all.file.open(file);
  all.text.begin();
  all.ended_by = 0;
  all.state = Queue::State::kOpen;
  return Status();
}

Status end() {
  Queue& all = queue();
  Lock lock(all.mutex);
  if (all.state == Queue::State::kClosed) return Status::error(RT_ERROR_INVALID_VALUE, "No timeline is being written.");
  const int earlier = all.ended_by;
  all.state = Queue::State::kEnding;
  if (all.current != nullptr) all.full.add(std::exchange(all.current, nullptr));
  endThread(all, lock);
  writeHere(all);
  if (all.file.error == 0 && all.text.end(all.file)) (void)all.file.flush();
  const int error = all.file.error;
  all.file.close();
  freeChunks(all);
  all.ended_by = 0;
  all.state = Queue::State::kClosed;
  if (earlier != 0) return Status::error(RT_ERROR_IO, "The trace %s ended early: %s.", all.path, strerror(earlier));
  return error == 0 ? Status() : Status::error(RT_ERROR_IO, "The trace %s is incomplete: %s.", all.path, strerror(error));
}

void internal::put(record::Header* header, const void* record, size_t size, const char* rest, size_t rest_size, int64_t now) {
  header->size = static_cast<uint32_t>(size + rest_size);
  const size_t whole = (header->size + 7) & ~size_t{7};
  if (whole > Chunk::kSize) [[unlikely]]
    return;  // names are shorter than that
  Queue& all = queue();
  Lock lock(all.mutex);
  if (all.state != Queue::State::kOpen) [[unlikely]]
    return refuse(all);
  const auto isOver = [&](const Chunk& chunk) {
    return chunk.used + whole > Chunk::kSize || (chunk.since != 0 && now - chunk.since > kOld);
  };
  while (all.current == nullptr || isOver(*all.current)) {
    if (!nextChunk(all, lock)) return refuse(all);
  }
  if (all.current->since == 0) all.current->since = now;
  char* const at = all.current->records + all.current->used;
  memcpy(at, record, size);
  if (rest_size != 0) memcpy(at + size, rest, rest_size);
  all.current->used += whole;
}

void putText(const char* lines, size_t size) {
  record::Header header{record::Type::kText, 0};
  internal::put(&header, &header, sizeof header, lines, size, 0);
}

void put(record::Part& part, const char* name) {
  part.header.type = record::Type::kPart;
  internal::put(&part.header, &part, sizeof part, name, strlen(name) + 1, part.end);
}

void beforeFork() { queue().mutex.lock(); }

void afterForkInParent() { queue().mutex.unlock(); }

// The file is the parent's, and so is what was not written. Its chunks stay where they are: the parent's thread, which is not
// here, may have been in the middle of one.
void afterForkInChild() {
  Queue& all = queue();
  if (all.state != Queue::State::kClosed) all.file.close();
  all.state = Queue::State::kClosed;
  all.thread = Queue::Thread::kNone;
  all.current = nullptr;
  all.full = all.empty = Chunks();
  all.chunks = 0;
  all.mutex.unlock();
}

}  // namespace manyrt::trace::queue
