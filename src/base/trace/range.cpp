// A range is kept with its name while something listens. One that began while nothing did is a number alone. So pushes and pops
// cost little then, and stay in balance where a trace begins in the middle.
#include "base/trace/range.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/trace.h"
#include "base/trace/callback.h"
#include "base/trace/nvtx.h"
#include "base/trace/timeline.h"

namespace manyrt::trace::range {
namespace {

using internal::kRanges;
using internal::kTimeline;
using internal::tells;

struct Open {
  uint64_t depth;
  int64_t begin;
  std::string name;
};

constinit thread_local uint64_t depth = 0;
// How many of the thread's ranges are kept; read first, since the list is made at its first use.
constinit thread_local uint64_t kept = 0;

// Destructors of the thread may push and pop later than that of the list.
constinit thread_local bool is_over = false;
struct Ranges {
  std::vector<Open> open;
  ~Ranges() {
    is_over = true;
    kept = 0;
  }
};
thread_local Ranges ranges;

}  // namespace

void push(const char* name) {
  if (tells(kTimeline | kRanges) && !is_over) [[unlikely]] {
    const int64_t now = nowNanoseconds();
    ranges.open.push_back({depth + 1, now, name});
    kept = ranges.open.size();
    ++depth;
    nvtx::push(name);
    if (tells(kRanges)) callback::range(RT_TRACE_RECORD_RANGE_PUSH, name, now, now);
    return;
  }
  ++depth;
  nvtx::push(name);
}

bool pop() {
  if (depth == 0) return false;
  nvtx::pop();
  const uint64_t ended = depth--;
  if (kept == 0 || ranges.open.back().depth != ended) return true;
  const Open range = std::move(ranges.open.back());
  ranges.open.pop_back();
  kept = ranges.open.size();
  const int64_t now = nowNanoseconds();
  if (tells(kTimeline)) timeline::span("range", range.name.c_str(), "", range.begin, now);
  if (tells(kRanges)) callback::range(RT_TRACE_RECORD_RANGE_POP, range.name.c_str(), range.begin, now);
  return true;
}

void mark(const char* name) {
  nvtx::mark(name);
  if (!tells(kTimeline | kRanges)) return;
  const int64_t now = nowNanoseconds();
  if (tells(kTimeline)) timeline::mark("mark", name, "");
  if (tells(kRanges)) callback::range(RT_TRACE_RECORD_MARK, name, now, now);
}

}  // namespace manyrt::trace::range
