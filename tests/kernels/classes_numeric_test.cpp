// Kernels that compute much for each element: bodies under gravity, Fourier transforms, the Mandelbrot set, clusters.
#include <algorithm>
#include <cmath>
#include <complex>

#include "source_test.h"

namespace rttest {
namespace {

using Reals = std::vector<float>;

uint32_t groupsFor(uint32_t items, uint32_t size) { return (items + size - 1) / size; }

class NumericTest : public SourceTest {};
INSTANTIATE_TEST_SUITE_P(, NumericTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(NumericTest, BodiesPullEachOther) {
  build("classes/bodies.cl");
  const double softening = 0.01;
  for (const uint32_t count : {1u, 7u, 127u, 500u}) {
    Reals bodies = randomReals(size_t{4} * count, count);
    for (size_t i = 3; i < bodies.size(); i += 4) bodies[i] = std::fabs(bodies[i]);
    std::vector<double> expected;
    for (uint32_t i = 0; i < count; ++i) {
      double sum[3] = {0, 0, 0};
      for (uint32_t k = 0; k < count; ++k) {
        double d[3], square = softening;
        for (uint32_t c = 0; c < 3; ++c) {
          d[c] = double{bodies[4 * k + c]} - double{bodies[4 * i + c]};
          square += d[c] * d[c];
        }
        const double scale = double{bodies[4 * k + 3]} / (square * std::sqrt(square));
        for (uint32_t c = 0; c < 3; ++c) sum[c] += d[c] * scale;
      }
      expected.insert(expected.end(), sum, sum + 3);
      expected.push_back(std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]));
    }
    // Near neighbours pull with up to 10^3; sums of `count` of them in single precision.
    const double largest = std::fabs(*std::max_element(expected.begin(), expected.end()));
    const Buffer<float> in = buffer(bodies);
    for (const uint32_t size : {1u, 3u, 33u, 64u, 256u}) {
      const Buffer<float> out = buffer(Reals(bodies.size(), NAN));
      run("accelerations", {groupsFor(count, size)}, {size}, in, out, static_cast<int>(count), 0.01f, Local{size * 16});
      expectNear(out.read(), expected, 1e-5 * (largest + 1), 1e-4,
                 "accelerations of " + std::to_string(count) + " in groups of " + std::to_string(size));
    }
  }
}

TEST_P(NumericTest, BodiesMoveAndKeepTheirMass) {
  build("classes/bodies.cl");
  const uint32_t count = 101;
  const Reals at = randomReals(4 * count, 1), speed = randomReals(4 * count, 2), pull = randomReals(4 * count, 3);
  const Buffer<float> bodies = buffer(at), speeds = buffer(speed), pulls = buffer(pull);
  const float dt = 0.25f;
  run("move", {4}, {33}, bodies, speeds, pulls, static_cast<int>(count), dt);
  std::vector<double> expected_at, expected_speed;
  for (size_t i = 0; i < at.size(); ++i) {
    const bool moves = i % 4 != 3;
    expected_speed.push_back(double{speed[i]} + (moves ? double{pull[i]} * 0.25 : 0));
    expected_at.push_back(double{at[i]} + (moves ? expected_speed.back() * 0.25 : 0));
  }
  expectNear(speeds.read(), expected_speed, 1e-6, 0, "speeds");
  expectNear(bodies.read(), expected_at, 1e-6, 0, "places");
}

TEST_P(NumericTest, TransformsAgreeWithTheSumAndComeBack) {
  build("classes/fourier.cl");
  for (const uint32_t size : {1u, 2u, 16u, 64u, 256u}) {
    const uint32_t n = 2 * size, groups = 3;
    const Reals values = randomReals(size_t{2} * n * groups, n);
    std::vector<double> expected;
    for (uint32_t group = 0; group < groups; ++group) {
      for (uint32_t k = 0; k < n; ++k) {
        std::complex<double> sum = 0;
        for (uint32_t i = 0; i < n; ++i) {
          const size_t at = 2 * (size_t{group} * n + i);
          const double angle = -2 * std::acos(-1.0) * (size_t{i} * k % n) / n;
          sum += std::complex<double>(values[at], values[at + 1]) * std::polar(1.0, angle);
        }
        expected.insert(expected.end(), {sum.real(), sum.imag()});
      }
    }
    const Buffer<float> in = buffer(values), there = buffer(Reals(values.size(), NAN)),
                        back = buffer(Reals(values.size(), NAN));
    run("transform", {groups}, {size}, in, there, 0, Local{n * size_t{8}});
    expectNear(there.read(), expected, 2e-6 * n + 1e-6, 1e-6, "transform of " + std::to_string(n));
    run("transform", {groups}, {size}, there, back, 1, Local{n * size_t{8}});
    expectNear(back.read(), values, 2e-5, 0, "there and back, " + std::to_string(n));
  }
}

// Orbits near the border double their rounding errors in each step: there counts may differ. At most one point in fifty may,
// and points that leave within ten steps by one at most.
class MandelbrotTest : public SourceTest {
 protected:
  static constexpr float kWindow[4] = {-2.0f, -1.25f, 0.5f, 1.25f};
  static constexpr int kLimit = 100;
  static int stepsOf(double cx, double cy) {
    double x = 0, y = 0;
    int n = 0;
    for (; n < kLimit && x * x + y * y <= 4; ++n) {
      const double t = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = t;
    }
    return n;
  }
  static void compare(const std::vector<int>& got, uint32_t width, uint32_t height, const std::string& what) {
    ASSERT_EQ(got.size(), size_t{width} * height);
    size_t different = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const double px = static_cast<double>(i % width) / width, py = static_cast<double>(i / width) / height;
      const int want = stepsOf(double{kWindow[0]} + (double{kWindow[2]} - double{kWindow[0]}) * px,
                               double{kWindow[1]} + (double{kWindow[3]} - double{kWindow[1]}) * py);
      different += got[i] != want ? 1 : 0;
      if (want <= 10) {
        ASSERT_LE(std::abs(got[i] - want), 1) << what << ", point " << i;
      }
    }
    EXPECT_LE(different, got.size() / 50) << what;
  }
  struct alignas(16) Window {
    float lane[4];
  };
};
INSTANTIATE_TEST_SUITE_P(, MandelbrotTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(MandelbrotTest, PointsLeaveAfterTheStepsOfTheReference) {
  build("classes/mandelbrot.cl");
  const Window window = {{kWindow[0], kWindow[1], kWindow[2], kWindow[3]}};
  for (const auto& [width, height] : {std::pair<uint32_t, uint32_t>{1, 1}, {64, 48}, {127, 33}}) {
    for (const Shape shape : {Shape{1, 1}, Shape{5, 7}, Shape{16, 4}, Shape{64, 1}}) {
      const Buffer<int> out = buffer(std::vector<int>(size_t{width} * height, -1));
      run("mandelbrot", {groupsFor(width, shape.x), groupsFor(height, shape.y)}, shape, out, static_cast<int>(width),
          static_cast<int>(height), window, kLimit);
      compare(out.read(), width, height, "mandelbrot, width " + std::to_string(width));
    }
  }
  const uint32_t width = 128, height = 30;
  const Buffer<int> out = buffer(std::vector<int>(size_t{width} * height, -1));
  run("four_at_once", {width / 4 / 8, height / 3}, {8, 3}, out, static_cast<int>(width), window, kLimit);
  compare(out.read(), width, height, "four_at_once");
}

TEST_P(NumericTest, PointsGoToTheNearestCentre) {
  build("classes/clusters.cl");
  struct Cluster {
    uint32_t count;
    int32_t sum_x, sum_y;
  };
  for (const uint32_t count : {1u, 7u, 127u, 1000u}) {
    for (const uint32_t clusters : {1u, 5u, 40u}) {
      const Reals points = randomReals(size_t{2} * count, count, -10, 10),
                  centres = randomReals(size_t{2} * clusters, 9, -10, 10);
      const Buffer<float> in = buffer(points), in_centres = buffer(centres);
      for (const uint32_t size : {1u, 3u, 33u, 256u}) {
        const Buffer<int> nearest = buffer(std::vector<int>(count, -1));
        const Buffer<Cluster> result = buffer(std::vector<Cluster>(clusters));
        run("assign", {groupsFor(count, size)}, {size}, in, in_centres, nearest, static_cast<int>(count),
            static_cast<int>(clusters), result, Local{clusters * sizeof(Cluster)});
        const std::string what = std::to_string(count) + " points, groups of " + std::to_string(size);
        std::vector<Cluster> expected(clusters);
        const std::vector<int> got = nearest.read();
        for (uint32_t i = 0; i < count; ++i) {
          const auto square = [&](uint32_t k) {
            const double x = double{points[2 * i]} - double{centres[2 * k]},
                         y = double{points[2 * i + 1]} - double{centres[2 * k + 1]};
            return x * x + y * y;
          };
          double best = square(0);
          for (uint32_t k = 1; k < clusters; ++k) best = std::min(best, square(k));
          ASSERT_TRUE(got[i] >= 0 && static_cast<uint32_t>(got[i]) < clusters) << what;
          const uint32_t mine = static_cast<uint32_t>(got[i]);
          ASSERT_LE(square(mine), best * (1 + 1e-5) + 1e-5) << what << ", point " << i;
          ++expected[mine].count;
          expected[mine].sum_x += static_cast<int>(std::nearbyint(points[2 * i] * 256.0f));
          expected[mine].sum_y += static_cast<int>(std::nearbyint(points[2 * i + 1] * 256.0f));
        }
        const std::vector<Cluster> sums = result.read();
        for (uint32_t k = 0; k < clusters; ++k) {
          ASSERT_EQ(sums[k].count, expected[k].count) << what;
          ASSERT_EQ(sums[k].sum_x, expected[k].sum_x) << what;
          ASSERT_EQ(sums[k].sum_y, expected[k].sum_y) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace rttest
