// How often a test repeats what it looks for by chance.
#pragma once

namespace rttest {

// Under a sanitizer each turn takes many times as long, and finds more.
constexpr int repeats(int times) {
#if defined(MANYRT_SANITIZE_ADDRESS) || defined(MANYRT_SANITIZE_THREAD)
  return times / 4;
#else
  return times;
#endif
}

}  // namespace rttest
