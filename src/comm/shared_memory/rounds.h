// A collective that is too long for the slots, in rounds. In each the ranks fill their windows with a piece of what they send,
// and take from the windows of the others what they receive. A window for the next round is filled before the present one is
// read, so that ranks seldom wait for each other.
//
// A reduction is cut into chunks, and each chunk into a part for each rank. A rank reduces its part of all operands, in the
// order of the ranks, and gives the result to all by a second window (kResults). So every rank has the same bits.
#pragma once

#include "comm/shared_memory/rank.h"

namespace manyrt::comm::shared_memory {

class Rounds {
 public:
  Rounds(Rank& rank, const Operation& operation, uint64_t number);
  Status fillFirst();  // ahead of the meeting, which tells of it, or after it
  Status run();        // after the meeting

 private:
  // Elements of a part of the present chunk.
  struct Part {
    uint64_t first;
    uint64_t count;
  };

  bool hasResults() const { return of_.kind == Kind::kAllReduce || of_.kind == Kind::kReduce; }
  bool sendsToEach() const;
  bool fills() const;
  bool takesFrom(int32_t other) const;
  Part part(uint64_t round, int32_t rank) const;
  uint64_t count(uint64_t round) const;  // elements of each rank, where the operation has no chunks
  char* window(int32_t rank, LaneIndex lane, uint64_t round) const;
  char* partFor(int32_t rank, int32_t receiver, uint64_t round) const;

  Status fill(uint64_t round);
  Status take(uint64_t round);
  Status reduce(uint64_t round, const Part& own, const void* source, void* target);
  Status takeResults(uint64_t round);
  Status awaitFree(LaneIndex lane, uint64_t round);
  Status awaitWritten(LaneIndex lane, int32_t other, uint64_t round);
  void written(LaneIndex lane, uint64_t round);
  void read(LaneIndex lane, uint64_t round);
  int32_t slowest() const;

  Rank& rank_;
  const Operation& of_;
  Segment& segment_;
  const uint64_t element_;  // bytes
  const int32_t me_, size_;
  const uint64_t number_;  // of the collective
  uint64_t piece_ = 0;     // elements of a part, or of a window, at most
  uint64_t rounds_ = 0;
};

}  // namespace manyrt::comm::shared_memory
