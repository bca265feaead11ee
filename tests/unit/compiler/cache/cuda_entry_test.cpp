// Cache entries of CUDA: they come back as they were written, and nothing else comes back at all.
#include "compiler/cache/cuda_entry.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace manyrt::compiler {
namespace {

CudaImage sample() {
  CudaImage image;
  image.code = {0x7f, 'E', 'L', 'F', 0, 1, 2};
  image.is_cubin = true;
  image.log = "a warning\n";
  CudaKernel kernel;
  kernel.name = "add";
  kernel.symbol = "add_kernel";
  kernel.arguments = {{8, 1, "a", "float*", 1}, {8, 2, "scratch", "float4*", 16}, {4, 0, "n", "uint", 1}};
  kernel.arguments[0].use = {RT_QUALIFIER_CONST | RT_QUALIFIER_VOLATILE, RT_ADDRESS_SPACE_GLOBAL, RT_ACCESS_READ_WRITE};
  kernel.required_group[0] = 64;
  kernel.required_group[1] = kernel.required_group[2] = 1;
  kernel.local_bytes = 1024;
  kernel.takes_offset = true;
  image.kernels = {kernel, CudaKernel()};
  image.globals = {{"table", "table_3", 12}};
  return image;
}

TEST(CudaEntryTest, AnImageComesBackWhole) {
  const CudaImage image = sample();
  const std::vector<unsigned char> data = writeCudaEntry(image);
  CudaImage read;
  ASSERT_TRUE(readCudaEntry(&read, data.data(), data.size()));
  EXPECT_EQ(writeCudaEntry(read), data);
  EXPECT_EQ(read.code, image.code);
  EXPECT_TRUE(read.is_cubin);
  EXPECT_EQ(read.log, image.log);
  ASSERT_EQ(read.kernels.size(), 2u);
  EXPECT_EQ(read.kernels[0].symbol, "add_kernel");
  EXPECT_EQ(read.kernels[0].arguments[1].type_name, "float4*");
  EXPECT_EQ(read.kernels[0].arguments[1].alignment, 16u);
  EXPECT_EQ(read.kernels[0].arguments[0].use, image.kernels[0].arguments[0].use);
  EXPECT_EQ(read.kernels[0].localArguments(), std::vector<uint32_t>{1});
  EXPECT_EQ(read.kernels[0].required_group[0], 64u);
  EXPECT_EQ(read.kernels[0].local_bytes, 1024u);
  EXPECT_TRUE(read.kernels[0].takes_offset);
  EXPECT_FALSE(read.kernels[1].takes_offset);
  ASSERT_EQ(read.globals.size(), 1u);
  EXPECT_EQ(read.globals[0].symbol, "table_3");
}

TEST(CudaEntryTest, EveryCutAndEveryAdditionIsRefused) {
  std::vector<unsigned char> data = writeCudaEntry(sample());
  CudaImage read;
  for (size_t size = 0; size < data.size(); ++size) {
    const std::vector<unsigned char> cut(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(readCudaEntry(&read, cut.data(), cut.size())) << size;
  }
  data.push_back(0);
  EXPECT_FALSE(readCudaEntry(&read, data.data(), data.size()));
}

TEST(CudaEntryTest, DamagedBytesAreReadWithinBounds) {
  const std::vector<unsigned char> data = writeCudaEntry(sample());
  std::mt19937 random(1);
  CudaImage read;
  for (int round = 0; round < 20000; ++round) {
    std::vector<unsigned char> damaged = data;
    for (uint32_t i = 0; i <= random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<unsigned char>(random());
    (void)readCudaEntry(&read, damaged.data(), damaged.size());
    EXPECT_LE(read.code.size(), data.size());
  }
}

TEST(CudaEntryTest, HugeLengthsAreRefused) {
  const std::vector<unsigned char> data = writeCudaEntry(sample());
  CudaImage read;
  const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 8, uint64_t{1} << 62};
  for (const uint64_t length : huge) {
    for (size_t at = 8; at + 8 <= data.size(); ++at) {  // whatever number stands there
      std::vector<unsigned char> damaged = data;
      memcpy(damaged.data() + at, &length, sizeof length);
      (void)readCudaEntry(&read, damaged.data(), damaged.size());
    }
    std::vector<unsigned char> damaged = data;
    memcpy(damaged.data() + 8, &length, sizeof length);  // of the log
    EXPECT_FALSE(readCudaEntry(&read, damaged.data(), damaged.size()));
  }
}

TEST(CudaEntryTest, PtxThatDoesNotEndIsRefused) {
  CudaImage image = sample();
  image.is_cubin = false;
  image.code = {'.', 'v'};
  std::vector<unsigned char> data = writeCudaEntry(image);
  CudaImage read;
  EXPECT_FALSE(readCudaEntry(&read, data.data(), data.size()));
  image.code.push_back(0);
  data = writeCudaEntry(image);
  EXPECT_TRUE(readCudaEntry(&read, data.data(), data.size()));
}

}  // namespace
}  // namespace manyrt::compiler
