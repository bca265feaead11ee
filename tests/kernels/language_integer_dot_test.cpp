// language/integer_dots.cl: cl_khr_integer_dot_product against sums of products, in quick and in optimised code of the CPU.
#include <algorithm>
#include <cstdlib>

#include "source_test.h"

namespace rttest {
namespace {

using Uints = std::vector<uint32_t>;

constexpr uint32_t kCount = 3000;
constexpr const char* kPairs[] = {"uu", "ss", "us", "su"};

int64_t byteOf(uint32_t word, int index, char letter) {
  const auto byte = static_cast<uint8_t>(word >> (8 * index));
  return letter == 'u' ? int64_t{byte} : int64_t{static_cast<int8_t>(byte)};
}

int64_t dotOf(uint32_t a, uint32_t b, const char* pair) {
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += byteOf(a, i, pair[0]) * byteOf(b, i, pair[1]);
  return sum;
}

uint32_t saturated(uint32_t a, uint32_t b, uint32_t c, const char* pair) {
  if (std::string(pair) == "uu") return static_cast<uint32_t>(std::min<int64_t>(dotOf(a, b, pair) + c, UINT32_MAX));
  const int64_t sum = dotOf(a, b, pair) + static_cast<int32_t>(c);
  return static_cast<uint32_t>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
}

Uints words(uint64_t seed) {
  Random random(seed);
  Uints values = {0, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x01020304, 0x80ff7f01, 0xff000000, 0x000000ff};
  while (values.size() < kCount) values.push_back(random.bits());
  for (size_t i = kCount; i > 1; --i) std::swap(values[i - 1], values[random.bits() % i]);
  return values;
}

class IntegerDotTest : public SourceTest {
 protected:
  void TearDown() override {
    unsetenv("RT_CPU_BUILD");
    SourceTest::TearDown();
  }
  template <typename Function>
  void inEachForm(const Function& f) {
    for (const char* form : {"quick", "optimized"}) {
      if (GetParam() == "cpu") setenv("RT_CPU_BUILD", form, 1);
      build("language/integer_dots.cl");
      SCOPED_TRACE(form);
      f();
      if (HasFatalFailure() || GetParam() != "cpu") return;
    }
  }
  const Uints a_ = words(1), b_ = words(2);
};
INSTANTIATE_TEST_SUITE_P(, IntegerDotTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(IntegerDotTest, FourProductsAreSummed) {
  Uints expected;
  for (const char* pair : kPairs) {
    for (uint32_t i = 0; i < kCount; ++i) expected.push_back(static_cast<uint32_t>(dotOf(a_[i], b_[i], pair)));
  }
  inEachForm([&] {
    const Buffer<uint32_t> a = buffer(a_), b = buffer(b_), out = buffer(Uints(4 * kCount, 0)),
                           same = buffer(Uints(4 * kCount, 0));
    run("packed", {kCount / 50}, {50}, a, b, out);
    expectEqual(out.read(), expected, "packed");
    run("vectors", {kCount / 50}, {50}, a, b, same);
    expectEqual(same.read(), expected, "vectors");
  });
}

TEST_P(IntegerDotTest, SumsWithAnAccumulatorSaturate) {
  Uints c = words(3);
  for (uint32_t i = 0; i < kCount; i += 3) c[i] = i % 2 == 0 ? 0x7fffffffu - i : i % 5 == 0 ? 0xffffffffu - i : 0x80000000u + i;
  Uints expected;
  for (const char* pair : kPairs) {
    for (uint32_t i = 0; i < kCount; ++i) expected.push_back(saturated(a_[i], b_[i], c[i], pair));
  }
  inEachForm([&] {
    const Buffer<uint32_t> a = buffer(a_), b = buffer(b_), acc = buffer(c), out = buffer(Uints(4 * kCount, 0)),
                           same = buffer(Uints(4 * kCount, 0));
    run("packed_sat", {kCount / 50}, {50}, a, b, acc, out);
    expectEqual(out.read(), expected, "packed_sat");
    run("vectors_sat", {kCount / 50}, {50}, a, b, acc, same);
    expectEqual(same.read(), expected, "vectors_sat");
  });
}

TEST_P(IntegerDotTest, LoopsHelpersMacrosAndDotsOfFloatsGoTogether) {
  constexpr uint32_t kRows = 100, kWords = 30;
  std::vector<float> expected;
  for (uint32_t row = 0; row < kRows; ++row) {
    int64_t sum = 0;
    for (uint32_t k = 0; k < kWords; ++k) sum += dotOf(a_[row * kWords + k], b_[k], "ss");
    expected.push_back(static_cast<float>(sum) * 30);
  }
  Uints signs;
  for (const uint32_t word : a_) {
    const auto one = static_cast<uint32_t>(dotOf(word, 0x01010101, "uu"));
    signs.push_back((one - 2000 > 0) + 2 * (one - 2 * one > 0) + 4 * (dotOf(word, 0x01010101, "ss") < 0) +
                    8 * (one - 1021 > 5));
  }
  inEachForm([&] {
    const Buffer<uint32_t> m = buffer(a_), v = buffer(b_), out = buffer(Uints(kCount, 0));
    const Buffer<float> products = buffer(std::vector<float>(kRows, 0));
    run("product", {kRows / 10}, {10}, m, v, products, kWords);
    expectEqual(products.read(), expected, "product");
    run("signs", {kCount / 50}, {50}, m, out);
    expectEqual(out.read(), signs, "signs");
  });
}

}  // namespace
}  // namespace rttest
