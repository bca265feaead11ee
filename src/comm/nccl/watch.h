// The thread that watches what NCCL has in flight. It looks at the events around each submission, at NCCL's asynchronous
// errors, and at the communicator's failure. NCCL's abort is its means to end work that hangs.
#pragma once

#include <list>
#include <memory>

namespace manyrt::comm::nccl {

class Rank;

// A rank's place among those that are watched. While it has one, it is kept: when nothing is in flight any more, the rank may
// end.
struct Seat;
using Seats = std::list<Seat>;
struct Seat {
  std::shared_ptr<Rank> rank;  // null: not watched
  Seats* in = nullptr;         // the list that it is in. Under the watch's lock, as the lists are
};

void prepareWatch();  // before the first rank; NCCL is loaded
bool processEnds();   // NCCL and the driver take no calls any more
// A rank has something in flight that the watch does not know of. `own` has the rank's seat, or the watch has it still. Takes
// no memory.
void watch(std::shared_ptr<Rank> rank, Seats& own, Seats::iterator seat);
void wakeWatch();  // a communicator has failed, or a rank is missing: look at once
// Between the two the rank has captured operations. They keep it.
void addGraphs(Rank& rank);
void removeGraphs(Rank& rank);

}  // namespace manyrt::comm::nccl
