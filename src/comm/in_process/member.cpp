// A rank's life, its checks, and the order within a batch. Sends are offered first, so that ranks that send to each other meet.
// Then come collectives, in order, and then receives. At last the rank waits until its offers are taken.
#include "comm/in_process/member.h"

#include <algorithm>
#include <deque>
#include <new>
#include <utility>

#include "comm/core_call.h"
#include "comm/guard.h"

namespace manyrt::comm {
Member::Member(std::shared_ptr<Team> team, const Settings& settings, int32_t rank, std::shared_ptr<Monitor> monitor)
    : Communicator(team->place(rank), settings, rank, team->size(), std::move(monitor)),
      team_(std::move(team)),
      rank_(rank),
      kernels_(place().context) {}

Status Member::create(std::shared_ptr<Communicator>* out, std::shared_ptr<Team> team, const Settings& settings, int32_t rank,
                      std::shared_ptr<Monitor> monitor) {
  const auto member = std::make_shared<Member>(std::move(team), settings, rank, std::move(monitor));
  RT_TRY_CORE(rtStreamCreate(&member->stream_, nullptr, member->place().context));
  *out = member;
  return Status();
}

Member::~Member() {
  (void)rtStreamDestroy(stream_);  // stale if the context has ended: nothing to do
  (void)rtFree(scratch_);
  // Last: from now on operations that still expect this rank fail. Its stream and memory are given back before.
  team_->part(rank_);
}

Status Member::check(const Operation& operation, bool captured) {
  if (captured && place().backend == RT_BACKEND_CUDA) {
    return Status::error(RT_ERROR_NOT_SUPPORTED,
                         "A capture on CUDA cannot hold an operation of a communicator of this process: rank %d is there.",
                         rank_);
  }
  if (!reduces(operation.kind)) return Status();
  const std::vector<int32_t>& owners = team_->owners(operation.type);
  if (owners.empty()) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "No device of the communicator runs kernels on %s.", typeName(operation.type));
  }
  // Only owners on a device run kernels. Built here, as a batch must not fail for a compiler.
  if (onHost() || std::find(owners.begin(), owners.end(), rank_) == owners.end()) return Status();
  return kernels_.build(operation.type);
}

Status Member::run(const std::vector<Operation>& operations, const Submission&) {
  // Batches of two streams may run at the same time, but a rank has one stream and one piece of scratch memory.
  const std::lock_guard alone(running_);
  std::deque<Offer> offers;  // their addresses stay
  Status status = withoutThrowing([&] {
    for (const Operation& operation : operations) {
      if (operation.kind != Kind::kSend) continue;
      offers.push_back({&operation});
      // All offers are out before anything is waited for: two ranks that send to each other would wait for ever otherwise.
      team_->offer(offers.back(), rank_);
    }
    return Status();
  });
  for (const Operation& operation : operations) {
    if (status.ok() && isCollective(operation.kind)) status = withoutThrowing([&] { return collective(operation); });
  }
  for (const Operation& operation : operations) {
    if (status.ok() && operation.kind == Kind::kReceive) status = withoutThrowing([&] { return receive(operation); });
  }
  for (Offer& offer : offers) {
    if (status.ok()) status = team_->waitForTaker(offer, rank_);
    // An offer lies on this stack. It may not leave before no other rank can find it.
    if (!status.ok()) team_->takeBack(offer, rank_);
  }
  // Whatever failed, the others wait for this rank's part, and would do so until their time has passed.
  if (!status.ok()) monitor().fail(status, rank_);
  return status;
}

Status Member::receive(const Operation& operation) {
  Offer* offer = nullptr;
  RT_TRY(team_->take(&offer, operation, rank_));
  const uint64_t bytes = operation.count * sizeOf(operation.type);
  Status status = pull(operation.receive, offer->operation->send, bytes, operation.root);
  const Status settled = settle();  // in any case: the sender gives its memory back
  if (status.ok()) status = settled;
  if (!status.ok()) monitor().fail(status, rank_);
  team_->finish(*offer);
  return status;
}

Status Member::collective(const Operation& operation) {
  std::shared_ptr<Meeting> meeting;
  RT_TRY(team_->arrive(&meeting, operation, rank_));
  Status status = withoutThrowing([&] { return work(operation, *meeting); });
  const Status settled = settle();  // in any case: other ranks may give memory back when this one has left
  if (status.ok()) status = settled;
  if (!status.ok()) monitor().fail(status, rank_);
  const Status left = team_->leave(*meeting);
  return status.ok() ? left : status;
}

Status Member::announceSplit(int32_t color, int32_t key, uint64_t* ticket) {
  return team_->announceSplit(color, key, rank_, ticket);
}

Status Member::takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) { return team_->takeSplit(ticket, rank_, made); }

}  // namespace manyrt::comm
