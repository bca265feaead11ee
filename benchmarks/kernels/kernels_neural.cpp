// Neural networks: products with weights, convolutions and pooling. Kernels that work along rows (norms, attention, choices)
// are in kernels_neural_rows.cpp.
#include <algorithm>
#include <cmath>

#include "kernel_case.h"
#include "kernels_neural_rows.h"

namespace sixty {
namespace {

std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::int32_t i32(std::size_t value) { return static_cast<std::int32_t>(value); }
double at(Buffer& values, std::size_t index) { return static_cast<double>(data<float>(values)[index]); }

std::vector<std::uint8_t> signedBytes(std::size_t count, std::uint32_t seed) {
  std::vector<std::uint8_t> result;
  for (std::uint32_t value : integers(count, seed, 256)) result.push_back(static_cast<std::uint8_t>(value));
  return result;
}
std::int32_t signedByte(Buffer& values, std::size_t index) { return data<std::int8_t>(values)[index]; }

// dense_relu ---------------------------------------------------------------------------------------------------------------

struct DenseSizes {
  std::size_t images, inputs, neurons;
};
DenseSizes denseSizes(std::size_t scale) { return scale == 0 ? DenseSizes{3, 17, 7} : DenseSizes{320, 256, 64}; }

Case denseCase(std::size_t scale) {
  const auto [images, inputs, neurons] = denseSizes(scale);
  Case result;
  result.buffers = {input(floats(images * inputs, 121)), input(floats(inputs * neurons, 122)), input(floats(neurons, 123)),
                    output(std::vector<float>(images * neurons, -1), 1e-5, 1e-4)};
  result.launches = {over("dense_relu", {images * neurons, 1, 1}, {neurons, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), local(4 * inputs), scalar(u32(inputs))})};
  return result;
}

void denseReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [images, inputs, neurons] = denseSizes(scale);
  for (std::size_t image = 0; image < images; ++image) {
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      double sum = at(buffers[2], neuron);
      for (std::size_t i = 0; i < inputs; ++i) sum += at(buffers[0], image * inputs + i) * at(buffers[1], i * neurons + neuron);
      data<float>(buffers[3])[image * neurons + neuron] = static_cast<float>(std::max(sum, 0.0));
    }
  }
}

// quant_matmul -------------------------------------------------------------------------------------------------------------

struct ProductSizes {
  std::size_t rows, columns, quads;
};
ProductSizes productSizes(std::size_t scale) { return scale == 0 ? ProductSizes{7, 11, 3} : ProductSizes{160, 192, 32}; }

Case quantCase(std::size_t scale) {
  const auto [rows, columns, quads] = productSizes(scale);
  Case result;
  result.buffers = {input(signedBytes(4 * rows * quads, 124)), input(signedBytes(4 * columns * quads, 125)),
                    input(floats(rows, 126, 0.001f, 0.01f)), input(floats(columns, 127, 0.001f, 0.01f)),
                    output(std::vector<float>(rows * columns), 1e-6)};
  result.launches = {over(
      "quant_matmul", {columns, rows, 1}, scale == 0 ? Sizes3{1, 7, 1} : Sizes3{16, 16, 1},
      {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), scalar(u32(rows)), scalar(u32(columns)), scalar(u32(quads))})};
  return result;
}

void quantReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, columns, quads] = productSizes(scale);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 4 * quads; ++k)
        sum += signedByte(buffers[0], 4 * row * quads + k) * signedByte(buffers[1], 4 * column * quads + k);
      data<float>(buffers[4])[row * columns + column] = static_cast<float>(sum * at(buffers[2], row) * at(buffers[3], column));
    }
  }
}

// quant_rows ---------------------------------------------------------------------------------------------------------------

struct RowSizes {
  std::size_t outputs, inputs;
};
RowSizes quantRowSizes(std::size_t scale) { return scale == 0 ? RowSizes{9, 96} : RowSizes{2048, 512}; }

Case quantRowsCase(std::size_t scale) {
  const auto [outputs, inputs] = quantRowSizes(scale);
  Case result;
  result.buffers = {input(signedBytes(outputs * inputs, 128)), input(floats(outputs * inputs / 32, 129, 0.001f, 0.01f)),
                    input(floats(inputs, 130)), output(std::vector<float>(outputs), 1e-5, 1e-3)};
  result.launches = {over("quant_rows", {outputs, 1, 1}, {scale == 0 ? 5u : 64u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), scalar(i32(inputs)), scalar(i32(outputs))})};
  return result;
}

void quantRowsReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [outputs, inputs] = quantRowSizes(scale);
  for (std::size_t row = 0; row < outputs; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < inputs; ++i)
      sum += signedByte(buffers[0], row * inputs + i) * at(buffers[1], (row * inputs + i) / 32) * at(buffers[2], i);
    data<float>(buffers[3])[row] = static_cast<float>(sum);
  }
}

// conv2d -------------------------------------------------------------------------------------------------------------------

struct ConvSizes {
  std::size_t width, height, channels, outputs, side;
};
ConvSizes convSizes(std::size_t scale) { return scale == 0 ? ConvSizes{13, 9, 3, 5, 3} : ConvSizes{40, 40, 8, 8, 3}; }

Case convCase(std::size_t scale) {
  const auto [width, height, channels, outputs, side] = convSizes(scale);
  Case result;
  result.buffers = {input(floats(width * height * channels, 131)), input(floats(outputs * channels * side * side, 132)),
                    input(floats(outputs, 133)), output(std::vector<float>(width * height * outputs, -1), 1e-5, 1e-5)};
  result.launches = {over("conv2d", {width, height, outputs}, scale == 0 ? Sizes3{3, 1, 1} : Sizes3{8, 8, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), scalar(i32(width)), scalar(i32(height)),
                           scalar(i32(channels)), scalar(i32(side))})};
  return result;
}

void convReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [width, height, channels, outputs, side] = convSizes(scale);
  for (std::size_t i = 0; i < width * height * outputs; ++i) {
    const std::size_t x = i % width, y = i / width % height, out = i / width / height;
    double sum = at(buffers[2], out);
    for (std::size_t k = 0; k < channels * side * side; ++k) {
      const std::size_t c = k / side / side;
      const std::size_t xx = x + k % side - side / 2, yy = y + k / side % side - side / 2;  // outside: very large
      if (xx < width && yy < height)
        sum += at(buffers[0], (c * height + yy) * width + xx) * at(buffers[1], out * channels * side * side + k);
    }
    data<float>(buffers[3])[i] = static_cast<float>(std::max(sum, 0.0));
  }
}

// conv1x1 ------------------------------------------------------------------------------------------------------------------

struct PointSizes {
  std::size_t in, out, pixels;
};
PointSizes pointSizes(std::size_t scale) { return scale == 0 ? PointSizes{5, 7, 11} : PointSizes{64, 64, 2304}; }

Case pointCase(std::size_t scale) {
  const auto [in, out, pixels] = pointSizes(scale);
  Case result;
  result.buffers = {input(floats(in * pixels, 134)), input(floats(in * out, 135)),
                    output(std::vector<float>(out * pixels), 1e-5, 1e-5)};
  result.launches = {over(
      "conv1x1", {out, pixels, 1}, scale == 0 ? Sizes3{3, 5, 1} : Sizes3{32, 4, 1},
      {buffer(0), buffer(1), buffer(2), scalar(std::uint64_t{in}), scalar(std::uint64_t{out}), scalar(std::uint64_t{pixels})})};
  return result;
}

void pointReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [in, out, pixels] = pointSizes(scale);
  for (std::size_t i = 0; i < out * pixels; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < in; ++c) sum += at(buffers[0], i / out * in + c) * at(buffers[1], c * out + i % out);
    data<float>(buffers[2])[i] = static_cast<float>(std::max(sum, 0.01 * sum));
  }
}

// depthwise ----------------------------------------------------------------------------------------------------------------

struct DepthSizes {
  std::size_t width, height, quads;
};
DepthSizes depthSizes(std::size_t scale) { return scale == 0 ? DepthSizes{9, 7, 3} : DepthSizes{96, 96, 12}; }

Case depthCase(std::size_t scale) {
  const auto [width, height, quads] = depthSizes(scale);
  const std::size_t out_width = (width + 1) / 2, out_height = (height + 1) / 2;
  Case result;
  result.buffers = {input(floats(4 * width * height * quads, 136)), input(floats(4 * 9 * quads, 137, -1, 1)),
                    output(std::vector<float>(4 * out_width * out_height * quads), 1e-5, 1e-5)};
  result.launches = {over("depthwise", {quads, out_width, out_height}, scale == 0 ? Sizes3{1, 3, 3} : Sizes3{8, 8, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(u32(width)), scalar(u32(height)), scalar(u32(quads))})};
  return result;
}

void depthReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [width, height, quads] = depthSizes(scale);
  const std::size_t channels = 4 * quads, out_width = (width + 1) / 2;
  for (std::size_t i = 0; i < count<float>(buffers[2]); ++i) {
    const std::size_t channel = i % channels, x = i / channels % out_width, y = i / channels / out_width;
    double sum = 0;
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t xx = 2 * x + k % 3 - 1, yy = 2 * y + k / 3 - 1;
      if (xx < width && yy < height)
        sum += at(buffers[0], (yy * width + xx) * channels + channel) * at(buffers[1], k * channels + channel);
    }
    data<float>(buffers[2])[i] = static_cast<float>(std::clamp(sum, 0.0, 6.0));
  }
}

// max_pool -----------------------------------------------------------------------------------------------------------------

struct PoolSizes {
  std::size_t height, width, channels;
};
PoolSizes poolSizes(std::size_t scale) { return scale == 0 ? PoolSizes{9, 13, 3} : PoolSizes{128, 128, 8}; }

Case poolCase(std::size_t scale) {
  const auto [height, width, channels] = poolSizes(scale);
  const std::size_t out_height = (height + 1) / 2, out_width = (width + 1) / 2;
  const std::size_t outputs = out_height * out_width * channels;
  Case result;
  result.buffers = {input(floats(height * width * channels, 138)), output(std::vector<float>(outputs)),
                    output(std::vector<std::int32_t>(outputs, -2))};
  result.launches = {over("max_pool", {out_height, out_width, channels}, scale == 0 ? Sizes3{3, 5, 1} : Sizes3{8, 8, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(i32(height)), scalar(i32(width))})};
  return result;
}

void poolReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [height, width, channels] = poolSizes(scale);
  const std::size_t out_height = (height + 1) / 2, out_width = (width + 1) / 2;
  for (std::size_t i = 0; i < out_height * out_width * channels; ++i) {
    const std::size_t column = i % out_width, row = i / out_width % out_height, channel = i / out_width / out_height;
    float best = -1e30f;
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t x = 2 * column + k % 3 - 1, y = 2 * row + k / 3 - 1;
      if (x >= width || y >= height) continue;
      const float value = data<float>(buffers[0])[(channel * height + y) * width + x];
      if (value <= best) continue;
      best = value;
      data<float>(buffers[1])[i] = value;
      data<std::int32_t>(buffers[2])[i] = i32(y * width + x);
    }
  }
}

// embedding ----------------------------------------------------------------------------------------------------------------

constexpr std::size_t kVocabulary = 300;

struct TextSizes {
  std::size_t width, length;
};
TextSizes textSizes(std::size_t scale) { return scale == 0 ? TextSizes{10, 7} : TextSizes{128, 256}; }

Case embeddingCase(std::size_t scale) {
  const auto [width, length] = textSizes(scale);
  std::vector<std::uint16_t> words;
  for (std::uint32_t word : integers(length, 139, kVocabulary)) words.push_back(static_cast<std::uint16_t>(word));
  Case result;
  result.buffers = {input(floats(kVocabulary * width, 140)), input(words),
                    output(std::vector<float>(width * length), 1e-5, 3e-4)};
  result.launches = {over("embedding", {width, length, 1}, scale == 0 ? Sizes3{3, 2, 1} : Sizes3{64, 1, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(u32(width)), scalar(u32(length))})};
  return result;
}

void embeddingReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [width, length] = textSizes(scale);
  for (std::size_t place = 0; place < length; ++place) {
    for (std::size_t column = 0; column < width; ++column) {
      const double power = static_cast<double>(column / 2 * 2) / static_cast<double>(width);
      const double angle = static_cast<double>(place) * std::exp(-std::log(10000.0) * power);
      const double word = at(buffers[0], data<std::uint16_t>(buffers[1])[place] * width + column);
      data<float>(buffers[2])[place * width + column] = static_cast<float>(
          word * std::sqrt(static_cast<double>(width)) + (column % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
}

}  // namespace

std::vector<Kernel> neuralKernels() {
  std::vector<Kernel> all = {
      {"dense_relu", "neural", "dense_relu.cl", "", denseCase, denseReference},
      {"quant_matmul", "neural", "quant_matmul.cl", "", quantCase, quantReference},
      {"quant_rows", "neural", "quant_rows.cl", "", quantRowsCase, quantRowsReference},
      {"conv2d", "neural", "conv2d.cl", "", convCase, convReference},
      {"conv1x1", "neural", "conv1x1.cl", "", pointCase, pointReference},
      {"depthwise", "neural", "depthwise.cl", "", depthCase, depthReference},
      {"max_pool", "neural", "max_pool.cl", "", poolCase, poolReference},
      {"embedding", "neural", "embedding.cl", "", embeddingCase, embeddingReference},
  };
  const std::vector<Kernel> rows = neuralRowKernels();
  all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace sixty
