// How far words are apart, for messages that name the word that may have been meant.
#include "base/text.h"

#include <algorithm>

namespace manyrt {

// Three rows of the table of Damerau and Levenshtein: each element is the distance of two beginnings.
size_t lettersApart(std::string_view one, std::string_view other) {
  constexpr size_t kMost = 63;
  if (one.size() > kMost || other.size() > kMost) return kMost;
  size_t rows[3][kMost + 1];
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= one.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= other.size(); ++j) {
      const size_t differs = one[i - 1] == other[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + differs});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    size_t* const free_row = before;
    before = last;
    last = now;
    now = free_row;
  }
  return last[other.size()];
}

}  // namespace manyrt
