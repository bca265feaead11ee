// Cutting a copy into pieces, and the workers that take them through pinned memory in both directions.
#include "backends/cuda/staging.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "backends/cuda/context.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/spin_lock.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace manyrt::cuda {
namespace {

// Past the caches. To the device: a store through them would first read the slot's old lines. Back: a large copy from the
// device is not read again soon.
constexpr uint64_t kPastCachesToHost = 8 << 20;  // of the whole copy

constexpr size_t kMostWorkers = 12;
constexpr int kSpins = 2000;  // looks at the other threads before this one sleeps

void copyPastCaches(void* dst, const void* src, size_t size) {
#if defined(__SSE2__)
  auto* out = static_cast<unsigned char*>(dst);
  const auto* in = static_cast<const unsigned char*>(src);
  const size_t head = std::min<size_t>(size, -reinterpret_cast<uintptr_t>(out) & 15);
  memcpy(out, in, head);
  size_t at = head;
  for (; at + 64 <= size; at += 64) {
    const auto* from = reinterpret_cast<const __m128i*>(in + at);
    auto* to = reinterpret_cast<__m128i*>(out + at);
    const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
    const __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
  }
  memcpy(out + at, in + at, size - at);
  // Streaming stores are not ordered by the driver's call that follows, and the device may read the slot at once.
  _mm_sfence();
#else
  memcpy(dst, src, size);
#endif
}

void copyPlainly(void* dst, const void* src, size_t size) { memcpy(dst, src, size); }

}  // namespace

// Measured on an H200 with 16 cores, by sizes from 64 KiB to 64 MiB. A few workers are enough for a bus: calls of the driver
// from more threads wait for each other. A piece has to outweigh its two calls.
Staging::Cut Staging::cutOf(uint64_t size, bool to_device) {
  constexpr uint64_t kKiB = 1 << 10, kMiB = 1 << 20;
  const auto cores = static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  Cut cut;
  if (to_device) {
    cut.workers = size < 32 * kMiB ? 4 : size < 256 * kMiB ? 8 : kMostWorkers;
    cut.piece = size < 32 * kMiB ? std::clamp(size / 8, 256 * kKiB, kMiB) : kSlotBytes;
  } else {
    cut.workers = 8;
    cut.piece = size < 256 * kMiB ? std::clamp(size / 32, 128 * kKiB, kMiB) : kSlotBytes;
  }
  // Whole pages, so that the pieces of an aligned copy are aligned.
  cut.piece &= ~(4 * kKiB - 1);
  cut.workers = std::min({cut.workers, cores, static_cast<size_t>((size + cut.piece - 1) / cut.piece)});
  return cut;
}

struct Staging::Worker final : host_threads::Job {
  void run() override;

  Staging* home = nullptr;
  size_t index = 0;
  bool queued = false;  // as a job; under work_mutex_
  NativeStream stream = nullptr;
  NativeEvent joined = nullptr;
  NativeEvent last = nullptr;  // after its last copy to the device in this one; null: it took no piece
  unsigned char* slots[kSlots] = {};
  NativeEvent reached[kSlots] = {};
};

struct Staging::Work {
  unsigned char* dst;
  const unsigned char* src;
  uint64_t size;
  uint64_t piece;  // bytes
  bool to_device;
  std::atomic<uint64_t> next{0};  // piece
  std::atomic<Error> error{kSuccess};
  std::atomic<const char*> call{""};
  size_t workers;                  // that may join
  std::atomic<size_t> running{0};  // that have joined and not left; changes under work_mutex_

  void fail(const char* name, Error code) {
    call.store(name);
    error.store(code);
  }
};

Staging::Staging(Context& context) : context_(context) {}

Staging::~Staging() {
  if (workers_.empty()) return;
  {
    std::unique_lock wait(work_mutex_);
    // Queued jobs refer to the workers, and may come long after their copy.
    left_.wait(wait,
               [&] { return std::none_of(workers_.begin(), workers_.end(), [](const auto& each) { return each->queued; }); });
  }
  Current current(context_.native());
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->stream != nullptr) {
      // A copy that failed may have left work that reads the slots.
      (void)table().cudaStreamSynchronize(worker->stream);
      (void)table().cudaStreamDestroy(worker->stream);
    }
    if (worker->joined != nullptr) (void)table().cudaEventDestroy(worker->joined);
    for (int i = 0; i < kSlots; ++i) {
      if (worker->reached[i] != nullptr) (void)table().cudaEventDestroy(worker->reached[i]);
      if (worker->slots[i] != nullptr) (void)table().cudaFreeHost(worker->slots[i]);
    }
  }
}

// A worker that failed half-way keeps what it has for the next attempt, and frees it at the end.
Status Staging::prepare(size_t workers) {
  try {
    while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>());
  } catch (const std::bad_alloc&) {  // perhaps on a thread of the library
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  for (size_t i = 0; i < workers; ++i) {
    Worker& worker = *workers_[i];
    worker.home = this;
    worker.index = i;
    if (worker.stream == nullptr) RT_CUDA_TRY(cudaStreamCreateWithPriority, &worker.stream, kStreamNonBlocking, 0);
    if (worker.joined == nullptr) RT_CUDA_TRY(cudaEventCreateWithFlags, &worker.joined, kEventDisableTiming);
    for (int slot = 0; slot < kSlots; ++slot) {
      if (worker.reached[slot] == nullptr) RT_CUDA_TRY(cudaEventCreateWithFlags, &worker.reached[slot], kEventDisableTiming);
      if (worker.slots[slot] != nullptr) continue;
      RT_CUDA_TRY(cudaHostAlloc, reinterpret_cast<void**>(&worker.slots[slot]), kSlotBytes, kHostAllocPortable);
    }
  }
  return Status();
}

// A thread may come when the copy that it was to help with is over.
void Staging::Worker::run() {
  Staging& staging = *home;
  Work* work = nullptr;
  {
    std::lock_guard lock(staging.work_mutex_);
    if (staging.open_ != nullptr && index < staging.open_->workers) work = staging.open_;
    // Counted under the mutex: the submitter closes `open_` under it, and then waits for exactly those that are inside.
    if (work != nullptr) {
      work->running.fetch_add(1, std::memory_order_relaxed);
    } else {
      queued = false;
      staging.left_.notify_all();
    }
  }
  if (work == nullptr) return;
  {
    Current current(staging.context_.native());
    staging.copyPieces(*this, *work);
  }
  std::lock_guard lock(staging.work_mutex_);
  queued = false;
  // Release: the submitter that sees it without the lock sees what this thread has written.
  work->running.fetch_sub(1, std::memory_order_release);
  staging.left_.notify_all();
}

void Staging::copyPieces(Worker& worker, Work& work) {
  struct Piece {
    uint64_t begin = 0, size = 0;
  };
  // Each slot has an event after its last copy. `empty` waits for it before the slot is written again, so up to kSlots copies
  // of a worker are under way while it copies memory. The counter deals out pieces; a failure of any worker stops all.
  Piece in_slot[kSlots];
  const auto check = [&](const char* call, Error error) {
    // The last failure is told. Any of them ends the copy.
    if (error != kSuccess) work.fail(call, error);
    return error == kSuccess;
  };
  // To the host: what a slot has received is copied on when the slot is wanted again, and at the end.
  const auto empty = [&](int slot) {
    if (!check("cudaEventSynchronize", table().cudaEventSynchronize(worker.reached[slot]))) return false;
    if (!work.to_device && in_slot[slot].size != 0) {
      const auto copy = work.size >= kPastCachesToHost ? copyPastCaches : copyPlainly;
      copy(work.dst + in_slot[slot].begin, worker.slots[slot], in_slot[slot].size);
      in_slot[slot].size = 0;
    }
    return true;
  };
  int slot = 0;
  for (; work.error.load() == kSuccess; slot = (slot + 1) % kSlots) {
    // Pieces are dealt out one by one, so that a worker that came late or was interrupted delays no other.
    const uint64_t begin = work.next.fetch_add(1) * work.piece;
    if (begin >= work.size) break;
    const uint64_t size = std::min(work.piece, work.size - begin);
    if (!empty(slot)) return;
    void* to = work.dst + begin;
    const void* from = work.src + begin;
    if (work.to_device) {
      copyPastCaches(worker.slots[slot], from, size);
      from = worker.slots[slot];
    } else {
      to = worker.slots[slot];
      in_slot[slot] = {begin, size};
    }
    if (!check("cudaMemcpyAsync", RT_CUDA_CALL(cudaMemcpyAsync, to, from, size, kCopyDefault, worker.stream)) ||
        !check("cuEventRecord", RT_CUDA_CALL(cuEventRecord, worker.reached[slot], worker.stream))) {
      return;
    }
    worker.last = worker.reached[slot];
  }
  for (int i = 0; i < kSlots && !work.to_device; ++i) {
    const int oldest = (slot + i) % kSlots;
    if (in_slot[oldest].size != 0 && !empty(oldest)) return;
  }
}

Status Staging::copy(void* dst, const void* src, uint64_t size, bool to_device, NativeStream stream, bool idle) {
  // Each worker's stream waits for what `stream` has, and `stream` waits for each worker's last copy in the end. Bytes from the
  // device are there by then. `work` is on this stack: the call waits until all threads that have joined it have left it.
  if (log::wanted(RT_LOG_DEBUG)) {
    log::write(RT_LOG_DEBUG, "A copy of %llu bytes %s goes through pinned memory, since the host's side is pageable.",
               static_cast<unsigned long long>(size), to_device ? "to the device" : "to the host");
  }
  // One copy at a time: workers and slots belong to it.
  std::lock_guard lock(mutex_);
  const auto [piece, workers] = cutOf(size, to_device);
  RT_TRY(prepare(workers));
  // An idle stream has nothing to wait for, and the waits cost calls of the driver.
  if (!idle) {
    RT_CUDA_TRY(cuEventRecord, workers_[0]->joined, stream);
    for (size_t i = 0; i < workers; ++i) RT_CUDA_TRY(cuStreamWaitEvent, workers_[i]->stream, workers_[0]->joined, 0);
  }
  for (size_t i = 0; i < workers; ++i) workers_[i]->last = nullptr;

  Work work;
  work.dst = static_cast<unsigned char*>(dst);
  work.src = static_cast<const unsigned char*>(src);
  work.size = size;
  work.piece = piece;
  work.to_device = to_device;
  work.workers = workers;
  host_threads::Job* helpers[kMostWorkers];
  size_t count = 0;
  {
    std::lock_guard opening(work_mutex_);
    open_ = &work;
    for (size_t i = 1; i < workers; ++i) {
      if (!workers_[i]->queued) helpers[count++] = workers_[i].get();  // else it comes as it is
      workers_[i]->queued = true;
    }
  }
  // Helpers are no condition: the calling thread takes all pieces that no other takes.
  const size_t taken = host_threads::trySubmit(helpers, count);
  if (taken < count) {
    std::lock_guard opening(work_mutex_);
    for (size_t i = taken; i < count; ++i) static_cast<Worker*>(helpers[i])->queued = false;
  }
  // Worker 0 is the calling thread, whose context is current already.
  copyPieces(*workers_[0], work);
  {
    // This waits inside the call's guard, as a driver's own copy from pageable memory would. It ends: the pieces are copies,
    // which wait for no other thread. Threads that have not come by now are not waited for.
    std::unique_lock wait(work_mutex_);
    open_ = nullptr;
    wait.unlock();
    for (int spins = 0; spins < kSpins && work.running.load(std::memory_order_acquire) != 0; ++spins) relaxCpu();
    wait.lock();  // also for the worker that has counted down and still has the lock
    left_.wait(wait, [&] { return work.running.load(std::memory_order_relaxed) == 0; });
  }
  // Copies of the workers come before what follows in the stream.
  for (size_t i = 0; i < workers && to_device && work.error.load() == kSuccess; ++i) {
    if (workers_[i]->last == nullptr) continue;
    const Error error = RT_CUDA_CALL(cuStreamWaitEvent, stream, workers_[i]->last, 0);
    if (error != kSuccess) work.fail("cuStreamWaitEvent", error);
  }
  if (work.error.load() == kSuccess) return Status();
  // Where a worker failed, nothing else tells when its slots are free and the program's memory is left alone.
  for (size_t i = 0; i < workers; ++i) (void)table().cudaStreamSynchronize(workers_[i]->stream);
  return context_.device().failed(work.call.load(), work.error.load());
}

}  // namespace manyrt::cuda
