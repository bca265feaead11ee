// How a rank waits: it looks again and again for a while, and then sleeps until another rank rings its bell. Before it sleeps
// it looks for failures, for ranks that are gone, and at the clock.
//
// No ring is lost. A rank that sleeps says so before it looks for the last time; one that rings has written before it looks for
// sleepers. Both are in one order (seq_cst).
#pragma once

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/os/affinity.h"
#include "base/os/shared_futex.h"
#include "comm/shared_memory/points.h"
#include "comm/shared_memory/rank.h"

namespace manyrt::comm::shared_memory {

// Before a rank sleeps. With a core for each rank it keeps its own; with fewer cores it lets others run.
class Patience {
 public:
  explicit Patience(int32_t ranks) : yields_(ranks > cores()) {}

  // True: look again.
  bool goesOn() {
    if (yields_) {
      (void)sched_yield();
      return ++turns_ < kYields;
    }
    relax();
    if (++turns_ % kTurns != 0) return true;
    const int64_t now = nowNanoseconds();
    if (since_ == 0) since_ = now;
    return now - since_ < kSpinning;
  }
  void rest() { turns_ = 0, since_ = 0; }  // something has come: others may follow soon

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

 private:
  static constexpr int kYields = 50, kTurns = 32;
  static constexpr int64_t kSpinning = 100'000;  // nanoseconds: a sleep and its end take about half
  static int32_t cores() {
    static const auto count = static_cast<int32_t>(processorsAllowed());
    return count;
  }

  const bool yields_;
  int turns_ = 0;
  int64_t since_ = 0;
};

// A thread that is about to sleep, or does.
class Sleeper {
 public:
  Sleeper(Segment& segment, int32_t rank) : header_(segment.header()), post_(segment.post(rank)) {
    rings_ = post_.bell.load(std::memory_order_seq_cst);
    post_.sleeping.fetch_add(1, std::memory_order_seq_cst);
    header_.sleepers.fetch_add(1, std::memory_order_seq_cst);
  }
  ~Sleeper() {
    header_.sleepers.fetch_sub(1, std::memory_order_seq_cst);
    post_.sleeping.fetch_sub(1, std::memory_order_seq_cst);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  // Until the bell rings; kLook at most, since a process that dies rings none.
  void sleep(const Deadline& deadline) const { sharedFutexWait(&post_.bell, rings_, std::min(kLook, deadline.remaining())); }

 private:
  static constexpr int64_t kLook = 20'000'000;  // nanoseconds
  Header& header_;
  Post& post_;
  uint32_t rings_;
};

template <class Ready, class Awaited>
Status Rank::await(const Subject& subject, Ready ready, Awaited awaited) {
  // A split's thread is not the one that runs a batch.
  Points* const points = subject.stage == Subject::Stage::kSplit || points_ == nullptr || points_->empty() ? nullptr : points_;
  const auto over = [&] {
    if (points != nullptr) points->progress();
    return ready() || (points != nullptr && points->failed());
  };
  const auto result = [&] { return points != nullptr ? points->status() : Status(); };
  for (int i = 0; i < 64; ++i) {
    if (over()) return result();
    Patience::relax();
  }
  const Deadline deadline = Deadline::after(settings().timeout_ns);
  Patience patience(size());
  for (;;) {
    if (over()) return result();
    if (patience.goesOn()) continue;
    const Sleeper sleeper(segment_, rank());
    if (over()) return result();
    RT_TRY(attachment_->hear());
    const int32_t of = awaited();
    if (const Want wanted = want(of, deadline); wanted != Want::kNone) {
      if (over()) return result();  // it came before it went
      return condemn(wanted, of, subject);
    }
    sleeper.sleep(deadline);
    patience.rest();
  }
}

}  // namespace manyrt::comm::shared_memory
