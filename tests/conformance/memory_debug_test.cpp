// RT_MEMORY_DEBUG=1 on every device, in the entries conformance.memory_debug*. An overrun, a write after the free and a second
// free are reported with the label of the allocation and both places; a program without mistakes has no report.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "support/device_test.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

// The error lines of the log while it lives.
class ErrorLines {
 public:
  ErrorLines() { EXPECT_RT_OK(rtSetLogCallback(take, this, RT_LOG_ERROR)); }
  ~ErrorLines() { EXPECT_RT_OK(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING)); }
  ErrorLines(const ErrorLines&) = delete;
  ErrorLines& operator=(const ErrorLines&) = delete;

  // Lines may come from a thread of the library. A report ends with where the memory was freed: the next test is not to have
  // the last lines of this one's.
  testing::AssertionResult have(const std::vector<std::string>& parts, size_t reports = 1) {
    std::unique_lock lock(mutex_);
    const auto all = [&] {
      size_t ends = 0;
      for (size_t at = 0; (at = text_.find("freed by thread", at)) != text_.npos; ++at) ++ends;
      return ends >= reports &&
             std::all_of(parts.begin(), parts.end(), [&](const std::string& part) { return text_.find(part) != text_.npos; });
    };
    if (changed_.wait_for(lock, std::chrono::seconds(20), all)) return testing::AssertionSuccess() << text_;
    return testing::AssertionFailure() << "the log has: " << text_;
  }
  std::string text() {
    std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  static void take(int32_t, const char* line, void* user) {
    auto* lines = static_cast<ErrorLines*>(user);
    std::lock_guard lock(lines->mutex_);
    lines->text_ += std::string(line) + "\n";
    lines->changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

class MemoryDebugTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    const char* value = std::getenv("RT_MEMORY_DEBUG");
    if (value == nullptr || std::string(value) != "1") GTEST_SKIP() << "the entries conformance.memory_debug* run it";
    if (runsKernels()) {
      ASSERT_RT_OK(kernel_.make(context_, "iota"));
    }
  }
  void TearDown() override {
    EXPECT_RT_OK(kernel_.reset());
    DeviceTest::TearDown();
  }

  // The kinds of memory beyond whose end the test can write: the device's own by a kernel, the others by the host.
  std::vector<int32_t> kinds() const {
    std::vector<int32_t> kinds{RT_MEMORY_HOST};
    if (runsKernels()) kinds.push_back(RT_MEMORY_DEVICE);
    if (has(RT_CAPABILITY_SHARED_MEMORY)) kinds.push_back(RT_MEMORY_SHARED);
    return kinds;
  }
  void* allocate(int32_t kind, size_t size, const char* label) {
    rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
    options.kind = kind;
    std::snprintf(options.label, sizeof options.label, "%s", label);
    void* pointer = nullptr;
    EXPECT_RT_OK(rtMallocWithOptions(&pointer, size, &options, context_));
    return pointer;
  }
  // Four bytes at a multiple of four.
  void write(int32_t kind, void* pointer, size_t offset) {
    unsigned char* at = static_cast<unsigned char*>(pointer) + offset;
    if (kind != RT_MEMORY_DEVICE) {
      std::memset(at, 0x11, 4);
      return;
    }
    ASSERT_RT_OK(launchOver(kernel_, stream_, 1, 1, static_cast<void*>(at), 1u, 0x11111111u));
  }
  // Whether memory was inspected that the library's thread looks after: then none is pending.
  void awaitInspection() {
    rtMemPool_t pool = nullptr;
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    ASSERT_RT_OK(rtContextGetDefaultPool(&pool, context_));
    do ASSERT_RT_OK(rtMemPoolGetStats(&stats, pool));
    while (stats.pending_bytes != 0);
  }
  // Everything that is in quarantine leaves it.
  void endContext() {
    ASSERT_RT_OK(kernel_.reset());
    ASSERT_RT_OK(stream_.reset());
    ASSERT_RT_OK(context_.reset());
  }
  PortableKernel kernel_;
};
INSTANTIATE_TEST_SUITE_P(, MemoryDebugTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(MemoryDebugTest, AnOverrunIsReportedWithItsLabelAndBothPlaces) {
  for (const int32_t kind : kinds()) {
    for (const size_t size : {size_t{100}, size_t{256}, size_t{5000}, (size_t{3} << 20) + 8}) {
      SCOPED_TRACE("kind " + std::to_string(kind) + ", " + std::to_string(size) + " bytes");
      ErrorLines lines;
      void* memory = allocate(kind, size, "weights");
      write(kind, memory, size + 8);
      ASSERT_RT_OK(rtStreamSynchronize(stream_));
      ASSERT_RT_OK(rtFree(memory));
      EXPECT_TRUE(lines.have({"Overrun: byte 8 after the allocation \"weights\" of " + std::to_string(size) + " bytes",
                              "it is 0x11", "allocated by thread", "rtMallocWithOptions", "freed by thread", "rtFree"}));
    }
  }
}

TEST_P(MemoryDebugTest, AnOverrunByWorkAheadOfAFreeInOrderIsReported) {
  if (!runsKernels()) GTEST_SKIP() << "the null device runs no kernels";
  ErrorLines lines;
  void* memory = nullptr;
  ASSERT_RT_OK(rtMallocAsync(&memory, 400, stream_));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_NO_FATAL_FAILURE(write(RT_MEMORY_DEVICE, memory, 400));
  ASSERT_RT_OK(rtFreeAsync(memory, stream_));
  EXPECT_EQ(lines.text(), "") << "the kernel has not run";
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_TRUE(lines.have({"Overrun: byte 0 after the allocation of 400 bytes", "rtMallocAsync", "rtFreeAsync"}));
}

TEST_P(MemoryDebugTest, AWriteAfterTheFreeIsReported) {
  std::vector<int32_t> written = kinds();
  ErrorLines lines;
  std::vector<std::string> expected;
  for (const int32_t kind : written) {
    const std::string label = "kind " + std::to_string(kind);
    void* memory = allocate(kind, 400, label.c_str());
    ASSERT_RT_OK(rtFree(memory));
    ASSERT_NO_FATAL_FAILURE(awaitInspection());
    ASSERT_NO_FATAL_FAILURE(write(kind, memory, 40));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));  // or the next free would wait for this
    expected.push_back("Written after free: byte 40 of the allocation \"" + label + "\" of 400 bytes");
  }
  EXPECT_EQ(lines.text(), "");
  ASSERT_NO_FATAL_FAILURE(endContext());
  EXPECT_TRUE(lines.have(expected, expected.size()));
}

// Where the device's memory is the host's: also what the stream itself writes after the free.
TEST_P(MemoryDebugTest, AWriteAfterAFreeInTheOrderOfAStreamIsReported) {
  if (GetParam() != "cpu") GTEST_SKIP() << "where the device has memory of its own a thread fills it later";
  ErrorLines lines;
  void* memory = nullptr;
  ASSERT_RT_OK(rtMallocAsync(&memory, 400, stream_));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtFreeAsync(memory, stream_));
  ASSERT_NO_FATAL_FAILURE(write(RT_MEMORY_DEVICE, memory, 12));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_NO_FATAL_FAILURE(endContext());
  EXPECT_TRUE(lines.have({"Written after free: byte 12 of the allocation of 400 bytes", "rtMallocAsync", "rtFreeAsync"}));
}

TEST_P(MemoryDebugTest, ASecondFreeNamesTheAllocationAndTheFirstFree) {
  for (const int32_t kind : {RT_MEMORY_DEVICE, RT_MEMORY_HOST}) {
    void* memory = allocate(kind, 100, "twice");
    ASSERT_RT_OK(rtFree(memory));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtFreeAsync(memory, stream_));
    const std::string message = lastMessage();
    for (const char* part : {"freed already", "\"twice\" of 100 bytes", "allocated by thread", "rtMallocWithOptions",
                             "freed by thread", "rtFree+"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    }
  }
}

TEST_P(MemoryDebugTest, FreedMemoryIsNotHandedOutSoon) {
  std::vector<void*> freed;
  for (int i = 0; i < 50; ++i) {
    void* memory = allocate(RT_MEMORY_DEVICE, 1000, "");
    EXPECT_EQ(std::count(freed.begin(), freed.end(), memory), 0);
    ASSERT_RT_OK(rtFree(memory));
    freed.push_back(memory);
  }
}

TEST_P(MemoryDebugTest, MissingMemoryEmptiesTheQuarantine) {
  ErrorLines lines;
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.maximum_bytes = uint64_t{32} << 20;
  Pool pool;
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), &options, context_));
  for (int i = 0; i < 40; ++i) {
    void* memory = nullptr;
    ASSERT_RT_OK(rtMallocFromPool(&memory, size_t{3} << 20, 0, stream_, pool)) << i;
    ASSERT_RT_OK(rtFreeAsync(memory, stream_));
  }
  Memory all;  // the quarantine has an eighth of the limit
  EXPECT_RT_OK(rtMallocFromPool(all.out(), options.maximum_bytes, 0, stream_, pool));
  EXPECT_EQ(lines.text(), "");
}

TEST_P(MemoryDebugTest, AProgramWithoutMistakesHasNoReport) {
  ErrorLines lines;
  for (int round = 0; round < 20; ++round) {
    for (const int32_t kind : kinds()) {
      const size_t size = 64 + 4096 * static_cast<size_t>(round);
      void* memory = allocate(kind, size, "clean");
      void* in_order = nullptr;
      ASSERT_RT_OK(rtMallocAsync(&in_order, size, stream_));
      ASSERT_RT_OK(rtMemsetAsync(in_order, round, size, stream_));
      ASSERT_RT_OK(rtMemcpyAsync(memory, in_order, size, RT_MEMCPY_DEFAULT, stream_));
      ASSERT_RT_OK(rtFreeAsync(in_order, stream_));
      ASSERT_RT_OK(rtFree(memory));  // after all that is in flight
    }
  }
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_NO_FATAL_FAILURE(awaitInspection());
  ASSERT_NO_FATAL_FAILURE(endContext());
  EXPECT_EQ(lines.text(), "");
}

}  // namespace
}  // namespace rttest
