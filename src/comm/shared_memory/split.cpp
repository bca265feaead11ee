// Splitting. Each rank says its color and key to all. The first rank of a process that takes a split waits until all have said
// theirs. It brings all ranks of the process to the segments of their parts. One thread may have several ranks, and waits for
// one after the other.
#include <time.h>

#include <algorithm>
#include <utility>

#include "comm/guard.h"
#include "comm/sentences.h"
#include "comm/shared_memory/wait.h"

namespace manyrt::comm::shared_memory {

Status Rank::announceSplit(int32_t color, int32_t key, uint64_t* ticket) {
  RT_TRY(attachment_->hear());
  const std::lock_guard alone(announcing_);
  RT_CHECK_ARG(announced_ - taken_ < kSplits / 2, "Rank %d has %u splits of one communicator in a group, which is the most.",
               rank(), kSplits / 2);
  *ticket = announced_++;
  Split& mine = segment_.post(rank()).splits[*ticket % kSplits];
  mine.color = color;
  mine.key = key;
  // Last, as in Rank::meet().
  mine.number.store(*ticket + 1, std::memory_order_seq_cst);
  ringOthers();
  return Status();
}

Status Rank::takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) {
  const Status status = withoutThrowing([&] { return takePart(ticket, made); });
  {
    const std::lock_guard alone(announcing_);
    // Also after a failure: the place of the split may be used again.
    ++taken_;
  }
  if (status.ok()) return status;
  fail(status);
  return monitor().failure();
}

Status Rank::takePart(uint64_t ticket, std::shared_ptr<Communicator>* made) {
  std::shared_ptr<Segment> segment;
  std::vector<int32_t> members;
  {
    const std::lock_guard alone(attachment_->splitting);
    auto found = attachment_->splits.find(ticket);
    if (found == attachment_->splits.end()) {
      SplitOfAll split;
      RT_TRY(gatherColors(&split, ticket));
      RT_TRY(joinParts(&split, ticket));
      found = attachment_->splits.emplace(ticket, std::move(split)).first;
    }
    const SplitOfAll& split = found->second;
    if (const auto part = split.parts.find(split.colors[own()]); part != split.parts.end()) {
      segment = part->second.segment;
      members = part->second.members;
    }
  }
  if (segment != nullptr) RT_TRY(awaitPart(*segment, members));
  // Let go while the part was waited for: ranks of other parts go on in this process.
  const std::lock_guard alone(attachment_->splitting);
  SplitOfAll& split = attachment_->splits.at(ticket);
  if (segment != nullptr) {
    Part& part = split.parts.at(split.colors[own()]);
    // Once in a process, for all of its ranks in the part.
    if (part.made.empty()) RT_TRY(makePart(&part));
    const auto at = std::find(members.begin(), members.end(), rank()) - members.begin();
    *made = std::move(part.made[static_cast<size_t>(at)]);
  }
  if (++split.taken == segment_.localCount()) attachment_->splits.erase(ticket);
  return Status();
}

Status Rank::gatherColors(SplitOfAll* split, uint64_t number) {
  std::vector<std::pair<int32_t, int32_t>> order;  // key and rank
  for (int32_t other = 0; other < size(); ++other) {
    const Split& its = segment_.post(other).splits[number % kSplits];
    RT_TRY(await(
        {Subject::Stage::kSplit, nullptr, number}, [&] { return its.number.load(std::memory_order_acquire) == number + 1; },
        [&] { return other; }));
    split->colors.push_back(its.color);
    order.emplace_back(its.key, other);
  }
  // By key, and by rank where keys are equal, as MPI has it.
  std::sort(order.begin(), order.end());
  for (const auto& [key, other] : order) {
    const int32_t color = split->colors[static_cast<size_t>(other)];
    if (color != RT_COMM_NO_COLOR) split->parts[color].members.push_back(other);
  }
  return Status();
}

Status Rank::joinParts(SplitOfAll* split, uint64_t number) {
  for (auto& [color, part] : split->parts) {
    for (size_t at = 0; at < part.members.size(); ++at) {
      if (!segment_.isLocal(part.members[at])) continue;
      if (part.segment == nullptr) {
        const std::string name = nameOf(segment_.header().token, number, 1 + static_cast<uint64_t>(color));
        // The name follows from the parent's random bytes: all processes make the same one, and no other communicator does.
        RT_TRY(Segment::open(&part.segment, name, static_cast<int32_t>(part.members.size()), true));
      }
      RT_TRY(part.segment->come(static_cast<int32_t>(at)));
    }
  }
  return Status();
}

// Its ranks are all within their calls: this takes as long as the slowest of their processes.
Status Rank::awaitPart(Segment& part, const std::vector<int32_t>& members) {
  const Deadline deadline = Deadline::after(settings().timeout_ns);
  constexpr timespec kNap = {0, 100'000};
  for (;;) {
    bool complete = false;
    RT_TRY(part.look(&complete));
    if (complete) return Status();
    RT_TRY(attachment_->hear());
    if (deadline.passed()) {
      const std::vector<bool> present = part.present();
      const auto late = std::find(present.begin(), present.end(), false) - present.begin();
      const Status status = sentences::lateForSplit(late < part.size() ? members[static_cast<size_t>(late)] : -1, name(),
                                                    sentences::within(settings().timeout_ns), rank());
      // Else all have come in this moment: the next look finds the part complete.
      if (part.giveUp(status, -1)) return status;
    }
    (void)nanosleep(&kNap, nullptr);
  }
}

Status Rank::makePart(Part* part) {
  std::vector<Place> places;
  for (const int32_t member : part->members) places.push_back(attachment_->places[static_cast<size_t>(member)]);
  return create(&part->made, part->segment, places, settings());
}

}  // namespace manyrt::comm::shared_memory
