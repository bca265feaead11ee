// Copies: every direction, rectangles, between contexts, devices and backends; what is refused, and that a refused copy has
// written nothing.
#include <numeric>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class CopyTest : public DeviceTest {
 protected:
  static constexpr size_t kSize = 5000;
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtMalloc(device_a_.out(), kSize, context_));
    ASSERT_RT_OK(rtMalloc(device_b_.out(), kSize, context_));
    ASSERT_RT_OK(rtMallocHost(pinned_.out(), kSize, context_));
    source_.resize(kSize);
    result_.assign(kSize, 0xEE);
    for (size_t i = 0; i < kSize; ++i) source_[i] = static_cast<unsigned char>(i * 31 + 7);
  }
  void TearDown() override {
    EXPECT_RT_OK(device_a_.reset());
    EXPECT_RT_OK(device_b_.reset());
    EXPECT_RT_OK(pinned_.reset());
    DeviceTest::TearDown();
  }
  Memory device_a_;
  Memory device_b_;
  Memory pinned_;
  std::vector<unsigned char> source_;
  std::vector<unsigned char> result_;
};
INSTANTIATE_TEST_SUITE_P(, CopyTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(CopyTest, EveryDirectionReturnsWhenDone) {
  for (bool inferred : {false, true}) {
    ASSERT_RT_OK(rtMemcpy(pinned_, source_.data(), kSize, inferred ? RT_MEMCPY_DEFAULT : RT_MEMCPY_HOST_TO_HOST));
    ASSERT_RT_OK(rtMemcpy(device_a_, pinned_, kSize, inferred ? RT_MEMCPY_DEFAULT : RT_MEMCPY_HOST_TO_DEVICE));
    ASSERT_RT_OK(rtMemcpy(device_b_, device_a_, kSize, inferred ? RT_MEMCPY_DEFAULT : RT_MEMCPY_DEVICE_TO_DEVICE));
    ASSERT_RT_OK(rtMemcpy(result_.data(), device_b_, kSize, inferred ? RT_MEMCPY_DEFAULT : RT_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(result_, source_);
    result_.assign(kSize, 0xEE);
  }
}

TEST_P(CopyTest, AsynchronousCopiesRunInOrder) {
  std::memcpy(pinned_.get(), source_.data(), kSize);
  ASSERT_RT_OK(rtMemcpyAsync(device_a_, pinned_, kSize, RT_MEMCPY_HOST_TO_DEVICE, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(device_b_, device_a_, kSize, RT_MEMCPY_DEVICE_TO_DEVICE, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(result_.data(), device_b_, kSize, RT_MEMCPY_DEVICE_TO_HOST, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(result_, source_);
}

TEST_P(CopyTest, PinnedCopiesAfterAGateBlockNoThread) {
  Gate gate(context_);
  std::memcpy(pinned_.get(), source_.data(), kSize);
  ASSERT_RT_OK(rtMemset(device_a_, 0, kSize));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtMemcpyAsync(device_a_, pinned_, kSize, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtMemcpy(result_.data(), device_a_, kSize, RT_MEMCPY_DEFAULT));  // default stream: no order towards stream_
  EXPECT_EQ(result_, std::vector<unsigned char>(kSize, 0));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtMemcpy(result_.data(), device_a_, kSize, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(result_, source_);
}

TEST_P(CopyTest, InteriorAddressesAndOddSizes) {
  for (size_t offset : {1, 63, 257}) {
    for (size_t size : {1, 3, 64, 1001}) {
      ASSERT_RT_OK(rtMemset(device_a_, 0, kSize));
      ASSERT_RT_OK(rtMemcpy(device_a_.as(offset), source_.data() + 5, size, RT_MEMCPY_DEFAULT));
      ASSERT_RT_OK(rtMemcpy(device_b_.as(offset + 1), device_a_.as(offset), size, RT_MEMCPY_DEFAULT));
      ASSERT_RT_OK(rtMemcpy(result_.data(), device_b_.as(offset + 1), size, RT_MEMCPY_DEFAULT));
      ASSERT_TRUE(std::equal(result_.begin(), result_.begin() + size, source_.begin() + 5));
      unsigned char after = 1;
      ASSERT_RT_OK(rtMemcpy(&after, device_a_.as(offset + size), 1, RT_MEMCPY_DEFAULT));
      ASSERT_EQ(after, 0);
    }
  }
}

TEST_P(CopyTest, LargeCopies) {
  constexpr size_t kLarge = size_t{48} << 20;
  std::vector<uint32_t> in(kLarge / 4);
  std::vector<uint32_t> out(kLarge / 4);
  std::iota(in.begin(), in.end(), 99u);
  Memory a;
  Memory b;
  ASSERT_RT_OK(rtMalloc(a.out(), kLarge, context_));
  ASSERT_RT_OK(rtMalloc(b.out(), kLarge, context_));
  ASSERT_RT_OK(rtMemcpyAsync(a, in.data(), kLarge, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(b.as(4), a, kLarge - 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtMemcpyAsync(out.data(), b.as(4), kLarge - 4, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  out.back() = in.back();
  EXPECT_TRUE(in == out);
}

TEST_P(CopyTest, SizeZeroIsSuccessEvenWithNull) {
  EXPECT_RT_OK(rtMemcpy(nullptr, nullptr, 0, RT_MEMCPY_DEFAULT));
  EXPECT_RT_OK(rtMemcpyAsync(nullptr, nullptr, 0, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT_OK(rtMemcpy(device_a_, source_.data(), 0, RT_MEMCPY_HOST_TO_DEVICE));
  EXPECT_RT_OK(rtMemcpy2D(nullptr, 0, nullptr, 0, 0, 5, RT_MEMCPY_DEFAULT));
  EXPECT_RT_OK(rtMemcpy2DAsync(nullptr, 8, nullptr, 8, 8, 0, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(nullptr, source_.data(), 1, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, nullptr, 1, RT_MEMCPY_DEFAULT));
}

TEST_P(CopyTest, AKindThatContradictsTheAddressesIsRefused) {
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, source_.data(), 16, RT_MEMCPY_DEVICE_TO_HOST));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, source_.data(), 16, RT_MEMCPY_HOST_TO_HOST));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, source_.data(), 16, RT_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(result_.data(), device_a_, 16, RT_MEMCPY_HOST_TO_DEVICE));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpyAsync(device_b_, device_a_, 16, RT_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpyAsync(result_.data(), source_.data(), 16, RT_MEMCPY_DEVICE_TO_HOST, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, source_.data(), 16, -1));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, source_.data(), 16, RT_MEMCPY_DEVICE_TO_DEVICE + 1));
}

TEST_P(CopyTest, ACopyThatLeavesItsAllocationIsRefusedBeforeAnythingIsWritten) {
  ASSERT_RT_OK(rtMemset(device_a_, 0x42, kSize));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_.as(1), source_.data(), kSize, RT_MEMCPY_DEFAULT));
  EXPECT_NE(lastMessage().find(std::to_string(kSize)), std::string::npos) << "the values are in it: " << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(result_.data(), device_a_.as(kSize - 1), 2, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpyAsync(device_b_, device_a_.as(1), kSize, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, source_.data(), SIZE_MAX, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_.as(8), device_b_, SIZE_MAX - 4, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpyAsync(device_a_, pinned_.as(10), kSize - 5, RT_MEMCPY_DEFAULT, stream_))
      << "pinned memory is an allocation too";
  EXPECT_EQ(result_, std::vector<unsigned char>(kSize, 0xEE));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtMemcpy(result_.data(), device_a_, kSize, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(result_, std::vector<unsigned char>(kSize, 0x42));
}

TEST_P(CopyTest, OverlappingRangesAreRefusedBeforeAnythingIsWritten) {
  ASSERT_RT_OK(rtMemcpy(device_a_, source_.data(), kSize, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_.as(10), device_a_, 11, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(device_a_, device_a_.as(10), 11, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpyAsync(device_a_, device_a_, 1, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT_OK(rtMemcpy(device_a_.as(1000), device_a_.as(990), 10, RT_MEMCPY_DEFAULT)) << "neighbours do not overlap";
  std::vector<unsigned char> host = source_;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(host.data() + 1, host.data(), 100, RT_MEMCPY_HOST_TO_HOST));
  EXPECT_EQ(host, source_);
  ASSERT_RT_OK(rtMemcpy(result_.data(), device_a_, 900, RT_MEMCPY_DEFAULT));
  EXPECT_TRUE(std::equal(result_.begin(), result_.begin() + 900, source_.begin()));
}

TEST_P(CopyTest, RectanglesCopyTheirRowsAlone) {
  constexpr size_t kWidth = 37;
  constexpr size_t kHeight = 20;
  constexpr size_t kPitchA = 64;
  constexpr size_t kPitchB = 101;
  for (bool async : {false, true}) {
    ASSERT_RT_OK(rtMemset(device_a_, 0xAA, kSize));
    ASSERT_RT_OK(rtMemset(device_b_, 0xBB, kSize));
    const auto copy = [&](void* dst, size_t dst_pitch, const void* src, size_t src_pitch) {
      return async ? rtMemcpy2DAsync(dst, dst_pitch, src, src_pitch, kWidth, kHeight, RT_MEMCPY_DEFAULT, stream_)
                   : rtMemcpy2D(dst, dst_pitch, src, src_pitch, kWidth, kHeight, RT_MEMCPY_DEFAULT);
    };
    ASSERT_RT_OK(copy(device_a_.as(3), kPitchA, source_.data(), kWidth));
    ASSERT_RT_OK(copy(device_b_.as(5), kPitchB, device_a_.as(3), kPitchA));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtMemcpy(result_.data(), device_b_, kSize, RT_MEMCPY_DEFAULT));
    for (size_t i = 0; i < kSize; ++i) {
      const size_t row = (i - 5) / kPitchB;
      const size_t column = (i - 5) % kPitchB;
      const bool inside = i >= 5 && row < kHeight && column < kWidth;
      ASSERT_EQ(result_[i], inside ? source_[row * kWidth + column] : 0xBB) << "byte " << i;
    }
  }
}

TEST_P(CopyTest, RectanglesAreChecked) {
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy2D(device_a_, 9, source_.data(), 10, 10, 4, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy2D(device_a_, 10, source_.data(), 9, 10, 4, RT_MEMCPY_DEFAULT));
  EXPECT_RT_OK(rtMemcpy2D(device_a_, 1000, source_.data(), 1000, 1000, 5, RT_MEMCPY_DEFAULT));
  EXPECT_RT_OK(rtMemcpy2D(device_a_.as(900), 1000, source_.data(), 1000, 100, 5, RT_MEMCPY_DEFAULT))
      << "the last row need not fill its pitch";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy2D(device_a_.as(901), 1000, source_.data(), 1000, 100, 5, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy2D(device_a_, SIZE_MAX / 2, source_.data(), 10, 10, 4, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy2D(device_a_, 10, device_b_, 10, 10, SIZE_MAX, RT_MEMCPY_DEFAULT));
  EXPECT_RT(RT_ERROR_INVALID_VALUE,
            rtMemcpy2DAsync(device_a_, SIZE_MAX, device_b_, SIZE_MAX, SIZE_MAX, SIZE_MAX, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy2DAsync(device_a_, 100, device_a_.as(50), 100, 60, 5, RT_MEMCPY_DEFAULT, stream_))
      << "overlaps";
}

TEST_P(CopyTest, TheStreamIsOfOneOfTheTwoContexts) {
  Context second;
  Context third;
  Stream stream_second;
  Stream stream_third;
  Memory memory;
  ASSERT_RT_OK(rtContextCreate(second.out(), nullptr, device_));
  ASSERT_RT_OK(rtContextCreate(third.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(stream_second.out(), nullptr, second));
  ASSERT_RT_OK(rtStreamCreate(stream_third.out(), nullptr, third));
  ASSERT_RT_OK(rtMalloc(memory.out(), kSize, second));
  ASSERT_RT_OK(rtMemcpy(device_a_, source_.data(), kSize, RT_MEMCPY_DEFAULT));
  EXPECT_RT_OK(rtMemcpyAsync(memory, device_a_, kSize, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_RT_OK(rtMemcpyAsync(device_b_, memory, kSize, RT_MEMCPY_DEFAULT, stream_second));
  EXPECT_RT_OK(rtStreamSynchronize(stream_second));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemcpyAsync(memory, device_a_, kSize, RT_MEMCPY_DEFAULT, stream_third));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemcpyAsync(device_a_, source_.data(), kSize, RT_MEMCPY_DEFAULT, stream_third));
  EXPECT_RT_OK(rtMemcpyAsync(result_.data(), source_.data(), kSize, RT_MEMCPY_HOST_TO_HOST, stream_third)) << "any stream";
  EXPECT_RT_OK(rtStreamSynchronize(stream_third));
  ASSERT_RT_OK(rtMemcpy(result_.data(), device_b_, kSize, RT_MEMCPY_DEFAULT));
  EXPECT_EQ(result_, source_);
}

TEST_P(CopyTest, ACopyMayJoinAnyTwoDevicesOfAnyTwoBackends) {
  for (const std::string& name : deviceNames()) {
    SCOPED_TRACE(name);
    rtDevice_t device = nullptr;
    Context context;
    Stream stream;
    Memory there;
    ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    ASSERT_RT_OK(rtMalloc(there.out(), kSize, context));

    ASSERT_RT_OK(rtMemcpy(device_a_, source_.data(), kSize, RT_MEMCPY_DEFAULT));
    ASSERT_RT_OK(rtMemcpy(there, device_a_, kSize, RT_MEMCPY_DEFAULT));
    ASSERT_RT_OK(rtMemcpy(device_b_, there, kSize, RT_MEMCPY_DEVICE_TO_DEVICE));
    ASSERT_RT_OK(rtMemcpy(result_.data(), device_b_, kSize, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(result_, source_);

    // The same on streams of either side, which are then in order with what follows on them.
    ASSERT_RT_OK(rtMemsetAsync(there, 0, kSize, stream));
    ASSERT_RT_OK(rtMemcpyAsync(there.as(8), device_a_.as(16), kSize - 16, RT_MEMCPY_DEFAULT, stream));
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    ASSERT_RT_OK(rtMemcpy2DAsync(device_b_, 50, there.as(8), 100, 50, 20, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(result_.data(), device_b_, 1000, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(result_[i], source_[16 + i / 50 * 100 + i % 50]);
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(there, device_a_.as(1), kSize, RT_MEMCPY_DEFAULT));
  }
}

TEST_P(CopyTest, AStaleStreamIsRefused) {
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtMemcpyAsync(device_a_, source_.data(), 16, RT_MEMCPY_DEFAULT, garbage<rtStream_t>()));
  const void* stale = device_a_.get();
  ASSERT_RT_OK(device_a_.reset());
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpy(result_.data(), stale, 16, RT_MEMCPY_DEVICE_TO_HOST)) << "freed: no device memory";
}

}  // namespace
}  // namespace rttest
