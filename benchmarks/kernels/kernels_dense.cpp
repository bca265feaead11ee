// Dense linear algebra: products of matrices and vectors by rows and by columns, transposes, elimination, QR, correlation.
#include <cmath>

#include "kernel_case.h"

namespace sixty {
namespace {

using Sizes = std::array<std::size_t, 3>;

std::uint32_t u(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::int32_t s(std::size_t value) { return static_cast<std::int32_t>(value); }

Sizes covering(std::size_t x, std::size_t y, const Sizes& local) { return {roundUp(x, local[0]), roundUp(y, local[1]), 1}; }

// ---- Products: m x k times k x n

Sizes productSizes(std::size_t scale) { return scale == 0 ? Sizes{37, 43, 29} : Sizes{256, 256, 256}; }

template <class Index, bool rows_first>
Case product(const char* kernel, std::size_t scale) {
  const auto [m, n, k] = productSizes(scale);
  const Sizes local = scale == 0 ? Sizes{7, 3, 1} : Sizes{16, 16, 1};
  Case made;
  made.buffers = {input(floats(m * k, 1)), input(floats(k * n, 2)), output(std::vector<float>(m * n), 1e-5, 1e-5)};
  const auto index = [](std::size_t value) { return scalar(static_cast<Index>(value)); };
  made.launches = {{kernel,
                    rows_first ? covering(m, n, local) : covering(n, m, local),
                    local,
                    {buffer(0), buffer(1), buffer(2), index(m), index(n), index(k)}}};
  return made;
}
Case matmulInt(std::size_t scale) { return product<std::int32_t, false>("matmul_int", scale); }
Case matmulRows(std::size_t scale) { return product<std::uint32_t, true>("matmul_rows", scale); }
Case matmulSize(std::size_t scale) { return product<std::uint64_t, false>("matmul_size", scale); }

void multiply(std::vector<Buffer>& buffers, const Sizes& sizes) {
  const auto [m, n, k] = sizes;
  const float* a = data<float>(buffers[0]);
  const float* b = data<float>(buffers[1]);
  for (std::size_t row = 0; row < m; ++row) {
    std::vector<double> sums(n);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t column = 0; column < n; ++column) sums[column] += double{a[row * k + i]} * double{b[i * n + column]};
    }
    for (std::size_t column = 0; column < n; ++column)
      data<float>(buffers[2])[row * n + column] = static_cast<float>(sums[column]);
  }
}
void productReference(std::vector<Buffer>& buffers, std::size_t scale) { multiply(buffers, productSizes(scale)); }

std::size_t tiledSize(std::size_t scale) { return scale == 0 ? 48 : 256; }
Case matmulTiled(std::size_t scale) {
  const std::size_t n = tiledSize(scale);
  Case made;
  made.buffers = {input(floats(n * n, 1)), input(floats(n * n, 2)), output(std::vector<float>(n * n), 1e-5, 2e-5)};
  made.launches = {{"matmul", {n, n, 1}, {16, 16, 1}, {buffer(0), buffer(1), buffer(2), scalar(u(n))}}};
  return made;
}
void tiledReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const std::size_t n = tiledSize(scale);
  multiply(buffers, {n, n, n});
}

// ---- Matrix times vector

Sizes vectorSizes(std::size_t scale) { return scale == 0 ? Sizes{61, 45, 0} : Sizes{1536, 1024, 0}; }

Case gemvRows(std::size_t scale) {
  const auto [rows, columns, unused] = vectorSizes(scale);
  const std::size_t local = scale == 0 ? 9 : 64;
  Case made;
  made.buffers = {input(floats(rows * columns, 3)), input(floats(columns, 4)), output(std::vector<float>(rows), 1e-5, 3e-5)};
  made.launches = {{"gemv_rows",
                    {roundUp(rows, local), 1, 1},
                    {local, 1, 1},
                    {buffer(0), buffer(1), buffer(2), scalar(u(rows)), scalar(u(columns))}}};
  return made;
}
Case gemvColumns(std::size_t scale) {
  const auto [rows, columns, unused] = vectorSizes(scale);
  const std::size_t local = scale == 0 ? 9 : 64;
  Case made;
  made.buffers = {input(floats(rows * columns, 3)), input(floats(rows, 4)), output(std::vector<float>(columns), 1e-5, 3e-5)};
  made.launches = {{"gemv_columns",
                    {roundUp(columns, local), 1, 1},
                    {local, 1, 1},
                    {buffer(0), buffer(1), buffer(2), scalar(s(rows)), scalar(s(columns))}}};
  return made;
}
template <bool transposed>
void gemvReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, columns, unused] = vectorSizes(scale);
  std::vector<double> sums(transposed ? columns : rows);
  const float* x = data<float>(buffers[1]);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c)
      sums[transposed ? c : r] += double{data<float>(buffers[0])[r * columns + c]} * double{x[transposed ? r : c]};
  }
  for (std::size_t i = 0; i < sums.size(); ++i) data<float>(buffers[2])[i] = static_cast<float>(sums[i]);
}

// ---- Transposes

Sizes transposeSizes(std::size_t scale) { return scale == 0 ? Sizes{53, 39, 0} : Sizes{1000, 1200, 0}; }

template <bool tiled>
Case transpose(std::size_t scale) {
  const auto [rows, columns, unused] = transposeSizes(scale);
  const std::size_t side = 16;  // TILE of the source
  const Sizes local = tiled ? Sizes{side, side, 1} : scale == 0 ? Sizes{5, 7, 1} : Sizes{16, 16, 1};
  Case made;
  made.buffers = {input(floats(rows * columns, 5)), output(std::vector<float>(rows * columns))};
  made.launches = {{tiled ? "transpose_tile" : "transpose_plain",
                    covering(columns, rows, local),
                    local,
                    {buffer(0), buffer(1), scalar(u(rows)), scalar(u(columns))}}};
  return made;
}
void transposeReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, columns, unused] = transposeSizes(scale);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) data<float>(buffers[1])[c * rows + r] = data<float>(buffers[0])[r * columns + c];
  }
}

// ---- Elimination

struct Steps {
  std::size_t size, steps;
};
Steps luSteps(std::size_t scale) { return scale == 0 ? Steps{33, 33} : Steps{512, 16}; }

Case lu(std::size_t scale) {
  const auto [n, steps] = luSteps(scale);
  std::vector<float> matrix = floats(n * n, 6);
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += static_cast<float>(n);
  Case made;
  made.restore = true;
  made.buffers = {output(matrix, 1e-5, 1e-5)};
  const std::size_t line = scale == 0 ? 11 : 64;
  const Sizes tile = scale == 0 ? Sizes{7, 3, 1} : Sizes{32, 8, 1};
  for (std::size_t step = 0; step + 1 < n && step < steps; ++step) {
    const std::size_t rest = n - step - 1;
    const std::vector<Argument> arguments{buffer(0), scalar(s(n)), scalar(s(step))};
    made.launches.push_back({"lu_column", {roundUp(rest, line), 1, 1}, {line, 1, 1}, arguments});
    made.launches.push_back({"lu_update", covering(rest, rest, tile), tile, arguments});
  }
  return made;
}
void luReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [n, steps] = luSteps(scale);
  float* matrix = data<float>(buffers[0]);
  std::vector<double> exact(matrix, matrix + n * n);
  for (std::size_t step = 0; step + 1 < n && step < steps; ++step) {
    for (std::size_t row = step + 1; row < n; ++row) {
      const double factor = exact[row * n + step] /= exact[step * n + step];
      for (std::size_t column = step + 1; column < n; ++column) exact[row * n + column] -= factor * exact[step * n + column];
    }
  }
  for (std::size_t i = 0; i < n * n; ++i) matrix[i] = static_cast<float>(exact[i]);
}

// ---- QR: the first steps of Gram-Schmidt

struct Table {
  std::size_t rows, columns, steps;
};
Table qrTable(std::size_t scale) { return scale == 0 ? Table{45, 31, 31} : Table{768, 512, 8}; }

Case gramSchmidt(std::size_t scale) {
  const auto [rows, columns, steps] = qrTable(scale);
  Case made;
  made.restore = true;
  made.buffers = {output(floats(rows * columns, 7), 1e-3, 2e-4), output(std::vector<float>(columns * columns), 1e-3, 2e-4),
                  output(std::vector<float>(rows * columns), 1e-3, 2e-4)};
  const std::size_t group = scale == 0 ? 13 : 128;
  for (std::size_t k = 0; k < steps; ++k) {
    const Argument sizes[] = {scalar(u(rows)), scalar(u(columns)), scalar(u(k))};
    made.launches.push_back({"gram_norm",
                             {group, 1, 1},
                             {group, 1, 1},
                             {buffer(0), buffer(1), sizes[0], sizes[1], sizes[2], local(group * sizeof(float))}});
    made.launches.push_back({"gram_column",
                             {roundUp(rows, group), 1, 1},
                             {group, 1, 1},
                             {buffer(0), buffer(1), buffer(2), sizes[0], sizes[1], sizes[2]}});
    if (k + 1 < columns) {
      made.launches.push_back({"gram_rest",
                               {roundUp(columns - k - 1, group), 1, 1},
                               {group, 1, 1},
                               {buffer(0), buffer(1), buffer(2), sizes[0], sizes[1], sizes[2]}});
    }
  }
  return made;
}
void gramReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, columns, steps] = qrTable(scale);
  std::vector<double> a(data<float>(buffers[0]), data<float>(buffers[0]) + rows * columns);
  std::vector<double> r(columns * columns), q(rows * columns);
  for (std::size_t k = 0; k < steps; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += a[i * columns + k] * a[i * columns + k];
    r[k * columns + k] = std::sqrt(sum);
    for (std::size_t i = 0; i < rows; ++i) q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
    for (std::size_t j = k + 1; j < columns; ++j) {
      double product = 0;
      for (std::size_t i = 0; i < rows; ++i) product += q[i * columns + k] * a[i * columns + j];
      r[k * columns + j] = product;
      for (std::size_t i = 0; i < rows; ++i) a[i * columns + j] -= q[i * columns + k] * product;
    }
  }
  const std::vector<double>* exact[] = {&a, &r, &q};
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t i = 0; i < exact[b]->size(); ++i) data<float>(buffers[b])[i] = static_cast<float>((*exact[b])[i]);
  }
}

// ---- Correlation

Sizes correlationSizes(std::size_t scale) { return scale == 0 ? Sizes{47, 35, 0} : Sizes{256, 256, 0}; }

Case correlation(std::size_t scale) {
  const auto [rows, columns, unused] = correlationSizes(scale);
  const std::size_t line = scale == 0 ? 9 : 32;
  const Sizes tile = scale == 0 ? Sizes{9, 5, 1} : Sizes{32, 8, 1};
  const std::vector<float> table = floats(rows * columns, 8, 0.0f, 4.0f);
  Case made;
  made.restore = true;
  made.buffers = {output(table, 1e-4, 1e-5), output(std::vector<float>(columns), 1e-5),
                  output(std::vector<float>(columns), 1e-4), output(std::vector<float>(columns * columns), 1e-4, 1e-4)};
  const Argument height = scalar(s(rows)), width = scalar(s(columns));
  made.launches = {
      {"correlation_moments",
       {roundUp(columns, line), 1, 1},
       {line, 1, 1},
       {buffer(0), buffer(1), buffer(2), height, width, scalar(0.005f)}},
      {"correlation_standard", covering(columns, rows, tile), tile, {buffer(0), buffer(1), buffer(2), height, width}},
      {"correlation_products", {roundUp(columns, line), 1, 1}, {line, 1, 1}, {buffer(0), buffer(3), height, width}}};
  return made;
}
void correlationReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, columns, unused] = correlationSizes(scale);
  std::vector<double> table(data<float>(buffers[0]), data<float>(buffers[0]) + rows * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < rows; ++i) mean += table[i * columns + j] / static_cast<double>(rows);
    for (std::size_t i = 0; i < rows; ++i) squares += (table[i * columns + j] - mean) * (table[i * columns + j] - mean);
    double deviation = std::sqrt(squares / static_cast<double>(rows));
    if (deviation <= 0.005) deviation = 1;
    for (std::size_t i = 0; i < rows; ++i)
      table[i * columns + j] = (table[i * columns + j] - mean) / (std::sqrt(static_cast<double>(rows)) * deviation);
    data<float>(buffers[1])[j] = static_cast<float>(mean);
    data<float>(buffers[2])[j] = static_cast<float>(deviation);
  }
  for (std::size_t i = 0; i < rows * columns; ++i) data<float>(buffers[0])[i] = static_cast<float>(table[i]);
  for (std::size_t first = 0; first < columns; ++first) {
    for (std::size_t second = 0; second < columns; ++second) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) sum += table[i * columns + first] * table[i * columns + second];
      data<float>(buffers[3])[first * columns + second] = first == second ? 1.0f : static_cast<float>(sum);
    }
  }
}

}  // namespace

std::vector<Kernel> denseKernels() {
  return {
      {"matmul_int", "dense", "matmul_plain.cl", "", matmulInt, productReference, "sixty_matmul_int"},
      {"matmul_rows", "dense", "matmul_plain.cl", "", matmulRows, productReference},
      {"matmul_size", "dense", "matmul_plain.cl", "", matmulSize, productReference},
      {"matmul_tiled", "dense", "matmul.cl", "", matmulTiled, tiledReference},
      {"gemv_rows", "dense", "gemv.cl", "", gemvRows, gemvReference<false>, "sixty_gemv_rows"},
      {"gemv_columns", "dense", "gemv.cl", "", gemvColumns, gemvReference<true>, "sixty_gemv_columns"},
      {"transpose_plain", "dense", "transpose.cl", "", transpose<false>, transposeReference, "sixty_transpose_plain"},
      {"transpose_tile", "dense", "transpose.cl", "", transpose<true>, transposeReference},
      {"lu_step", "dense", "lu_step.cl", "", lu, luReference},
      {"gram_schmidt", "dense", "gram_schmidt.cl", "", gramSchmidt, gramReference},
      {"correlation", "dense", "correlation.cl", "", correlation, correlationReference},
  };
}

}  // namespace sixty
