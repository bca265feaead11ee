// Ranks of other processes, which NCCL does not name: what their hub tells of them, as failures of the communicator.
#include <time.h>

#include "base/clock.h"
#include "comm/guard.h"
#include "comm/nccl/rank.h"
#include "comm/sentences.h"

namespace manyrt::comm::nccl {
namespace {

// A process that has ended may have done its part of all that is in flight: NCCL's kernels end by themselves then.
constexpr int64_t kGrace = 100'000'000;                              // nanoseconds
constexpr int64_t kAnswer = bootstrap::kAnswerTime + 1'000'000'000;  // for the hub
constexpr int64_t kErrorGrace = 500'000'000;                         // for the hub to tell what NCCL's error is

}  // namespace

void Rank::attend(const bootstrap::HubPlace& place) {
  // The functions hold the news and no rank: a reference to the rank would keep it from ever ending.
  const std::shared_ptr<News> news = news_;
  const std::shared_ptr<Monitor> shared = sharedMonitor();
  bootstrap::Hearing hearing;
  hearing.progress = [news] { return news->collectives.load(std::memory_order_relaxed); };
  hearing.ended = [news](int32_t rank) {
    news->ended(rank);
    wakeWatch();
  };
  hearing.left = [news](int32_t rank) {
    news->left(rank);
    wakeWatch();
  };
  hearing.failed = [shared](const Status& failure, int32_t rank) {
    if (failure.ok()) return;
    shared->fail(failure, rank);
    wakeWatch();
  };
  hearing.late = [news](const bootstrap::Late& late) {
    news->late.store(late.rank, std::memory_order_relaxed);
    news->why.store(late.why, std::memory_order_release);
  };
  const Status status =
      withoutThrowing([&] { return bootstrap::Presence::begin(&presence_, place, rank(), size(), std::move(hearing)); });
  // Where rank 0 may be on another host no rank is named then: the sentence of a time-out says so. The hub must be there if it
  // is on this host: without it, rank 0's process is gone.
  if (!status.ok() && place.certain && rank() != 0) news_->ended(0);
}

bool Rank::nameLate(Status* failure, int32_t* about, const Operation& late) {
  if (presence_ == nullptr || !isCollective(late.kind)) return true;
  if (asked_ == 0) {
    asked_ = nowNanoseconds();
    // Once for each time-out. The answer comes on the thread of the presence, and a later look finds it.
    presence_->ask(news_->collectives.load(std::memory_order_relaxed));
    return false;
  }
  const int32_t why = news_->why.load(std::memory_order_acquire);
  if (why == News::kNoAnswer) return nowNanoseconds() - asked_ > kAnswer;
  *about = news_->late.load(std::memory_order_relaxed);
  const std::string label = sentences::labelOf(settings().label), within = sentences::within(settings().timeout_ns);
  switch (static_cast<bootstrap::Why>(why)) {
    case bootstrap::Why::kNone:
      break;
    case bootstrap::Why::kLate:
      *failure = sentences::lateForCollective(*about, label, "come to", news_->collectives.load(std::memory_order_relaxed),
                                              within, rank(), late);
      break;
    case bootstrap::Why::kSilent:
      *failure =
          Status::error(RT_ERROR_TIMEOUT, "Rank %d%s does not answer, and rank %d waited for its %s, which did not end %s.",
                        *about, label.c_str(), rank(), describe(late).c_str(), within.c_str());
      break;
    case bootstrap::Why::kLeft:
      *failure = sentences::parted(*about, label, describe(late).c_str());
      break;
  }
  return true;
}

bool Rank::nameGone(Status* failure, int32_t* about, const Operation& of, int64_t called) const {
  return nowNanoseconds() - called >= kGrace && isGone(failure, about, of, kGrace);
}

bool Rank::nameLeft(Status* failure, int32_t* about, const Operation& of) const {
  const int32_t left = news_->leftFor(of);
  if (left < 0) return false;
  *about = left;
  *failure = sentences::parted(left, sentences::labelOf(settings().label), describe(of).c_str());
  return true;
}

// A launch of a graph is the driver's alone, so that no flight stands for it. A missing rank will not come to it. So from then
// on the watch looks whether the context is at work, and takes that for a wait.
void Rank::beginGraph(const Operation& of, rtStream_t stream) {
  if (presence_ == nullptr) return;
  const std::lock_guard lock(graphs_.mutex);
  if (graphs_.count == 0) addGraphs(*this);
  // A collective names any missing rank; a send names its peer alone.
  if (graphs_.count == 0 || isCollective(of.kind)) graphs_.first = of;
  graphs_.stream = stream;
  ++graphs_.count;
}

void Rank::endGraph() {
  if (presence_ == nullptr) return;
  const std::lock_guard lock(graphs_.mutex);
  if (--graphs_.count == 0) removeGraphs(*this);
}

void Rank::lookAtGraphs() {
  if (!lacksRanks() || monitor().hasFailed()) return;
  Operation first;
  rtStream_t stream = nullptr;
  {
    const std::lock_guard lock(graphs_.mutex);
    const int64_t now = nowNanoseconds();
    if (graphs_.count == 0 || now - graphs_.looked < kGrace) return;
    graphs_.looked = now;
    first = graphs_.first;
    stream = graphs_.stream;
  }
  flights_.probe(first, stream, stream_, [this] { watch(shared_from_this(), own_seat_, seat_); });
}

// A call that NCCL refuses, as when it cannot connect: the hub may tell in a moment which process is gone.
bool Rank::awaitGone(Status* failure, int32_t* about, const Operation& of) const {
  const Deadline deadline = Deadline::after(presence_ == nullptr ? 0 : kErrorGrace);
  const timespec nap = {0, 1'000'000};
  for (;;) {
    if (isGone(failure, about, of, 0)) return true;
    if (deadline.passed() || presence_ == nullptr) return false;
    (void)nanosleep(&nap, nullptr);
  }
}

bool Rank::isGone(Status* failure, int32_t* about, const Operation& of, int64_t nanoseconds) const {
  const int32_t gone = news_->goneFor(of, nanoseconds);
  if (gone < 0) return false;
  *about = gone;
  *failure = Status::error(RT_ERROR_LAUNCH_FAILED, "The process of rank %d%s ended; rank %d waits for its %s.", gone,
                           sentences::labelOf(settings().label).c_str(), rank(), describe(of).c_str());
  return true;
}

bool Rank::errorCounts() {
  if (presence_ == nullptr) return true;
  if (error_since_ == 0) error_since_ = nowNanoseconds();
  // The hub's word names the process that ended, which is a better sentence than NCCL's error.
  return nowNanoseconds() - error_since_ > kErrorGrace;
}

}  // namespace manyrt::comm::nccl
