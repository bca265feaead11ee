// A tree of the ranks, by which what one of them knows comes to all: each tells its neighbours, which tell theirs. So a rank
// sends three messages at most, however many ranks there are. The way to each is as long as the tree is high. Without one rank
// the tree falls into parts, and each part has a neighbour of that rank.
#pragma once

#include <cstdint>
#include <vector>

namespace manyrt::comm::mpi {

// The parent and the children of a rank.
inline std::vector<int32_t> neighboursOf(int32_t rank, int32_t size) {
  std::vector<int32_t> ranks;
  if (rank > 0) ranks.push_back((rank - 1) / 2);
  for (int64_t child = 2 * int64_t{rank} + 1; child <= 2 * int64_t{rank} + 2 && child < size; ++child) {
    ranks.push_back(static_cast<int32_t>(child));
  }
  return ranks;
}

}  // namespace manyrt::comm::mpi
