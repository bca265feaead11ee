// How the sentences of failures name several ranks: those that did not come to a communicator, in this process or in others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::comm {

// "rank 1", "ranks 1 and 3", "ranks 1, 2 and 5".
inline std::string namesOf(const std::vector<int32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

}  // namespace manyrt::comm
