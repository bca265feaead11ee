// Eight threads that start together, and what their calls may return when another thread destroys what they use. Work is
// bounded by rounds, never by time; under ThreadSanitizer there are fewer.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdint>
#include <initializer_list>
#include <thread>
#include <vector>

#include "rt.h"
#include "support/check.h"

namespace rttest {

inline constexpr int kThreads = 8;
#if defined(MANYRT_SANITIZE_THREAD)
inline constexpr int kRounds = 150;
#elif defined(MANYRT_SANITIZE_ADDRESS)
inline constexpr int kRounds = 400;
#else
inline constexpr int kRounds = 2000;
#endif

// The same small generator in every thread: a failure can be run again.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint32_t below(uint32_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) % bound;
  }

 private:
  uint64_t state_;
};

template <typename Body>
void onThreads(Body body, int count = kThreads) {
  std::barrier start(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (int index = 0; index < count; ++index) {
    threads.emplace_back([&start, &body, index] {
      start.arrive_and_wait();
      body(index);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Counts results that are neither success nor one of the codes that a race may cause.
class Allowed {
 public:
  explicit Allowed(std::initializer_list<rtStatus_t> codes) : codes_(codes) {}

  bool operator()(const char* what, rtStatus_t status) {
    if (status >= 0) return true;
    for (rtStatus_t code : codes_) {
      if (code == status) return false;
    }
    ADD_FAILURE() << what << " returned " << rtGetErrorName(status) << ": " << lastMessage();
    return false;
  }

 private:
  const std::vector<rtStatus_t> codes_;
};

#define CALL(allowed, call) allowed(#call, call)

}  // namespace rttest
