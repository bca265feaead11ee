// Neural networks along rows: norms, softmax, attention, activations, and choices among the numbers of a row.
#include "kernels_neural_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sixty {
namespace {

std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::int32_t i32(std::size_t value) { return static_cast<std::int32_t>(value); }

struct RowSizes {
  std::size_t rows, width;
};

std::vector<double> row(Buffer& values, std::size_t index, std::size_t width) {
  const float* first = data<float>(values) + index * width;
  return std::vector<double>(first, first + width);
}

void softmax(std::vector<double>& values) {
  const double largest = *std::max_element(values.begin(), values.end());
  for (double& value : values) value = std::exp(value - largest);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
}

// attention_row ------------------------------------------------------------------------------------------------------------

RowSizes attentionSizes(std::size_t scale) { return scale == 0 ? RowSizes{11, 5} : RowSizes{160, 64}; }

Case attentionCase(std::size_t scale) {
  const auto [length, width] = attentionSizes(scale);
  const std::size_t group = scale == 0 ? 3 : 64;
  Case result;
  result.buffers = {input(floats(length * width, 141, -2, 2)), input(floats(length * width, 142, -2, 2)),
                    input(floats(length * width, 143)), output(std::vector<float>(length * width), 1e-4, 1e-5)};
  result.launches = {over("attention_row", {length * group, 1, 1}, {group, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), local(4 * length), local(4 * group), scalar(i32(length)),
                           scalar(i32(width))})};
  return result;
}

void attentionReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [length, width] = attentionSizes(scale);
  for (std::size_t query = 0; query < length; ++query) {
    const std::vector<double> own = row(buffers[0], query, width);
    std::vector<double> weights;
    for (std::size_t k = 0; k <= query; ++k) {
      const std::vector<double> key = row(buffers[1], k, width);
      weights.push_back(std::inner_product(own.begin(), own.end(), key.begin(), 0.0) / std::sqrt(static_cast<double>(width)));
    }
    softmax(weights);
    for (std::size_t d = 0; d < width; ++d) {
      double sum = 0;
      for (std::size_t k = 0; k <= query; ++k) sum += weights[k] * static_cast<double>(data<float>(buffers[2])[k * width + d]);
      data<float>(buffers[3])[query * width + d] = static_cast<float>(sum);
    }
  }
}

// layer_norm ---------------------------------------------------------------------------------------------------------------

RowSizes normSizes(std::size_t scale) { return scale == 0 ? RowSizes{5, 37} : RowSizes{512, 768}; }

Case normCase(std::size_t scale) {
  const auto [rows, width] = normSizes(scale);
  const std::size_t group = scale == 0 ? 7 : 64;
  Case result;
  result.buffers = {input(floats(rows * width, 144, -1, 3)), input(floats(width, 145, 0.5f, 1.5f)), input(floats(width, 146)),
                    output(std::vector<float>(rows * width), 1e-4, 1e-5)};
  result.launches = {over("layer_norm", {rows * group, 1, 1}, {group, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), local(4 * group), scalar(std::uint64_t{width})})};
  return result;
}

void normReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, width] = normSizes(scale);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<double> values = row(buffers[0], r, width);
    const double number = static_cast<double>(width);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / number;
    double variance = 0;
    for (double value : values) variance += (value - mean) * (value - mean) / number;
    for (std::size_t i = 0; i < width; ++i) {
      const double gain = static_cast<double>(data<float>(buffers[1])[i]),
                   bias = static_cast<double>(data<float>(buffers[2])[i]);
      data<float>(buffers[3])[r * width + i] =
          static_cast<float>((values[i] - mean) / std::sqrt(variance + 1e-5) * gain + bias);
    }
  }
}

// rms_norm -----------------------------------------------------------------------------------------------------------------

RowSizes rmsSizes(std::size_t scale) { return scale == 0 ? RowSizes{11, 20} : RowSizes{4096, 256}; }

Case rmsCase(std::size_t scale) {
  const auto [rows, width] = rmsSizes(scale);
  Case result;
  result.buffers = {input(floats(rows * width, 147)), input(floats(width, 148, 0.5f, 1.5f)),
                    output(std::vector<float>(rows * width), 1e-4, 1e-6)};
  result.launches = {over("rms_norm", {rows, 1, 1}, {scale == 0 ? 3u : 64u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(u32(width / 4)), scalar(u32(rows))})};
  return result;
}

void rmsReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, width] = rmsSizes(scale);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<double> values = row(buffers[0], r, width);
    const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    const double root = std::sqrt(squares / static_cast<double>(width) + 1e-6);
    for (std::size_t i = 0; i < width; ++i)
      data<float>(buffers[2])[r * width + i] =
          static_cast<float>(values[i] / root * static_cast<double>(data<float>(buffers[1])[i]));
  }
}

// softmax_group ------------------------------------------------------------------------------------------------------------

RowSizes softmaxSizes(std::size_t scale) { return scale == 0 ? RowSizes{5, 29} : RowSizes{256, 500}; }

Case softmaxCase(std::size_t scale) {
  const auto [rows, width] = softmaxSizes(scale);
  const std::size_t group = scale == 0 ? 11 : 64;
  Case result;
  result.buffers = {input(floats(rows * width, 149, -6, 6)), output(std::vector<float>(rows * width), 1e-4, 1e-7)};
  result.launches = {
      over("softmax_group", {rows * group, 1, 1}, {group, 1, 1}, {buffer(0), buffer(1), scalar(u32(width)), local(4 * group)})};
  return result;
}

void softmaxReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, width] = softmaxSizes(scale);
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> values = row(buffers[0], r, width);
    softmax(values);
    for (std::size_t i = 0; i < width; ++i) data<float>(buffers[1])[r * width + i] = static_cast<float>(values[i]);
  }
}

// gelu_silu ----------------------------------------------------------------------------------------------------------------

RowSizes geluSizes(std::size_t scale) { return scale == 0 ? RowSizes{7, 13} : RowSizes{128, 320}; }

Case geluCase(std::size_t scale) {
  const auto [rows, width] = geluSizes(scale);
  Case result;
  result.buffers = {input(floats(2 * rows * width, 150, -5, 5)), output(std::vector<float>(rows * width), 1e-4, 1e-5),
                    output(std::vector<float>(rows * width), 1e-4, 1e-5)};
  result.launches = {over("gelu_silu", {width, rows, 1}, scale == 0 ? Sizes3{3, 5, 1} : Sizes3{64, 2, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(i32(width)), scalar(i32(rows))})};
  return result;
}

void geluReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, width] = geluSizes(scale);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<double> values = row(buffers[0], r, 2 * width);
    for (std::size_t i = 0; i < width; ++i) {
      const double a = values[i], b = values[width + i];
      const double exact = a / 2 * std::erfc(-a / std::numbers::sqrt2), gate = b / (1 + std::exp(-b));
      data<float>(buffers[1])[r * width + i] = static_cast<float>(exact * gate);
      data<float>(buffers[2])[r * width + i] =
          static_cast<float>(a / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (a + 0.044715 * a * a * a))));
    }
  }
}

// top_k --------------------------------------------------------------------------------------------------------------------

constexpr std::size_t kBest = 5;  // as in the kernel
RowSizes topSizes(std::size_t scale) { return scale == 0 ? RowSizes{11, 23} : RowSizes{1024, 200}; }

Case topCase(std::size_t scale) {
  const auto [rows, width] = topSizes(scale);
  Case result;
  result.buffers = {input(floats(rows * width, 151)), output(std::vector<float>(rows * kBest)),
                    output(std::vector<std::int32_t>(rows * kBest, -2))};
  result.launches = {over("top_k", {rows, 1, 1}, {scale == 0 ? 3u : 64u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), scalar(i32(width)), scalar(i32(rows))})};
  return result;
}

void topReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, width] = topSizes(scale);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* values = data<float>(buffers[0]) + r * width;
    std::vector<std::size_t> order(width);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    for (std::size_t i = 0; i < kBest; ++i) {
      data<float>(buffers[1])[r * kBest + i] = values[order[i]];
      data<std::int32_t>(buffers[2])[r * kBest + i] = i32(order[i]);
    }
  }
}

// sample_logits ------------------------------------------------------------------------------------------------------------

RowSizes sampleSizes(std::size_t scale) { return scale == 0 ? RowSizes{13, 19} : RowSizes{256, 300}; }
constexpr float kTemperature = 0.8f;

std::vector<double> probabilities(Buffer& logits, std::size_t index, std::size_t width) {
  std::vector<double> values = row(logits, index, width);
  for (double& value : values) value /= static_cast<double>(kTemperature);
  softmax(values);
  return values;
}

// The word that a row gets. Its chance is put into the middle of that word's part, so that rounding moves it to no other.
std::size_t wordOf(std::size_t index, const std::vector<double>& probability) {
  const double chance = static_cast<double>(floats(index + 1, 153, 0, 1).back());
  double sum = 0;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    sum += probability[i];
    if (sum > chance && probability[i] > 1e-3) return i;
  }
  return static_cast<std::size_t>(std::max_element(probability.begin(), probability.end()) - probability.begin());
}

Case sampleCase(std::size_t scale) {
  const auto [rows, width] = sampleSizes(scale);
  Case result;
  Buffer logits = input(floats(rows * width, 152, -4, 4));
  std::vector<float> chances;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<double> probability = probabilities(logits, r, width);
    const std::size_t word = wordOf(r, probability);
    const double before = std::accumulate(probability.begin(), probability.begin() + static_cast<std::ptrdiff_t>(word), 0.0);
    chances.push_back(static_cast<float>(before + probability[word] / 2));
  }
  result.buffers = {logits, input(chances), output(std::vector<std::int32_t>(rows, -1)),
                    output(std::vector<float>(rows), 1e-4)};
  result.launches = {
      over("sample_logits", {rows, 1, 1}, {scale == 0 ? 5u : 16u, 1, 1},
           {buffer(0), buffer(1), buffer(2), buffer(3), scalar(kTemperature), scalar(u32(width)), scalar(u32(rows))})};
  return result;
}

void sampleReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [rows, width] = sampleSizes(scale);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<double> probability = probabilities(buffers[0], r, width);
    const std::size_t word = wordOf(r, probability);
    data<std::int32_t>(buffers[2])[r] = i32(word);
    data<float>(buffers[3])[r] = static_cast<float>(probability[word]);
  }
}

}  // namespace

std::vector<Kernel> neuralRowKernels() {
  return {
      {"attention_row", "neural", "attention_row.cl", "", attentionCase, attentionReference},
      {"layer_norm", "neural", "layer_norm.cl", "", normCase, normReference},
      {"rms_norm", "neural", "rms_norm.cl", "", rmsCase, rmsReference},
      {"softmax_group", "neural", "softmax_group.cl", "", softmaxCase, softmaxReference},
      {"gelu_silu", "neural", "gelu_silu.cl", "", geluCase, geluReference},
      {"top_k", "neural", "top_k.cl", "", topCase, topReference},
      {"sample_logits", "neural", "sample_logits.cl", "", sampleCase, sampleReference},
  };
}

}  // namespace sixty
