// The trace as a program uses it, on each device: a timeline that begins and ends in the middle, ranges, and a profiler's
// callback. Streams may be older than the timeline.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/device_test.h"
#include "support/json.h"

namespace rttest {
namespace {

constexpr uint32_t kAll = RT_TRACE_CALLS | RT_TRACE_SUBMISSIONS | RT_TRACE_WORK | RT_TRACE_BUILDS | RT_TRACE_RANGES;

// A name for a file, which is gone with it.
class File {
 public:
  File() { (void)std::remove(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { (void)std::remove(path_.c_str()); }
  const char* path() const { return path_.c_str(); }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  static inline std::atomic<int> next_{0};
  const std::string path_ = testing::TempDir() + "manyrt_trace_" + std::to_string(getpid()) + "_" + std::to_string(next_++);
};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct Told {
  int32_t type, work, copy;
  rtStatus_t status;
  uint64_t thread, call, stream, serial, bytes;
  int64_t begin, end;
  std::string name, device, label;
};

class Listener {
 public:
  static void receive(const rtTraceRecord_t* record, void* user) {
    auto* const self = static_cast<Listener*>(user);
    std::lock_guard lock(self->mutex_);
    self->told_.push_back({record->type, record->work, record->copy, record->status, record->thread, record->call,
                           record->stream, record->serial, record->bytes, record->begin_ns, record->end_ns, record->name,
                           record->device, record->label});
  }
  std::vector<Told> of(int32_t type, const std::string& name = "") {
    std::lock_guard lock(mutex_);
    std::vector<Told> found;
    for (const Told& each : told_) {
      if (each.type == type && (name.empty() || each.name == name)) found.push_back(each);
    }
    return found;
  }
  size_t size() {
    std::lock_guard lock(mutex_);
    return told_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<Told> told_;
};

class TraceTest : public DeviceTest {
 protected:
  // Anything that a test leaves on would be told to the next one.
  void TearDown() override {
    EXPECT_RT_OK(rtTraceSetCallback(nullptr, nullptr, 0));
    (void)rtTraceStop();
    DeviceTest::TearDown();
  }
  bool timesWork() const { return runsKernels(); }  // nothing runs on the null device
};
INSTANTIATE_TEST_SUITE_P(, TraceTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(TraceTest, ATimelineInTheMiddleHasTheWorkOfStreamsThatAreOlder) {
  const File file;
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 1 << 16, context_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 1, 1 << 16, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtTraceStart(file.path()));
  for (int i = 0; i < 3; ++i) ASSERT_RT_OK(rtMemsetAsync(memory, 2, 1 << 16, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtTraceStop());
  ASSERT_RT_OK(rtMemsetAsync(memory, 3, 1 << 16, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  const std::string text = file.text();
  EXPECT_TRUE(isJson(text)) << text;
  EXPECT_EQ(count(text, "\"name\":\"rtMemsetAsync\",\"cat\":\"call\""), 3u) << text;
  if (timesWork()) {
    EXPECT_EQ(count(text, "\"cat\":\"fill\""), 3u) << text;
  }
  EXPECT_EQ(count(text, "\"name\":\"lost\""), 0u) << text;
}

TEST_P(TraceTest, ATimelineMayBeginAgain) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 4096, context_));
  for (int i = 0; i < 5; ++i) {
    const File file;
    ASSERT_RT_OK(rtTraceStart(file.path()));
    ASSERT_RT_OK(rtMemsetAsync(memory, i, 4096, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtTraceStop());
    const std::string text = file.text();
    EXPECT_TRUE(isJson(text)) << text;
    if (timesWork()) {
      EXPECT_EQ(count(text, "\"cat\":\"fill\""), 1u) << text;
    }
    EXPECT_GE(count(text, "\"name\":\"thread_name\",\"pid\":1"), 1u) << "each file has its own names: " << text;
  }
}

// Work that waits for the host is not over when the timeline ends.
TEST_P(TraceTest, WorkThatIsNotOverAtTheEndIsNotInTheTimeline) {
  const File file;
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 4096, context_));
  {
    Gate gate(context_);
    ASSERT_RT_OK(rtTraceStart(file.path()));
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(rtMemsetAsync(memory, 1, 4096, stream_));
    ASSERT_RT_OK(rtTraceStop());
    ASSERT_RT_OK(gate.open());
  }
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  const std::string text = file.text();
  EXPECT_TRUE(isJson(text)) << text;
  EXPECT_EQ(count(text, "\"cat\":\"fill\""), 0u) << text;
}

TEST_P(TraceTest, CallSubmissionAndWorkHaveTheSameNumbers) {
  Listener listener;
  Memory memory, pinned;
  ASSERT_RT_OK(rtMalloc(memory.out(), 8192, context_));
  ASSERT_RT_OK(rtMallocHost(pinned.out(), 8192, context_));
  Stream labelled;
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  snprintf(options.label, sizeof options.label, "uploads");
  ASSERT_RT_OK(rtStreamCreate(labelled.out(), &options, context_));
  ASSERT_RT_OK(rtTraceSetCallback(Listener::receive, &listener, kAll));
  ASSERT_RT_OK(rtMemcpyAsync(memory, pinned, 8192, RT_MEMCPY_DEFAULT, labelled));
  ASSERT_RT(RT_ERROR_INVALID_VALUE, rtMemcpyAsync(memory, pinned, 8193, RT_MEMCPY_DEFAULT, labelled));
  ASSERT_RT_OK(rtStreamSynchronize(labelled));
  ASSERT_RT_OK(rtTraceSetCallback(nullptr, nullptr, 0));
  const std::vector<Told> enters = listener.of(RT_TRACE_RECORD_ENTER, "rtMemcpyAsync");
  const std::vector<Told> exits = listener.of(RT_TRACE_RECORD_EXIT, "rtMemcpyAsync");
  ASSERT_EQ(enters.size(), 2u);
  ASSERT_EQ(exits.size(), 2u);
  EXPECT_EQ(enters[0].call, exits[0].call);
  EXPECT_NE(enters[0].call, enters[1].call);
  EXPECT_EQ(enters[0].thread, exits[0].thread);
  EXPECT_EQ(exits[0].status, RT_SUCCESS);
  EXPECT_EQ(exits[1].status, RT_ERROR_INVALID_VALUE);
  EXPECT_LE(exits[0].begin, exits[0].end);
  const std::vector<Told> submissions = listener.of(RT_TRACE_RECORD_SUBMISSION);
  ASSERT_FALSE(submissions.empty());
  EXPECT_EQ(submissions[0].call, enters[0].call);
  EXPECT_EQ(submissions[0].label, "uploads");
  EXPECT_EQ(submissions[0].device, GetParam());
  if (timesWork()) {
    const std::vector<Told> works = listener.of(RT_TRACE_RECORD_WORK);
    ASSERT_EQ(works.size(), 1u);
    EXPECT_EQ(works[0].stream, submissions[0].stream);
    EXPECT_EQ(works[0].serial, submissions[0].serial);
    EXPECT_EQ(works[0].work, RT_WORK_COPY);
    EXPECT_EQ(works[0].bytes, 8192u);
    EXPECT_EQ(works[0].label, "uploads");
    EXPECT_EQ(works[0].device, GetParam());
    EXPECT_LE(works[0].begin, works[0].end);
  }
  EXPECT_TRUE(listener.of(RT_TRACE_RECORD_LOST).empty());
}

// A callback that looks at the stream whose work it is told of.
TEST_P(TraceTest, ACallbackMayCallTheLibrary) {
  struct Inside {
    rtStream_t stream;
    rtContext_t context;
    std::atomic<int> calls{0}, failures{0}, enters{0};
  } inside;
  inside.stream = stream_;
  inside.context = context_;
  const auto callback = [](const rtTraceRecord_t* record, void* user) {
    auto* const self = static_cast<Inside*>(user);
    ++self->calls;
    if (record->type == RT_TRACE_RECORD_ENTER && record->name != std::string("rtMemsetAsync") &&
        record->name != std::string("rtStreamSynchronize"))
      ++self->enters;
    void* memory = nullptr;
    const rtStatus_t queried = rtStreamQuery(self->stream);
    self->failures += queried != RT_SUCCESS && queried != RT_NOT_READY;
    self->failures += rtMalloc(&memory, 64, self->context) != RT_SUCCESS || rtFree(memory) != RT_SUCCESS;
    self->failures += rtShutdown() != RT_ERROR_BUSY;
  };
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 4096, context_));
  ASSERT_RT_OK(rtTraceSetCallback(callback, &inside, kAll));
  ASSERT_RT_OK(rtMemsetAsync(memory, 1, 4096, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtTraceSetCallback(nullptr, nullptr, 0));
  EXPECT_GE(inside.calls.load(), 5);
  EXPECT_EQ(inside.failures.load(), 0);
  EXPECT_EQ(inside.enters.load(), 0) << "it was told of its own calls";
}

TEST_P(TraceTest, TheSentenceOfAFailureIsThatOfTheCallAndNotOfTheCallback) {
  const auto callback = [](const rtTraceRecord_t*, void*) {
    rtDevice_t device = nullptr;
    (void)rtDeviceGetByName(&device, "of-the-callback");
  };
  ASSERT_RT_OK(rtTraceSetCallback(callback, nullptr, RT_TRACE_CALLS));
  rtDevice_t device = nullptr;
  EXPECT_EQ(rtDeviceGetByName(&device, "of-the-call"), RT_ERROR_NOT_FOUND);
  ASSERT_RT_OK(rtTraceSetCallback(nullptr, nullptr, 0));
  EXPECT_NE(lastMessage().find("of-the-call\""), std::string::npos) << lastMessage();
}

// Sums over 8 threads that each submit to a stream of their own.
TEST_P(TraceTest, EightThreadsAreToldOnceEach) {
  constexpr int kThreads = 8, kEach = 20;
  Listener listener;
  const File file;
  ASSERT_RT_OK(rtTraceSetCallback(Listener::receive, &listener, kAll));
  std::atomic<int> started{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      started += rtTraceStart(file.path()) == RT_SUCCESS;
      Stream stream;
      Memory memory;
      EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
      EXPECT_RT_OK(rtMalloc(memory.out(), 4096, context_));
      for (int i = 0; i < kEach; ++i) {
        EXPECT_RT_OK(rtTraceRangePush("step"));
        EXPECT_RT_OK(rtMemsetAsync(memory, i, 4096, stream));
        EXPECT_RT_OK(rtTraceRangePop());
      }
      EXPECT_RT_OK(rtStreamSynchronize(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_RT_OK(rtTraceSetCallback(nullptr, nullptr, 0));
  ASSERT_RT_OK(rtTraceStop());
  EXPECT_EQ(started.load(), 1) << "one timeline at a time";
  EXPECT_TRUE(isJson(file.text()));
  EXPECT_EQ(listener.of(RT_TRACE_RECORD_EXIT, "rtMemsetAsync").size(), size_t{kThreads * kEach});
  EXPECT_EQ(listener.of(RT_TRACE_RECORD_RANGE_POP, "step").size(), size_t{kThreads * kEach});
  std::map<uint64_t, int> fills;
  for (const Told& each : listener.of(RT_TRACE_RECORD_WORK)) fills[each.stream] += each.work == RT_WORK_FILL;
  EXPECT_EQ(fills.size(), timesWork() ? size_t{kThreads} : 0u);
  for (const auto& [stream, filled] : fills) EXPECT_EQ(filled, kEach);
}

TEST(TraceTest0, AFileThatCannotBeWrittenIsRefused) {
  const File file;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceStart(nullptr));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceStart(""));
  EXPECT_RT(RT_ERROR_IO, rtTraceStart("/nonexistent/folder/trace.json"));
  EXPECT_NE(lastMessage().find("/nonexistent/folder/trace.json"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_IO, rtTraceStart("/"));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceStop());
  ASSERT_RT_OK(rtTraceStart(file.path()));
  EXPECT_RT(RT_ERROR_BUSY, rtTraceStart("/dev/null"));
  EXPECT_NE(lastMessage().find(file.path()), std::string::npos) << lastMessage();
  EXPECT_RT_OK(rtTraceStop());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceStop());
}

TEST(TraceTest0, ADiskThatIsFullIsToldAtTheEnd) {
  ASSERT_RT_OK(rtTraceStart("/dev/full"));
  EXPECT_RT(RT_ERROR_IO, rtTraceStop());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceStop());
  // The file ends with the first write, in the middle of the program; the log says so there.
  ASSERT_RT_OK(rtSetLogCallback([](int32_t, const char*, void*) {}, nullptr, RT_LOG_NONE));
  ASSERT_RT_OK(rtTraceStart("/dev/full"));
  uint64_t live = 0;
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(rtGetLiveHandleCount(&live, RT_HANDLE_ALL), RT_SUCCESS);
  EXPECT_RT(RT_ERROR_IO, rtTraceStop());
  ASSERT_RT_OK(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING));
  const File file;
  EXPECT_RT_OK(rtTraceStart(file.path()));
  EXPECT_RT_OK(rtTraceStop());
  EXPECT_TRUE(isJson(file.text()));
}

TEST(TraceTest0, RangesAreBalancedWithoutATrace) {
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceRangePop());
  EXPECT_RT_OK(rtTraceRangePush("one"));
  EXPECT_RT_OK(rtTraceRangePush(""));
  EXPECT_RT_OK(rtTraceRangePop());
  EXPECT_RT_OK(rtTraceRangePop());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceRangePop());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceRangePush(nullptr));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceMark(nullptr));
  EXPECT_RT_OK(rtTraceMark("nothing listens"));
}

TEST(TraceTest0, RangesAreSpansOfTheTimeline) {
  const File file;
  ASSERT_RT_OK(rtTraceRangePush("older"));
  ASSERT_RT_OK(rtTraceStart(file.path()));
  const std::string long_name(100'000, 'n');
  for (const char* name : {"a \"quoted\" name", "\xc3\xa9t\xc3\xa9", long_name.c_str()}) {
    ASSERT_RT_OK(rtTraceRangePush(name));
    ASSERT_RT_OK(rtTraceMark(name));
    ASSERT_RT_OK(rtTraceRangePop());
  }
  ASSERT_RT_OK(rtTraceRangePop());
  ASSERT_RT_OK(rtTraceStop());
  const std::string text = file.text();
  EXPECT_TRUE(isJson(text)) << text;
  EXPECT_EQ(count(text, "\"cat\":\"range\""), 3u) << text;
  EXPECT_EQ(count(text, "\"cat\":\"mark\""), 3u) << text;
  EXPECT_EQ(count(text, "older"), 0u) << text;
}

TEST(TraceTest0, KindsThatAreNotKnownAreRefused) {
  const auto callback = [](const rtTraceRecord_t*, void*) {};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceSetCallback(callback, nullptr, 0));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceSetCallback(callback, nullptr, kAll + 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtTraceSetCallback(nullptr, nullptr, 1u << 31));
  EXPECT_RT_OK(rtTraceSetCallback(callback, nullptr, kAll));
  EXPECT_RT_OK(rtTraceSetCallback(nullptr, nullptr, kAll));
  EXPECT_RT_OK(rtTraceSetCallback(nullptr, nullptr, 0));
}

}  // namespace
}  // namespace rttest
