// The sends and receives of one batch. They go on together, piece by piece, whenever the rank waits; messages from one rank to
// another keep their order. A piece is copied to the channel and from there, so that no rank reads another's own memory.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/shared_memory/rank.h"

namespace manyrt::comm::shared_memory {

class Points {
 public:
  explicit Points(Rank& rank) : rank_(rank) {}
  void add(const Operation& operation);  // borrowed until the batch ends

  bool empty() const { return points_.empty(); }
  // Goes as far as it can without waiting. A failure is kept for finish(), and nothing goes on from there.
  void progress();
  bool failed() const { return !status_.ok(); }
  const Status& status() const { return status_; }
  Status finish();  // until all are over

 private:
  struct Point {
    const Operation* operation;
    uint64_t moved = 0;  // bytes
    uint64_t end = 0;    // of a send whose pieces are all written: how many the peer has then read
    bool whole = false;  // all pieces are written, or read
    bool over = false;
  };

  Status advance(Point& point);
  Status send(Point& point, uint64_t bytes);
  Status receive(Point& point, uint64_t bytes);

  Rank& rank_;
  std::vector<Point> points_;
  std::vector<bool> sending_, receiving_;  // by peer: its next message is not whole; empty without points
  Status status_;
};

}  // namespace manyrt::comm::shared_memory
