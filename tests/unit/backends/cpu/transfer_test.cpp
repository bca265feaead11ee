// Copies, fills and memory of the CPU and the null backend, against plain loops.
#include <algorithm>
#include <cstring>
#include <random>

#include "base/fault.h"
#include "unit/backends/rig.h"

namespace manyrt::test {
namespace {

class TransferTest : public testing::TestWithParam<backend::Backend* (*)()> {
 protected:
  TransferTest() : rig_(2, GetParam()()), stream_(rig_.stream()) {}
  Rig rig_;
  Ref<backend::Stream> stream_;
};

void randomize(std::vector<unsigned char>& bytes, uint32_t seed) {
  std::minstd_rand random(seed);
  for (size_t i = 0; i < bytes.size(); i += sizeof(uint32_t)) {
    uint32_t word = static_cast<uint32_t>(random()) * 2654435761u;
    memcpy(&bytes[i], &word, std::min(sizeof word, bytes.size() - i));
  }
}

TEST_P(TransferTest, CopiesOfAllSizesAndAlignments) {
  for (uint64_t size : {0ul, 1ul, 7ul, 63ul, 64ul, 65ul, 4095ul, 70001ul, (1ul << 20) - 1, (1ul << 20) + 3, (9ul << 20) + 17}) {
    for (auto [dst_at, src_at] : {std::pair{0u, 0u}, {1u, 0u}, {0u, 3u}, {31u, 33u}}) {
      std::vector<unsigned char> src(size + 128), dst(size + 128, 0xee);
      randomize(src, static_cast<uint32_t>(size));
      ASSERT_TRUE(stream_->copy({dst.data() + dst_at, src.data() + src_at, size}).ok());
      ASSERT_TRUE(finish(*stream_));
      ASSERT_EQ(memcmp(dst.data() + dst_at, src.data() + src_at, size), 0) << size;
      for (uint64_t i = 0; i < dst_at; ++i) ASSERT_EQ(dst[i], 0xee);
      for (uint64_t i = dst_at + size; i < dst.size(); ++i) ASSERT_EQ(dst[i], 0xee);
    }
  }
}

TEST_P(TransferTest, CopiesWithPitches) {
  for (auto [width, height] : {std::pair{5ul, 7ul}, {64ul, 1000ul}, {3000ul, 4000ul}, {1500000ul, 8ul}}) {
    for (uint64_t gap : {0ul, 9ul}) {
      uint64_t dst_pitch = width + gap, src_pitch = width + 2 * gap;
      std::vector<unsigned char> src(src_pitch * height), dst(dst_pitch * height, 0xee);
      randomize(src, 7);
      ASSERT_TRUE(stream_->copy({dst.data(), src.data(), width, height, dst_pitch, src_pitch}).ok());
      ASSERT_TRUE(finish(*stream_));
      for (uint64_t row = 0; row < height; ++row) {
        ASSERT_EQ(memcmp(&dst[row * dst_pitch], &src[row * src_pitch], width), 0);
        for (uint64_t i = width; i < dst_pitch; ++i) ASSERT_EQ(dst[row * dst_pitch + i], 0xee);
      }
    }
  }
}

TEST_P(TransferTest, FillsOfAllPatterns) {
  for (uint32_t pattern : {1u, 2u, 4u, 8u, 16u}) {
    for (bool same : {false, true}) {
      for (auto [count, height] : {std::pair{1ul, 1ul}, {33ul, 1ul}, {40ul, 9ul}, {300000ul, 1ul}, {100000ul, 3ul}}) {
        for (uint64_t gap : {0ul, 16ul}) {
          backend::Fill fill{};
          for (uint32_t i = 0; i < 16; ++i) fill.pattern[i] = static_cast<unsigned char>(same ? 9 : i + 1);
          fill.pattern_size = pattern;
          fill.width = count * pattern;
          fill.height = height;
          fill.pitch = fill.width + gap;
          std::vector<unsigned char> dst(fill.pitch * height + 32, 0xee), expected(dst), row(fill.width);
          for (uint64_t i = 0; i < count; ++i) memcpy(&row[i * pattern], fill.pattern, pattern);
          for (uint64_t i = 0; i < height; ++i) memcpy(&expected[16 + i * fill.pitch], row.data(), fill.width);
          fill.dst = dst.data() + 16;
          ASSERT_TRUE(stream_->fill(fill).ok());
          ASSERT_TRUE(finish(*stream_));
          ASSERT_EQ(memcmp(dst.data(), expected.data(), dst.size()), 0) << pattern << " x " << count << " x " << height;
        }
      }
    }
  }
}

TEST_P(TransferTest, MemoryIsAlignedAndUsable) {
  for (int32_t kind : {RT_MEMORY_DEVICE, RT_MEMORY_HOST, RT_MEMORY_SHARED}) {
    for (uint64_t size : {1ul, 4096ul, 1ul << 20, (3ul << 20) + 5}) {
      for (uint64_t alignment : {256ul, 4096ul, 8ul << 20}) {
        backend::Memory memory;
        ASSERT_TRUE(rig_.context->allocate(&memory, kind, size, alignment).ok());
        ASSERT_EQ(reinterpret_cast<uintptr_t>(memory.address) % alignment, 0u);
        ASSERT_EQ(memory.kind, kind);
        memset(memory.address, 1, size);
        rig_.context->release(memory);
      }
    }
  }
}

TEST_P(TransferTest, TooMuchMemoryIsRefusedWithFigures) {
  for (uint64_t size : {uint64_t{1} << 60, UINT64_MAX}) {
    backend::Memory memory;
    Status status = rig_.context->allocate(&memory, RT_MEMORY_DEVICE, size, 256);
    EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
    EXPECT_NE(std::string(status.message()).find(std::to_string(size)), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, TransferTest, testing::Values(&cpu::backend, &null::backend),
                         [](const auto& parameter) { return std::string(parameter.param()->name()); });

TEST(CpuMemoryTest, EveryFailureIsAStatus) {
  Rig rig(1);
  for (uint64_t size : {uint64_t{100}, uint64_t{4} << 20}) {
    fault::arm(1, false);
    backend::Memory memory;
    Status status = rig.context->allocate(&memory, RT_MEMORY_DEVICE, size, 256);
    fault::disarm();
    EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
  }
}

}  // namespace
}  // namespace manyrt::test
