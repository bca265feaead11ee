// The workers of a staged copy. On an H100 and an H200 with 16 cores, 12 workers to the device and 8 back were the fastest,
// by little. Pieces of 2 MiB were best where each worker gets several.
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

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace manyrt::cuda {
namespace {

constexpr size_t kWorkersToDevice = 12, kWorkersToHost = 8;

// Past the caches: what comes from the device is not read again soon.
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
  _mm_sfence();
#else
  memcpy(dst, src, size);
#endif
}

}  // namespace

struct Staging::Worker final : host_threads::Job {
  void run() override;

  Staging* home = nullptr;
  Work* work = nullptr;
  NativeStream stream = nullptr;
  NativeEvent joined = nullptr;
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
  Ranked<std::mutex, LockRank::kCudaStagingWork> mutex;
  ConditionVariable done;
  size_t running = 0;

  void leave() {
    std::lock_guard lock(mutex);
    if (--running == 0) done.notify_one();
  }
  void fail(const char* name, Error code) {
    call.store(name);
    error.store(code);
  }
};

Staging::Staging(Context& context) : context_(context) {}

Staging::~Staging() {
  if (workers_.empty()) return;
  Current current(context_.native());
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->stream != nullptr) {
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

// What a worker that failed half-way has is kept for the next attempt, and freed with it.
Status Staging::prepare(size_t workers) {
  try {
    while (workers_.size() < workers) workers_.push_back(std::make_unique<Worker>());
  } catch (const std::bad_alloc&) {  // perhaps on a thread of the library
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  for (size_t i = 0; i < workers; ++i) {
    Worker& worker = *workers_[i];
    worker.home = this;
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

void Staging::Worker::run() {
  {
    Current current(home->context_.native());
    home->copyPieces(*this, *work);
  }
  Work& at = *work;
  at.leave();
}

void Staging::copyPieces(Worker& worker, Work& work) {
  struct Piece {
    uint64_t begin = 0, size = 0;
  };
  // Each slot has an event behind its last copy. `empty` waits for it before the slot is written again, so up to kSlots copies
  // of a worker are under way while it copies memory. The counter deals out pieces; a failure of any worker stops all.
  Piece in_slot[kSlots];
  const auto check = [&](const char* call, Error error) {
    if (error != kSuccess) work.fail(call, error);
    return error == kSuccess;
  };
  // To the host: what a slot has received is copied on when the slot is wanted again, and at the end.
  const auto empty = [&](int slot) {
    if (!check("cudaEventSynchronize", table().cudaEventSynchronize(worker.reached[slot]))) return false;
    if (!work.to_device && in_slot[slot].size != 0) {
      copyPastCaches(work.dst + in_slot[slot].begin, worker.slots[slot], in_slot[slot].size);
      in_slot[slot].size = 0;
    }
    return true;
  };
  int slot = 0;
  for (; work.error.load() == kSuccess; slot = (slot + 1) % kSlots) {
    const uint64_t begin = work.next.fetch_add(1) * work.piece;
    if (begin >= work.size) break;
    const uint64_t size = std::min(work.piece, work.size - begin);
    if (!empty(slot)) return;
    void* to = work.dst + begin;
    const void* from = work.src + begin;
    if (work.to_device) {
      memcpy(worker.slots[slot], from, size);
      from = worker.slots[slot];
    } else {
      to = worker.slots[slot];
      in_slot[slot] = {begin, size};
    }
    if (!check("cudaMemcpyAsync", RT_CUDA_CALL(cudaMemcpyAsync, to, from, size, kCopyDefault, worker.stream)) ||
        !check("cuEventRecord", RT_CUDA_CALL(cuEventRecord, worker.reached[slot], worker.stream))) {
      return;
    }
  }
  for (int i = 0; i < kSlots && !work.to_device; ++i) {
    const int oldest = (slot + i) % kSlots;
    if (in_slot[oldest].size != 0 && !empty(oldest)) return;
  }
}

Status Staging::copy(void* dst, const void* src, uint64_t size, bool to_device, NativeStream stream) {
  // Each worker's stream waits for what `stream` has, and `stream` waits for each worker's stream in the end. `work` is on this
  // stack: the call waits until all threads have left it. A thread that is not to be had leaves its pieces to the others.
  std::lock_guard lock(mutex_);
  const auto cores = static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const size_t max_workers = std::min(to_device ? kWorkersToDevice : kWorkersToHost, cores);
  const uint64_t piece = size >= kSlots * kSlotBytes * max_workers ? kSlotBytes : kSmallPiece;
  const size_t workers = std::min<size_t>(max_workers, (size + piece - 1) / piece);
  RT_TRY(prepare(workers));
  RT_CUDA_TRY(cuEventRecord, workers_[0]->joined, stream);
  for (size_t i = 0; i < workers; ++i) RT_CUDA_TRY(cuStreamWaitEvent, workers_[i]->stream, workers_[0]->joined, 0);

  Work work;
  work.dst = static_cast<unsigned char*>(dst);
  work.src = static_cast<const unsigned char*>(src);
  work.size = size;
  work.piece = piece;
  work.to_device = to_device;
  work.running = workers;  // one for those that are being given out
  for (size_t i = 1; i < workers; ++i) {
    workers_[i]->work = &work;
    if (!host_threads::trySubmit(workers_[i].get())) work.leave();  // the others copy its pieces
  }
  work.leave();
  copyPieces(*workers_[0], work);
  {
    std::unique_lock wait(work.mutex);
    // This waits inside the call's guard, as a driver's own copy from pageable memory would. It ends: the pieces are copies,
    // which wait for no other thread.
    work.done.wait(wait, [&] { return work.running == 0; });
  }
  // What was submitted to the workers comes before what follows in the stream.
  for (size_t i = 0; i < workers && work.error.load() == kSuccess; ++i) {
    Error error = RT_CUDA_CALL(cuEventRecord, workers_[i]->joined, workers_[i]->stream);
    if (error == kSuccess) error = RT_CUDA_CALL(cuStreamWaitEvent, stream, workers_[i]->joined, 0);
    if (error != kSuccess) work.fail("cuStreamWaitEvent", error);
  }
  if (work.error.load() == kSuccess) return Status();
  // Where a worker failed, nothing else tells when its slots are free and the program's memory is left alone.
  for (size_t i = 0; i < workers; ++i) (void)table().cudaStreamSynchronize(workers_[i]->stream);
  return context_.device().failed(work.call.load(), work.error.load());
}

}  // namespace manyrt::cuda
