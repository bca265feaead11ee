// Why the items of a kernel have no lanes: the sentences of build logs and profiles, and the number that rt.h has for each.
#pragma once

#include <string_view>

#include "rt.h"

namespace manyrt::compiler::ir {

#define MANYRT_NO_LANES(X)                                                                                              \
  X(kOptionsForbid, RT_LANES_OPTIONS, "the build's options forbid optimisations")                                       \
  X(kQuickCode, RT_LANES_QUICK, "quick code runs work-items one by one")                                                \
  X(kNoHalves, RT_LANES_HALVES, "it computes with half, of which there are no vectors")                                 \
  X(kNoForm, RT_LANES_NO_FORM, "an operation of it has no form for vectors")                                            \
  X(kCostsMore, RT_LANES_COST, "its work-items one by one are expected to take less time")                              \
  X(kManyBlocks, RT_LANES_BLOCKS, "it has more blocks to jump to than lanes can go through")                            \
  X(kLeftItems, RT_LANES_REST, "they are left by whole vectors in groups of other sizes than those that were launched") \
  X(kNotTried, RT_LANES_NOT_TRIED, "nothing has looked for lanes")

#define MANYRT_NO_LANES_TEXT(name, code, text) inline constexpr char name[] = text;
MANYRT_NO_LANES(MANYRT_NO_LANES_TEXT)
#undef MANYRT_NO_LANES_TEXT

// RT_LANES_* of a sentence above.
constexpr int32_t noLanesCode(std::string_view sentence) {
#define MANYRT_NO_LANES_CODE(name, code, text) \
  if (sentence == name) return code;
  MANYRT_NO_LANES(MANYRT_NO_LANES_CODE)
#undef MANYRT_NO_LANES_CODE
  return RT_LANES_UNKNOWN;
}

}  // namespace manyrt::compiler::ir
