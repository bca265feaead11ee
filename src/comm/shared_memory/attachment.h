// The part of a communicator among processes that ranks of one process share: the memory, the first failure, and splits that
// are being made. Ranks hold it, and so do their graphs.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "comm/shared_memory/segment.h"

namespace manyrt::comm::shared_memory {

// A new communicator that a split makes, as this process knows it.
struct Part {
  std::vector<int32_t> members;                     // ranks of the communicator that is split, by rank in this one
  std::shared_ptr<Segment> segment;                 // null: no member is in this process
  std::vector<std::shared_ptr<Communicator>> made;  // by rank; empty: not yet
};

// One split: a part for each color.
struct SplitOfAll {
  std::map<int32_t, Part> parts;
  std::vector<int32_t> colors;  // by rank
  int32_t taken = 0;            // by ranks of this process
};

struct Attachment {
  Attachment(std::shared_ptr<Segment> of, std::vector<Place> at)
      : monitor(std::make_shared<Monitor>()), segment(std::move(of)), places(std::move(at)) {}

  // Takes over what another process has told. Returns the failure of the communicator, or success.
  Status hear();

  const std::shared_ptr<Monitor> monitor;
  const std::shared_ptr<Segment> segment;
  const std::vector<Place> places;        // by rank; of those of this process alone
  std::mutex splitting;                   // of the next
  std::map<uint64_t, SplitOfAll> splits;  // by number; until all ranks of this process have theirs
};

}  // namespace manyrt::comm::shared_memory
