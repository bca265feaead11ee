// Builds that several threads ask for at once: one of them builds, all get what it got, and no failure is kept.
#include "base/single_flight.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace manyrt {
namespace {

using Digest = std::array<unsigned char, 32>;

class SingleFlightTest : public testing::Test {
 protected:
  template <typename Build>
  Status ask(std::string* result, Build build, unsigned char which = 0) {
    Digest key{};
    key[0] = which;
    const auto kept = [&](std::string* found) {
      *found = kept_[which];
      return !found->empty();
    };
    return flights_.run(result, key, kept, build, [&](const std::string& made) { kept_[which] = made; });
  }
  SingleFlight<std::string, Digest> flights_;
  std::string kept_[256];
};

TEST_F(SingleFlightTest, WhatIsKeptIsNotBuiltAgain) {
  int builds = 0;
  const auto build = [&](std::string* made) {
    *made = std::to_string(++builds);
    return Status();
  };
  std::string first, second, other;
  EXPECT_TRUE(ask(&first, build).ok());
  EXPECT_TRUE(ask(&second, build).ok());
  EXPECT_TRUE(ask(&other, build, 1).ok());
  EXPECT_EQ(first, "1");
  EXPECT_EQ(second, "1");
  EXPECT_EQ(other, "2");
}

TEST_F(SingleFlightTest, AFailureIsToldAndTheNextOneBuildsAgain) {
  std::string result;
  const Status failed = ask(&result, [](std::string* made) {
    *made = "a log";
    return Status::bare(RT_ERROR_BUILD_FAILED);
  });
  EXPECT_EQ(failed.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(result, "a log");
  result.clear();
  EXPECT_TRUE(ask(&result, [](std::string* made) {
                *made = "good";
                return Status();
              }).ok());
  EXPECT_EQ(result, "good");
}

TEST_F(SingleFlightTest, AnExceptionGoesToTheBuilderAndTheNextOneBuildsAgain) {
  std::string result;
  EXPECT_THROW((void)ask(&result, [](std::string*) -> Status { throw std::runtime_error("gone"); }), std::runtime_error);
  EXPECT_TRUE(ask(&result, [](std::string* made) {
                *made = "good";
                return Status();
              }).ok());
}

TEST_F(SingleFlightTest, ThreadsThatAskAtOnceShareOneBuild) {
  constexpr int kThreads = 8;
  std::atomic<int> builds{0};
  std::atomic<int> here{0};
  std::vector<std::string> results(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      here.fetch_add(1);
      const Status status = ask(&results[static_cast<size_t>(i)], [&](std::string* made) {
        builds.fetch_add(1);
        while (here.load() < kThreads) std::this_thread::yield();  // all threads are on the way
        *made = "one";
        return Status();
      });
      EXPECT_TRUE(status.ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(builds.load(), 1);
  for (const std::string& result : results) EXPECT_EQ(result, "one");
}

// Two callers that each build several, with the same keys in other orders: each lands its own before it waits.
TEST_F(SingleFlightTest, CallersOfSeveralBuildsLandTheirOwnBeforeTheyWait) {
  using Flights = SingleFlight<std::string, Digest>;
  constexpr unsigned char kKeys = 16;
  std::atomic<int> builds{0};
  const auto call = [&](bool backwards) {
    std::vector<std::pair<Digest, Flights::Ticket>> own, others;
    for (unsigned char i = 0; i < kKeys; ++i) {
      Digest key{};
      key[0] = backwards ? static_cast<unsigned char>(kKeys - 1 - i) : i;
      std::string result;
      Flights::Ticket ticket;
      const auto kept = [&](std::string* found) {
        *found = kept_[key[0]];
        return !found->empty();
      };
      switch (flights_.begin(&ticket, &result, key, kept)) {
        case Flights::Start::kKept:
          EXPECT_EQ(result, std::to_string(key[0]));
          break;
        case Flights::Start::kOwn:
          own.emplace_back(key, ticket);
          break;
        case Flights::Start::kOthers:
          others.emplace_back(key, ticket);
          break;
      }
    }
    for (auto& [key, ticket] : own) {
      ++builds;
      ticket->result = std::to_string(key[0]);
      flights_.land(*ticket, key, Status(), [&, at = key[0]](const std::string& made) { kept_[at] = made; });
    }
    for (auto& [key, ticket] : others) {
      std::string result;
      EXPECT_TRUE(flights_.await(&result, *ticket).ok());
      EXPECT_EQ(result, std::to_string(key[0]));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(call, i % 2 != 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(builds, kKeys);
}

// A thread that begins a build twice builds once, and can await the second once it has landed the first.
TEST_F(SingleFlightTest, TheSameKeyTwiceInOneCallIsOneBuild) {
  using Flights = SingleFlight<std::string, Digest>;
  const Digest key{};
  std::string result;
  Flights::Ticket own, again;
  const auto none = [](std::string*) { return false; };
  ASSERT_EQ(flights_.begin(&own, &result, key, none), Flights::Start::kOwn);
  ASSERT_EQ(flights_.begin(&again, &result, key, none), Flights::Start::kOthers);
  own->result = "made";
  flights_.land(*own, key, Status::bare(RT_ERROR_TIMEOUT), [](const std::string&) { FAIL() << "a failure is kept"; });
  EXPECT_EQ(flights_.await(&result, *again).code(), RT_ERROR_TIMEOUT);
  EXPECT_EQ(result, "made");
}

}  // namespace
}  // namespace manyrt
