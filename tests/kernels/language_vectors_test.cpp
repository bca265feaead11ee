// language/vectors.cl and vector_types.cl: what vectors are made of, and what their operators do, element by element.
#include <algorithm>
#include <climits>
#include <limits>
#include <type_traits>

#include "source_test.h"

namespace rttest {
namespace {

class VectorTest : public SourceTest {
 protected:
  // Items read 16 and write 32 elements; `reference` fills what the kernel writes, the rest stays 0.
  template <typename T>
  void check(const char* kernel, T low, T high, const std::function<void(const T* a, T* r, int n)>& reference) {
    const int n = 3;
    for (const Shape shape : {Shape{7, 1}, Shape{3, 5}, Shape{2, 33}}) {
      const uint32_t count = shape.x * shape.y;  // groups of y items
      Random random(count);
      std::vector<T> values(size_t{count} * 16), expected(size_t{count} * 32, T{0});
      for (T& value : values) value = static_cast<T>(random.between(static_cast<int>(low), static_cast<int>(high)));
      const Buffer<T> in = buffer(values);
      const Buffer<T> out = buffer(expected);
      run(kernel, {shape.x}, {shape.y}, in, out, n);
      if (HasFatalFailure()) return;
      for (uint32_t item = 0; item < count; ++item) reference(&values[item * size_t{16}], &expected[item * size_t{32}], n);
      expectEqual(out.read(), expected, kernel);
    }
  }
  void checkInts(const char* kernel, const std::function<void(const int*, int*, int)>& reference) {
    check<int>(kernel, -1000, 1000, reference);
  }
  static void put(int*& r, std::initializer_list<int> values) { r = std::copy(values.begin(), values.end(), r); }
  template <typename F>
  static void lanes(int*& r, const F& f) {
    for (int k = 0; k < 4; ++k) *r++ = f(k);
  }
};
INSTANTIATE_TEST_SUITE_P(, VectorTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(VectorTest, LiteralsTakeScalarsAndVectorsInOrder) {
  build("language/vectors.cl");
  checkInts("literals", [](const int* a, int* r, int n) {
    const int w[8] = {a[0], a[1], a[2], n, a[0], a[1], 7, 8};
    put(r, {a[0], a[1], a[2], n, a[3], a[0], a[1], 0, a[4], a[5], n, 4, a[6], a[6] + 1, a[6] + 2, a[6] + 3, a[7], 1, 2, 3});
    put(r, {w[4], w[5], 7, 8, w[0], w[2], w[4], w[6], w[4], 7, 1, 1});
  });
}

TEST_P(VectorTest, ComponentsAreReadByEveryName) {
  build("language/vectors.cl");
  checkInts("components", [](const int* a, int* r, int) {
    put(r, {a[3], a[2], a[1], a[0], a[0], a[0], a[1], a[1], a[1], a[3], a[10], a[11], a[9], a[11], a[13], a[15]});
    put(r,
        {a[15], a[14], a[13], a[12], a[8], a[10], a[12], a[14], a[0], a[1], a[2], a[3], 4, a[0] + a[1] + a[7] + a[10] + a[11]});
    put(r, {2, 3});
  });
}

TEST_P(VectorTest, ComponentsAreWrittenInPlace) {
  build("language/vectors.cl");
  checkInts("writing_components", [](const int* a, int* r, int n) {
    const int v[4] = {n, a[1], a[4], a[5]}, w[4] = {a[5], a[4], a[6], a[7]};
    put(r, {v[0], v[1], v[2], v[3], w[0], w[1], w[2], w[3]});
    put(r, {v[0], w[0], v[1], w[1], 1, 2, v[3], v[0] + 5, 6, 5, 4});
  });
}

TEST_P(VectorTest, CompoundAssignmentsAndStepsWorkOnWholesAndComponents) {
  build("language/vectors.cl");
  checkInts("compound_assignments", [](const int* a, int* r, int) {
    int v[4], w[4];
    for (int k = 0; k < 4; ++k) {
      v[k] = a[k] + a[4 + k];
      w[k] = a[4 + k];
    }
    v[0] -= w[2];
    v[1] -= w[3];
    v[2] *= 3;
    for (int& x : w) x *= 4;
    w[0] ^= v[1];
    w[3] ^= v[2];
    for (int k = 0; k < 4; ++k) {
      w[k] >>= k;
      v[k] |= 8;
    }
    v[3] &= 0xff;
    v[0] &= 0xffff;
    v[1] /= 7;
    for (int& x : w) x %= 1000;
    put(r, {v[0], v[1], v[2], v[3], w[0], w[1], w[2], w[3]});
    for (int& x : v) ++x;
    --v[0];
    for (int k = 0; k < 4; ++k) w[k] = v[k]--;
    w[1] += v[1]++;
    put(r, {v[0], v[1], v[2], v[3], w[0], w[1], w[2], w[3]});
  });
}

TEST_P(VectorTest, OperatorsWorkElementByElement) {
  build("language/vectors.cl");
  checkInts("operators", [](const int* v, int* r, int n) {
    const int* w = v + 4;
    lanes(r, [&](int k) { return v[k] + w[k] * 2 - n; });
    lanes(r, [&](int k) { return -v[k] / (w[k] | 1); });
    lanes(r, [&](int k) { return v[k] % 7 + ~w[k]; });
    lanes(r, [&](int k) { return (v[k] & w[k]) ^ (v[k] | 5); });
    lanes(r, [&](int k) { return v[k] * 8 + (w[k] >> 1); });
    lanes(r, [&](int k) { return v[k] - (k + 1) * w[k]; });
    lanes(r, [&](int k) { return (w[k] & 0xffff) / 3 + ((w[k] & 0xffff) >> 4); });
    lanes(r, [&](int k) { return w[k] & 0xffff; });
  });
}

TEST_P(VectorTest, ComparisonsGiveMinusOneAndZero) {
  build("language/vectors.cl");
  check<int>("comparisons", -3, 3, [](const int* v, int* r, int) {
    const int* w = v + 4;
    lanes(r, [&](int k) { return -(v[k] < w[k]); });
    lanes(r, [&](int k) { return -(v[k] >= 0 && w[k] > v[k]); });
    lanes(r, [&](int k) { return -(v[k] == v[k ^ 1]); });
    lanes(r, [&](int k) { return -(v[k] != w[k]) - (v[k] <= 3); });
    lanes(r, [&](int k) { return -(v[k] == 0) - 1; });
    lanes(r, [&](int k) { return -(v[k] > 0 && w[k] > 0); });
    lanes(r, [&](int k) { return -(v[k] > 0 || w[k] != 0); });
    bool any = false;
    for (int k = 0; k < 4; ++k) any = any || v[k] > w[k];
    put(r, {-(v[0] < 1), -(v[1] < 1), -1, any ? 3 : 1});
  });
}

TEST_P(VectorTest, ConditionsOfVectorsSelectByElement) {
  build("language/vectors.cl");
  checkInts("selection", [](const int* v, int* r, int n) {
    const int* w = v + 4;
    const int masks[4] = {0xff, 0, -1, 0xf0f0};
    lanes(r, [&](int k) { return std::max(v[k], w[k]); });
    lanes(r, [&](int k) { return v[k] < 0 ? -v[k] : n; });
    lanes(r, [&](int k) { return n > 2 ? v[k] : w[k]; });
    lanes(r, [&](int k) { return v[k] > w[k] ? w[k] : v[k]; });
    lanes(r, [&](int k) { return w[k] < 0 ? 1 : v[k]; });  // the sign bit decides
    lanes(r, [&](int k) { return v[k] > w[k] ? 6 : k + 1; });
    lanes(r, [&](int k) { return (v[k] & ~masks[k]) | (w[k] & masks[k]); });
    lanes(r, [&](int k) { return std::max(std::min(v[k], w[k]), 5); });
  });
}

TEST_P(VectorTest, FunctionsTakeVectors) {
  build("language/vectors.cl");
  checkInts("functions_of_vectors", [](const int* v, int* r, int n) {
    const int* w = v + 4;
    const int by[4] = {1, 31, 0, n};
    lanes(r, [&](int k) { return std::abs(v[k]); });
    lanes(r, [&](int k) { return std::clamp(v[k], -50, 50); });
    lanes(r, [&](int k) { return (v[k] & 0xff) * (w[k] & 0xff) + v[k]; });
    lanes(r, [&](int k) {
      const uint32_t u = static_cast<uint32_t>(v[k]);
      return static_cast<int>(by[k] == 0 ? u : (u << by[k]) | (u >> (32 - by[k])));
    });
    put(r, {v[3], v[3], v[0], v[1]});
    r += 4;
    put(r, {w[3], w[2], w[1], w[0], v[0], v[1], v[2], v[3]});
    // Mask element 11 counts modulo the 8 lanes of both: lane 3 of v.
  });
}

TEST_P(VectorTest, VectorsGoThroughFunctionsAndPointers) {
  build("language/vectors.cl");
  checkInts("through_functions_and_pointers", [](const int* v, int* r, int n) {
    int a[4] = {2 * v[0], 2 * v[1] + 1, 2 * v[2], n}, b[4] = {v[3], v[2] + 1, v[1], v[0]};
    lanes(r, [&](int k) { return 2 * a[k] + b[k]; });
    b[0] = b[1];
    b[1] = 9;
    lanes(r, [&](int k) { return a[k]; });
    lanes(r, [&](int k) { return b[k]; });
    put(r, {2 * v[2] + v[0], 0, 0, 0, v[0], v[1], v[2], v[3], 1, 16 + 4 + 16, v[0], v[1], v[4], v[5], v[6], v[7]});
  });
}

class VectorTypeTest : public VectorTest {
 protected:
  template <typename T>
  void checkType(const char* kernel) {
    // Narrow types wrap: everything is computed in a wide integer and cut, or in the type itself where that is floating.
    using Wide = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
    const T low = static_cast<T>(std::is_signed_v<T> ? -100 : 0);
    check<T>(kernel, low, T{100}, [](const T* a, T* r, int n) {
      const auto at = [&](int k) { return static_cast<Wide>(a[k]); };
      const auto put = [&](int k, Wide value) { r[k] = static_cast<T>(value); };
      for (int k = 0; k < 2; ++k) put(k, at(k) + at(1 - k));
      for (int k = 0; k < 3; ++k) put(3 + k, at(3 + k) * 2 + at(3 + (k + 2) % 3));
      for (int k = 0; k < 4; ++k) put(8 + k, at(4 + k) - at(7 - k));
      for (int k = 0; k < 4; ++k) put(12 + k, at(2 * k + 1) + at(2 * k));
      for (int k = 0; k < 8; ++k) put(16 + k, at(8 + k) - at(k));
      put(24, at(5) + 3);
      put(25, static_cast<Wide>(12 * sizeof(T)));
      put(26, static_cast<Wide>(4 * sizeof(T)));
      put(27, at(3) + 1);
      const T* q = a + 4;
      put(28, q[0] > q[1] ? at(4) : Wide{3});
      put(29, q[1] > q[0] ? at(5) : Wide{3});
      put(30, static_cast<Wide>(n));
      put(31, at(15) + at(8) * at(1));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(, VectorTypeTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(VectorTypeTest, EveryElementTypeHasTheSameVectors) {
  build("language/vector_types.cl", has(RT_CAPABILITY_DOUBLE) ? "-DWITH_DOUBLE" : "");
  checkType<int8_t>("of_char");
  checkType<uint8_t>("of_uchar");
  checkType<int16_t>("of_short");
  checkType<uint16_t>("of_ushort");
  checkType<int32_t>("of_int");
  checkType<uint32_t>("of_uint");
  checkType<int64_t>("of_long");
  checkType<uint64_t>("of_ulong");
  checkType<float>("of_float");
  if (has(RT_CAPABILITY_DOUBLE)) checkType<double>("of_double");
}

}  // namespace
}  // namespace rttest
