// Points of the CPU: pooled, and a thread that waits for one runs the stream that will pass it. Streams complete them;
// contexts hand them out. They outlive their context where an event is kept: the pool is counted.
#pragma once

#include <unordered_set>

#include "backends/cpu/stream.h"
#include "backends/point.h"
#include "base/lock_order.h"

namespace manyrt::cpu {

class PointPool;

class Point final : public backend::Point {
 public:
  bool wait(Deadline deadline, backend::WaitPolicy policy) override;

  bool timed() const { return timed_; }
  // The stream that will pass it, from its record until then.
  void expect(Ref<Stream> source, uint64_t serial);
  Ref<Stream> source(uint64_t* serial);
  void pass(Status status);

 private:
  friend class PointPool;
  void recycle() override;

  Ref<PointPool> pool_;  // while in use
  Ranked<SpinLock, LockRank::kCpuPointSource> source_lock_;
  Ref<Stream> source_;
  uint64_t serial_ = 0;
  bool timed_ = false;
  Point* next_ = nullptr;  // among the free ones
};

class PointPool final : public RefCounted {
 public:
  ~PointPool() override;
  Status create(Ref<backend::Point>* point, bool timed);
  Ref<backend::Point> find(uint64_t address);
  backend::Counts counts();

 private:
  friend class Point;
  void give(Point* point);

  static constexpr uint32_t kMaxFree = 4096;
  Ranked<SpinLock, LockRank::kCpuFreePoints> lock_;  // of the free list
  Point* free_ = nullptr;
  uint32_t free_count_ = 0;
  uint64_t recycled_ = 0, given_ = 0;  // so far, under the lock
  Ranked<std::mutex, LockRank::kCpuPoints> all_mutex_;
  std::unordered_set<Point*> all_;  // in use or free
  uint64_t made_ = 0;               // so far, under its mutex
};

}  // namespace manyrt::cpu
