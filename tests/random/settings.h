// Settings of a run of the random driver, from its command line, and the rules of the library that it relies on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rtrandom {

struct Settings {
  uint64_t seed = 0;
  uint64_t seconds = 10;
  uint64_t steps = 0;  // of each thread; 0: until the time is over
  unsigned threads = 1;
  unsigned patience = 60;                      // seconds that a call may take
  std::vector<std::string> devices = {"cpu"};  // the first one's contexts are the most frequent

  // The command line of this run, without its limit of time.
  std::string repeat() const;
};

Settings& settings();

// Rules that are still on their way into the library: each is relied on, and so tested, where it is true.
inline constexpr bool kPageableSourcesReadAtOnce = true;  // a pageable source may change when rtMemcpyAsync has returned
inline constexpr bool kQueriesFollowEvents = true;        // a stream whose last event was waited for is complete
inline constexpr bool kUnregisterFollowsGraphs = true;    // a range is free once the graphs that named it are gone
inline constexpr bool kMemsetFindsTheOwner = true;        // rtMemset of host memory runs in the context that owns it
inline constexpr bool kReleaseFunctionsMayCall = true;    // rt functions are called in release functions

}  // namespace rtrandom
