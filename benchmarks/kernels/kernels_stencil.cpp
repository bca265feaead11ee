// Stencils in two and three dimensions.
#include <algorithm>

#include "kernel_case.h"

namespace sixty {
namespace {

using Sizes = std::array<std::size_t, 3>;

std::uint32_t u(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::int32_t s(std::size_t value) { return static_cast<std::int32_t>(value); }

Sizes area(std::size_t scale) { return scale == 0 ? Sizes{59, 37, 1} : Sizes{1023, 1023, 1}; }
Sizes groupOf(std::size_t scale) { return scale == 0 ? Sizes{7, 5, 1} : Sizes{32, 8, 1}; }
Sizes covering(std::size_t x, std::size_t y, const Sizes& local) { return {roundUp(x, local[0]), roundUp(y, local[1]), 1}; }

// A grid that is read by its coordinates in double precision.
class Grid {
 public:
  Grid(Buffer& buffer, std::size_t width) : data_(data<float>(buffer)), width_(static_cast<std::ptrdiff_t>(width)) {}
  double operator()(std::ptrdiff_t x, std::ptrdiff_t y) const { return double{data_[y * width_ + x]}; }
  void set(std::ptrdiff_t x, std::ptrdiff_t y, double value) { data_[y * width_ + x] = static_cast<float>(value); }

 private:
  float* data_;
  std::ptrdiff_t width_;
};

template <class Body>
void forEach(const Sizes& size, Body body) {
  for (std::ptrdiff_t y = 0; y < static_cast<std::ptrdiff_t>(size[1]); ++y) {
    for (std::ptrdiff_t x = 0; x < static_cast<std::ptrdiff_t>(size[0]); ++x) body(x, y);
  }
}
bool inside(std::ptrdiff_t x, std::ptrdiff_t y, const Sizes& size) {
  return x >= 0 && y >= 0 && x < static_cast<std::ptrdiff_t>(size[0]) && y < static_cast<std::ptrdiff_t>(size[1]);
}

// One launch over an area: the buffers, its width and height, more.
Case overArea(const char* kernel, std::size_t scale, std::vector<Buffer> buffers, const Argument& width, const Argument& height,
              const std::vector<Argument>& more, const Sizes& local) {
  const Sizes size = area(scale);
  Case made;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < buffers.size(); ++i) arguments.push_back(buffer(i));
  arguments.push_back(width);
  arguments.push_back(height);
  arguments.insert(arguments.end(), more.begin(), more.end());
  made.buffers = std::move(buffers);
  made.launches = {{kernel, covering(size[0], size[1], local), local, arguments}};
  return made;
}

constexpr float kCentre = 0.52f, kSide = 0.12f;

Case five(std::size_t scale) {
  const auto [width, height, unused] = area(scale);
  return overArea("stencil_5", scale,
                  {input(floats(width * height, 21)), output(std::vector<float>(width * height), 1e-6, 1e-6)}, scalar(s(width)),
                  scalar(s(height)), {scalar(kCentre), scalar(kSide)}, groupOf(scale));
}
void fiveReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Sizes size = area(scale);
  const Grid in(buffers[0], size[0]);
  Grid out(buffers[1], size[0]);
  forEach({size[0] - 2, size[1] - 2, 1}, [&](std::ptrdiff_t x0, std::ptrdiff_t y0) {
    const std::ptrdiff_t x = x0 + 1, y = y0 + 1;
    out.set(x, y, double{kCentre} * in(x, y) + double{kSide} * (in(x - 1, y) + in(x + 1, y) + in(x, y - 1) + in(x, y + 1)));
  });
}

const std::vector<float> kWeights{0.05f, 0.11f, 0.04f, 0.12f, 0.33f, 0.13f, 0.06f, 0.09f, 0.07f};

Case nine(std::size_t scale) {
  const auto [width, height, unused] = area(scale);
  Case made =
      overArea("stencil_9", scale, {input(floats(width * height, 22)), output(std::vector<float>(width * height), 1e-6, 1e-6)},
               scalar(u(width)), scalar(u(height)), {}, groupOf(scale));
  made.buffers.push_back(input(kWeights));
  made.launches[0].arguments.push_back(buffer(2));
  return made;
}
void nineReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Sizes size = area(scale);
  const Grid in(buffers[0], size[0]);
  Grid out(buffers[1], size[0]);
  forEach(size, [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < 9; ++i) {
      const std::ptrdiff_t sx = std::clamp<std::ptrdiff_t>(x + i % 3 - 1, 0, s(size[0]) - 1);
      const std::ptrdiff_t sy = std::clamp<std::ptrdiff_t>(y + i / 3 - 1, 0, s(size[1]) - 1);
      sum += double{kWeights[static_cast<std::size_t>(i)]} * in(sx, sy);
    }
    out.set(x, y, sum);
  });
}

constexpr float kStep = 0.05f, kRx = 0.9f, kRy = 1.1f, kRz = 0.3f, kAmbient = 80.0f;

Case plate(std::size_t scale) {
  const auto [width, height, unused] = area(scale);
  return overArea("plate", scale,
                  {input(floats(width * height, 23, 320.0f, 330.0f)), input(floats(width * height, 24, 0.0f, 1.0f)),
                   output(std::vector<float>(width * height), 2e-6)},
                  scalar(s(width)), scalar(s(height)), {scalar(kStep), scalar(kRx), scalar(kRy), scalar(kRz), scalar(kAmbient)},
                  groupOf(scale));
}
void plateReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Sizes size = area(scale);
  const Grid in(buffers[0], size[0]), power(buffers[1], size[0]);
  Grid out(buffers[2], size[0]);
  forEach(size, [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    double change = power(x, y) + (double{kAmbient} - in(x, y)) * double{kRz};
    for (const std::ptrdiff_t side : {-1, 1}) {
      if (inside(x + side, y, size)) change += (in(x + side, y) - in(x, y)) * double{kRx};
      if (inside(x, y + side, size)) change += (in(x, y + side) - in(x, y)) * double{kRy};
    }
    out.set(x, y, in(x, y) + double{kStep} * change);
  });
}

constexpr float kRate = 0.15f;

Case heat(std::size_t scale) {
  const auto [width, height, unused] = area(scale);
  return overArea("heat_tile", scale,
                  {input(floats(width * height, 25)), output(std::vector<float>(width * height), 1e-6, 1e-6)}, scalar(u(width)),
                  scalar(u(height)), {scalar(kRate)}, {16, 16, 1});
}
void heatReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Sizes size = area(scale);
  const Grid in(buffers[0], size[0]);
  Grid out(buffers[1], size[0]);
  const auto at = [&](std::ptrdiff_t x, std::ptrdiff_t y) { return inside(x, y, size) ? in(x, y) : 0.0; };
  forEach(size, [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    out.set(x, y, in(x, y) + double{kRate} * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4.0 * in(x, y)));
  });
}

// ---- Electromagnetic fields: ex, ey, hz

Sizes fieldArea(std::size_t scale) { return scale == 0 ? Sizes{47, 33, 5} : Sizes{512, 250, 4}; }  // and steps of time
float sourceAt(std::size_t step) { return 0.5f + 0.25f * static_cast<float>(step); }

Case fields(std::size_t scale) {
  const auto [width, height, steps] = fieldArea(scale);
  Case made;
  made.restore = true;
  for (std::uint32_t seed : {26u, 27u, 28u}) made.buffers.push_back(output(floats(width * height, seed), 1e-5, 1e-5));
  const Sizes local = groupOf(scale), global = covering(width, height, local);
  const Argument w = scalar(s(width)), h = scalar(s(height));
  for (std::size_t step = 0; step < steps; ++step) {
    made.launches.push_back({"fields_ey", global, local, {buffer(1), buffer(2), w, h, scalar(sourceAt(step))}});
    made.launches.push_back({"fields_ex", global, local, {buffer(0), buffer(2), w, h}});
    made.launches.push_back({"fields_hz", global, local, {buffer(0), buffer(1), buffer(2), w, h}});
  }
  return made;
}
void fieldsReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [width, height, steps] = fieldArea(scale);
  std::vector<double> ex(data<float>(buffers[0]), data<float>(buffers[0]) + width * height);
  std::vector<double> ey(data<float>(buffers[1]), data<float>(buffers[1]) + width * height);
  std::vector<double> hz(data<float>(buffers[2]), data<float>(buffers[2]) + width * height);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < width * height; ++i) {
      ey[i] = i < width ? double{sourceAt(step)} : ey[i] - 0.5 * (hz[i] - hz[i - width]);
      if (i % width > 0) ex[i] -= 0.5 * (hz[i] - hz[i - 1]);
    }
    for (std::size_t i = 0; i < width * (height - 1); ++i) {
      if (i % width < width - 1) hz[i] -= double{0.7f} * (ex[i + 1] - ex[i] + ey[i + width] - ey[i]);
    }
  }
  const std::vector<double>* exact[] = {&ex, &ey, &hz};
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t i = 0; i < width * height; ++i) data<float>(buffers[b])[i] = static_cast<float>((*exact[b])[i]);
  }
}

// ---- Seven points in space

Sizes space(std::size_t scale) { return scale == 0 ? Sizes{31, 23, 13} : Sizes{159, 129, 65}; }

Case seven(std::size_t scale) {
  const auto [width, height, depth] = space(scale);
  const Sizes local = groupOf(scale);
  Case made;
  made.buffers = {input(floats(width * height * depth, 29)), output(std::vector<float>(width * height * depth), 1e-6, 1e-6)};
  made.launches = {{"stencil_7",
                    covering(width - 2, height - 2, local),
                    local,
                    {buffer(0), buffer(1), scalar(std::uint64_t{width}), scalar(std::uint64_t{height}),
                     scalar(std::uint64_t{depth}), scalar(kCentre), scalar(kSide)}}};
  return made;
}
void sevenReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const auto [width, height, depth] = space(scale);
  const float* in = data<float>(buffers[0]);
  const std::size_t plane = width * height;
  for (std::size_t z = 1; z + 1 < depth; ++z) {
    for (std::size_t y = 1; y + 1 < height; ++y) {
      for (std::size_t x = 1; x + 1 < width; ++x) {
        const std::size_t at = z * plane + y * width + x;
        double around = 0;
        for (const std::size_t step : {std::size_t{1}, width, plane}) around += double{in[at - step]} + double{in[at + step]};
        data<float>(buffers[1])[at] = static_cast<float>(double{kCentre} * double{in[at]} + double{kSide} * around);
      }
    }
  }
}

}  // namespace

std::vector<Kernel> stencilKernels() {
  return {
      {"stencil_5", "stencil", "stencil_2d.cl", "", five, fiveReference, "sixty_stencil_5"},
      {"stencil_9", "stencil", "stencil_2d.cl", "", nine, nineReference},
      {"plate", "stencil", "stencil_2d.cl", "", plate, plateReference, "sixty_plate"},
      {"heat_tile", "stencil", "stencil_2d.cl", "", heat, heatReference},
      {"fields", "stencil", "stencil_2d.cl", "", fields, fieldsReference},
      {"stencil_7", "stencil", "stencil_3d.cl", "", seven, sevenReference, "sixty_stencil_7"},
  };
}

}  // namespace sixty
