// Sparse matrix times vector: compressed rows, ELLPACK, coordinates, diagonals. The rows of the matrix differ in length.
#include <algorithm>

#include "kernel_case.h"

namespace sixty {
namespace {

std::uint32_t u(std::size_t value) { return static_cast<std::uint32_t>(value); }

struct Matrix {
  std::size_t rows, columns;
  std::vector<std::uint32_t> starts, column, row;
  std::vector<float> values;
};

// Rows of 0 to 2 * mean entries, columns anywhere.
Matrix matrixOf(std::size_t rows, std::size_t columns, std::uint32_t mean) {
  Matrix matrix{rows, columns, {0}, {}, {}, {}};
  const std::vector<std::uint32_t> lengths = integers(rows, 11, 2 * mean + 1);
  for (std::size_t r = 0; r < rows; ++r) {
    matrix.starts.push_back(matrix.starts.back() + lengths[r]);
    matrix.row.insert(matrix.row.end(), lengths[r], u(r));
  }
  matrix.column = integers(matrix.starts.back(), 12, u(columns));
  for (std::size_t r = 0; r < rows; ++r)
    std::sort(matrix.column.begin() + matrix.starts[r], matrix.column.begin() + matrix.starts[r + 1]);
  matrix.values = floats(matrix.starts.back(), 13);
  return matrix;
}
Matrix matrixAt(std::size_t scale, std::uint32_t mean) {
  return scale == 0 ? matrixOf(93, 71, mean) : matrixOf(60'001, 16'000, mean);
}
std::vector<std::int32_t> asSigned(const std::vector<std::uint32_t>& values) { return {values.begin(), values.end()}; }

constexpr std::uint32_t kShort = 12, kLong = 96;  // entries of a mean row, for items and for groups

void rowsTimes(const Matrix& matrix, const float* x, float* y) {
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    double sum = 0;
    for (std::size_t j = matrix.starts[r]; j < matrix.starts[r + 1]; ++j)
      sum += double{matrix.values[j]} * double{x[matrix.column[j]]};
    y[r] = static_cast<float>(sum);
  }
}

Case csr(std::size_t scale) {
  const Matrix matrix = matrixAt(scale, kShort);
  const std::size_t group = scale == 0 ? 13 : 128;
  Case made;
  made.buffers = {input(matrix.values), input(asSigned(matrix.column)), input(asSigned(matrix.starts)),
                  input(floats(matrix.columns, 14)), output(std::vector<float>(matrix.rows), 1e-5, 1e-5)};
  made.launches = {{"spmv_csr",
                    {roundUp(matrix.rows, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), scalar(static_cast<std::int32_t>(matrix.rows))}}};
  return made;
}
void csrReference(std::vector<Buffer>& buffers, std::size_t scale) {
  rowsTimes(matrixAt(scale, kShort), data<float>(buffers[3]), data<float>(buffers[4]));
}

Matrix longRows(std::size_t scale) { return scale == 0 ? matrixOf(37, 71, kLong) : matrixOf(4001, 16'000, kLong); }
Case csrGroup(std::size_t scale) {
  const Matrix matrix = longRows(scale);
  const std::size_t group = scale == 0 ? 7 : 32;
  Case made;
  made.buffers = {input(matrix.values), input(matrix.column), input(matrix.starts), input(floats(matrix.columns, 14)),
                  output(std::vector<float>(matrix.rows), 1e-5, 2e-5)};
  made.launches = {{"spmv_csr_group",
                    {matrix.rows * group, 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), local(group * sizeof(float))}}};
  return made;
}
void csrGroupReference(std::vector<Buffer>& buffers, std::size_t scale) {
  rowsTimes(longRows(scale), data<float>(buffers[3]), data<float>(buffers[4]));
}

Case ell(std::size_t scale) {
  const Matrix matrix = matrixAt(scale, kShort);
  const std::size_t width = 2 * kShort, group = scale == 0 ? 13 : 128;
  std::vector<float> values(width * matrix.rows);
  std::vector<std::uint32_t> columns(width * matrix.rows, ~0u);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t j = matrix.starts[r]; j < matrix.starts[r + 1]; ++j) {
      const std::size_t at = (j - matrix.starts[r]) * matrix.rows + r;
      values[at] = matrix.values[j];
      columns[at] = matrix.column[j];
    }
  }
  Case made;
  made.buffers = {input(values), input(columns), input(floats(matrix.columns, 14)),
                  output(std::vector<float>(matrix.rows), 1e-5, 1e-5)};
  made.launches = {{"spmv_ell",
                    {roundUp(matrix.rows, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), buffer(2), buffer(3), scalar(u(matrix.rows)), scalar(u(width))}}};
  return made;
}
void ellReference(std::vector<Buffer>& buffers, std::size_t scale) {
  rowsTimes(matrixAt(scale, kShort), data<float>(buffers[2]), data<float>(buffers[3]));
}

Case coo(std::size_t scale) {
  const Matrix matrix = matrixAt(scale, kShort);
  const std::size_t entries = matrix.values.size(), group = scale == 0 ? 13 : 128;
  Case made;
  made.restore = true;  // the kernel adds to y
  made.buffers = {input(asSigned(integers(entries, 15, 2001))), input(matrix.row), input(matrix.column),
                  input(asSigned(integers(matrix.columns, 16, 1001))), output(std::vector<std::int32_t>(matrix.rows))};
  made.launches = {{"spmv_coo",
                    {roundUp(entries, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), scalar(u(entries))}}};
  return made;
}
void cooReference(std::vector<Buffer>& buffers, std::size_t) {
  for (std::size_t i = 0; i < count<std::int32_t>(buffers[0]); ++i) {
    data<std::int32_t>(buffers[4])[data<std::uint32_t>(buffers[1])[i]] +=
        data<std::int32_t>(buffers[0])[i] * data<std::int32_t>(buffers[3])[data<std::uint32_t>(buffers[2])[i]];
  }
}

const std::vector<std::int32_t> kOffsets{-64, -33, -8, -1, 0, 1, 8, 33, 64};
std::vector<double> doubles(std::size_t count, std::uint32_t seed) {
  const std::vector<float> values = floats(count, seed);
  return {values.begin(), values.end()};
}

Case dia(std::size_t scale) {
  const std::size_t size = scale == 0 ? 151 : 120'007, group = scale == 0 ? 11 : 128;
  Case made;
  made.buffers = {input(doubles(kOffsets.size() * size, 17)), input(kOffsets), input(doubles(size, 18)),
                  output(std::vector<double>(size), 1e-13, 1e-13)};
  made.launches = {{"spmv_dia",
                    {roundUp(size, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), buffer(2), buffer(3), scalar(static_cast<std::int32_t>(size)),
                     scalar(static_cast<std::int32_t>(kOffsets.size()))}}};
  return made;
}
void diaReference(std::vector<Buffer>& buffers, std::size_t) {
  const auto size = static_cast<std::ptrdiff_t>(count<double>(buffers[3]));
  for (std::ptrdiff_t row = 0; row < size; ++row) {
    double sum = 0;
    for (std::size_t d = 0; d < kOffsets.size(); ++d) {
      const std::ptrdiff_t column = row + kOffsets[d];
      if (column < 0 || column >= size) continue;
      sum += data<double>(buffers[0])[static_cast<std::ptrdiff_t>(d) * size + row] * data<double>(buffers[2])[column];
    }
    data<double>(buffers[3])[row] = sum;
  }
}

}  // namespace

std::vector<Kernel> sparseKernels() {
  return {
      {"spmv_csr", "sparse", "spmv.cl", "", csr, csrReference, "sixty_spmv_csr"},
      {"spmv_csr_group", "sparse", "spmv.cl", "", csrGroup, csrGroupReference},
      {"spmv_ell", "sparse", "spmv.cl", "", ell, ellReference},
      {"spmv_coo", "sparse", "spmv.cl", "", coo, cooReference},
      {"spmv_dia", "sparse", "spmv.cl", "", dia, diaReference, "sixty_spmv_dia"},
  };
}

}  // namespace sixty
