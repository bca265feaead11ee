// Kernels of linear algebra and grids against references in double precision: matrix product, transposition, sparse matrices,
// stencils, convolution. Sizes and group shapes are odd on purpose.
#include <algorithm>
#include <cmath>

#include "source_test.h"

namespace rttest {
namespace {

using Reals = std::vector<float>;

uint32_t groupsFor(uint32_t items, uint32_t size) { return (items + size - 1) / size; }
std::string sizes(std::initializer_list<uint32_t> values) {
  std::string text;
  for (uint32_t value : values) text += " " + std::to_string(value);
  return text;
}

class LinearTest : public SourceTest {};
INSTANTIATE_TEST_SUITE_P(, LinearTest, testing::ValuesIn(kernelDevices()), testName);

// One product with all three kernels. Sums of up to 300 products of values up to 1: 300 roundings of 2^-24 each, twice.
class MatrixTest : public SourceTest {
 protected:
  void check(uint32_t rows, uint32_t columns, uint32_t inner, uint32_t tile, Shape shape, int depth) {
    const Reals a = randomReals(size_t{rows} * inner, rows), b = randomReals(size_t{inner} * columns, columns);
    std::vector<double> expected(size_t{rows} * columns, 0.0);
    for (uint32_t y = 0; y < rows; ++y) {
      for (uint32_t k = 0; k < inner; ++k) {
        for (uint32_t x = 0; x < columns; ++x) {
          expected[size_t{y} * columns + x] += double{a[size_t{y} * inner + k]} * double{b[size_t{k} * columns + x]};
        }
      }
    }
    const Buffer<float> in_a = buffer(a), in_b = buffer(b);
    const int r = static_cast<int>(rows), c = static_cast<int>(columns), n = static_cast<int>(inner);
    const std::string what = sizes({rows, columns, inner, shape.x, shape.y});
    const auto compare = [&](const char* kernel, const Buffer<float>& out) {
      expectNear(out.read(), expected, 4e-5, 1e-5, kernel + what);
    };
    const Buffer<float> naive = buffer(Reals(expected.size(), NAN)), any = buffer(Reals(expected.size(), NAN)),
                        tiled = buffer(Reals(expected.size(), NAN));
    const Shape groups = {groupsFor(columns, shape.x), groupsFor(rows, shape.y)};
    run("naive", groups, shape, in_a, in_b, naive, r, c, n);
    compare("naive", naive);
    run("any_shape", groups, shape, in_a, in_b, any, r, c, n, Local{shape.y * static_cast<size_t>(depth) * 4},
        Local{shape.x * static_cast<size_t>(depth) * 4}, depth);
    compare("any_shape", any);
    run("tiled", {groupsFor(columns, tile), groupsFor(rows, tile)}, {tile, tile}, in_a, in_b, tiled, r, c, n);
    compare("tiled", tiled);
  }
};
INSTANTIATE_TEST_SUITE_P(, MatrixTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(MatrixTest, ProductsAgreeForAnySizesAndShapes) {
  for (const uint32_t tile : {16u, 7u}) {
    build("classes/matrix_product.cl", tile == 16 ? "" : "-DTILE=7");
    check(1, 1, 1, tile, {1, 1}, 1);
    check(7, 5, 300, tile, {5, 7}, 3);
    check(33, 17, 29, tile, {33, 1}, 16);
    check(64, 64, 64, tile, {16, 4}, 8);
    check(127, 65, 31, tile, {1, 64}, 5);
    check(50, 127, 100, tile, {16, 16}, 32);
  }
}

TEST_P(LinearTest, TranspositionMovesEveryElement) {
  for (const uint32_t tile : {16u, 5u, 32u}) {
    build("classes/transpose.cl", ("-DTILE=" + std::to_string(tile)).c_str());
    const uint32_t most_rows = largestGroup("transpose") / tile;
    for (const uint32_t rows : {1u, 4u, std::min(tile, most_rows)}) {
      for (const auto& [width, height] : {std::pair<uint32_t, uint32_t>{1, 1}, {7, 127}, {64, 64}, {1023, 3}}) {
        const Reals values = randomReals(size_t{width} * height, width);
        const Buffer<float> in = buffer(values), out = buffer(Reals(values.size(), NAN));
        run("transpose", {groupsFor(width, tile), groupsFor(height, tile)}, {tile, rows}, in, out, static_cast<int>(width),
            static_cast<int>(height));
        Reals expected(values.size());
        for (size_t i = 0; i < values.size(); ++i) expected[i % width * height + i / width] = values[i];
        expectEqual(out.read(), expected, "transpose" + sizes({width, height, tile, rows}));
      }
    }
  }
}

TEST_P(LinearTest, SparseRowsTimesAVector) {
  build("classes/sparse.cl");
  for (const uint32_t rows : {1u, 7u, 127u, 1000u}) {
    Random random(rows);
    std::vector<int> starts = {0}, columns;
    Reals values;
    const Reals x = randomReals(rows, 2);
    std::vector<double> expected;
    for (uint32_t row = 0; row < rows; ++row) {
      const int length = row % 5 == 0 ? 0 : random.between(1, row % 17 == 1 ? 200 : 12);  // some empty, some long
      double sum = 0;
      for (int k = 0; k < length; ++k) {
        columns.push_back(random.between(0, static_cast<int>(rows) - 1));
        values.push_back(random.real(-1, 1));
        sum += double{values.back()} * double{x[static_cast<size_t>(columns.back())]};
      }
      starts.push_back(static_cast<int>(columns.size()));
      expected.push_back(sum);
    }
    const Buffer<int> in_starts = buffer(starts), in_columns = buffer(columns);
    const Buffer<float> in_values = buffer(values), in_x = buffer(x);
    for (const uint32_t size : {1u, 3u, 33u, 64u}) {
      const Buffer<float> scalar = buffer(Reals(rows, NAN)), group = buffer(Reals(rows, NAN));
      run("row_per_item", {groupsFor(rows, size)}, {size}, in_starts, in_columns, in_values, in_x, scalar,
          static_cast<int>(rows));
      run("row_per_group", {rows}, {size}, in_starts, in_columns, in_values, in_x, group, Local{size * 4});
      expectNear(scalar.read(), expected, 2e-5, 1e-5, "row_per_item" + sizes({rows, size}));
      expectNear(group.read(), expected, 2e-5, 1e-5, "row_per_group" + sizes({rows, size}));
    }
  }
}

TEST_P(LinearTest, StencilsSeeTheirHalo) {
  build("classes/stencil.cl");
  const float weight = 0.2f;
  for (const auto& [w, h] : {std::pair<uint32_t, uint32_t>{1, 1}, {3, 3}, {7, 127}, {100, 37}, {129, 65}}) {
    const Reals values = randomReals(size_t{w} * h, w);
    std::vector<double> expected(values.begin(), values.end());
    for (uint32_t y = 1; y + 1 < h; ++y) {
      for (uint32_t x = 1; x + 1 < w; ++x) {
        const auto at = [&, w = w](uint32_t px, uint32_t py) { return double{values[size_t{py} * w + px]}; };
        expected[size_t{y} * w + x] +=
            double{weight} * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * at(x, y));
      }
    }
    const Buffer<float> in = buffer(values);
    for (const Shape shape : {Shape{1, 1}, Shape{5, 7}, Shape{16, 4}, Shape{33, 1}, Shape{16, 16}}) {
      const Buffer<float> out = buffer(Reals(values.size(), NAN));
      run("stencil", {groupsFor(w, shape.x), groupsFor(h, shape.y)}, shape, in, out, static_cast<int>(w), static_cast<int>(h),
          weight, Local{(shape.x + 2) * (shape.y + 2) * size_t{4}});
      expectNear(out.read(), expected, 1e-6, 0, "stencil" + sizes({w, h, shape.x, shape.y}));
    }
  }
}

TEST_P(LinearTest, StepsInLocalMemoryChangePlaces) {
  build("classes/stencil.cl");
  for (const uint32_t size : {1u, 3u, 33u, 256u}) {
    for (const int steps : {0, 1, 6, 31}) {
      const Reals values = randomReals(size * size_t{2}, size);
      const Buffer<float> data = buffer(values);
      run("ring", {2}, {size}, data, steps, 0.25f, Local{size * 4}, Local{size * 4});
      std::vector<double> expected(values.begin(), values.end());
      for (int step = 0; step < steps; ++step) {
        const std::vector<double> before = expected;
        for (size_t i = 0; i < expected.size(); ++i) {
          const size_t block = i / size * size, k = i % size;
          expected[i] += 0.25 * (before[block + (k + size - 1) % size] - 2 * before[i] + before[block + (k + 1) % size]);
        }
      }
      expectNear(data.read(), expected, 5e-6, 0, "ring" + sizes({size, static_cast<uint32_t>(steps)}));
    }
  }
}

TEST_P(LinearTest, ConvolutionsReadTheirFilterFromConstantMemory) {
  build("classes/convolution.cl");
  for (const uint32_t count : {1u, 7u, 127u, 1000u, 1023u}) {
    const Reals values = randomReals(count, count);
    const Buffer<float> in = buffer(values);
    const auto convolved = [&](const Reals& filter) {
      const int radius = static_cast<int>(filter.size() / 2), n = static_cast<int>(count);
      std::vector<double> result(count, 0.0);
      for (int i = 0; i < n; ++i) {
        for (int k = -radius; k <= radius; ++k) {
          if (i - k < 0 || i - k >= n) continue;
          result[static_cast<size_t>(i)] +=
              double{filter[static_cast<size_t>(k + radius)]} * double{values[static_cast<size_t>(i - k)]};
        }
      }
      return result;
    };
    for (const uint32_t size : {1u, 3u, 33u, 64u, 256u}) {
      for (const uint32_t radius : {0u, 1u, 8u}) {
        const Reals filter = randomReals(2 * radius + 1, 77);
        const Buffer<float> in_filter = buffer(filter), out = buffer(Reals(count, NAN));
        run("convolve", {groupsFor(count, size)}, {size}, in, out, static_cast<int>(count), in_filter, static_cast<int>(radius),
            Local{(size + 2 * radius) * size_t{4}});
        expectNear(out.read(), convolved(filter), 4e-6, 0, "convolve" + sizes({count, size, radius}));
      }
      const Buffer<float> out = buffer(Reals(count, NAN));
      run("smooth", {groupsFor(count, size)}, {size}, in, out, static_cast<int>(count));
      expectNear(out.read(), convolved({0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f}), 1e-6, 0, "smooth" + sizes({count, size}));
    }
  }
}

}  // namespace
}  // namespace rttest
