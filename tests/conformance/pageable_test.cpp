// Copies from memory that the library does not know. The source has been read when the call returns, whatever the stream waits
// for, and the program does what it likes with it then. Sources are mappings of their own, which are given back at once.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr size_t kStaged = 64 * kMiB;  // what the copies of a stream hold at most

unsigned char byteAt(size_t i, unsigned char seed) { return static_cast<unsigned char>(i * 31 + i / 251 + seed); }
constexpr size_t kPeriod = size_t{251} * 256;  // byteAt(i + kPeriod, seed) is byteAt(i, seed)

// Bytes of mebibytes, by copies of what is there: a loop over each takes most of a test's time where it is not optimised.
void fillBytes(unsigned char* bytes, size_t size, unsigned char seed) {
  size_t done = std::min(size, kPeriod);
  for (size_t i = 0; i < done; ++i) bytes[i] = byteAt(i, seed);
  for (size_t more; done < size; done += more) {
    more = std::min(done, size - done);
    std::memcpy(bytes + done, bytes, more);
  }
}

void expectFilled(const unsigned char* seen, size_t size, unsigned char seed) {
  std::vector<unsigned char> wanted(size);
  fillBytes(wanted.data(), size, seed);
  if (std::memcmp(seen, wanted.data(), size) == 0) return;
  for (size_t i = 0; i < size; ++i) ASSERT_EQ(seen[i], wanted[i]) << "byte " << i << " of " << size;
}

// A mapping that is filled, and gone when its owner is done with it: a late reader faults.
class Mapping {
 public:
  explicit Mapping(size_t size, unsigned char seed = 0) : size_(size) {
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    bytes_ = static_cast<unsigned char*>(at);
    fillBytes(bytes_, size, seed);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(bytes_, size_); }
  unsigned char* get() const { return bytes_; }

 private:
  unsigned char* bytes_;
  size_t size_;
};

class PageableTest : public DeviceTest {
 public:
  rtStatus_t copyFromMapping(size_t offset, size_t size, unsigned char seed = 0) {
    Mapping source(size, seed);
    return rtMemcpyAsync(memory_.as<char>(offset), source.get(), size, RT_MEMCPY_DEFAULT, stream_);
  }

 protected:
  void TearDown() override {
    EXPECT_RT_OK(memory_.reset());
    DeviceTest::TearDown();
  }
  void allocate(size_t size) { ASSERT_RT_OK(rtMalloc(memory_.out(), size, context_)); }
  void expectBytes(size_t offset, size_t size, unsigned char seed = 0) {
    std::vector<unsigned char> seen(size);
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory_.as<char>(offset), size, RT_MEMCPY_DEFAULT));
    expectFilled(seen.data(), size, seed);
  }

  Memory memory_;
};
INSTANTIATE_TEST_SUITE_P(, PageableTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(PageableTest, TheSourceIsReadByAnIdleStream) {
  allocate(8 * kMiB);
  for (size_t size : {size_t{1}, kKiB, 4 * kKiB + 1, kMiB, 8 * kMiB}) {
    ASSERT_RT_OK(copyFromMapping(0, size));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    expectBytes(0, size);
  }
}

// Backends cut copies in ways that depend on the size.
TEST_P(PageableTest, CopiesOfEverySizeArriveWholeBothWays) {
  constexpr size_t kLargest = 33 * kMiB + 77;
  allocate(kLargest + 64);
  std::vector<unsigned char> source(kLargest + 64), back(kLargest + 64);
  fillBytes(source.data(), source.size(), 0);
  const size_t sizes[] = {63,           64 * kKiB,    512 * kKiB - 1, 512 * kKiB,     512 * kKiB + 1,
                          700'001,      kMiB,         kMiB + 3,       2 * kMiB + 129, 3 * kMiB,
                          4 * kMiB - 5, 8 * kMiB - 1, 8 * kMiB + 1,   17 * kMiB + 5,  kLargest};
  for (const size_t size : sizes) {
    const size_t from = size % 13, to = size % 7, at = size % 31;
    std::fill(back.begin(), back.end(), 0xA5);
    ASSERT_RT_OK(rtMemcpy(memory_.as<unsigned char>(at), source.data() + from, size, RT_MEMCPY_DEFAULT));
    ASSERT_RT_OK(rtMemcpy(back.data() + to, memory_.as<unsigned char>(at), size, RT_MEMCPY_DEFAULT));
    ASSERT_EQ(std::memcmp(back.data() + to, source.data() + from, size), 0) << size;
    EXPECT_TRUE(to == 0 || back[to - 1] == 0xA5) << size;
    EXPECT_EQ(back[to + size], 0xA5) << size;
  }
}

TEST_P(PageableTest, TheSourceIsReadByAStreamThatIsHeldBack) {
  const size_t sizes[] = {1, kKiB, 4 * kKiB, 4 * kKiB + 1, kMiB, 20 * kMiB};
  allocate(std::accumulate(std::begin(sizes), std::end(sizes), size_t{0}));
  ASSERT_RT_OK(rtMemset(memory_, 0, 1));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  size_t offset = 0;
  for (size_t size : sizes) {
    ASSERT_RT_OK(copyFromMapping(offset, size, 5));
    offset += size;
  }
  unsigned char first = 9;
  ASSERT_RT_OK(rtMemcpy(&first, memory_, 1, RT_MEMCPY_DEFAULT));  // the default stream: no order towards stream_
  EXPECT_EQ(first, 0) << "the copy itself waits";
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  offset = 0;
  for (size_t size : sizes) {
    expectBytes(offset, size, 5);
    offset += size;
  }
}

TEST_P(PageableTest, TheSourceIsReadAfterAnotherStreamsWork) {
  allocate(kMiB);
  Stream other;
  Event event;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(other));
  ASSERT_RT_OK(rtMemsetAsync(memory_, 0xFF, kMiB, other));
  ASSERT_RT_OK(rtEventRecord(event, other));
  ASSERT_RT_OK(rtStreamWaitEvent(event, stream_));
  ASSERT_RT_OK(copyFromMapping(0, kMiB / 2));
  ASSERT_RT_OK(rtStreamWaitStream(other, stream_));
  ASSERT_RT_OK(copyFromMapping(kMiB / 2, kMiB / 2, 3));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  expectBytes(0, kMiB / 2);
  expectBytes(kMiB / 2, kMiB / 2, 3);
}

TEST_P(PageableTest, TheSourceIsReadAfterUnfinishedWork) {
  allocate(4 * kMiB);
  for (unsigned char round = 0; round < 20; ++round) {
    ASSERT_RT_OK(rtMemsetAsync(memory_, round, 4 * kMiB, stream_));
    ASSERT_RT_OK(copyFromMapping(0, kKiB, round));
    ASSERT_RT_OK(copyFromMapping(kMiB, 3 * kMiB, round));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    expectBytes(0, kKiB, round);
    expectBytes(kMiB, 3 * kMiB, round);
  }
}

TEST_P(PageableTest, RowsAreReadWithTheirPitches) {
  constexpr size_t kWidth = 700, kHeight = 900, kFrom = 1001, kTo = 723;
  allocate(kTo * kHeight);
  for (bool held : {false, true}) {
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kTo * kHeight));
    Gate gate(context_);
    if (held) {
      ASSERT_RT_OK(gate.close(stream_));
    }
    {
      Mapping source(kFrom * (kHeight - 1) + kWidth);
      ASSERT_RT_OK(rtMemcpy2DAsync(memory_, kTo, source.get(), kFrom, kWidth, kHeight, RT_MEMCPY_DEFAULT, stream_));
    }
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    std::vector<unsigned char> seen(kTo * kHeight);
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory_, seen.size(), RT_MEMCPY_DEFAULT));
    for (size_t row = 0; row < kHeight; ++row) {
      for (size_t i = 0; i < kTo; ++i) {
        ASSERT_EQ(seen[row * kTo + i], i < kWidth ? byteAt(row * kFrom + i, 0) : 0xEE) << "row " << row << ", byte " << i;
      }
    }
  }
}

// A copy that is larger than the stream stages waits for it, and so does one that comes on top of what it stages already.
TEST_P(PageableTest, BeyondTheLimitTheCallWaitsForTheStream) {
  constexpr size_t kLarge = 100 * kMiB;
  allocate(kLarge);
  for (bool on_top : {false, true}) {
    Gate gate(context_);
    ASSERT_RT_OK(gate.close(stream_));
    const size_t size = on_top ? kMiB : kLarge;
    if (on_top) {
      for (size_t i = 0; i < kStaged / (2 * kMiB); ++i) ASSERT_RT_OK(copyFromMapping(i * 2 * kMiB, 2 * kMiB));
    }
    for (size_t i = 0; i < 100; ++i) ASSERT_RT_OK(copyFromMapping(0, kKiB, 1));  // small ones are not counted
    std::atomic<bool> returned{false}, too_early{false};
    std::thread opener([&] {
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
      while (!returned && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      too_early = returned.load();
      EXPECT_RT_OK(gate.open());
    });
    EXPECT_RT_OK(copyFromMapping(0, size, 7));
    returned = true;
    opener.join();
    EXPECT_FALSE(too_early) << "the source of " << size << " bytes cannot have been read";
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    expectBytes(0, size, 7);
  }
}

// In the CUDA runtime the earlier copy, to pageable memory, is over when its call returns.
TEST_P(PageableTest, WhatAnEarlierCopyStillWritesIsWaitedFor) {
  allocate(2 * kMiB);
  ASSERT_RT_OK(rtMemset(memory_, 0x5A, kMiB));
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  void* const second = memory_.as<char>(kMiB);
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE(way);
    ASSERT_RT_OK(rtMemset(second, 0, kMiB));
    std::vector<unsigned char> between(kMiB);
    Gate gate(context_);
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(rtMemcpyAsync(between.data(), memory_, kMiB, RT_MEMCPY_DEFAULT, stream_));
    std::atomic<bool> returned{false}, too_early{false};
    std::thread opener([&] {
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      while (!returned && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      too_early = returned.load();
      EXPECT_RT_OK(gate.open());
    });
    if (way < 2) {
      EXPECT_RT_OK(rtMemcpyAsync(second, between.data(), kMiB, RT_MEMCPY_DEFAULT, way == 0 ? stream_ : other));
    } else {
      EXPECT_RT_OK(rtMemcpy(second, between.data(), kMiB, RT_MEMCPY_DEFAULT));
    }
    returned = true;
    opener.join();
    EXPECT_FALSE(too_early) << "the bytes had not come";
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtStreamSynchronize(other));
    std::vector<unsigned char> seen(kMiB);
    ASSERT_RT_OK(rtMemcpy(seen.data(), second, kMiB, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 0x5A), static_cast<std::ptrdiff_t>(kMiB));
  }
}

// Staging memory comes back when the stream has passed the copies, whatever became of them.
TEST_P(PageableTest, PassedCopiesAndFailedOnesHoldNothing) {
  allocate(2 * kMiB);
  for (bool fails : {false, true, false}) {
    rtFence_t fence = nullptr;
    ASSERT_RT_OK(rtFenceCreate(&fence, 0, context_));
    ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
    for (size_t i = 0; i < kStaged / (2 * kMiB); ++i) {
      ASSERT_RT_OK(copyFromMapping(0, 2 * kMiB, static_cast<unsigned char>(i)));
    }
    if (!fails) {
      ASSERT_RT_OK(rtFenceSignal(1, fence));
    }
    ASSERT_RT_OK(rtFenceDestroy(fence));  // with a waiter: that fails
    EXPECT_RT(fails ? RT_ERROR_INVALID_HANDLE : RT_SUCCESS, rtStreamSynchronize(stream_));
    expectBytes(0, 2 * kMiB, kStaged / (2 * kMiB) - 1);  // of the first round
  }
}

TEST_P(PageableTest, TheStreamMayGoBeforeItsCopies) {
  allocate(4 * kMiB);
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(copyFromMapping(0, 4 * kMiB, 9));
  Event event;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(stream_.reset());
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtEventSynchronize(event));
  expectBytes(0, 4 * kMiB, 9);
}

TEST_P(PageableTest, TheContextMayGoBeforeItsCopies) {
  Context context;
  Stream stream;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  ASSERT_RT_OK(rtMalloc(memory_.out(), 4 * kMiB, context));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream));
  {
    Mapping source(4 * kMiB, 11);
    ASSERT_RT_OK(rtMemcpyAsync(memory_, source.get(), 4 * kMiB, RT_MEMCPY_DEFAULT, stream));
  }
  ASSERT_RT_OK(stream.reset());
  ASSERT_RT_OK(context.reset());
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtDeviceSynchronize(device_));
  expectBytes(0, 4 * kMiB, 11);
}

// A host function may copy after itself, but not more than is staged: that would wait for the function.
TEST_P(PageableTest, AHostFunctionCopiesIntoItsOwnStream) {
  struct Call {
    PageableTest* test;
    rtStatus_t fits, large;
  } call{this, RT_ERROR_INTERNAL, RT_ERROR_INTERNAL};
  allocate(kStaged + 1);
  const auto function = [](void* user, rtStatus_t) {
    auto& in = *static_cast<Call*>(user);
    in.fits = in.test->copyFromMapping(0, kMiB, 4);
    in.large = in.test->copyFromMapping(0, kStaged + 1, 5);
  };
  ASSERT_RT_OK(rtLaunchHostFunction(function, &call, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(call.fits, RT_SUCCESS);
  EXPECT_EQ(call.large, RT_ERROR_BUSY);
  expectBytes(0, kMiB, 4);
}

// Memory that the library knows is read when the stream comes to it.
TEST_P(PageableTest, KnownSourcesAreReadInTheStreamsOrder) {
  allocate(2 * kMiB);
  Memory pinned;
  ASSERT_RT_OK(rtMallocHost(pinned.out(), kMiB, context_));
  Mapping registered(kMiB);
  const bool registers = has(RT_CAPABILITY_HOST_REGISTER);
  if (registers) {
    ASSERT_RT_OK(rtHostRegister(registered.get(), kMiB, context_));
  }
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemcpyAsync(memory_, pinned, kMiB, RT_MEMCPY_DEFAULT, stream_));
  if (registers) {
    ASSERT_RT_OK(rtMemcpyAsync(memory_.as<char>(kMiB), registered.get(), kMiB, RT_MEMCPY_DEFAULT, stream_));
  }
  for (unsigned char* each : {pinned.as<unsigned char>(), registered.get()}) fillBytes(each, kMiB, 77);
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  expectBytes(0, kMiB, 77);
  if (registers) {
    expectBytes(kMiB, kMiB, 77);
    ASSERT_RT_OK(rtHostUnregister(registered.get(), context_));
  }
}

// In a capture the address counts: each launch reads what is there then, in the stream's order.
TEST_P(PageableTest, ACaptureKeepsTheAddress) {
  allocate(kMiB);
  Mapping source(kMiB);
  Graph graph;
  GraphExec exec;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMemcpyAsync(memory_, source.get(), kMiB, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  for (unsigned char round = 1; round < 4; ++round) {
    Gate gate(context_);
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
    fillBytes(source.get(), kMiB, round);
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    expectBytes(0, kMiB, round);
  }
}

// Into pinned memory of every other device's context, which another stream may have to do.
TEST_P(PageableTest, AStreamOfAnotherDeviceReadsTheSourceToo) {
  for (const std::string& name : deviceNames()) {
    if (name == GetParam()) continue;
    rtDevice_t device = nullptr;
    Context context;
    Memory pinned;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtMallocHost(pinned.out(), 2 * kMiB, context));
    for (bool held : {false, true}) {
      std::memset(pinned.get(), 0, 2 * kMiB);
      Gate gate(context_);
      if (held) {
        ASSERT_RT_OK(gate.close(stream_));
      }
      for (size_t size : {kKiB, kMiB}) {
        Mapping source(size);
        ASSERT_RT_OK(rtMemcpyAsync(pinned.as<char>(size == kKiB ? 0 : kMiB), source.get(), size, RT_MEMCPY_DEFAULT, stream_));
      }
      ASSERT_RT_OK(gate.open());
      ASSERT_RT_OK(rtStreamSynchronize(stream_));
      SCOPED_TRACE(name);
      expectFilled(pinned.as<unsigned char>(), kKiB, 0);
      expectFilled(pinned.as<unsigned char>(kMiB), kMiB, 0);
    }
  }
}

}  // namespace
}  // namespace rttest
