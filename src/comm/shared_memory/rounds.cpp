// The order of a round: fill the window of the next round, take from this one, and give the result; then take the results of
// the round before. A window is filled again when all ranks have read it.
#include "comm/shared_memory/rounds.h"

#include <algorithm>
#include <cstring>

#include "comm/host_reduction.h"
#include "comm/shared_memory/wait.h"

namespace manyrt::comm::shared_memory {
namespace {

constexpr uint64_t kBlock = 16 * 1024;  // bytes that are reduced and handed on while they are in a core's cache

// NULL, as a rank gives it for what only the root has, stays NULL.
char* at(void* base, uint64_t bytes) { return base == nullptr ? nullptr : static_cast<char*>(base) + bytes; }
const char* at(const void* base, uint64_t bytes) { return base == nullptr ? nullptr : static_cast<const char*>(base) + bytes; }

}  // namespace

Rounds::Rounds(Rank& rank, const Operation& operation, uint64_t number)
    : rank_(rank),
      of_(operation),
      segment_(rank.segment_),
      element_(sizeOf(operation.type)),
      me_(rank.rank()),
      size_(rank.size()),
      number_(number) {
  const uint64_t windows = sendsToEach() || hasResults() ? static_cast<uint64_t>(std::max(1, size_ - 1)) : 1;
  // Whole cache lines: two ranks never write to one line of a window.
  piece_ = segment_.layout().windowBytes() / windows / kLine * kLine / element_;
  const uint64_t whole = hasResults() ? piece_ * static_cast<uint64_t>(size_) : piece_;
  // The same at all ranks: each waits for the others in every round.
  rounds_ = of_.count / whole + (of_.count % whole != 0 ? 1 : 0);
}

bool Rounds::sendsToEach() const {
  return of_.kind == Kind::kReduceScatter || of_.kind == Kind::kAllToAll || of_.kind == Kind::kScatter;
}

bool Rounds::fills() const {
  if (of_.kind == Kind::kBroadcast || of_.kind == Kind::kScatter) return me_ == of_.root;
  return of_.kind != Kind::kGather || me_ != of_.root;
}

bool Rounds::takesFrom(int32_t other) const {
  if (other == me_) return false;
  if (of_.kind == Kind::kBroadcast || of_.kind == Kind::kScatter) return other == of_.root;
  return of_.kind != Kind::kGather || me_ == of_.root;
}

// Parts of a chunk begin on cache lines of their own; the last ones of a short chunk may be empty.
Rounds::Part Rounds::part(uint64_t round, int32_t rank) const {
  const auto ranks = static_cast<uint64_t>(size_);
  const uint64_t begin = round * piece_ * ranks, length = std::min(piece_ * ranks, of_.count - begin);
  const uint64_t line = kLine / element_;
  const uint64_t share = ((length + ranks - 1) / ranks + line - 1) / line * line;
  const uint64_t first = std::min(length, share * static_cast<uint64_t>(rank));
  return {begin + first, std::min(share, length - first)};
}

uint64_t Rounds::count(uint64_t round) const { return std::min(piece_, of_.count - round * piece_); }

char* Rounds::window(int32_t rank, LaneIndex lane, uint64_t round) const {
  return segment_.window(rank, lane, rank_.rounds_[lane] + round);
}

// A rank has no part for itself in its window.
char* Rounds::partFor(int32_t rank, int32_t receiver, uint64_t round) const {
  const int32_t index = receiver < rank ? receiver : receiver - 1;
  return window(rank, kOperands, round) + static_cast<uint64_t>(index) * piece_ * element_;
}

// ---- Waiting ----

void Rounds::written(LaneIndex lane, uint64_t round) {
  segment_.post(me_).lanes[lane].written.store(rank_.rounds_[lane] + round + 1, std::memory_order_seq_cst);
}

void Rounds::read(LaneIndex lane, uint64_t round) {
  segment_.post(me_).lanes[lane].read.store(rank_.rounds_[lane] + round + 1, std::memory_order_seq_cst);
}

// The rank that has come least far: others may wait for it, too.
int32_t Rounds::slowest() const {
  int32_t last = me_;
  uint64_t least = UINT64_MAX;
  for (int32_t step = 1; step < size_; ++step) {
    const int32_t other = (me_ + step) % size_;
    uint64_t progress = 0;
    for (const Lane& lane : segment_.post(other).lanes) {
      progress += lane.written.load(std::memory_order_acquire) + lane.read.load(std::memory_order_acquire);
    }
    if (progress < least) least = progress, last = other;
  }
  return last;
}

Status Rounds::awaitFree(LaneIndex lane, uint64_t round) {
  const uint64_t absolute = rank_.rounds_[lane] + round;
  // The first windows have never been used.
  if (absolute < kBuffers) return Status();
  for (int32_t step = 1; step < size_; ++step) {
    const int32_t other = (me_ + step) % size_;
    const std::atomic<uint64_t>& has_read = segment_.post(other).lanes[lane].read;
    RT_TRY(rank_.await(
        {Subject::Stage::kWork, &of_, number_},
        [&] { return has_read.load(std::memory_order_acquire) >= absolute - kBuffers + 1; }, [&] { return slowest(); }));
  }
  return Status();
}

Status Rounds::awaitWritten(LaneIndex lane, int32_t other, uint64_t round) {
  const std::atomic<uint64_t>& has_written = segment_.post(other).lanes[lane].written;
  return rank_.await(
      {Subject::Stage::kWork, &of_, number_},
      [&] { return has_written.load(std::memory_order_acquire) >= rank_.rounds_[lane] + round + 1; },
      [&] { return slowest(); });
}

// ---- Work ----

// A window may be filled before the others have come: its readers of two rounds ago are done.
Status Rounds::fillFirst() { return fill(0); }

Status Rounds::run() {
  for (uint64_t round = 0; round < rounds_; ++round) {
    if (round + 1 < rounds_) {
      // A round ahead, so that the others find their operands when they come to it.
      RT_TRY(fill(round + 1));
      rank_.ringOthers();
    }
    RT_TRY(take(round));
    // Its window may be filled anew from here on.
    read(kOperands, round);
    if (hasResults()) written(kResults, round);
    rank_.ringOthers();
    if (hasResults() && round > 0) RT_TRY(takeResults(round - 1));
  }
  if (hasResults()) {
    RT_TRY(takeResults(rounds_ - 1));
    rank_.rounds_[kResults] += rounds_;
  }
  // Counted over all collectives: the numbers in the segment are never reset, which would need another meeting.
  rank_.rounds_[kOperands] += rounds_;
  return Status();
}

Status Rounds::fill(uint64_t round) {
  // The readers of two rounds ago: a slow one holds up this rank here, and no data is lost.
  RT_TRY(awaitFree(kOperands, round));
  if (fills() && !sendsToEach() && !hasResults()) {
    RT_TRY(rank_.bring(window(me_, kOperands, round), at(of_.send, round * piece_ * element_), count(round) * element_));
  }
  for (int32_t step = 1; step < size_ && fills() && (sendsToEach() || hasResults()); ++step) {
    const int32_t other = (me_ + step) % size_;
    const Part its =
        hasResults() ? part(round, other) : Part{of_.count * static_cast<uint64_t>(other) + round * piece_, count(round)};
    RT_TRY(rank_.bring(partFor(me_, other, round), at(of_.send, its.first * element_), its.count * element_));
  }
  written(kOperands, round);
  return Status();
}

Status Rounds::take(uint64_t round) {
  for (int32_t step = 1; step < size_; ++step) {
    const int32_t other = (me_ + step) % size_;
    if (takesFrom(other)) RT_TRY(awaitWritten(kOperands, other, round));
  }
  const uint64_t elements = hasResults() ? 0 : count(round), bytes = elements * element_, done = round * piece_ * element_;
  const uint64_t whole = of_.count * element_;
  const auto place = [&](int32_t rank) { return whole * static_cast<uint64_t>(rank) + done; };
  switch (of_.kind) {
    case Kind::kAllReduce:
    case Kind::kReduce: {
      const Part own = part(round, me_);
      const bool receives = of_.kind == Kind::kAllReduce || me_ == of_.root;
      // Before the reduction, which writes into the window of results.
      RT_TRY(awaitFree(kResults, round));
      return reduce(round, own, at(of_.send, own.first * element_), receives ? at(of_.receive, own.first * element_) : nullptr);
    }
    case Kind::kReduceScatter:
      return reduce(round, {0, elements}, at(of_.send, place(me_)), at(of_.receive, done));
    case Kind::kBroadcast:
      return rank_.bring(at(of_.receive, done), me_ == of_.root ? at(of_.send, done) : window(of_.root, kOperands, round),
                         bytes);
    case Kind::kScatter:
      return rank_.bring(at(of_.receive, done), me_ == of_.root ? at(of_.send, place(me_)) : partFor(of_.root, me_, round),
                         bytes);
    case Kind::kAllGather:
    case Kind::kGather:
    case Kind::kAllToAll:
      if (of_.kind == Kind::kGather && me_ != of_.root) return Status();
      for (int32_t step = 0; step < size_; ++step) {
        const int32_t other = (me_ + step) % size_;
        const bool to_each = of_.kind == Kind::kAllToAll;
        const void* const from = other == me_ ? at(of_.send, to_each ? place(me_) : done)
                                 : to_each    ? partFor(other, me_, round)
                                              : window(other, kOperands, round);
        RT_TRY(rank_.bring(at(of_.receive, place(other)), from, bytes));
      }
      return Status();
    case Kind::kBarrier:
    case Kind::kSend:
    case Kind::kReceive:
    case Kind::kSplit:
      return Status();
  }
  return Status();
}

// Reduces this rank's part of all operands, block by block, to `target` (null: this rank does not receive it) and to the window
// of results. A device's operand and result stand beside, on the host.
Status Rounds::reduce(uint64_t round, const Part& own, const void* source, void* target) {
  if (own.count == 0) return Status();
  char* const shared = hasResults() ? window(me_, kResults, round) : nullptr;
  const uint64_t bytes = own.count * element_;
  char* to = static_cast<char*>(target);
  if (!rank_.onHost()) {
    rank_.scratch_.resize(std::max<uint64_t>(rank_.scratch_.size(), bytes));
    RT_TRY(rank_.bring(rank_.scratch_.data(), source, bytes));
    source = to = rank_.scratch_.data();  // as in place
  }
  std::vector<const void*>& operands = rank_.operands_;
  operands.resize(static_cast<size_t>(size_));
  for (uint64_t done = 0; done < bytes; done += kBlock) {
    const uint64_t block = std::min(kBlock, bytes - done);
    for (int32_t other = 0; other < size_; ++other) {
      operands[static_cast<size_t>(other)] =
          (other == me_ ? static_cast<const char*>(source) : partFor(other, me_, round)) + done;
    }
    reduceOnHost(of_.type, of_.reduction, to != nullptr ? to + done : shared + done, operands.data(), size_, block / element_);
    // From the cache, where the result has just been made.
    if (to != nullptr && shared != nullptr) memcpy(shared + done, to + done, block);
  }
  return rank_.onHost() || target == nullptr ? Status() : rank_.bring(target, to, bytes);
}

Status Rounds::takeResults(uint64_t round) {
  const bool receives = of_.kind == Kind::kAllReduce || me_ == of_.root;
  for (int32_t step = 1; step < size_ && receives; ++step) {
    const int32_t other = (me_ + step) % size_;
    const Part its = part(round, other);
    RT_TRY(awaitWritten(kResults, other, round));
    RT_TRY(rank_.bring(at(of_.receive, its.first * element_), window(other, kResults, round), its.count * element_));
  }
  read(kResults, round);
  rank_.ringOthers();
  return Status();
}

}  // namespace manyrt::comm::shared_memory
