// A long all-reduce where each rank may read the memory of the others (process_vm_readv): no copy goes through the windows. A
// rank reads its part of all operands from their owners, and reduces it in the order of the ranks into its own result. Then it
// reads the parts of the others from their results. Nothing is written to another rank's memory. Where a rank has failed,
// another may read what is there no more: that is a failure of the call, and no harm.
#pragma once

#include <atomic>
#include <cstdint>

#include "comm/shared_memory/rank.h"

namespace manyrt::comm::shared_memory {

// A process shows a number and where it has it. Others that read the right one there can read all of its memory. They know the
// process by its true number, and the system permits it.
void showProof(Post& post);
bool readsProof(const Post& post);

class Direct {
 public:
  Direct(Rank& rank, const Operation& operation, uint64_t number);
  Status run();  // after the meeting

 private:
  struct Part {
    uint64_t first;  // byte
    uint64_t bytes;
  };
  Part part(int32_t rank, uint64_t round) const;
  Status reduce(uint64_t round);
  Status takeResults(uint64_t round);
  Status awaitResults(std::atomic<uint64_t> Lane::*progress, int32_t other, uint64_t rounds);
  Status read(void* to, int32_t other, uint64_t address, uint64_t bytes);
  Status failedRead(int32_t other, int error);

  Rank& rank_;
  const Operation& of_;
  Segment& segment_;
  const int32_t me_, size_;
  const uint64_t number_;  // of the collective, which has met
  uint64_t share_ = 0;     // bytes of a rank's part, at most
  uint64_t rounds_ = 0;
};

}  // namespace manyrt::comm::shared_memory
