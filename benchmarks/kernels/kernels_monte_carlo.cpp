// Monte Carlo: numbers come from counters, so that the reference draws the same ones. Where a number decides (a hit, a step),
// it is an integer or short enough to be exact in float, with relaxed math too.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernel_case.h"

namespace sixty {
namespace {

// mc_pi --------------------------------------------------------------------------------------------------------------------

struct PiSizes {
  std::size_t groups, group;
  std::uint32_t throws;
};
PiSizes piSizes(std::size_t scale) { return scale == 0 ? PiSizes{5, 7, 9} : PiSizes{64, 64, 1024}; }
constexpr std::uint32_t kPiSeed = 0xfeedu;

Case piCase(std::size_t scale) {
  const PiSizes sizes = piSizes(scale);
  Case result;
  result.buffers = {output(std::vector<std::uint32_t>{12345})};
  result.launches = {over("mc_pi_start", {1, 1, 1}, {1, 1, 1}, {buffer(0)}),
                     over("mc_pi", {sizes.groups * sizes.group, 1, 1}, {sizes.group, 1, 1},
                          {buffer(0), local(4 * sizes.group), scalar(sizes.throws), scalar(kPiSeed)})};
  return result;
}

void piReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const PiSizes sizes = piSizes(scale);
  std::uint32_t hits = 0;
  for (std::uint32_t i = 0; i < sizes.groups * sizes.group * sizes.throws; ++i) {
    std::uint32_t x = i * 0x9e3779b1u ^ kPiSeed;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    x ^= x >> 15;
    const std::uint32_t across = x & 0x7ff, up = x >> 21;
    hits += across * across + up * up < 2048 * 2048 ? 1 : 0;
  }
  *data<std::uint32_t>(buffers[0]) = hits;
}

// mc_option ----------------------------------------------------------------------------------------------------------------

struct OptionSizes {
  std::size_t options;
  std::int32_t paths, steps;
};
OptionSizes optionSizes(std::size_t scale) { return scale == 0 ? OptionSizes{9, 5, 3} : OptionSizes{256, 24, 8}; }

Case optionCase(std::size_t scale) {
  const OptionSizes sizes = optionSizes(scale);
  std::vector<float> options;
  const std::vector<float> part = floats(4 * sizes.options, 71, 0.0f, 1.0f);
  for (std::size_t i = 0; i < part.size(); i += 4)
    options.insert(options.end(), {80 + 40 * part[i], 80 + 40 * part[i + 1], 0.1f + 0.3f * part[i + 2], 0.5f + part[i + 3]});
  Case result;
  result.buffers = {input(options), output(std::vector<float>(sizes.options), 1e-4, 1e-3)};
  result.launches = {
      over("mc_option", {sizes.options, 1, 1}, {scale == 0 ? 5u : 32u, 1, 1},
           {buffer(0), buffer(1), scalar(sizes.paths), scalar(sizes.steps), scalar(static_cast<std::int32_t>(sizes.options))})};
  return result;
}

std::array<std::uint32_t, 2> optionBits(std::uint32_t a, std::uint32_t b) {
  std::uint32_t key = 77;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t product = std::uint64_t{a} * 0xd256d193u;
    a = static_cast<std::uint32_t>(product >> 32) ^ key ^ b;
    b = static_cast<std::uint32_t>(product);
    key += 0x9e3779b9u;
  }
  return {a, b};
}

void optionReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const OptionSizes sizes = optionSizes(scale);
  for (std::size_t option = 0; option < sizes.options; ++option) {
    const float* o = data<float>(buffers[0]) + 4 * option;
    const double price = o[0], strike = o[1], volatility = o[2], years = o[3];
    const double dt = years / (2 * sizes.steps);
    double total = 0;
    for (std::int32_t path = 0; path < sizes.paths; ++path) {
      double logarithm = 0, mean = 0;
      for (std::int32_t step = 0; step < sizes.steps; ++step) {
        const auto bits = optionBits(static_cast<std::uint32_t>(path * sizes.steps + step), static_cast<std::uint32_t>(option));
        const double radius = std::sqrt(-2 * std::log(((bits[0] >> 8) + 0.5) / 16777216.0));
        const double angle = 2 * std::numbers::pi * (bits[1] >> 8) / 16777216.0;
        for (double z : {radius * std::cos(angle), radius * std::sin(angle)}) {
          logarithm += (0.03 - 0.5 * volatility * volatility) * dt + volatility * std::sqrt(dt) * z;
          mean += std::exp(logarithm);
        }
      }
      total += std::max(price * mean / (2 * sizes.steps) - strike, 0.0);
    }
    data<float>(buffers[1])[option] = static_cast<float>(total / sizes.paths * std::exp(-0.03 * years));
  }
}

// black_scholes ------------------------------------------------------------------------------------------------------------

constexpr float kRate = 0.02f, kVolatility = 0.3f;

Case scholesCase(std::size_t scale) {
  const std::size_t items = scale == 0 ? 77 : 30000;
  Case result;
  result.buffers = {input(floats(items, 72, 5, 30)), input(floats(items, 73, 1, 100)), input(floats(items, 74, 0.25f, 10)),
                    output(std::vector<float>(items), 1e-4, 1e-4), output(std::vector<float>(items), 1e-4, 1e-4)};
  result.launches = {over("black_scholes", {items, 1, 1}, {scale == 0 ? 17u : 128u, 1, 1},
                          {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), scalar(kRate), scalar(kVolatility),
                           scalar(static_cast<std::int32_t>(items))})};
  return result;
}

void scholesReference(std::vector<Buffer>& buffers, std::size_t) {
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  const double rate = kRate, volatility = kVolatility;
  for (std::size_t i = 0; i < count<float>(buffers[0]); ++i) {
    const double s = data<float>(buffers[0])[i], x = data<float>(buffers[1])[i], t = data<float>(buffers[2])[i];
    const double root = volatility * std::sqrt(t);
    const double d1 = (std::log(s / x) + (rate + volatility * volatility / 2) * t) / root;
    const double call = s * below(d1) - x * std::exp(-rate * t) * below(d1 - root);
    data<float>(buffers[3])[i] = static_cast<float>(call);
    data<float>(buffers[4])[i] = static_cast<float>(call - s + x * std::exp(-rate * t));
  }
}

// random_walk --------------------------------------------------------------------------------------------------------------

struct WalkSizes {
  std::size_t walks;
  std::int32_t radius, limit;
};
WalkSizes walkSizes(std::size_t scale) { return scale == 0 ? WalkSizes{45, 4, 50} : WalkSizes{8000, 12, 400}; }
constexpr std::uint32_t kWalkSeed = 2891336453u;

Case walkCase(std::size_t scale) {
  const WalkSizes sizes = walkSizes(scale);
  Case result;
  result.buffers = {output(std::vector<std::int32_t>(2 * sizes.walks)), output(std::vector<std::uint16_t>(sizes.walks))};
  result.launches = {over("random_walk", {sizes.walks, 1, 1}, {scale == 0 ? 7u : 64u, 1, 1},
                          {buffer(0), buffer(1), scalar(kWalkSeed), scalar(sizes.radius), scalar(sizes.limit),
                           scalar(static_cast<std::uint32_t>(sizes.walks))})};
  return result;
}

void walkReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const WalkSizes sizes = walkSizes(scale);
  constexpr std::int32_t kAcross[] = {1, -1, 0, 0}, kUp[] = {0, 0, 1, -1};
  for (std::size_t walk = 0; walk < sizes.walks; ++walk) {
    std::uint32_t state = static_cast<std::uint32_t>(walk) * 747796405u + kWalkSeed;
    std::int32_t x = 0, y = 0, step = 0;
    bool over = false;
    while (step < sizes.limit && !over) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      x += kAcross[state >> 9 & 3];
      y += kUp[state >> 9 & 3];
      ++step;
      over = x * x + y * y >= sizes.radius * sizes.radius || (step > 4 && x == 0 && y == 0);
    }
    data<std::int32_t>(buffers[0])[2 * walk] = x;
    data<std::int32_t>(buffers[0])[2 * walk + 1] = y;
    data<std::uint16_t>(buffers[1])[walk] = static_cast<std::uint16_t>(step);
  }
}

}  // namespace

std::vector<Kernel> monteCarloKernels() {
  return {
      {"mc_pi", "monte_carlo", "mc_pi.cl", "", piCase, piReference},
      {"mc_option", "monte_carlo", "mc_option.cl", "", optionCase, optionReference},
      {"black_scholes", "monte_carlo", "black_scholes.cl", "", scholesCase, scholesReference},
      {"random_walk", "monte_carlo", "random_walk.cl", "", walkCase, walkReference},
  };
}

}  // namespace sixty
