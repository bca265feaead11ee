// The order in which threads take locks, and what they must not do while they hold one. Builds with MANYRT_CHECK_LOCKS check
// both, and end the process with the names of the two. Other builds compile to the plain locks.
//
// Each lock has a rank, its row in the table. A thread that holds a lock takes only locks of later ranks, so no two threads can
// wait for each other. Reclaiming and calls into the program happen with no lock and no guard held, waits with no guard held.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "base/spin_lock.h"

namespace manyrt {

#define MANYRT_LOCK_RANKS(X)                               \
  X(Library, "library")                                    \
  X(TraceControl, "beginning and end of a trace")          \
  X(DeviceList, "list of devices")                         \
  X(Device, "device")                                      \
  X(ContextStart, "start of a context")                    \
  X(Capture, "capture")                                    \
  X(GraphExec, "graph exec")                               \
  X(Graph, "graph")                                        \
  X(ContextUser, "context's user data")                    \
  X(HostRegistrations, "registrations of host memory")     \
  X(ModuleGlobals, "globals of a module")                  \
  X(Event, "event")                                        \
  X(StagedBytes, "staged bytes")                           \
  X(ContextResourcesList, "list of resources of contexts") \
  X(Pool, "pool")                                          \
  X(ContextResources, "resources of a context")            \
  X(StreamCache, "stream's cache of a pool")               \
  X(RegionUses, "uses of a region")                        \
  X(AllocationRecords, "records of allocations")           \
  X(AllocationLabels, "labels of allocations")             \
  X(AddressMap, "address map")                             \
  X(ImportReleases, "releases of imported memory")         \
  X(DriverMarkers, "markers of a driver's stream")         \
  X(DriverStream, "stream of a driver")                    \
  X(TraceSources, "sources of the trace")                  \
  X(DriverSpans, "spans of a driver's stream")             \
  X(DriverClock, "clock of a driver's device")             \
  X(CudaActivitiesStart, "beginning of CUPTI's records")   \
  X(CudaActivities, "CUPTI's records")                     \
  X(CudaImport, "end of an imported CUDA stream")          \
  X(CudaModules, "CUDA modules")                           \
  X(CudaKernel, "CUDA kernel")                             \
  X(CudaStaging, "CUDA staging")                           \
  X(CudaStagingWork, "work of CUDA staging")               \
  X(CudaCallbacks, "CUDA callbacks")                       \
  X(CudaRanges, "ranges of a CUDA device")                 \
  X(CudaDevice, "CUDA device")                             \
  X(CudaEvents, "CUDA events")                             \
  X(CudaKernelNames, "names of CUDA kernels")              \
  X(ClReplay, "OpenCL replay")                             \
  X(ClAddressUse, "use of OpenCL addresses")               \
  X(ClLaunchOrder, "order of OpenCL launches")             \
  X(ClDevice, "OpenCL device")                             \
  X(ClQueues, "OpenCL queues")                             \
  X(ClHeap, "OpenCL heap")                                 \
  X(ClParts, "parts of OpenCL buffers")                    \
  X(ClHostReads, "OpenCL host reads")                      \
  X(ClAddressWindow, "OpenCL address window")              \
  X(ClSvmTurns, "OpenCL SVM turns")                        \
  X(ClEvents, "OpenCL events")                             \
  X(ClWatch, "watched OpenCL events")                      \
  X(DriverDevice, "contexts of a device")                  \
  X(DriverContext, "streams of a context")                 \
  X(Builds, "builds")                                      \
  X(Background, "builds in the background")                \
  X(CompilerAnswers, "answers of compilers")               \
  X(Compiler, "compiler")                                  \
  X(NvrtcSearch, "search for NVRTC")                       \
  X(Nvrtc, "libraries of NVRTC")                           \
  X(CpuDevice, "CPU device")                               \
  X(CpuContexts, "CPU contexts")                           \
  X(CpuStart, "start of CPU threads")                      \
  X(CpuStreams, "CPU streams")                             \
  X(CpuPoints, "CPU points")                               \
  X(ReservedAddresses, "reserved addresses")               \
  X(HostThreads, "host threads")                           \
  X(TraceTexts, "texts of the trace")                      \
  X(TraceProfile, "profile")                               \
  X(TraceCallback, "callback of the trace")                \
  X(Trace, "trace")                                        \
  X(Log, "log")                                            \
  X(HostWrites, "writes to host memory")                   \
  X(PendingPools, "pools with pending memory")             \
  X(DriverFreePoints, "free points of a driver")           \
  X(ClStreamRecord, "OpenCL stream's record")              \
  X(CpuProducer, "submission to a CPU stream")             \
  X(CpuEngine, "CPU engine")                               \
  X(CpuArenas, "CPU arenas")                               \
  X(CpuFreePoints, "free CPU points")                      \
  X(CpuPointSource, "CPU point's stream")                  \
  X(ContextChildren, "children of a context")              \
  X(Fence, "fence")                                        \
  X(Point, "point")                                        \
  X(SlotTable, "table of handles")                         \
  X(Epoch, "retired objects")

enum class LockRank : uint8_t {
#define MANYRT_LOCK_RANK(name, text) k##name,
  MANYRT_LOCK_RANKS(MANYRT_LOCK_RANK)
#undef MANYRT_LOCK_RANK
};

constexpr LockRank kFirstSpinLock = LockRank::kHostWrites;  // this rank and all later ones are spin locks

namespace lock_order {

#ifdef MANYRT_CHECK_LOCKS
void taking(LockRank rank);  // before a lock is taken, which may have to wait
void took(LockRank rank);
void gave(LockRank rank);
void noneHeld(const char* what);  // neither a lock nor a guard
void mayWait(const char* what);   // neither a guard nor a spin lock
#else
inline void taking(LockRank) {}
inline void took(LockRank) {}
inline void gave(LockRank) {}
inline void noneHeld(const char*) {}
inline void mayWait(const char*) {}
#endif

}  // namespace lock_order

#ifdef MANYRT_CHECK_LOCKS

// A lock with its rank.
template <class Lock, LockRank kRank>
class Ranked {
  static_assert(std::is_same_v<Lock, SpinLock> == (kRank >= kFirstSpinLock));

 public:
  void lock() {
    lock_order::taking(kRank);
    lock_.lock();
    lock_order::took(kRank);
  }
  bool try_lock() {
    if (!lock_.try_lock()) return false;
    lock_order::took(kRank);
    return true;
  }
  void unlock() {
    lock_order::gave(kRank);
    lock_.unlock();
  }
  void lock_shared() {
    lock_order::taking(kRank);
    lock_.lock_shared();
    lock_order::took(kRank);
  }
  void unlock_shared() {
    lock_order::gave(kRank);
    lock_.unlock_shared();
  }

 private:
  friend class ConditionVariable;
  Lock lock_;
};

class ConditionVariable {
 public:
  template <LockRank kRank, class Predicate>
  void wait(std::unique_lock<Ranked<std::mutex, kRank>>& lock, Predicate predicate) {
    Waiting<kRank> waiting(lock);
    condition_.wait(waiting.inner, predicate);
  }
  template <LockRank kRank, class Duration, class Predicate>
  bool wait_for(std::unique_lock<Ranked<std::mutex, kRank>>& lock, Duration duration, Predicate predicate) {
    Waiting<kRank> waiting(lock);
    return condition_.wait_for(waiting.inner, duration, predicate);
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  // The mutex counts as held all the time: the thread takes no lock while it waits, and holds it in the predicate.
  template <LockRank kRank>
  struct Waiting {
    explicit Waiting(std::unique_lock<Ranked<std::mutex, kRank>>& lock) : inner(lock.mutex()->lock_, std::adopt_lock) {}
    ~Waiting() { inner.release(); }
    std::unique_lock<std::mutex> inner;
  };
  std::condition_variable condition_;
};

#else

template <class Lock, LockRank>
using Ranked = Lock;
using ConditionVariable = std::condition_variable;

#endif

}  // namespace manyrt
