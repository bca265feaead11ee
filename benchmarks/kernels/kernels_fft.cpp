// Transforms: Fourier by halves, by quarters and in local memory, and the cosine transform of 8 x 8 blocks. The references are
// the sums of the definition.
#include <cmath>
#include <complex>
#include <numbers>

#include "kernel_case.h"

namespace sixty {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> circle(std::size_t size) {
  std::vector<Complex> result;
  for (std::size_t i = 0; i < size; ++i)
    result.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size)));
  return result;
}

// The transform of `size` numbers by the definition, split once: even and odd places apart, to take half of the time.
void transform(const std::vector<Complex>& signal, float* spectrum) {
  const std::size_t size = signal.size();
  const std::vector<Complex> factors = circle(size);
  for (std::size_t k = 0; k < size / 2; ++k) {
    Complex even, odd;
    for (std::size_t i = 0; i < size; i += 2) {
      even += signal[i] * factors[i * k % size];
      odd += signal[i + 1] * factors[(i + 1) * k % size];
    }
    const Complex lower = even + odd, upper = even - odd;
    spectrum[2 * k] = static_cast<float>(lower.real());
    spectrum[2 * k + 1] = static_cast<float>(lower.imag());
    spectrum[2 * k + size] = static_cast<float>(upper.real());
    spectrum[2 * k + size + 1] = static_cast<float>(upper.imag());
  }
}

std::vector<Complex> pairs(const float* values, std::size_t size) {
  std::vector<Complex> result;
  for (std::size_t i = 0; i < size; ++i) result.emplace_back(values[2 * i], values[2 * i + 1]);
  return result;
}

struct Batch {
  std::size_t size, signals;
};

// fft_radix2, fft_radix4 ---------------------------------------------------------------------------------------------------

Batch halves(std::size_t scale) { return scale == 0 ? Batch{32, 3} : Batch{1024, 8}; }
Batch quarters(std::size_t scale) { return scale == 0 ? Batch{64, 3} : Batch{1024, 64}; }

// Passes go from the input to the second buffer, from there to the third, and back; the one that ends up last is compared.
Case passes(const char* kernel, Batch batch, std::size_t radix, Sizes3 group, bool table, std::uint32_t seed) {
  const std::size_t values = 2 * batch.size * batch.signals;
  const double absolute = 2e-5 * std::sqrt(static_cast<double>(batch.size));
  Case result;
  result.buffers = {input(floats(values, seed)), input(std::vector<float>(values)), input(std::vector<float>(values))};
  if (table) {
    std::vector<float> factors;
    for (const Complex& factor : circle(batch.size))
      factors.insert(factors.end(), {static_cast<float>(factor.real()), static_cast<float>(factor.imag())});
    result.buffers.push_back(input(factors));
  }
  std::size_t from = 0;
  for (std::size_t span = 1; span < batch.size; span *= radix) {
    const std::size_t to = from == 1 ? 2 : 1;
    std::vector<Argument> arguments = {buffer(from), buffer(to)};
    if (table) arguments.push_back(buffer(3));
    for (std::size_t value : {span, batch.size, batch.signals}) arguments.push_back(scalar(static_cast<std::uint32_t>(value)));
    result.launches.push_back(over(kernel, {batch.size / radix, batch.signals, 1}, group, arguments));
    from = to;
  }
  result.buffers[from].checked = true;
  result.buffers[from].absolute = absolute;
  result.buffers[from].relative = 1e-5;
  return result;
}

void transformAll(std::vector<Buffer>& buffers, Batch batch) {
  const std::size_t last = buffers[1].checked ? 1 : 2;
  for (std::size_t signal = 0; signal < batch.signals; ++signal) {
    const std::size_t at = 2 * batch.size * signal;
    transform(pairs(data<float>(buffers[0]) + at, batch.size), data<float>(buffers[last]) + at);
  }
}

Case radix2Case(std::size_t scale) {
  return passes("fft_radix2", halves(scale), 2, scale == 0 ? Sizes3{5, 2, 1} : Sizes3{64, 1, 1}, false, 101);
}
void radix2Reference(std::vector<Buffer>& buffers, std::size_t scale) { transformAll(buffers, halves(scale)); }

Case radix4Case(std::size_t scale) {
  return passes("fft_radix4", quarters(scale), 4, scale == 0 ? Sizes3{3, 3, 1} : Sizes3{64, 1, 1}, true, 102);
}
void radix4Reference(std::vector<Buffer>& buffers, std::size_t scale) { transformAll(buffers, quarters(scale)); }

// fft_local ----------------------------------------------------------------------------------------------------------------

constexpr std::size_t kPoints = 256;  // as the option says

Case localCase(std::size_t scale) {
  const std::size_t signals = scale == 0 ? 3 : 48, group = scale == 0 ? 17 : 64;
  Case result;
  result.buffers = {input(floats(kPoints * signals, 103)), input(floats(kPoints * signals, 104)),
                    output(std::vector<float>(2 * kPoints * signals), 1e-5, 3e-4)};
  result.launches = {over("fft_local", {signals * group, 1, 1}, {group, 1, 1}, {buffer(0), buffer(1), buffer(2)})};
  return result;
}

void localReference(std::vector<Buffer>& buffers, std::size_t) {
  for (std::size_t at = 0; at < count<float>(buffers[0]); at += kPoints) {
    std::vector<Complex> signal;
    for (std::size_t i = 0; i < kPoints; ++i)
      signal.emplace_back(data<float>(buffers[0])[at + i], data<float>(buffers[1])[at + i]);
    transform(signal, data<float>(buffers[2]) + 2 * at);
  }
}

// dct8x8 -------------------------------------------------------------------------------------------------------------------

struct Image {
  std::size_t width, height;
};
Image image(std::size_t scale) { return scale == 0 ? Image{40, 24} : Image{512, 192}; }

double cosine(std::size_t frequency, std::size_t place) {
  const double factor = frequency == 0 ? std::sqrt(0.125) : 0.5;
  return factor * std::cos((2 * static_cast<double>(place) + 1) * static_cast<double>(frequency) * std::numbers::pi / 16);
}

Case dctCase(std::size_t scale) {
  const auto [width, height] = image(scale);
  std::vector<std::uint8_t> pixels, divisors;
  for (std::uint32_t value : integers(width * height, 105, 256)) pixels.push_back(static_cast<std::uint8_t>(value));
  std::vector<float> cosines;
  for (std::size_t i = 0; i < 64; ++i) {
    cosines.push_back(static_cast<float>(cosine(i / 8, i % 8)));
    divisors.push_back(static_cast<std::uint8_t>(7 + 3 * (i / 8 + i % 8)));
  }
  Case result;
  result.buffers = {input(pixels), input(cosines), input(divisors), output(std::vector<float>(width * height), 1e-5, 1e-2),
                    output(std::vector<std::uint16_t>(width * height))};
  result.buffers[4].checked = scale == 0;  // of many numbers one may lie between two integers
  result.launches = {over("dct8x8", {width, height, 1}, {8, 8, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), scalar(static_cast<std::int32_t>(width))})};
  return result;
}

void dctReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [width, height] = image(scale);
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t u = column % 8, v = row % 8;
      double sum = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        const double pixel = data<std::uint8_t>(buffers[0])[(row - v + i / 8) * width + column - u + i % 8];
        sum += (pixel - 128) * cosine(u, i % 8) * cosine(v, i / 8);
      }
      data<float>(buffers[3])[row * width + column] = static_cast<float>(sum);
      data<std::int16_t>(buffers[4])[row * width + column] =
          static_cast<std::int16_t>(std::nearbyint(sum / data<std::uint8_t>(buffers[2])[v * 8 + u]));
    }
  }
}

}  // namespace

std::vector<Kernel> fftKernels() {
  return {
      {"fft_radix2", "fft", "fft_radix2.cl", "", radix2Case, radix2Reference},
      {"fft_radix4", "fft", "fft_radix4.cl", "", radix4Case, radix4Reference},
      {"fft_local", "fft", "fft_local.cl", "-DPOINTS=256", localCase, localReference},
      {"dct8x8", "fft", "dct8x8.cl", "", dctCase, dctReference},
  };
}

}  // namespace sixty
