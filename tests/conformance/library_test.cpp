// Library chapter: version, texts of statuses, the last message, start and end by count, log, counts of live handles.
#include <atomic>
#include <set>
#include <thread>

#include "support/device_test.h"

namespace rttest {
namespace {

using LibraryTest = DeviceTest;
INSTANTIATE_TEST_SUITE_P(, LibraryTest, testing::ValuesIn(deviceNames()), testName);

TEST(LibraryTest0, VersionIsMajorMinorPatch) {
  uint32_t version = 0;
  ASSERT_RT_OK(rtGetVersion(&version));
  EXPECT_EQ(version, MANYRT_VERSION_MAJOR * 10000u + MANYRT_VERSION_MINOR * 100u + MANYRT_VERSION_PATCH);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGetVersion(nullptr));
}

TEST(LibraryTest0, EveryStatusHasANameAndAText) {
  const std::pair<rtStatus_t, const char*> names[] = {
      {RT_SUCCESS, "RT_SUCCESS"},
      {RT_NOT_READY, "RT_NOT_READY"},
      {RT_ERROR_INVALID_VALUE, "RT_ERROR_INVALID_VALUE"},
      {RT_ERROR_INVALID_HANDLE, "RT_ERROR_INVALID_HANDLE"},
      {RT_ERROR_INVALID_DEVICE, "RT_ERROR_INVALID_DEVICE"},
      {RT_ERROR_WRONG_CONTEXT, "RT_ERROR_WRONG_CONTEXT"},
      {RT_ERROR_OUT_OF_MEMORY, "RT_ERROR_OUT_OF_MEMORY"},
      {RT_ERROR_NOT_SUPPORTED, "RT_ERROR_NOT_SUPPORTED"},
      {RT_ERROR_NOT_FOUND, "RT_ERROR_NOT_FOUND"},
      {RT_ERROR_BUILD_FAILED, "RT_ERROR_BUILD_FAILED"},
      {RT_ERROR_COMPILER_NOT_FOUND, "RT_ERROR_COMPILER_NOT_FOUND"},
      {RT_ERROR_INVALID_IMAGE, "RT_ERROR_INVALID_IMAGE"},
      {RT_ERROR_LAUNCH_FAILED, "RT_ERROR_LAUNCH_FAILED"},
      {RT_ERROR_CAPTURE_UNSAFE, "RT_ERROR_CAPTURE_UNSAFE"},
      {RT_ERROR_CAPTURE_INVALIDATED, "RT_ERROR_CAPTURE_INVALIDATED"},
      {RT_ERROR_BUSY, "RT_ERROR_BUSY"},
      {RT_ERROR_TIMEOUT, "RT_ERROR_TIMEOUT"},
      {RT_ERROR_DEVICE_LOST, "RT_ERROR_DEVICE_LOST"},
      {RT_ERROR_BACKEND_UNAVAILABLE, "RT_ERROR_BACKEND_UNAVAILABLE"},
      {RT_ERROR_DRIVER, "RT_ERROR_DRIVER"},
      {RT_ERROR_FORKED, "RT_ERROR_FORKED"},
      {RT_ERROR_SHUT_DOWN, "RT_ERROR_SHUT_DOWN"},
      {RT_ERROR_IO, "RT_ERROR_IO"},
      {RT_ERROR_INTERNAL, "RT_ERROR_INTERNAL"},
  };
  std::set<std::string> texts;
  for (const auto& [status, name] : names) {
    EXPECT_STREQ(rtGetErrorName(status), name);
    texts.insert(rtGetErrorString(status));
  }
  EXPECT_EQ(texts.size(), std::size(names)) << "two statuses share a text";
  EXPECT_EQ(texts.count(""), 0u);
  for (rtStatus_t unknown : {2, -23, INT32_MAX, INT32_MIN}) {
    EXPECT_NE(rtGetErrorName(unknown), nullptr);
    EXPECT_NE(rtGetErrorString(unknown), nullptr);
  }
}

TEST(LibraryTest0, LastErrorMessageFollowsTheRulesOfTexts) {
  rtDevice_t device = nullptr;
  ASSERT_EQ(rtDeviceGetByName(&device, "nowhere:7"), RT_ERROR_NOT_FOUND);
  size_t needed = 0;
  ASSERT_RT_OK(rtGetLastErrorMessage(nullptr, 0, &needed));
  const std::string whole = lastMessage();
  EXPECT_EQ(needed, whole.size() + 1);
  EXPECT_NE(whole.find("nowhere:7"), std::string::npos) << whole;
  char small[6];
  ASSERT_RT_OK(rtGetLastErrorMessage(small, sizeof small, nullptr));
  EXPECT_EQ(std::string(small), whole.substr(0, 5));
  EXPECT_EQ(rtGetLastErrorMessage(nullptr, 5, &needed), RT_ERROR_INVALID_VALUE);
}

TEST(LibraryTest0, SuccessClearsNoMessage) {
  markMessage();
  uint32_t version = 0;
  ASSERT_RT_OK(rtGetVersion(&version));
  EXPECT_NE(lastMessage().find(kMark), std::string::npos);
}

TEST(LibraryTest0, AMessageBelongsToItsThread) {
  markMessage();
  std::string there = "not read";
  std::thread([&] { there = lastMessage(); }).join();
  EXPECT_EQ(there, "");
  std::thread([&] { rtGetVersion(nullptr); }).join();
  EXPECT_NE(lastMessage().find(kMark), std::string::npos);
}

TEST(LibraryTest0, InitIsCounted) {
  // main() holds one more.
  ASSERT_RT_OK(rtInit());
  ASSERT_RT_OK(rtInit());
  ASSERT_RT_OK(rtShutdown());
  ASSERT_RT_OK(rtShutdown());
  rtDevice_t device = nullptr;
  EXPECT_RT_OK(rtDeviceGetByName(&device, nullptr));
}

struct LogCount {
  std::atomic<uint64_t> lines{0};
  std::atomic<int32_t> loudest{0};
  std::atomic<bool> empty{false};
};

void countLines(int32_t level, const char* message, void* user) {
  LogCount* count = static_cast<LogCount*>(user);
  count->lines.fetch_add(1);
  if (level > count->loudest.load()) count->loudest.store(level);
  if (message == nullptr || message[0] == '\0') count->empty.store(true);
}

TEST_P(LibraryTest, LogCallbackGetsNoLinesAboveItsLevelAndNoneOnceItIsReplaced) {
  LogCount count;
  ASSERT_RT_OK(rtSetLogCallback(countLines, &count, RT_LOG_DEBUG));
  {
    Context context;
    EXPECT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
    Memory memory;
    EXPECT_RT_OK(rtMallocHost(memory.out(), 4096, context));
  }
  ASSERT_RT_OK(rtSetLogCallback(countLines, &count, RT_LOG_NONE));
  EXPECT_LE(count.loudest.load(), RT_LOG_DEBUG);
  EXPECT_FALSE(count.empty.load());
  const uint64_t before = count.lines.load();
  {
    Context context;
    EXPECT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  }
  ASSERT_RT_OK(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING));
  EXPECT_EQ(count.lines.load(), before) << "a line above RT_LOG_NONE was passed on";
}

TEST(LibraryTest0, ALineOfALibraryGoesWhereTheLogGoes) {
  struct Seen {
    std::vector<std::pair<int32_t, std::string>> lines;
  } seen;
  const auto take = [](int32_t level, const char* message, void* user) {
    static_cast<Seen*>(user)->lines.emplace_back(level, message);
  };
  ASSERT_RT_OK(rtSetLogCallback(take, &seen, RT_LOG_INFO));
  EXPECT_RT_OK(rtLogWrite(RT_LOG_INFO, "100 % of a line"));
  EXPECT_RT_OK(rtLogWrite(RT_LOG_DEBUG, "more than is wanted"));
  EXPECT_RT_OK(rtLogWrite(RT_LOG_ERROR, std::string(5000, 'x').c_str()));
  for (const int32_t level : {-1, 0, 5}) EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLogWrite(level, "line"));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLogWrite(RT_LOG_INFO, nullptr));
  ASSERT_RT_OK(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING));
  ASSERT_EQ(seen.lines.size(), 2u);
  EXPECT_EQ(seen.lines[0], std::pair(RT_LOG_INFO + 0, std::string("100 % of a line")));
  EXPECT_EQ(seen.lines[1], std::pair(RT_LOG_ERROR + 0, std::string(1023, 'x')));
}

TEST(LibraryTest0, LogLevelsOutsideTheListAreRefused) {
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtSetLogCallback(nullptr, nullptr, -1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtSetLogCallback(nullptr, nullptr, RT_LOG_DEBUG + 1));
}

TEST_P(LibraryTest, LiveHandlesAreCountedByKind) {
  Context context;
  const auto expectOneMore = [&](int32_t kind, const std::function<rtStatus_t()>& create,
                                 const std::function<rtStatus_t()>& destroy) {
    const uint64_t before = liveHandles(kind);
    const uint64_t all = liveHandles();
    EXPECT_RT_OK(create());
    EXPECT_EQ(liveHandles(kind), before + 1) << "kind " << kind;
    EXPECT_EQ(liveHandles(), all + 1) << "kind " << kind;
    EXPECT_RT_OK(destroy());
    EXPECT_EQ(liveHandles(kind), before) << "kind " << kind;
    EXPECT_EQ(liveHandles(), all) << "kind " << kind;
  };
  rtContext_t made = nullptr;
  expectOneMore(
      RT_HANDLE_CONTEXT, [&] { return rtContextCreate(&made, nullptr, device_); }, [&] { return rtContextDestroy(made); });
  Stream stream;
  expectOneMore(
      RT_HANDLE_STREAM, [&] { return rtStreamCreate(stream.out(), nullptr, nullptr); }, [&] { return stream.reset(); });
  Event event;
  expectOneMore(
      RT_HANDLE_EVENT, [&] { return rtEventCreate(event.out(), nullptr, nullptr); }, [&] { return event.reset(); });
  Fence fence;
  expectOneMore(
      RT_HANDLE_FENCE, [&] { return rtFenceCreate(fence.out(), 0, nullptr); }, [&] { return fence.reset(); });
  Pool pool;
  expectOneMore(
      RT_HANDLE_MEM_POOL, [&] { return rtMemPoolCreate(pool.out(), nullptr, nullptr); }, [&] { return pool.reset(); });
  if (acceptsKernels()) {
    Kernel kernel;
    expectOneMore(
        RT_HANDLE_KERNEL, [&] { return makeKernel(&kernel, nullptr, emptyKernel, {}, "empty"); },
        [&] { return kernel.reset(); });
  }
  Memory memory;
  expectOneMore(
      RT_HANDLE_ALLOCATION, [&] { return rtMalloc(memory.out(), 100, nullptr); }, [&] { return memory.reset(); });
}

TEST_P(LibraryTest, DevicesPrimaryContextsAndDefaultObjectsAreNotCounted) {
  const uint64_t before = liveHandles();
  rtContext_t primary = nullptr;
  rtStream_t stream = nullptr;
  rtMemPool_t pool = nullptr;
  EXPECT_RT_OK(rtContextGetPrimary(&primary, device_));
  EXPECT_RT_OK(rtContextGetDefaultStream(&stream, primary));
  EXPECT_RT_OK(rtContextGetDefaultPool(&pool, primary));
  EXPECT_RT_OK(rtContextGetDefaultStream(&stream, context_));
  EXPECT_EQ(liveHandles(), before);
  EXPECT_EQ(liveHandles(RT_HANDLE_DEVICE), 0u);
}

TEST(LibraryTest0, AllCountsTheSumOverKindsAndUnknownKindsAreRefused) {
  uint64_t sum = 0;
  for (int32_t kind = RT_HANDLE_DEVICE; kind <= RT_HANDLE_GRAPH_VALUE; ++kind) sum += liveHandles(kind);
  EXPECT_EQ(liveHandles(), sum);
  uint64_t count = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGetLiveHandleCount(&count, RT_HANDLE_INVALID));
  EXPECT_EQ(count, 0u);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGetLiveHandleCount(&count, RT_HANDLE_GRAPH_VALUE + 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGetLiveHandleCount(nullptr, RT_HANDLE_ALL));
}

}  // namespace
}  // namespace rttest
