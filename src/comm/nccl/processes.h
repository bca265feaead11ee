// Ranks of this process in a communicator that has ranks of other processes too. They start one by one by NCCL's own id, and
// NCCL alone knows the others. A start does not block, so that it can be given up; what it makes blocks, as NCCL's calls then
// need no thread of their own.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "comm/bootstrap/hub.h"
#include "comm/communicator.h"
#include "comm/nccl/library.h"

namespace manyrt::comm::nccl {

// NCCL's id. False, with zeros: there is no NCCL, no CUDA device, or RT_COMM_ENGINE wants another engine.
bool makeId(NativeId* id);

// The start of one rank, on a thread of the library. Dropped before it is taken, it is aborted.
class Start {
 public:
  static Status begin(std::unique_ptr<Start>* start, const NativeId& id, int32_t rank, int32_t size, const Place& place);
  struct Making;
  explicit Start(std::shared_ptr<Making> making) : making_(std::move(making)) {}
  ~Start();
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  // Whether the rank has met all others. A failure is that of NCCL.
  Status look(bool* done);
  NativeComm* take();

 private:
  std::shared_ptr<Making> making_;
};

// Members for the ranks that have started, by rank; null for those of other processes. They come to their hub, if they can
// have one; where that has no address, rank 0 makes it here.
Status createAmong(std::vector<std::shared_ptr<Communicator>>* members, std::vector<std::unique_ptr<Start>> starts,
                   const std::vector<Place>& places, const Settings& settings, const std::optional<bootstrap::HubPlace>& hub);
// The same of communicators of NCCL, which it takes.
Status makeAmong(std::vector<std::shared_ptr<Communicator>>* members, std::vector<NativeComm*> comms,
                 const std::vector<Place>& places, const Settings& settings, const std::optional<bootstrap::HubPlace>& hub);

// The one rank of this process, where it knows that it has no other.
Status createOne(std::shared_ptr<Communicator>* made, std::unique_ptr<Start> start, int32_t rank, int32_t size,
                 const Place& place, const Settings& settings, const std::optional<bootstrap::HubPlace>& hub);

}  // namespace manyrt::comm::nccl
