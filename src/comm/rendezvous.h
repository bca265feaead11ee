// Ranks that are made one by one, by threads of this process. They meet by their id, and the last one makes the communicator
// for all, as rtCommCreateAll does. In two steps, so that one thread can bring several ranks before it waits.
#pragma once

#include <memory>

#include "comm/communicator.h"
#include "comm/unique_id.h"

namespace manyrt::comm {

struct Gathering;

// The seat of a rank that has come. Dropped before its rank is taken, it is free again, unless the communicator is being made.
class Seat {
 public:
  Seat(std::shared_ptr<Gathering> gathering, int32_t rank, uint64_t timeout_ns)
      : gathering_(std::move(gathering)), rank_(rank), timeout_ns_(timeout_ns) {}
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  void taken() { seated_ = true; }  // the gathering counts it
  // Waits until all ranks have come, and takes this one.
  Status take(std::shared_ptr<Communicator>* made);

 private:
  Status late() const;  // the time has passed; under the lock

  const std::shared_ptr<Gathering> gathering_;
  const int32_t rank_;
  const uint64_t timeout_ns_;
  bool seated_ = false;
};

Status checkSeat(int32_t rank, int32_t size);

// Whether ranks of several processes can meet by the id, of which one is at this place, and this process has what joins them.
Status checkAmongProcesses(const rtCommUniqueId_t& id, const Place& place);

// Errors of this rank alone are not reported to the others: they wait for one that is right. `elsewhere`: the other ranks are
// known to be in other processes, also where this one made the id.
Status come(std::shared_ptr<Seat>* seat, const rtCommUniqueId_t& id, int32_t rank, int32_t size, const Place& place,
            const Settings& settings, bool elsewhere = false);

}  // namespace manyrt::comm
