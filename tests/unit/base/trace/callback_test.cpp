// The program's callback of the trace: what is queued, when it is delivered, and calls inside it. Callbacks may throw, be too
// slow, replace themselves or run while they are replaced.
#include "base/trace/callback.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/handles/epoch.h"

namespace manyrt {
namespace {

constexpr uint32_t kAll = RT_TRACE_CALLS | RT_TRACE_SUBMISSIONS | RT_TRACE_WORK | RT_TRACE_BUILDS | RT_TRACE_RANGES;

struct Told {
  int32_t type;
  uint64_t call, stream, serial, lost;
  std::string name, module, label, device;
};

class Listener {
 public:
  static void receive(const rtTraceRecord_t* record, void* user) { static_cast<Listener*>(user)->receive(*record); }
  std::vector<Told> told() {
    std::lock_guard lock(mutex_);
    return told_;
  }
  std::string names() {
    std::string all;
    for (const Told& each : told()) all += each.name + " ";
    return all;
  }
  uint64_t lost() {
    uint64_t sum = 0;
    for (const Told& each : told()) sum += each.lost;
    return sum;
  }

 private:
  void receive(const rtTraceRecord_t& record) {
    EXPECT_EQ(record.struct_size, sizeof record);
    std::lock_guard lock(mutex_);
    told_.push_back({record.type, record.call, record.stream, record.serial, record.lost, record.name, record.module,
                     record.label, record.device});
  }
  std::mutex mutex_;
  std::vector<Told> told_;
};

void listen(Listener& listener, uint32_t kinds = kAll) {
  ASSERT_TRUE(trace::setCallback(Listener::receive, &listener, kinds).ok());
}
void stop() { ASSERT_TRUE(trace::setCallback(nullptr, nullptr, 0).ok()); }

trace::Track trackOf(const char* label) {
  trace::Track track;
  trace::renew(&track, "cpu", label);
  return track;
}

trace::Work kernel(const char* name) {
  trace::Work work;
  work.kind = trace::Kind::kKernel;
  work.name = trace::keep(name);
  return work;
}

// As api::guarded makes it; `body` runs inside the guard.
template <class Body>
void call(const char* name, Body body) {
  trace::Call call;
  if (trace::enabled()) trace::enter(&call, name);
  {
    const epoch::Guard guard;
    body();
    if (call.begin != 0) trace::left(&call, name);
  }
  if (call.begin != 0) trace::exit(call, name, RT_SUCCESS);
}

TEST(TraceCallbackTest, WhatIsQueuedInACallComesInOrderBeforeItsEnd) {
  Listener listener;
  listen(listener);
  trace::Track track = trackOf("first label");
  call("rtCall", [&] {
    trace::submitted(track, 7);
    trace::work(track, 7, kernel("add"), 1, 2);
    const trace::BuildStep step("front end", "a.cl");
    EXPECT_EQ(listener.names(), "rtCall ") << "the program was called inside a guard";
    trace::renew(&track, "cpu", "another");
  });
  const std::vector<Told> told = listener.told();
  stop();
  ASSERT_EQ(listener.names(), "rtCall submit add front end rtCall ");
  EXPECT_EQ(told[0].type, RT_TRACE_RECORD_ENTER);
  EXPECT_EQ(told[4].type, RT_TRACE_RECORD_EXIT);
  EXPECT_NE(told[0].call, 0u);
  EXPECT_EQ(told[0].call, told[1].call);
  EXPECT_EQ(told[0].call, told[4].call);
  EXPECT_EQ(told[1].stream, told[2].stream);
  EXPECT_EQ(told[1].serial, 7u);
  EXPECT_EQ(told[2].serial, 7u);
  EXPECT_EQ(told[1].label, "first label");
  EXPECT_EQ(told[2].label, "first label") << "the stream's label of that time";
  EXPECT_EQ(told[2].device, "cpu");
  EXPECT_EQ(told[3].module, "a.cl");
}

TEST(TraceCallbackTest, OnlyTheKindsThatAreAskedForAreTold) {
  Listener listener;
  listen(listener, RT_TRACE_BUILDS);
  EXPECT_FALSE(trace::timesWork());
  EXPECT_FALSE(trace::tellsSubmissions());
  call("rtCall", [&] {
    trace::work(trackOf(""), 1, kernel("add"), 1, 2);
    const trace::BuildStep step("front end", "a.cl");
  });
  stop();
  EXPECT_EQ(listener.names(), "front end ");
  EXPECT_FALSE(trace::enabled());
}

TEST(TraceCallbackTest, WorkThatAThreadOutsideOfCallsTellsIsDelivered) {
  Listener listener;
  listen(listener, RT_TRACE_WORK);
  std::thread([] { trace::work(trackOf(""), 1, kernel("add"), 1, 2); }).join();
  stop();
  EXPECT_EQ(listener.names(), "add ");
}

TEST(TraceCallbackTest, CallsInsideItAreNotTold) {
  struct Nested {
    std::atomic<int> depth{0}, deepest{0}, times{0};
  } nested;
  const auto callback = [](const rtTraceRecord_t*, void* user) {
    auto* const seen = static_cast<Nested*>(user);
    const int depth = ++seen->depth;
    if (depth > seen->deepest) seen->deepest = depth;
    ++seen->times;
    call("rtInside", [] { trace::submitted(trackOf(""), 1); });
    --seen->depth;
  };
  ASSERT_TRUE(trace::setCallback(callback, &nested, kAll).ok());
  call("rtCall", [] {});
  stop();
  EXPECT_EQ(nested.deepest.load(), 1);
  EXPECT_EQ(nested.times.load(), 2);
}

TEST(TraceCallbackTest, OneThatThrowsEndsNothing) {
  std::atomic<int> times{0};
  const auto callback = [](const rtTraceRecord_t*, void* user) {
    static_cast<std::atomic<int>*>(user)->fetch_add(1);
    throw std::runtime_error("from a callback");
  };
  ASSERT_TRUE(trace::setCallback(callback, &times, kAll).ok());
  call("rtCall", [] { trace::work(trackOf(""), 1, kernel("add"), 1, 2); });
  stop();
  EXPECT_EQ(times.load(), 3);
}

// While one thread is kept inside the callback, nothing else is delivered and no other thread waits.
TEST(TraceCallbackTest, ASlowOneIsToldHowMuchItHasMissed) {
  struct Slow {
    Listener listener;
    std::atomic<int> inside{0};
    std::atomic<int> goes_on{0};
  } slow;
  const auto callback = [](const rtTraceRecord_t* record, void* user) {
    auto* const self = static_cast<Slow*>(user);
    self->inside.store(1);
    self->inside.notify_all();
    self->goes_on.wait(0);
    Listener::receive(record, &self->listener);
  };
  constexpr uint64_t kMany = 50'000;
  ASSERT_TRUE(trace::setCallback(callback, &slow, RT_TRACE_WORK).ok());
  const trace::Track track = trackOf("");
  std::thread first([&] { trace::work(track, 1, kernel("add"), 1, 2); });
  slow.inside.wait(0);
  for (uint64_t i = 1; i < kMany; ++i) trace::work(track, i + 1, kernel("add"), 1, 2);
  slow.goes_on.store(1);
  slow.goes_on.notify_all();
  first.join();
  stop();
  EXPECT_GT(slow.listener.lost(), 0u);
  uint64_t last = 0, works = 0;
  for (const Told& each : slow.listener.told()) {
    if (each.type != RT_TRACE_RECORD_WORK) continue;
    EXPECT_GT(each.serial, last) << "the order is kept";
    last = each.serial;
    ++works;
  }
  EXPECT_EQ(works + slow.listener.lost(), kMany);
}

TEST(TraceCallbackTest, OneThatReplacesItselfRunsNoMore) {
  struct First {
    Listener second;
    std::atomic<int> times{0};
  } first;
  const auto callback = [](const rtTraceRecord_t*, void* user) {
    auto* const self = static_cast<First*>(user);
    ++self->times;
    EXPECT_TRUE(trace::setCallback(Listener::receive, &self->second, kAll).ok());
  };
  ASSERT_TRUE(trace::setCallback(callback, &first, RT_TRACE_WORK).ok());
  call("rtCall", [] {
    for (uint64_t i = 1; i < 4; ++i) trace::work(trackOf(""), i, kernel("add"), 1, 2);
  });
  call("rtOther", [] {});
  stop();
  EXPECT_EQ(first.times.load(), 1);
  EXPECT_EQ(first.second.names(), "rtOther rtOther ") << "the call that was running was not told of at its beginning";
}

TEST(TraceCallbackTest, TheChangeWaitsForTheOneThatRuns) {
  struct Long {
    std::atomic<int> inside{0}, goes_on{0};
    std::atomic<bool> ended{false};
  } running;
  const auto callback = [](const rtTraceRecord_t*, void* user) {
    auto* const self = static_cast<Long*>(user);
    self->inside.store(1);
    self->inside.notify_all();
    self->goes_on.wait(0);
    self->ended.store(true);
  };
  ASSERT_TRUE(trace::setCallback(callback, &running, RT_TRACE_CALLS).ok());
  std::thread caller([] { call("rtCall", [] {}); });
  running.inside.wait(0);
  std::thread changes([&] {
    stop();
    EXPECT_TRUE(running.ended.load());
  });
  std::this_thread::yield();
  running.goes_on.store(1);
  running.goes_on.notify_all();
  caller.join();
  changes.join();
}

// Each is inside when the other one changes it: neither waits for the other.
TEST(TraceCallbackTest, TwoThreadsChangeItInsideIt) {
  struct Both {
    std::atomic<int> inside{0};
  } both;
  const auto callback = [](const rtTraceRecord_t* record, void* user) {
    auto* const self = static_cast<Both*>(user);
    if (record->type != RT_TRACE_RECORD_ENTER) return;
    self->inside.fetch_add(1);
    while (self->inside.load() < 2) std::this_thread::yield();
    EXPECT_TRUE(trace::setCallback(nullptr, nullptr, 0).ok());
  };
  ASSERT_TRUE(trace::setCallback(callback, &both, RT_TRACE_CALLS).ok());
  std::thread one([] { call("rtOne", [] {}); }), other([] { call("rtOther", [] {}); });
  one.join();
  other.join();
  EXPECT_FALSE(trace::enabled());
}

TEST(TraceCallbackTest, ThreadsTellWhileItChanges) {
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const trace::Track track = trackOf("shared");
      for (uint64_t serial = 1; !over.load(); ++serial) {
        call("rtCall", [&] {
          trace::submitted(track, serial);
          trace::work(track, serial, kernel(i % 2 == 0 ? "even" : "odd"), 1, 2);
        });
        trace::work(track, serial, kernel("outside"), 1, 2);
        trace::lost();
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    Listener listener;
    listen(listener, i % 5 == 0 ? static_cast<uint32_t>(RT_TRACE_CALLS) : kAll);
    for (int turn = 0; turn < 5; ++turn) std::this_thread::yield();
    stop();
    const size_t told = listener.told().size();
    std::this_thread::yield();
    EXPECT_EQ(listener.told().size(), told) << "it runs no more";
  }
  over.store(true);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace manyrt
