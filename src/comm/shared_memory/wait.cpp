// The other ends of a wait, such as failures and missing ranks, and the sentences about them.
#include "comm/shared_memory/wait.h"

#include <cstdio>

#include "comm/sentences.h"

namespace manyrt::comm::shared_memory {

Status Attachment::hear() {
  const Header& of = segment->header();
  if (segment->failed()) {
    int32_t about = -1;
    const Status told = segment->failure(&about);
    monitor->fail(told, about);
  } else if (const uint32_t teller = of.failing.load(std::memory_order_acquire); teller > 1) {
    // A report that has begun and is not there: its writer has nanoseconds to go, or is dead.
    const auto by = static_cast<int32_t>(teller - 2);  // is writing, or died while it wrote
    if (!segment->lives(by) && !segment->failed()) {
      monitor->fail(
          Status::error(RT_ERROR_LAUNCH_FAILED, "The process of rank %d ended when it was about to tell of a failure.", by),
          by);
    }
  }
  return monitor->hasFailed() ? monitor->failure() : Status();
}

void Rank::announceFailure() {
  int32_t about = -1;
  const Status failure = monitor().failure(&about);
  segment_.fail(failure, about, rank());
}

Rank::Want Rank::want(int32_t awaited, const Deadline& deadline) const {
  if (awaited >= 0 && awaited != rank()) {
    const bool lives =
        segment_.lives(awaited);  // asked first: a process that destroys its communicator and ends has parted by then
    if (segment_.post(awaited).parted.load(std::memory_order_seq_cst) != 0) return Want::kParted;
    if (!lives) return Want::kDead;
  }
  return deadline.passed() ? Want::kLate : Want::kNone;
}

Status Rank::condemn(Want want, int32_t awaited, const Subject& subject) {
  const std::string of = name(), within = sentences::within(settings().timeout_ns);
  using Stage = Subject::Stage;
  const bool point = subject.stage == Stage::kSend || subject.stage == Stage::kReceive;
  const char* const what = subject.stage == Stage::kSplit     ? "split"
                           : subject.stage == Stage::kSend    ? "receive"
                           : subject.stage == Stage::kReceive ? "send"
                                                              : "collective";
  Status status;
  if (want == Want::kParted) {
    status = sentences::parted(awaited, of, subject.operation != nullptr && !point ? kindName(subject.operation->kind) : what);
  } else if (want == Want::kDead) {
    status =
        Status::error(RT_ERROR_LAUNCH_FAILED, "The process of rank %d%s ended; rank %d waits for its %s.", awaited, of.c_str(),
                      rank(), subject.operation != nullptr && !point ? kindName(subject.operation->kind) : what);
  } else if (subject.stage == Stage::kSplit) {
    status = sentences::lateForSplit(awaited, of, within, rank());
  } else if (point) {
    status = sentences::lateForPoint(awaited, of, within, rank(), *subject.operation);
  } else {
    status = sentences::lateForCollective(awaited, of, subject.stage == Stage::kMeeting ? "come to" : "end", subject.number,
                                          within, rank(), *subject.operation);
  }
  monitor().fail(status, awaited);
  // Told before this returns: others that wait for this rank hear the cause, and not that it is late.
  announceFailure();
  return monitor().failure();
}

std::string Rank::name() const { return sentences::labelOf(settings().label); }

}  // namespace manyrt::comm::shared_memory
