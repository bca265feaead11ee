// Rays, fractals and distances. Scenes are chosen such that no result jumps where float rounds another way than double. Rays
// keep away from the edges of spheres, a cloud ends softly, and centres lie on points that float holds exactly.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "kernel_case.h"

namespace sixty {
namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector plus(const Vector& a, const Vector& b, double times = 1) {
  return {a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]};
}
Vector three(const float* values) { return {values[0], values[1], values[2]}; }
std::int32_t i32(std::size_t value) { return static_cast<std::int32_t>(value); }

// sphere_cast --------------------------------------------------------------------------------------------------------------

struct Meeting {
  double distance = 1e30;
  std::int32_t sphere = -1;
  bool clear = true;  // no sphere is just touched, or met at nearly the same distance as another
};

Meeting meet(const std::vector<float>& spheres, const Vector& origin, const Vector& direction) {
  Meeting result;
  double second = 1e30;
  for (std::size_t i = 0; i < spheres.size() / 4; ++i) {
    const Vector to = plus(three(&spheres[4 * i]), origin, -1);
    const double along = dot(to, direction), radius = static_cast<double>(spheres[4 * i + 3]);
    const double discriminant = along * along - dot(to, to) + radius * radius;
    if (std::fabs(discriminant) < 0.02) result.clear = false;
    if (discriminant < 0) continue;
    const double t = along - std::sqrt(discriminant);
    if (std::fabs(t) < 0.01) result.clear = false;
    if (t <= 0.001) continue;
    second = std::min(second, std::max(t, result.distance));
    if (t >= result.distance) continue;
    result.distance = t;
    result.sphere = i32(i);
  }
  if (second - result.distance < 0.01) result.clear = false;
  return result;
}

Case sphereCase(std::size_t scale) {
  const std::size_t rays = scale == 0 ? 51 : 16384, count = scale == 0 ? 9 : 24;
  const std::vector<float> places = floats(4 * count, 91, 0, 1);
  std::vector<float> spheres, origins, directions;
  for (std::size_t i = 0; i < 4 * count; i += 4)
    spheres.insert(spheres.end(), {8 * places[i] - 4, 8 * places[i + 1] - 4, 8 * places[i + 2] + 2, 0.4f + places[i + 3]});
  for (std::uint32_t seed = 92; origins.size() < 4 * rays; ++seed) {
    const std::vector<float> some = floats(6 * rays, seed);
    for (std::size_t i = 0; i < some.size() && origins.size() < 4 * rays; i += 6) {
      const std::array<float, 3> origin = {some[i], some[i + 1], some[i + 2] - 3};
      const double x = some[i + 3], y = some[i + 4], z = 0.6 + static_cast<double>(some[i + 5]) / 10;
      const double length = std::sqrt(x * x + y * y + z * z);
      const std::array<float, 3> direction = {static_cast<float>(x / length), static_cast<float>(y / length),
                                              static_cast<float>(z / length)};
      if (!meet(spheres, three(origin.data()), three(direction.data())).clear) continue;
      origins.insert(origins.end(), {origin[0], origin[1], origin[2], 0});
      directions.insert(directions.end(), {direction[0], direction[1], direction[2], 0});
    }
  }
  Case result;
  result.buffers = {input(spheres), input(origins), input(directions), output(std::vector<float>(4 * rays), 0, 1e-3),
                    output(std::vector<std::int32_t>(rays, -9))};
  result.launches = {over("sphere_cast", {rays, 1, 1}, {scale == 0 ? 7u : 64u, 1, 1},
                          {buffer(0), scalar(i32(count)), buffer(1), buffer(2), buffer(3), buffer(4), scalar(i32(rays))})};
  return result;
}

void sphereReference(std::vector<Buffer>& buffers, std::size_t) {
  const std::vector<float> spheres(data<float>(buffers[0]), data<float>(buffers[0]) + count<float>(buffers[0]));
  for (std::size_t ray = 0; ray < count<std::int32_t>(buffers[4]); ++ray) {
    const Vector origin = three(data<float>(buffers[1]) + 4 * ray), direction = three(data<float>(buffers[2]) + 4 * ray);
    const Meeting found = meet(spheres, origin, direction);
    const double height = 0.5 + 0.5 * direction[1];
    std::array<double, 4> colour = {0.1 * height, 0.2 * height, 0.4 * height, height};
    if (found.sphere >= 0) {
      Vector normal = plus(origin, direction, found.distance);
      normal = plus(normal, three(&spheres[4 * static_cast<std::size_t>(found.sphere)]), -1);
      const double light = std::clamp(dot(normal, {0.48, 0.64, 0.6}) / std::sqrt(dot(normal, normal)), 0.05, 1.0);
      colour = {light, light * 0.7, light * light, 1};
    }
    for (std::size_t i = 0; i < 4; ++i) data<float>(buffers[3])[4 * ray + i] = static_cast<float>(colour[i]);
    data<std::int32_t>(buffers[4])[ray] = found.sphere;
  }
}

// mandelbrot ---------------------------------------------------------------------------------------------------------------

struct Picture {
  std::size_t width, height;
  std::uint32_t limit;
};
Picture mandelbrotPicture(std::size_t scale) { return scale == 0 ? Picture{33, 13, 24} : Picture{320, 240, 40}; }
float mandelbrotPixel(std::size_t scale) { return 3.0f / static_cast<float>(mandelbrotPicture(scale).width); }
constexpr float kLeft = -2.118f, kTop = -1.0f;

Case mandelbrotCase(std::size_t scale) {
  const Picture picture = mandelbrotPicture(scale);
  Case result;
  // Near the edge of the set some steps more or less depend on the last bits; none of the small picture's points is so near.
  result.buffers = {output(std::vector<float>(picture.width * picture.height), 0, scale == 0 ? 0 : 2)};
  result.launches = {over("mandelbrot", {picture.width, picture.height, 1}, scale == 0 ? Sizes3{5, 3, 1} : Sizes3{32, 4, 1},
                          {buffer(0), scalar(kLeft), scalar(kTop), scalar(mandelbrotPixel(scale)), scalar(i32(picture.width)),
                           scalar(i32(picture.height)), scalar(static_cast<std::int32_t>(picture.limit))})};
  return result;
}

void mandelbrotReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Picture picture = mandelbrotPicture(scale);
  const double pixel = mandelbrotPixel(scale);
  for (std::size_t i = 0; i < picture.width * picture.height; ++i) {
    const std::complex<double> c{kLeft + static_cast<double>(i % picture.width) * pixel,
                                 kTop + static_cast<double>(i / picture.width) * pixel};
    std::complex<double> z;
    std::uint32_t n = 0;
    for (; n < picture.limit && std::norm(z) <= 4; ++n) z = z * z + c;
    data<float>(buffers[0])[i] = static_cast<float>(n);
  }
}

// julia --------------------------------------------------------------------------------------------------------------------

Picture juliaPicture(std::size_t scale) { return scale == 0 ? Picture{19, 23, 40} : Picture{256, 192, 80}; }
constexpr std::array<double, 2> kConstant = {-0.41, 0.59};
double juliaPixel(std::size_t scale) { return 3.0 / static_cast<double>(juliaPicture(scale).width); }

Case juliaCase(std::size_t scale) {
  const Picture picture = juliaPicture(scale);
  Case result;
  result.buffers = {output(std::vector<float>(picture.width * picture.height), 0, 1e-3)};
  result.launches = {
      over("julia", {picture.height, picture.width, 1}, scale == 0 ? Sizes3{3, 7, 1} : Sizes3{8, 8, 1},
           {buffer(0), scalar(kConstant), scalar(juliaPixel(scale)), scalar(static_cast<std::uint32_t>(picture.width)),
            scalar(static_cast<std::uint32_t>(picture.height)), scalar(picture.limit)})};
  return result;
}

void juliaReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Picture picture = juliaPicture(scale);
  const std::complex<double> constant{kConstant[0], kConstant[1]};
  for (std::size_t row = 0; row < picture.height; ++row) {
    for (std::size_t column = 0; column < picture.width; ++column) {
      std::complex<double> z{static_cast<double>(column) - 0.5 * static_cast<double>(picture.width),
                             static_cast<double>(row) - 0.5 * static_cast<double>(picture.height)};
      z *= juliaPixel(scale);
      std::uint32_t n = 0;
      for (; n < picture.limit && std::norm(z) <= 64; ++n) z = z * z + constant;
      double colour = n;
      if (n < picture.limit) colour += 1 - std::log2(0.5 * std::log(std::norm(z)) / std::log(8.0));
      data<float>(buffers[0])[row * picture.width + column] = static_cast<float>(colour);
    }
  }
}

// volume_march -------------------------------------------------------------------------------------------------------------

struct Volume {
  std::array<std::int32_t, 4> size;  // the fourth is unused
  std::int32_t width, height;
};
Volume volume(std::size_t scale) { return scale == 0 ? Volume{{9, 7, 11, 2}, 13, 5} : Volume{{40, 40, 40, 2}, 96, 64}; }

Case volumeCase(std::size_t scale) {
  const Volume sizes = volume(scale);
  const auto& [nx, ny, nz, unused] = sizes.size;
  const std::size_t cells = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
  std::vector<float> grid = floats(cells, 94, 0.2f, 0.7f);
  for (std::size_t i = 0; i < cells; ++i) {  // nothing near the faces
    const auto x = static_cast<std::int32_t>(i % static_cast<std::size_t>(nx));
    const auto y = static_cast<std::int32_t>(i / static_cast<std::size_t>(nx) % static_cast<std::size_t>(ny));
    const auto z = static_cast<std::int32_t>(i / static_cast<std::size_t>(nx) / static_cast<std::size_t>(ny));
    const std::int32_t depth = std::min({x, nx - 1 - x, y, ny - 1 - y, z, nz - 1 - z});
    grid[i] *=
        depth < 2 ? 0.0f : std::min(1.0f, 6.0f / static_cast<float>(std::min({nx, ny, nz})) * static_cast<float>(depth - 1));
  }
  const auto width = static_cast<std::size_t>(sizes.width), height = static_cast<std::size_t>(sizes.height);
  Case result;
  result.buffers = {input(grid), output(std::vector<float>(4 * width * height), 0, 2e-3)};
  result.launches = {over("volume_march", {width, height, 1}, scale == 0 ? Sizes3{3, 5, 1} : Sizes3{16, 4, 1},
                          {buffer(0), scalar(sizes.size), buffer(1), scalar(sizes.width), scalar(sizes.height)})};
  return result;
}

double densityAt(const float* grid, const std::array<std::int32_t, 4>& size, const Vector& at) {
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::size_t index = 0;
    for (std::size_t axis = 3; axis-- > 0;) {
      const double low = std::floor(at[axis]);
      const bool upper = corner >> axis & 1;
      weight *= upper ? at[axis] - low : low + 1 - at[axis];
      index = index * static_cast<std::size_t>(size[axis]) + static_cast<std::size_t>(low) + (upper ? 1 : 0);
    }
    sum += weight * static_cast<double>(grid[index]);
  }
  return sum;
}

void volumeReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const Volume sizes = volume(scale);
  for (std::int32_t i = 0; i < sizes.width * sizes.height; ++i) {
    const double x = i % sizes.width, y = i / sizes.width, width = sizes.width, height = sizes.height;
    Vector at = {(x + 0.5) / width * (sizes.size[0] - 1), (y + 0.5) / height * (sizes.size[1] - 1), 0.25};
    const Vector towards = {x - 0.4 * width, y - 0.6 * height, 1.5 * width};
    const double step = 0.5 / std::sqrt(dot(towards, towards));
    std::array<double, 4> colour{};
    const auto inside = [&] {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (at[axis] < 0 || at[axis] >= sizes.size[axis] - 1) return false;
      }
      return true;
    };
    for (; inside() && colour[3] < 0.999; at = plus(at, towards, step)) {
      const double d = densityAt(data<float>(buffers[0]), sizes.size, at) - 0.1;
      if (d <= 0) continue;
      const double alpha = (1 - colour[3]) * (1 - std::exp(-0.7 * d));
      const std::array<double, 4> light = {d, d * d, 1 - d, 1};
      for (std::size_t c = 0; c < 4; ++c) colour[c] += alpha * light[c];
    }
    for (std::size_t c = 0; c < 4; ++c)
      data<float>(buffers[1])[4 * static_cast<std::size_t>(i) + c] = static_cast<float>(colour[c]);
  }
}

// kmeans_assign ------------------------------------------------------------------------------------------------------------

struct MeansSizes {
  std::size_t points, features, centres;
};
MeansSizes meansSizes(std::size_t scale) { return scale == 0 ? MeansSizes{67, 3, 5} : MeansSizes{32000, 8, 16}; }

std::vector<float> sixteenths(std::size_t count, std::uint32_t seed) {
  std::vector<float> result;
  for (std::uint32_t value : integers(count, seed, 257)) result.push_back(static_cast<float>(value) / 16.0f);
  return result;
}

Case meansCase(std::size_t scale) {
  const MeansSizes sizes = meansSizes(scale);
  const auto centres = static_cast<std::uint32_t>(sizes.centres);
  Case result;
  result.buffers = {input(sixteenths(sizes.points * sizes.features, 95)), input(sixteenths(sizes.centres * sizes.features, 96)),
                    output(std::vector<std::int32_t>(sizes.points, -3)), output(std::vector<std::uint32_t>(sizes.centres, 3))};
  result.launches = {over("kmeans_start", {sizes.centres, 1, 1}, {3, 1, 1}, {buffer(3), scalar(centres)}),
                     over("kmeans_assign", {sizes.points, 1, 1}, {scale == 0 ? 17u : 128u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), local(4 * sizes.centres),
                           scalar(static_cast<std::uint32_t>(sizes.features)), scalar(centres),
                           scalar(static_cast<std::uint32_t>(sizes.points))})};
  return result;
}

void meansReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const MeansSizes sizes = meansSizes(scale);
  std::fill_n(data<std::uint32_t>(buffers[3]), sizes.centres, 0u);
  for (std::size_t point = 0; point < sizes.points; ++point) {
    std::vector<double> distance(sizes.centres, 0);
    for (std::size_t c = 0; c < sizes.centres; ++c) {
      for (std::size_t f = 0; f < sizes.features; ++f) {
        const double d = static_cast<double>(data<float>(buffers[0])[f * sizes.points + point]) -
                         static_cast<double>(data<float>(buffers[1])[c * sizes.features + f]);
        distance[c] += d * d;
      }
    }
    const auto best = static_cast<std::size_t>(std::min_element(distance.begin(), distance.end()) - distance.begin());
    data<std::int32_t>(buffers[2])[point] = i32(best);
    ++data<std::uint32_t>(buffers[3])[best];
  }
}

// nbody_tile ---------------------------------------------------------------------------------------------------------------

constexpr float kStep = 0.05f;

Case nbodyCase(std::size_t scale) {
  const std::size_t bodies = scale == 0 ? 37 : 1500, group = scale == 0 ? 7 : 64;
  std::vector<float> position = floats(4 * bodies, 97, -2, 2);
  for (std::size_t i = 3; i < position.size(); i += 4) position[i] = 0.1f + std::fabs(position[i]) / 8;
  std::vector<float> velocity = floats(4 * bodies, 98);
  for (std::size_t i = 3; i < velocity.size(); i += 4) velocity[i] = 0;
  Case result;
  result.buffers = {input(position), input(velocity), output(position, 1e-4, 1e-4), output(velocity, 1e-4, 1e-3)};
  result.launches = {over("nbody_tile", {bodies, 1, 1}, {group, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), local(16 * group), scalar(kStep), scalar(i32(bodies))})};
  return result;
}

void nbodyReference(std::vector<Buffer>& buffers, std::size_t) {
  const float* position = data<float>(buffers[0]);
  const std::size_t bodies = count<float>(buffers[0]) / 4;
  for (std::size_t body = 0; body < bodies; ++body) {
    const Vector mine = three(position + 4 * body);
    Vector force{};
    for (std::size_t other = 0; other < bodies; ++other) {
      const Vector to = plus(three(position + 4 * other), mine, -1);
      force = plus(force, to, static_cast<double>(position[4 * other + 3]) / std::pow(dot(to, to) + 0.01, 1.5));
    }
    const Vector speed = plus(three(data<float>(buffers[1]) + 4 * body), force, static_cast<double>(kStep));
    const Vector place = plus(mine, speed, static_cast<double>(kStep));
    for (std::size_t i = 0; i < 3; ++i) {
      data<float>(buffers[2])[4 * body + i] = static_cast<float>(place[i]);
      data<float>(buffers[3])[4 * body + i] = static_cast<float>(speed[i]);
    }
  }
}

}  // namespace

std::vector<Kernel> rayKernels() {
  return {
      {"sphere_cast", "ray", "sphere_cast.cl", "", sphereCase, sphereReference},
      {"mandelbrot", "ray", "mandelbrot.cl", "", mandelbrotCase, mandelbrotReference, "sixty_mandelbrot"},
      {"julia", "ray", "julia.cl", "", juliaCase, juliaReference},
      {"volume_march", "ray", "volume_march.cl", "", volumeCase, volumeReference},
      {"kmeans_assign", "ray", "kmeans_assign.cl", "", meansCase, meansReference},
      {"nbody_tile", "ray", "nbody_tile.cl", "", nbodyCase, nbodyReference, "sixty_nbody_tile"},
  };
}

}  // namespace sixty
