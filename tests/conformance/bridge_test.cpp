// Copies between devices where the stream that is given cannot reach the other side. They keep its order, block no caller,
// inherit failures and hold the memory. Each test runs for every pair of devices, with a stream of either side.
#include <numeric>
#include <string>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

class BridgeTest : public DeviceTest {
 protected:
  struct Other {
    rtDevice_t device = nullptr;
    Context context;
    Stream stream;
  };

  // Runs the test's body for each device as the other side, once with a stream of this side and once with one of that.
  void forEach(const std::function<void(Other&, rtStream_t stream, rtContext_t context)>& body) {
    for (const std::string& name : deviceNames()) {
      for (bool own : {true, false}) {
        SCOPED_TRACE(name + (own ? ", a stream of this side" : ", a stream of that side"));
        Other other;
        ASSERT_RT_OK(rtDeviceGetByName(&other.device, name.c_str()));
        ASSERT_RT_OK(rtContextCreate(other.context.out(), nullptr, other.device));
        ASSERT_RT_OK(rtStreamCreate(other.stream.out(), nullptr, other.context));
        body(other, own ? stream_.get() : other.stream.get(), own ? context_.get() : other.context.get());
        if (HasFatalFailure()) return;
      }
    }
  }
  static std::vector<unsigned char> pattern(size_t size) {
    std::vector<unsigned char> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 31 + i / 4096);
    return bytes;
  }
};
INSTANTIATE_TEST_SUITE_P(, BridgeTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(BridgeTest, LargeCopiesArriveWhole) {
  constexpr size_t kSize = (size_t{17} << 20) + 77;  // more pieces than are in flight at a time, the last one short
  const std::vector<unsigned char> in = pattern(kSize);
  forEach([&](Other& other, rtStream_t stream, rtContext_t) {
    Memory here, there;
    std::vector<unsigned char> out(kSize);
    ASSERT_RT_OK(rtMalloc(here.out(), kSize + 3, context_));
    ASSERT_RT_OK(rtMalloc(there.out(), kSize, other.context));
    ASSERT_RT_OK(rtMemcpy(here.as(3), in.data(), kSize, RT_MEMCPY_HOST_TO_DEVICE));
    ASSERT_RT_OK(rtMemcpyAsync(there, here.as(3), kSize, RT_MEMCPY_DEVICE_TO_DEVICE, stream));
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    ASSERT_RT_OK(rtMemcpy(out.data(), there, kSize, RT_MEMCPY_DEVICE_TO_HOST));
    EXPECT_TRUE(out == in);
  });
}

TEST_P(BridgeTest, RectanglesOfNarrowAndOfWideRows) {
  struct Shape {
    size_t width, height, dst_pitch, src_pitch;
  };
  constexpr size_t kMiB = size_t{1} << 20;
  const std::vector<unsigned char> in = pattern(9 * kMiB);
  for (const Shape& shape : {Shape{4 * kMiB + 3, 2, 4 * kMiB + 9, 4 * kMiB + 3}, Shape{1000, 9000, 1001, 1024}}) {
    SCOPED_TRACE(shape.width);
    forEach([&](Other& other, rtStream_t stream, rtContext_t) {
      Memory here, there;
      std::vector<unsigned char> out(9 * kMiB);
      ASSERT_RT_OK(rtMalloc(here.out(), in.size(), context_));
      ASSERT_RT_OK(rtMalloc(there.out(), out.size(), other.context));
      ASSERT_RT_OK(rtMemcpy(here, in.data(), in.size(), RT_MEMCPY_DEFAULT));
      ASSERT_RT_OK(rtMemset(there, 0xBB, out.size()));
      ASSERT_RT_OK(
          rtMemcpy2DAsync(there, shape.dst_pitch, here, shape.src_pitch, shape.width, shape.height, RT_MEMCPY_DEFAULT, stream));
      ASSERT_RT_OK(rtStreamSynchronize(stream));
      ASSERT_RT_OK(rtMemcpy(out.data(), there, out.size(), RT_MEMCPY_DEFAULT));
      std::vector<unsigned char> expected(out.size(), 0xBB);
      for (size_t row = 0; row < shape.height; ++row) {
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(row * shape.src_pitch), shape.width,
                    expected.begin() + static_cast<std::ptrdiff_t>(row * shape.dst_pitch));
      }
      EXPECT_TRUE(out == expected);
    });
  }
}

TEST_P(BridgeTest, CopiesKeepTheOrderOfTheirStreamAndBlockNoThread) {
  constexpr size_t kSize = 100000;
  forEach([&](Other& other, rtStream_t stream, rtContext_t context) {
    const bool own = context == context_.get();
    Memory here, there, back;
    Gate gate(context);
    // The stream's own memory is what it can fill before and after.
    ASSERT_RT_OK(rtMalloc(here.out(), kSize, context));
    ASSERT_RT_OK(rtMalloc(back.out(), kSize, context));
    ASSERT_RT_OK(rtMalloc(there.out(), kSize, own ? other.context.get() : context_.get()));
    ASSERT_RT_OK(gate.close(stream));
    for (int round = 1; round <= 5; ++round) {
      ASSERT_RT_OK(rtMemsetAsync(here, round, kSize, stream));
      ASSERT_RT_OK(rtMemcpyAsync(there, here, kSize, RT_MEMCPY_DEFAULT, stream));
      ASSERT_RT_OK(rtMemsetAsync(here, 0xEE, kSize, stream));
      ASSERT_RT_OK(rtMemcpyAsync(back, there, kSize, RT_MEMCPY_DEFAULT, stream));
    }
    EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream));
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    for (const Memory* each : {&there, &back}) {
      std::vector<unsigned char> out(kSize);
      ASSERT_RT_OK(rtMemcpy(out.data(), *each, kSize, RT_MEMCPY_DEFAULT));
      EXPECT_EQ(out, std::vector<unsigned char>(kSize, 5));
    }
  });
}

TEST_P(BridgeTest, AFailureBeforeTheCopySkipsItAndTheNextOneWorks) {
  constexpr size_t kSize = 5000;
  forEach([&](Other& other, rtStream_t stream, rtContext_t context) {
    Memory here, there;
    rtFence_t fence = nullptr;
    std::vector<unsigned char> out(kSize);
    ASSERT_RT_OK(rtMalloc(here.out(), kSize, context_));
    ASSERT_RT_OK(rtMalloc(there.out(), kSize, other.context));
    ASSERT_RT_OK(rtMemset(here, 1, kSize));
    ASSERT_RT_OK(rtMemset(there, 2, kSize));
    for (int round = 0; round < 2; ++round) {
      ASSERT_RT_OK(rtFenceCreate(&fence, 0, context));
      ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream));
      ASSERT_RT_OK(rtMemcpyAsync(there, here, kSize, RT_MEMCPY_DEFAULT, stream));
      ASSERT_RT_OK(rtFenceDestroy(fence));
      EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream));
      ASSERT_RT_OK(rtMemcpy(out.data(), there, kSize, RT_MEMCPY_DEFAULT));
      EXPECT_EQ(out, std::vector<unsigned char>(kSize, 2));
      EXPECT_RT_OK(rtContextSynchronize(context_)) << "no other stream has the failure";
      EXPECT_RT_OK(rtContextSynchronize(other.context));
    }
    ASSERT_RT_OK(rtMemcpyAsync(there, here, kSize, RT_MEMCPY_DEFAULT, stream));
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    ASSERT_RT_OK(rtMemcpy(out.data(), there, kSize, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(out, std::vector<unsigned char>(kSize, 1));
  });
}

TEST_P(BridgeTest, MemoryFreedWhileItIsCopiedStaysUntilThen) {
  constexpr size_t kSize = 3000;
  forEach([&](Other& other, rtStream_t stream, rtContext_t context) {
    Gate gate(context);
    Memory here, there, result;
    ASSERT_RT_OK(rtMalloc(here.out(), kSize, context_));
    ASSERT_RT_OK(rtMalloc(there.out(), kSize, other.context));
    ASSERT_RT_OK(rtMalloc(result.out(), kSize, context_));
    ASSERT_RT_OK(rtMemset(here, 3, kSize));
    ASSERT_RT_OK(gate.close(stream));
    ASSERT_RT_OK(rtMemcpyAsync(there, here, kSize, RT_MEMCPY_DEFAULT, stream));
    ASSERT_RT_OK(rtMemcpyAsync(result, there, kSize, RT_MEMCPY_DEFAULT, stream));
    const void* freed[] = {here.get(), there.get()};
    ASSERT_RT_OK(here.reset());
    ASSERT_RT_OK(there.reset());
    Memory again[2][4];
    for (int i = 0; i < 4; ++i) {
      ASSERT_RT_OK(rtMalloc(again[0][i].out(), kSize, context_));
      ASSERT_RT_OK(rtMalloc(again[1][i].out(), kSize, other.context));
      EXPECT_NE(again[0][i].get(), freed[0]);
      EXPECT_NE(again[1][i].get(), freed[1]);
    }
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    std::vector<unsigned char> out(kSize);
    ASSERT_RT_OK(rtMemcpy(out.data(), result, kSize, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(out, std::vector<unsigned char>(kSize, 3));
  });
}

TEST_P(BridgeTest, EitherContextMayEndWhileTheCopyWaits) {
  constexpr size_t kSize = 3000;
  forEach([&](Other& other, rtStream_t stream, rtContext_t) {
    Gate gate(context_);
    Memory here, there, kept;
    std::vector<unsigned char> out(kSize);
    ASSERT_RT_OK(rtMalloc(here.out(), kSize, context_));
    ASSERT_RT_OK(rtMalloc(kept.out(), kSize, context_));
    ASSERT_RT_OK(rtMalloc(there.out(), kSize, other.context));
    ASSERT_RT_OK(rtMemset(here, 4, kSize));
    ASSERT_RT_OK(gate.close(stream));
    ASSERT_RT_OK(rtMemcpyAsync(there, here, kSize, RT_MEMCPY_DEFAULT, stream));
    ASSERT_RT_OK(rtMemcpyAsync(kept, there, kSize, RT_MEMCPY_DEFAULT, stream));
    const bool own = stream == stream_.get();
    ASSERT_RT_OK(other.stream.reset());
    ASSERT_RT_OK(other.context.reset());
    ASSERT_RT_OK(gate.open());
    // A device is also asked for what contexts that are gone have in flight.
    ASSERT_RT_OK(own ? rtStreamSynchronize(stream) : rtDeviceSynchronize(other.device));
    ASSERT_RT_OK(rtMemcpy(out.data(), kept, kSize, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(out, std::vector<unsigned char>(kSize, 4));
    out.assign(kSize, 0);
    ASSERT_RT_OK(rtMemcpy(out.data(), there, kSize, RT_MEMCPY_DEFAULT)) << "memory outlives its context";
    EXPECT_EQ(out, std::vector<unsigned char>(kSize, 4));
  });
}

TEST_P(BridgeTest, SharedAndPinnedMemoryOfOneIsCopiedByTheOther) {
  constexpr size_t kSize = 5000;
  forEach([&](Other& other, rtStream_t stream, rtContext_t) {
    Memory here, pinned;
    std::vector<unsigned char> out(kSize);
    ASSERT_RT_OK(rtMalloc(here.out(), kSize, context_));
    ASSERT_RT_OK(rtMallocHost(pinned.out(), kSize, other.context));
    std::memset(pinned.get(), 7, kSize);
    ASSERT_RT_OK(rtMemcpyAsync(here, pinned, kSize, RT_MEMCPY_HOST_TO_DEVICE, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    ASSERT_RT_OK(rtMemcpy(out.data(), here, kSize, RT_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(out, std::vector<unsigned char>(kSize, 7));
    int32_t shares = 0;
    ASSERT_RT_OK(rtDeviceHasCapability(&shares, RT_CAPABILITY_SHARED_MEMORY, other.device));
    if (shares == 0) return;
    Memory shared;
    ASSERT_RT_OK(rtMallocShared(shared.out(), kSize, other.context));
    std::memset(shared.get(), 8, kSize);
    for (int32_t kind : {RT_MEMCPY_HOST_TO_DEVICE, RT_MEMCPY_DEVICE_TO_DEVICE, RT_MEMCPY_DEFAULT}) {
      ASSERT_RT_OK(rtMemset(here, 0, kSize));
      ASSERT_RT_OK(rtMemcpyAsync(here, shared, kSize, kind, stream));
      ASSERT_RT_OK(rtStreamSynchronize(stream));
      ASSERT_RT_OK(rtMemcpy(out.data(), here, kSize, RT_MEMCPY_DEVICE_TO_HOST));
      EXPECT_EQ(out, std::vector<unsigned char>(kSize, 8));
    }
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtMemcpyAsync(here, shared, kSize, RT_MEMCPY_HOST_TO_HOST, stream));
  });
}

}  // namespace
}  // namespace rttest
