// Ranks of this process in a communicator that has ranks of other processes too. They start one by one by NCCL's own id, and
// NCCL alone knows the others. Communicators of NCCL do not block here: a start can be given up, and an abort meets no call.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/nccl/library.h"

namespace manyrt::comm::nccl {

// NCCL's id. False, with zeros: there is no NCCL, no CUDA device, or RT_COMM_ENGINE wants another engine.
bool makeId(NativeId* id);

// The start of one rank. Dropped before it is taken, it is aborted.
class Start {
 public:
  static Status begin(std::unique_ptr<Start>* start, const NativeId& id, int32_t rank, int32_t size, const Place& place);
  explicit Start(const Library& library) : library_(library) {}
  ~Start();
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  // Whether the rank has met all others. A failure is that of NCCL.
  Status look(bool* done);
  NativeComm* take();

 private:
  const Library& library_;
  NativeComm* comm_ = nullptr;
};

// Members for the ranks that have started, by rank; null for those of other processes.
Status createAmong(std::vector<std::shared_ptr<Communicator>>* members, std::vector<std::unique_ptr<Start>> starts,
                   const std::vector<Place>& places, const Settings& settings);

}  // namespace manyrt::comm::nccl
