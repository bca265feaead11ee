// The collector of the trace and the profile. Threads tell while it begins and ends; also waits inside waits, kept texts,
// sources, and files that cannot be written.
#include "base/trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/fault.h"
#include "support/json.h"

namespace manyrt {
namespace {

// The two files of a test; the variables that name them are set while it lives.
class Files {
 public:
  Files() {
    setenv("RT_TRACE", timeline_.c_str(), 1);
    setenv("RT_PROFILE", profile_.c_str(), 1);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() {
    unsetenv("RT_TRACE");
    unsetenv("RT_PROFILE");
    std::remove(timeline_.c_str());
    std::remove(profile_.c_str());
  }
  std::string timeline() const { return contents(timeline_); }
  std::string profile() const { return contents(profile_); }

 private:
  static std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  const std::string base_ = testing::TempDir() + "manyrt_collector_" + std::to_string(getpid());
  const std::string timeline_ = base_ + "_timeline.json", profile_ = base_ + "_profile.json";
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The whole number after the first `"name":` that follows `row`; -1: there is none.
long long numberAfter(const std::string& text, const std::string& row, const std::string& name) {
  const size_t begin = text.find(row), at = begin == text.npos ? begin : text.find('"' + name + "\":", begin);
  return at == text.npos ? -1 : atoll(text.c_str() + at + name.size() + 3);
}

trace::Track trackOf(const char* label) {
  trace::Track track;
  trace::renew(&track, "cpu", label);
  return track;
}

trace::Work kernel(const char* name) {
  trace::Work work;
  work.kind = trace::Kind::kKernel;
  work.name = trace::keep(name);
  work.module = trace::keep("a.cl");
  work.tier = "optimized";
  return work;
}

// A call that does nothing.
void told(const char* name) {
  trace::Call call;
  trace::enter(&call, name);
  trace::left(&call, name);
  trace::exit(call, name, RT_SUCCESS);
}

TEST(CollectorTest, BothSinksGetTheSame) {
  const Files files;
  trace::start();
  const trace::Track track = trackOf("a \"label\"");
  trace::work(track, 1, kernel("add"), 1000, 3500);
  trace::work(track, 2, kernel("add"), 4000, 5000);
  trace::Work copy;
  copy.kind = trace::Kind::kCopy;
  copy.copy = 2;  // RT_MEMCPY_HOST_TO_DEVICE
  copy.bytes = 8000;
  trace::work(track, 3, copy, 6000, 8000);
  trace::finish();
  const std::string timeline = files.timeline(), profile = files.profile();
  EXPECT_TRUE(rttest::isJson(timeline)) << timeline;
  EXPECT_TRUE(rttest::isJson(profile)) << profile;
  EXPECT_TRUE(has(timeline, "\"name\":\"add\",\"cat\":\"kernel\"")) << timeline;
  EXPECT_TRUE(has(timeline, "\"ts\":1.000,\"dur\":2.500")) << timeline;
  EXPECT_TRUE(has(timeline, "\"bytes\":8000,\"GB/s\":4.000")) << timeline;
  EXPECT_TRUE(has(timeline, "a \\\"label\\\"")) << timeline;
  EXPECT_EQ(numberAfter(profile, "\"name\":\"add\"", "count"), 2);
  EXPECT_EQ(numberAfter(profile, "\"name\":\"add\"", "total_ns"), 3500);
  EXPECT_EQ(numberAfter(profile, "\"name\":\"add\"", "min_ns"), 1000);
  EXPECT_EQ(numberAfter(profile, "\"name\":\"add\"", "max_ns"), 2500);
  EXPECT_TRUE(has(profile, "\"gb_per_s\":4.000")) << profile;
}

// Launches whose times a device tells later: long ones first and then short ones, of which few are timed. The long ones, all of
// which are, say nothing of those.
TEST(CollectorTest, LaunchesThatAreOnlyCountedAreLikeTheSamplesOfThem) {
  const Files files;
  unsetenv("RT_TRACE");  // a timeline has each launch
  trace::start();
  const trace::Track track = trackOf("a");
  const trace::Row* const row = trace::keep(trace::Row{
      .device = "cpu", .name = trace::keep("late"), .module = trace::keep("a.cl"), .form = nullptr, .is_late = true});
  uint64_t timed = 0;
  const auto launches = [&](int count, int64_t nanoseconds) {
    for (int i = 0; i < count; ++i) {
      trace::Work work = kernel("late");
      work.row = row;
      if (trace::countsLate(&work.is_sample, row)) continue;
      ++timed;
      trace::work(track, 1, work, 0, nanoseconds);
    }
  };
  launches(1000, 200'000);
  EXPECT_EQ(timed, 1000u);
  launches(100'000, 5000);
  EXPECT_LT(timed, 1500u);
  trace::finish();
  const std::string profile = files.profile();
  EXPECT_EQ(numberAfter(profile, "\"name\":\"late\"", "count"), 101'000) << profile;
  EXPECT_EQ(numberAfter(profile, "\"name\":\"late\"", "timed"), static_cast<long long>(timed));
  EXPECT_NEAR(static_cast<double>(numberAfter(profile, "\"name\":\"late\"", "total_ns")), 1000 * 200e3 + 100e3 * 5e3, 5e6);
}

TEST(CollectorTest, WhatIsNoUtf8BecomesQuestionMarks) {
  const Files files;
  trace::start();
  const trace::Track track = trackOf("l\xff\"\\\n\xe2\x82\xac");
  trace::work(track, 1, kernel("k\xed\xa0\x80"), 1000, 3500);
  trace::part("p\x80", 1, 2);
  trace::label(1, (std::string(255, 'a') + "\xe2\x82\xac").c_str());  // is cut before the letter, not inside
  trace::finish();
  const std::string timeline = files.timeline(), profile = files.profile();
  EXPECT_TRUE(rttest::isJson(timeline)) << timeline;
  EXPECT_TRUE(rttest::isJson(profile)) << profile;
  EXPECT_TRUE(has(timeline, "\"l?\\\"\\\\ \xe2\x82\xac\"")) << timeline;
  EXPECT_TRUE(has(timeline, "\"name\":\"k???\"")) << timeline;
  EXPECT_TRUE(has(timeline, "\"name\":\"p?\"")) << timeline;
  EXPECT_TRUE(has(timeline, std::string(255, 'a') + "\"")) << timeline;
  EXPECT_TRUE(has(profile, "\"k???\"")) << profile;
}

size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// More than the queue holds: threads wait for the thread that writes.
TEST(CollectorTest, NothingIsMissingInALongTimelineAndEachThreadsPartIsInOrder) {
  const Files files;
  setenv("RT_PROFILE", "0", 1);
  trace::start();
  constexpr uint64_t kThreads = 4, kEach = 16000;
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([i] {
      const trace::Track track = trackOf(("thread " + std::to_string(i)).c_str());
      const trace::Work work = kernel("add");
      for (uint64_t serial = 1; serial <= kEach; ++serial) {
        trace::Call call;
        trace::enter(&call, "rtLaunchKernel");
        trace::submitted(track, serial);
        trace::left(&call, "rtLaunchKernel");
        trace::work(track, serial, work, static_cast<int64_t>(serial), static_cast<int64_t>(serial) + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  trace::finish();
  const std::string timeline = files.timeline();
  EXPECT_TRUE(rttest::isJson(timeline));
  EXPECT_EQ(countOf(timeline, "\"cat\":\"call\""), kThreads * kEach);
  EXPECT_EQ(countOf(timeline, "{\"ph\":\"s\""), kThreads * kEach);
  EXPECT_EQ(countOf(timeline, "{\"ph\":\"f\""), kThreads * kEach);
  for (uint64_t i = 0; i < kThreads; ++i) {
    const std::string mine = "\"stream\":\"thread " + std::to_string(i) + "\"";
    uint64_t serial = 0;
    for (size_t at = timeline.find(mine); at != timeline.npos; at = timeline.find(mine, at + 1)) {
      const size_t number = timeline.rfind("\"serial\":", at);
      ASSERT_EQ(strtoull(timeline.c_str() + number + 9, nullptr, 10), ++serial);
    }
    EXPECT_EQ(serial, kEach);
  }
}

// A call that submits several pieces of work, and calls inside of calls: each arrow begins in its call.
TEST(CollectorTest, EachSubmissionHasAnArrow) {
  const Files files;
  trace::start();
  const trace::Track track = trackOf("track");
  trace::Call outer, inner;
  trace::enter(&outer, "rtOuter");
  trace::submitted(track, 1);
  trace::submitted(track, 2);
  trace::enter(&inner, "rtInner");
  trace::submitted(track, 3);
  trace::left(&inner, "rtInner");
  trace::submitted(track, 4);
  trace::left(&outer, "rtOuter");
  trace::submitted(track, 5);
  trace::finish();
  const std::string timeline = files.timeline();
  EXPECT_TRUE(rttest::isJson(timeline)) << timeline;
  for (int serial = 1; serial <= 5; ++serial) {
    const std::string id = "\"id\":\"" + std::to_string(track.number) + "." + std::to_string(serial) + "\"";
    EXPECT_EQ(countOf(timeline, id), 1u) << timeline;
  }
}

// The thread that writes finds the disk full; the next event says so.
TEST(CollectorTest, ADiskThatIsFullEndsTheTimelineAndAnotherOneCanBegin) {
  ASSERT_TRUE(trace::startTimeline("/dev/full").ok());
  const trace::Track track = trackOf("label");
  const trace::Work work = kernel("add");
  for (uint64_t serial = 1; trace::enabled() && serial < 10'000'000; ++serial) trace::work(track, serial, work, 0, 1);
  EXPECT_FALSE(trace::enabled());
  EXPECT_EQ(trace::stopTimeline().code(), RT_ERROR_IO);
  EXPECT_EQ(trace::stopTimeline().code(), RT_ERROR_INVALID_VALUE);
  ASSERT_TRUE(trace::startTimeline("/dev/full").ok());  // without an end of the first one
  for (uint64_t serial = 1; trace::enabled() && serial < 10'000'000; ++serial) trace::work(track, serial, work, 0, 1);
  ASSERT_TRUE(trace::startTimeline("/dev/null").ok());
  trace::work(track, 1, work, 0, 1);
  EXPECT_EQ(trace::startTimeline("/dev/null").code(), RT_ERROR_BUSY);
  EXPECT_TRUE(trace::stopTimeline().ok());
}

TEST(CollectorTest, WhereNoThreadCanBeStartedTheOneThatTellsWrites) {
  const Files files;
  ASSERT_TRUE(trace::startTimeline(getenv("RT_TRACE")).ok());
  const trace::Track track = trackOf("label");
  const trace::Work work = kernel("add");
  fault::arm(1, true);
  for (uint64_t serial = 1; serial <= 5000; ++serial) trace::work(track, serial, work, 0, 1);
  EXPECT_GE(fault::disarm(), 1u);
  EXPECT_TRUE(trace::stopTimeline().ok());
  EXPECT_EQ(countOf(files.timeline(), "\"cat\":\"kernel\""), 5000u);
}

TEST(CollectorTest, OffItTellsNothing) {
  EXPECT_FALSE(trace::enabled());
  EXPECT_FALSE(trace::tellsMemory());
  trace::work(trackOf(""), 1, kernel("add"), 0, 1);
  trace::lost();
  trace::finish();
}

// The profile only counts the call, and yet finds the part of it that takes long.
TEST(CollectorTest, WhatTakesLongInACallThatIsOnlyCountedIsNotMissed) {
  const Files files;
  unsetenv("RT_TRACE");
  trace::start();
  constexpr int64_t kLong = 1'000'000'000;  // longer than any interruption of the test
  const auto counted = [](const char* name, auto body) {
    for (uint32_t i = 0; i < trace::Tally::kRow; ++i) trace::Tallies::find(name)->add(1, 0);
    trace::Call call;
    trace::enter(&call, name);
    EXPECT_EQ(call.begin, trace::Call::kCounted);
    body();
    trace::left(&call, name);
    trace::exit(call, name, RT_SUCCESS);
  };
  counted("rtRuns", [] { trace::ranHere(kLong); });
  counted("rtWaitsShortly", [] {
    const trace::Wait waiting(true);
    trace::ranHere(kLong);
  });
  counted("rtWaits", [] {
    const trace::Wait waiting;
    trace::ranHere(kLong);  // its time is that of the wait, which looks at the clock itself
    const int64_t until = nowNanoseconds() + trace::Tally::kShort;
    while (nowNanoseconds() < until) {
    }
  });
  counted("rtNests", [] {
    told("rtInside");
    trace::ranHere(kLong);
  });
  trace::finish();
  const std::string profile = files.profile();
  EXPECT_TRUE(rttest::isJson(profile)) << profile;
  EXPECT_GE(numberAfter(profile, "\"rtRuns\"", "total_ns"), kLong) << profile;
  EXPECT_EQ(numberAfter(profile, "\"rtRuns\"", "waited_ns"), 0) << profile;
  EXPECT_GE(numberAfter(profile, "\"rtWaitsShortly\"", "total_ns"), kLong) << profile;
  EXPECT_EQ(numberAfter(profile, "\"rtWaitsShortly\"", "waited_ns"), kLong) << profile;
  EXPECT_GE(numberAfter(profile, "\"rtWaits\"", "waited_ns"), trace::Tally::kShort) << profile;
  EXPECT_LT(numberAfter(profile, "\"rtWaits\"", "waited_ns"), kLong) << profile;
  EXPECT_GE(numberAfter(profile, "\"rtNests\"", "total_ns"), kLong) << profile;
  EXPECT_LT(numberAfter(profile, "\"rtInside\"", "total_ns"), kLong) << profile;
}

TEST(CollectorTest, WaitsInsideWaitsCountOnce) {
  const Files files;
  trace::start();
  trace::Call waits;
  trace::enter(&waits, "rtWaits");
  const int64_t begin = nowNanoseconds();
  int64_t inner = 0;
  {
    const trace::Wait outer;
    {
      const trace::Wait first;
      const int64_t until = nowNanoseconds() + 1'000'000;
      while (nowNanoseconds() < until) {
      }
      inner = nowNanoseconds() - begin;
    }
    told("rtInside");  // a call of a function of the program, which has a wait of its own
    const trace::Wait second;
  }
  trace::left(&waits, "rtWaits");
  trace::exit(waits, "rtWaits", RT_SUCCESS);
  told("rtDoesNot");
  trace::finish();
  const std::string profile = files.profile();
  const long long waited = numberAfter(profile, "\"rtWaits\"", "waited_ns");
  EXPECT_GE(waited, 1'000'000) << profile;
  EXPECT_LE(waited, numberAfter(profile, "\"rtWaits\"", "total_ns")) << profile;
  EXPECT_GT(inner, 0);
  EXPECT_EQ(numberAfter(profile, "\"rtInside\"", "waited_ns"), 0) << profile;
  EXPECT_EQ(numberAfter(profile, "\"rtDoesNot\"", "waited_ns"), 0) << profile;
}

TEST(CollectorTest, ATextIsKeptOnce) {
  const std::string one = "kernel of a test", other = one;
  EXPECT_EQ(trace::keep(one.c_str()), trace::keep(other.c_str()));
  EXPECT_STREQ(trace::keep(one.c_str()), one.c_str());
  EXPECT_STREQ(trace::keep(""), "");
}

TEST(CollectorTest, ThreadsTellWhileItBeginsAndEnds) {
  const Files files;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      trace::Track track = trackOf("shared");
      for (uint64_t serial = 1; !stop.load(); ++serial) {
        const int64_t now = nowNanoseconds();
        {
          const trace::Wait wait;
          const trace::BuildStep step("front end", "a.cl");
        }
        trace::submitted(track, serial);
        trace::work(track, serial, kernel(i % 2 == 0 ? "even" : "odd"), now, nowNanoseconds());
        trace::part("even", now, nowNanoseconds());
        trace::memory(trace::Memory::kAllocate, 1, serial, 1, track.number);
        trace::clock("cpu", 500);
        trace::lost();
        if (trace::enabled()) told("rtLaunchKernel");
        if (serial % 64 == 0) trace::renew(&track, "cpu", "shared");
      }
    });
  }
  for (int i = 0; i < 8; ++i) {
    trace::start();
    for (int turn = 0; turn < 20; ++turn) std::this_thread::yield();
    trace::finish();
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(rttest::isJson(files.timeline()));
  EXPECT_TRUE(rttest::isJson(files.profile()));
  EXPECT_FALSE(trace::enabled());
}

TEST(CollectorTest, AFileThatCannotBeWrittenEndsNothingElse) {
  for (const char* path : {"/dev/full", "/nonexistent/folder/file.json"}) {
    setenv("RT_TRACE", path, 1);
    setenv("RT_PROFILE", path, 1);
    trace::start();
    const trace::Track track = trackOf("label");
    for (uint64_t serial = 1; serial < 200; ++serial) trace::work(track, serial, kernel("add"), 0, 1);
    trace::finish();
    EXPECT_FALSE(trace::enabled());
  }
  unsetenv("RT_TRACE");
  unsetenv("RT_PROFILE");
}

class CountingSource final : public trace::Source {
 public:
  uint64_t settle(bool last) override {
    ++settled;
    return last ? 0 : running;
  }
  int settled = 0;
  uint64_t running = 0;
};

TEST(CollectorTest, SourcesAreSettledAtTheEnd) {
  const Files files;
  trace::start();
  CountingSource source, gone;
  trace::add(source);
  trace::add(gone);
  trace::remove(gone);
  trace::finish();
  trace::remove(source);
  EXPECT_EQ(source.settled, 1);
  EXPECT_EQ(gone.settled, 0);
}

}  // namespace
}  // namespace manyrt
