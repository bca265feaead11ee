// Streams as backends make them, and what can be submitted to one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "backends/kernel.h"
#include "backends/point.h"
#include "base/clock.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/task.h"
#include "base/trace.h"

namespace manyrt::backend {

struct StreamOptions {
  int32_t priority = 0;    // within the device's range
  const char* label = "";  // borrowed for the call
};

// Rows of `width` bytes; a plain copy has one row. Each side is memory of this stream's device, or what its copies reach:
// Limits::copies_host, Device::copiesPeer. Pageable host memory may block the caller.
struct Copy {
  void* dst;
  const void* src;
  uint64_t width;
  uint64_t height = 1;
  uint64_t dst_pitch = 0;
  uint64_t src_pitch = 0;
  int32_t kind = 0;  // RT_MEMCPY_*, by the sides' memory; for the trace alone. 0: not known
};

struct Fill {
  void* dst;
  unsigned char pattern[16];
  uint32_t pattern_size;  // 1, 2, 4, 8, 16
  uint64_t width;         // bytes of a row, a multiple of pattern_size
  uint64_t height = 1;
  uint64_t pitch = 0;
};

enum class TaskKind {
  kInternal,  // of the library: short, never blocks; may run on any thread that executes the stream
  kUser,      // a program's function: only on a thread of base/host_threads, the stream waits for it
  kNative,    // a program's function that submits to the native stream: where there is one it runs as soon as what is ahead
              // has been submitted, else as kUser
};

// When a stream leaves a wait out. Once it has failed, what a wait of the program is for may never come, and nothing after
// it runs. Some waits stand in any case: between launches of a graph, or between memory and a copy by another stream. Points
// that the stream passes after these tell others that the work is over.
enum class Skip { kOnFailure, kNever };

// Ways to do at once what a submission would do. Each says with false that nothing was done and that the caller goes the common
// way; a stream has those that pay for it.
class FastPaths : public RefCounted {
 public:
  // Does a short synchronous copy where the stream is idle.
  virtual bool copyNow(const Copy&) { return false; }
  // A copy from memory that the library does not know, which the stream may read until the call returns and no longer.
  // True: `status` says what became of it, and a source in pageable memory has been read. A source that the driver knows as its
  // own is read in the stream's order. False, as work is ahead: the caller gives copy() a source that stays.
  // cudaMemcpyAsync · clEnqueueWriteBuffer that blocks, on an idle queue.
  virtual bool copyAndRead(const Copy&, Status*) { return false; }
  // record() for a point that was recorded before and that the caller alone holds. False: the caller takes a fresh one.
  virtual bool recordAgain(Point&, Status*) { return false; }
  // Runs a program's function that submits to the native stream on this thread, where nothing ahead of it is held back. True:
  // it has been run, or `status` says why not. False: the task is still the caller's.
  virtual bool callAtOnce(std::unique_ptr<Task>*, Status*) { return false; }
  // wait() for a point that the caller keeps for the call alone. False: the caller gives a reference away.
  virtual bool waitAtOnce(Point&, Status*) { return false; }
};

// An in-order queue. Submissions are numbered from 1; `completed` follows. Submitting never blocks (but copies of pageable
// memory) and is legal from any thread. A failure latches; the stream then skips what it has until the latch is taken, and
// every point passed meanwhile carries the cause. Tasks run in any case, with the failure. Submitted work begins without being
// waited for. A stream that gathers work lets it begin at the next wait, query or record.
class Stream : public FastPaths {
 public:
  StatusLatch latch;
  trace::Track track;
  // How many streams of the program stand for this one. At 0 its failure is told no more, though its work goes on.
  // Every change releases, and a load that asks for failures acquires: it then sees the latch as it was emptied for this use.
  std::atomic<uint32_t> claims{0};
  // For src/allocator: the resources that list this stream, and its number there. Written before the stream is handed out.
  const void* listed_by = nullptr;
  uint32_t list_number = 0;

  // cudaLaunchKernel · clEnqueueNDRangeKernel
  virtual Status launch(Kernel& kernel, const Launch& launch) = 0;
  // cudaMemcpy2DAsync · clEnqueueCopyBufferRect, clEnqueueReadBufferRect, clEnqueueWriteBufferRect
  virtual Status copy(const Copy& copy) = 0;
  // cudaMemsetAsync, a kernel · clEnqueueFillBuffer
  virtual Status fill(const Fill& fill) = 0;
  // cudaMemPrefetchAsync · clEnqueueMigrateMemObjects; a hint
  virtual Status prefetch(const void* address, uint64_t size, bool to_host) = 0;
  // cudaEventRecord · the cl_event of clEnqueueMarkerWithWaitList. The point comes from this stream's context.
  virtual Status record(Ref<Point> point) = 0;
  // cudaStreamWaitEvent · clEnqueueBarrierWithWaitList for a point of this backend, else work is held back by a thread of
  // the library. A point that carries a failure latches it here, where nothing has failed before.
  virtual Status wait(Ref<Point> point, Skip skip = Skip::kOnFailure) = 0;
  // cudaLaunchHostFunc · a held-back stream. Takes the task in any case: on failure it is deleted without having run.
  virtual Status call(Task* task, TaskKind kind) = 0;

  virtual uint64_t submitted() const = 0;
  virtual uint64_t completed() = 0;  // cudaStreamQuery · CL_EVENT_COMMAND_EXECUTION_STATUS; polls, runs nothing
  // cudaStreamSynchronize · clFinish, for the submissions up to `serial`; false when the deadline passed first. May run work
  // on the calling thread; with a finite deadline none that it might have to abandon.
  virtual bool wait(uint64_t serial, Deadline deadline) = 0;
  // Whether the calling thread is running a task of this stream: waiting for it there would never end.
  virtual bool isInsideTask() const = 0;

  // Whether the stream has come to `serial`, its last submission, for a program that asks. True as soon as a point that it
  // passed, or a fence that it signalled, has shown that. completed() may follow a moment later, and this waits for that
  // moment. Not under a lock.
  bool reached(uint64_t serial);
  bool idle() { return completed() >= submitted(); }
  virtual void native(uint64_t out[2]) = 0;
  // Called once for each import of this stream, as that ends. After the last one the owner may destroy the native stream.
  // Later work and questions go without it.
  virtual void endImport() {}

 protected:
  // By the thread that is about to pass a point of the submission `serial`, or to run a task that tells others. Others see the
  // point or the task only after this store, so that they see the store as well. `completed` follows without a wait.
  void announce(uint64_t serial) { announced_.store(serial, std::memory_order_release); }
  // Where the driver passes points: asks it about the record that the submission `serial` was, and advances `completed`.
  virtual bool askRecord(uint64_t) { return false; }

 private:
  std::atomic<uint64_t> announced_{0};
};

}  // namespace manyrt::backend
