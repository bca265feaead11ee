// Fills: bytes, rectangles, patterns of 1 to 16 bytes, prefetch; what is refused.
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class FillTest : public DeviceTest {
 protected:
  static constexpr size_t kSize = 4000;
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtMalloc(memory_.out(), kSize, context_));
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
  }
  void TearDown() override {
    EXPECT_RT_OK(memory_.reset());
    DeviceTest::TearDown();
  }
  std::vector<unsigned char> contents() {
    std::vector<unsigned char> bytes(kSize);
    EXPECT_RT_OK(rtMemcpy(bytes.data(), memory_, kSize, RT_MEMCPY_DEFAULT));
    return bytes;
  }
  Memory memory_;
};
INSTANTIATE_TEST_SUITE_P(, FillTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(FillTest, MemsetFillsWithTheLowByte) {
  ASSERT_RT_OK(rtMemset(memory_.as(3), 0x12345, 100));
  ASSERT_RT_OK(rtMemsetAsync(memory_.as(200), -1, 17, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  const std::vector<unsigned char> bytes = contents();
  for (size_t i = 0; i < kSize; ++i) {
    ASSERT_EQ(bytes[i], i >= 3 && i < 103 ? 0x45 : i >= 200 && i < 217 ? 0xFF : 0xEE) << i;
  }
}

TEST_P(FillTest, Memset2DFillsItsRowsAlone) {
  ASSERT_RT_OK(rtMemset2DAsync(memory_.as(7), 100, 1, 33, 10, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  const std::vector<unsigned char> bytes = contents();
  for (size_t i = 0; i < kSize; ++i) {
    const bool inside = i >= 7 && (i - 7) / 100 < 10 && (i - 7) % 100 < 33;
    ASSERT_EQ(bytes[i], inside ? 1 : 0xEE) << i;
  }
}

TEST_P(FillTest, PatternsOf1To16BytesAreCopiedBeforeTheCallReturns) {
  for (size_t size : {1, 2, 4, 8, 16}) {
    SCOPED_TRACE(size);
    alignas(16) unsigned char pattern[16];
    for (size_t i = 0; i < 16; ++i) pattern[i] = static_cast<unsigned char>(i + 1);
    Gate gate(context_);
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
    ASSERT_RT_OK(gate.close(stream_));
    ASSERT_RT_OK(rtMemFillAsync(memory_.as(16), pattern, size, 37, stream_));
    std::memset(pattern, 0, sizeof pattern);
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    const std::vector<unsigned char> bytes = contents();
    for (size_t i = 0; i < kSize; ++i) {
      const bool inside = i >= 16 && i < 16 + size * 37;
      ASSERT_EQ(bytes[i], inside ? (i - 16) % size + 1 : 0xEE) << i;
    }
  }
}

TEST_P(FillTest, APatternIsRefusedForItsSizeOrTheAlignmentOfDst) {
  const uint64_t pattern[4] = {1, 2, 3, 4};
  for (size_t size : {size_t{0}, size_t{3}, size_t{5}, size_t{12}, size_t{32}, SIZE_MAX}) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemFillAsync(memory_, pattern, size, 4, stream_)) << size;
  }
  for (size_t size : {2, 4, 8, 16}) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemFillAsync(memory_.as(size / 2), pattern, size, 4, stream_)) << size;
    EXPECT_RT_OK(rtMemFillAsync(memory_.as(size), pattern, size, 4, stream_));
  }
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemFillAsync(memory_, nullptr, 4, 4, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(FillTest, SizeZeroIsSuccess) {
  const uint32_t pattern = 1;
  EXPECT_RT_OK(rtMemset(nullptr, 1, 0));
  EXPECT_RT_OK(rtMemsetAsync(nullptr, 1, 0, stream_));
  EXPECT_RT_OK(rtMemset2DAsync(nullptr, 8, 1, 0, 5, stream_));
  EXPECT_RT_OK(rtMemset2DAsync(nullptr, 8, 1, 5, 0, stream_));
  EXPECT_RT_OK(rtMemFillAsync(nullptr, &pattern, 4, 0, stream_));
  EXPECT_RT_OK(rtMemPrefetchAsync(nullptr, 0, nullptr, stream_));
}

TEST_P(FillTest, AFillThatLeavesItsAllocationIsRefusedBeforeAnythingIsWritten) {
  const uint32_t pattern = 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset(memory_.as(1), 1, kSize));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset(nullptr, 1, 1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(memory_, 1, kSize + 1, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(memory_, 1, SIZE_MAX, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemFillAsync(memory_, &pattern, 4, kSize / 4 + 1, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemFillAsync(memory_, &pattern, 4, SIZE_MAX / 2, stream_)) << "the size overflows";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset2DAsync(memory_, 100, 1, 101, 2, stream_)) << "the pitch is below the width";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset2DAsync(memory_, 1000, 1, 1000, 5, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset2DAsync(memory_, SIZE_MAX / 2, 1, 1, 4, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(contents(), std::vector<unsigned char>(kSize, 0xEE));
}

TEST_P(FillTest, TheStreamIsOfTheContextOfDst) {
  const uint32_t pattern = 1;
  Context other;
  Stream stream;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemsetAsync(memory_, 1, 16, stream));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemset2DAsync(memory_, 16, 1, 16, 2, stream));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemFillAsync(memory_, &pattern, 4, 4, stream));
}

TEST_P(FillTest, LargeFills) {
  constexpr size_t kLarge = size_t{33} << 20;
  const uint64_t pattern = 0x0123456789ABCDEF;
  Memory memory;
  std::vector<uint64_t> out(kLarge / 8);
  ASSERT_RT_OK(rtMalloc(memory.out(), kLarge, context_));
  ASSERT_RT_OK(rtMemFillAsync(memory, &pattern, 8, kLarge / 8, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(out.data(), memory, kLarge, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [&](uint64_t value) { return value == pattern; }));
}

TEST_P(FillTest, HostMemoryOfTheLibraryIsFilledToo) {
  Memory host;
  ASSERT_RT_OK(rtMallocHost(host.out(), 1000, context_));
  std::memset(host.get(), 0, 1000);
  ASSERT_RT_OK(rtMemset(host, 9, 1000));
  EXPECT_EQ(host.as()[999], 9);
}

TEST_P(FillTest, PrefetchIsAHint) {
  Memory shared;
  if (has(RT_CAPABILITY_SHARED_MEMORY)) {
    ASSERT_RT_OK(rtMallocShared(shared.out(), 10000, context_));
    EXPECT_RT_OK(rtMemPrefetchAsync(shared.as(100), 5000, device_, stream_));
    EXPECT_RT_OK(rtMemPrefetchAsync(shared, 10000, nullptr, stream_));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPrefetchAsync(shared.as(1), 10000, device_, stream_));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemPrefetchAsync(shared, 16, garbage<rtDevice_t>(), stream_));
  }
  int local = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemPrefetchAsync(&local, 4, device_, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
}

// Also where kernels of the device would reach it.
TEST_P(FillTest, UnknownMemoryIsRefused) {
  unsigned char own[64] = {};
  const uint32_t pattern = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset(own, 1, sizeof own));
  EXPECT_NE(lastMessage().find("not memory of the library"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(own, 1, sizeof own, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemset2DAsync(own, 8, 1, 4, 4, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemFillAsync(reinterpret_cast<uint32_t*>(own), &pattern, 4, 4, stream_));
  Graph graph;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemsetAsync(own, 1, sizeof own, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
  params.dst.pointer = own;
  params.pattern_size = 1;
  params.count = sizeof own;
  rtGraphNode_t node = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddFillNode(&node, &params, nullptr, 0, graph));
  params.dst.pointer = memory_;
  EXPECT_RT_OK(rtGraphAddFillNode(&node, &params, nullptr, 0, graph));
  EXPECT_EQ(own[0], 0);
  EXPECT_RT_OK(rtMemset(own, 1, 0)) << "nothing is filled";
}

TEST_P(FillTest, RegisteredMemoryIsFilled) {
  alignas(4096) static unsigned char own[4096];
  if (!has(RT_CAPABILITY_HOST_REGISTER)) {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtHostRegister(own, sizeof own, context_));
    return;
  }
  ASSERT_RT_OK(rtHostRegister(own, sizeof own, context_));
  EXPECT_RT_OK(rtMemset(own, 3, sizeof own));
  EXPECT_EQ(own[4095], 3);
  ASSERT_RT_OK(rtHostUnregister(own, context_));
}

}  // namespace
}  // namespace rttest
