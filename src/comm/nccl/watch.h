// The thread that watches what NCCL has in flight. NCCL's work waits on the device for the other ranks, where no clock ends it.
// So every submission stands between two events. The thread looks at them, at NCCL's asynchronous errors, and at the failure of
// the communicator, and ends what hangs by NCCL's abort.
#pragma once

#include <atomic>
#include <list>
#include <memory>

#include "comm/operation.h"
#include "rt_comm.h"

namespace manyrt::comm::nccl {

class Rank;

// How far the host has come with a submission. Written by the thread that calls NCCL, read by the watch.
struct Progress {
  std::atomic<int64_t> called{0};  // when NCCL was called; 0: not yet
  std::atomic<bool> returned{false};
};

// One submission in flight. It keeps its rank: when the last one is gone, the rank may end.
struct Flight {
  std::shared_ptr<Rank> rank;
  std::shared_ptr<Progress> progress;
  rtStream_t stream = nullptr;
  rtEvent_t begin = nullptr;
  rtEvent_t end = nullptr;
  Operation first{};  // for messages
  int64_t begun = 0;  // when the stream was seen to have come to it; 0: not yet
  bool told = false;  // its stream has been given the failure
};

using Flights = std::list<Flight>;  // one goes from list to list without memory being taken

void prepareWatch();      // before the first rank; NCCL is loaded
bool processEnds();       // NCCL and the driver take no calls any more
void watch(Flights one);  // takes no memory
void wakeWatch();         // a communicator has failed: look at once

}  // namespace manyrt::comm::nccl
