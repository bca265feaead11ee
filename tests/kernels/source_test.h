// The fixtures of tests that build kernels from the files of this folder and launch them on every device. SourceTest has
// buffers and arguments by value; BarrierTest runs one kernel over groups of many sizes against a reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "support/device_test.h"

namespace rttest {

using Module = Owned<rtModule_t, rtModuleDestroy>;

// Every device but the null ones, which run nothing.
inline std::vector<std::string> kernelDevices() {
  std::vector<std::string> names;
  for (const std::string& name : deviceNames()) {
    if (name.rfind("null", 0) != 0) names.push_back(name);
  }
  return names;
}

// A file of tests/kernels: "classes/scan.cl".
inline std::string readSource(const std::string& file) {
  std::ifstream stream(std::string(KERNELS_FOLDER) + "/" + file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// KERNELS_RECORD names a file that receives what every test reads, as sums of its bits in the order of reading. With it
// forms.py compares the two forms of kernels. Which NaN a NaN is does not count.
inline FILE* recordFile() {
  static FILE* file = getenv("KERNELS_RECORD") != nullptr ? fopen(getenv("KERNELS_RECORD"), "w") : nullptr;
  return file;
}

template <typename T>
void record(const std::vector<T>& values) {
  FILE* const file = recordFile();
  if (file == nullptr) return;
  uint64_t sum = 14695981039346656037u;
  for (const T& value : values) {
    T same = value;
    if constexpr (std::is_floating_point_v<T>) {
      if (value != value) same = std::numeric_limits<T>::quiet_NaN();
    }
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &same, sizeof same);
    for (unsigned char byte : bytes) sum = (sum ^ byte) * 1099511628211u;
  }
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  fprintf(file, "%s.%s %zu %016llx\n", test->test_suite_name(), test->name(), values.size(),
          static_cast<unsigned long long>(sum));
  fflush(file);
}

// Device memory with the elements of a vector in it. As an argument of a kernel it stands for its address.
template <typename T>
class Buffer {
 public:
  Buffer(const std::vector<T>& values, rtContext_t context) : count_(values.size()) {
    EXPECT_RT_OK(rtMalloc(memory_.out(), sizeof(T) * (count_ == 0 ? 1 : count_), context));
    address_ = memory_.get();
    if (count_ > 0) {
      EXPECT_RT_OK(rtMemcpy(address_, values.data(), sizeof(T) * count_, RT_MEMCPY_DEFAULT));
    }
  }
  std::vector<T> read() const {
    std::vector<T> values = copied();
    record(values);
    return values;
  }
  // For elements whose order follows that of atomic operations, which is another in every run: recorded in ascending order.
  std::vector<T> readUnordered() const {
    std::vector<T> values = copied(), ascending = values;
    std::sort(ascending.begin(), ascending.end());
    record(ascending);
    return values;
  }
  void* slot() const { return const_cast<void**>(&address_); }

 private:
  std::vector<T> copied() const {
    std::vector<T> values(count_);
    if (count_ > 0) {
      EXPECT_RT_OK(rtMemcpy(values.data(), address_, sizeof(T) * count_, RT_MEMCPY_DEFAULT));
    }
    return values;
  }

  Memory memory_;
  void* address_ = nullptr;
  size_t count_;
};

// Bytes for a __local pointer.
struct Local {
  size_t bytes;
};

template <typename T>
void* slotOf(const T& value) {
  return const_cast<T*>(&value);
}
template <typename T>
void* slotOf(const Buffer<T>& buffer) {
  return buffer.slot();
}
inline void* slotOf(const Local& local) { return const_cast<size_t*>(&local.bytes); }

struct Shape {
  uint32_t x = 1, y = 1, z = 1;
};

// The same values on every machine: a multiplicative generator.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  uint32_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) ^ static_cast<uint32_t>(state_ >> 11);
  }
  int32_t between(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(bits() % (static_cast<uint32_t>(high) - static_cast<uint32_t>(low) + 1u));
  }
  float real(float low, float high) { return low + (high - low) * static_cast<float>(bits() >> 8) / 16777216.0f; }

 private:
  uint64_t state_;
};

inline std::vector<float> randomReals(size_t count, uint64_t seed, float low = -1, float high = 1) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.real(low, high);
  return values;
}

inline std::vector<int32_t> randomIntegers(size_t count, uint64_t seed, int32_t low, int32_t high) {
  Random random(seed);
  std::vector<int32_t> values(count);
  for (int32_t& value : values) value = random.between(low, high);
  return values;
}

class SourceTest : public DeviceTest {
 protected:
  void TearDown() override {
    EXPECT_RT_OK(module_.reset());
    DeviceTest::TearDown();
  }

  void build(const std::string& file, const char* options = "") {
    const std::string source = readSource(file);
    ASSERT_RT_OK(rtModuleCreateFromSource(module_.out(), source.c_str(), options, context_)) << file;
    // No pass for lanes has a defect, after which quick code would take the place of optimised code.
    std::string log(4096, 0);
    ASSERT_RT_OK(rtModuleGetBuildLog(log.data(), log.size(), nullptr, module_)) << file;
    EXPECT_EQ(log.find("simple code runs instead"), std::string::npos) << file << ": " << log.c_str();
  }

  // The largest group of a kernel of the module that was built last, in work-items: some drivers take fewer than their device
  // does.
  uint32_t largestGroup(const char* name) {
    rtKernel_t kernel = nullptr;
    rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
    EXPECT_RT_OK(rtModuleGetKernel(&kernel, name, module_));
    EXPECT_RT_OK(rtKernelGetInfo(&info, kernel));
    return info.max_group_items;
  }

  // Launches a kernel of the module that was built last, and waits for it.
  template <typename... Values>
  void run(const char* name, Shape groups, Shape items, const Values&... values) {
    if (HasFatalFailure()) return;  // of the build
    rtKernel_t kernel = nullptr;
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, name, module_));
    void* args[sizeof...(values) + 1] = {slotOf(values)..., nullptr};
    ASSERT_RT_OK(rtLaunchKernel(kernel, groups.x, groups.y, groups.z, items.x, items.y, items.z, 0, stream_, args,
                                static_cast<uint32_t>(sizeof...(values))))
        << name;
    ASSERT_RT_OK(rtStreamSynchronize(stream_)) << name;
  }

  template <typename T>
  Buffer<T> buffer(const std::vector<T>& values) const {
    return Buffer<T>(values, context_);
  }

  Module module_;
};

// Differences of at most `absolute` plus `relative` of the expected value; stops after the first.
template <typename T, typename Expected>
void expectNear(const std::vector<T>& got, const std::vector<Expected>& expected, double absolute, double relative,
                const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    const double want = static_cast<double>(expected[i]);
    ASSERT_NEAR(static_cast<double>(got[i]), want, absolute + relative * std::fabs(want)) << what << ", element " << i;
  }
}

template <typename T>
void expectEqual(const std::vector<T>& got, const std::vector<T>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], expected[i]) << what << ", element " << i;
}

// Kernels (in, out, n, scratch) that read and write one element per work-item. The reference computes one group.
class BarrierTest : public SourceTest {
 protected:
  using Reference = std::function<void(const std::vector<int>& in, std::vector<int>& out, int size, int n)>;

  void check(const char* kernel, const Reference& reference) {
    for (const uint32_t size : {1u, 2u, 3u, 33u, 64u, 256u}) {
      for (const int n : {0, 2, 5}) {
        const uint32_t groups = size == 64 ? 5 : 2;
        const std::vector<int> values = randomIntegers(size_t{groups} * size, size + 7, -1000, 1000);
        const Buffer<int> in = buffer(values);
        const Buffer<int> out = buffer(std::vector<int>(values.size(), -1));
        run(kernel, {groups}, {size}, in, out, n, Local{(2 * size + 2) * sizeof(int)});
        if (HasFatalFailure()) return;
        std::vector<int> expected;
        for (uint32_t group = 0; group < groups; ++group) {
          const auto begin = values.begin() + static_cast<std::ptrdiff_t>(size) * group;
          std::vector<int> result(size, -1);
          reference(std::vector<int>(begin, begin + size), result, static_cast<int>(size), n);
          expected.insert(expected.end(), result.begin(), result.end());
        }
        expectEqual(out.read(), expected,
                    std::string(kernel) + ", groups of " + std::to_string(size) + ", n " + std::to_string(n));
        if (HasFatalFailure()) return;
      }
    }
  }
};

}  // namespace rttest
