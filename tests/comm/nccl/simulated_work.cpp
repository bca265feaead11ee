// The arithmetic is that of the library's host reductions.
#include "comm/nccl/simulated_work.h"

#include <cstring>

#include "comm/host_reduction.h"
#include "rt_comm.h"

namespace manyrt::comm::nccl {
namespace {

int typeOf(int type) {
  static constexpr int types[] = {RT_COMM_I8,  RT_COMM_U8,  RT_COMM_I32, RT_COMM_U32, RT_COMM_I64,
                                  RT_COMM_U64, RT_COMM_F16, RT_COMM_F32, RT_COMM_F64, RT_COMM_BF16};
  return types[type];
}
int reductionOf(int reduction) {
  static constexpr int reductions[] = {RT_COMM_SUM, RT_COMM_PRODUCT, RT_COMM_MAXIMUM, RT_COMM_MINIMUM, RT_COMM_AVERAGE};
  return reductions[reduction];
}

}  // namespace

int sizeOfType(int type) {
  static constexpr int sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}

const char* part(const void* memory, size_t bytes, int rank) {
  return static_cast<const char*>(memory) + bytes * static_cast<size_t>(rank);
}

// The last rank does the work of all.
void perform(const std::vector<const Work*>& works) {
  const Work& first = *works.front();
  const int size = static_cast<int>(works.size());
  const auto element = static_cast<size_t>(sizeOfType(first.type));
  const size_t bytes = first.count * element;
  if (first.what == What::kBroadcast) {
    for (const Work* work : works) memmove(work->receive, works[static_cast<size_t>(first.root)]->send, bytes);
    return;
  }
  const bool gathers = first.what == What::kAllGather;
  const size_t all = first.what == What::kAllReduce || first.what == What::kReduce ? bytes : bytes * works.size();
  std::vector<char> result(all == 0 ? 1 : all);
  if (gathers) {
    for (int rank = 0; rank < size; ++rank)
      memcpy(&result[bytes * static_cast<size_t>(rank)], works[static_cast<size_t>(rank)]->send, bytes);
  } else {
    const int type = typeOf(first.type), reduction = reductionOf(first.reduction);
    memcpy(result.data(), first.send, all);
    for (int rank = 1; rank < size; ++rank) {
      combineOnHost(type, reduction, result.data(), result.data(), works[static_cast<size_t>(rank)]->send, all / element);
    }
    if (reduction == RT_COMM_AVERAGE) divideOnHost(type, result.data(), all / element, static_cast<uint32_t>(size));
  }
  for (int rank = 0; rank < size; ++rank) {
    const Work& work = *works[static_cast<size_t>(rank)];
    if (first.what == What::kReduce && rank != first.root) continue;
    if (first.what == What::kReduceScatter) {
      memcpy(work.receive, part(result.data(), bytes, rank), bytes);
    } else {
      memcpy(work.receive, result.data(), all);
    }
  }
}

}  // namespace manyrt::comm::nccl
