// How the sentences of failures name several ranks: those that did not come to a communicator, in this process or in others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::comm {

// "rank 1", "ranks 1 and 3", "ranks 1, 2 and 5 to 9"; of more than eight parts the first, and how many ranks there are more.
// `ranks` are in order.
inline std::string namesOf(const std::vector<int32_t>& ranks) {
  constexpr size_t kMostParts = 8;
  std::vector<std::string> parts;
  size_t named = 0;
  while (named < ranks.size() && parts.size() < kMostParts) {
    size_t end = named + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - named < 3) end = named + 1;  // "1, 2" is as short as "1 to 2"
    parts.push_back(std::to_string(ranks[named]) + (end - named > 1 ? " to " + std::to_string(ranks[end - 1]) : ""));
    named = end;
  }
  if (named < ranks.size()) parts.push_back(std::to_string(ranks.size() - named) + " more");
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace manyrt::comm
