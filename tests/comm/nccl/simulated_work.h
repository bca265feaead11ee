// One collective of simulated NCCL as values: what each rank gives, and what becomes of it.
#pragma once

#include <cstddef>
#include <vector>

namespace manyrt::comm::nccl {

enum class What { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter };

struct Work {
  What what;
  const void* send;
  void* receive;
  size_t count;
  int type;
  int reduction;
  int root;
};

int sizeOfType(int type);  // NCCL's number, in bytes

// The part of a rank in memory that has as many bytes for each.
const char* part(const void* memory, size_t bytes, int rank);

// Does the work of all ranks.
void perform(const std::vector<const Work*>& works);

}  // namespace manyrt::comm::nccl
