// Data for the kernels of the sixty, and how their results are compared.
#include "kernel_case.h"

#include <cmath>
#include <sstream>

namespace sixty {
namespace {

// The finaliser of a 64-bit hash: the numbers at an index do not depend on those before it.
std::uint32_t mixed(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdull;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ull;
  value ^= value >> 33;
  return static_cast<std::uint32_t>(value);
}

std::uint32_t at(std::uint32_t seed, std::size_t index) { return mixed((std::uint64_t{seed} << 40) + index + 1); }

template <class T>
std::string differenceOf(const Buffer& expected, const std::vector<std::byte>& found, double more) {
  for (std::size_t i = 0; i < count<T>(expected); ++i) {
    T wanted, got;
    std::memcpy(&wanted, expected.bytes.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&got, found.data() + i * sizeof(T), sizeof(T));
    if (std::memcmp(&wanted, &got, sizeof(T)) == 0) continue;
    if constexpr (std::is_floating_point_v<T>) {
      const double w = static_cast<double>(wanted), g = static_cast<double>(got);
      if (w == g || (std::isnan(w) && std::isnan(g))) continue;
      // An expected infinity has no neighbours: the tolerance around it would be everything.
      const double tolerance = expected.absolute + more + (expected.relative + more) * std::fabs(w);
      if (std::isfinite(w) && std::fabs(g - w) <= tolerance) continue;
    }
    std::ostringstream text;
    text.precision(9);
    text << +got << " at " << i << " of " << count<T>(expected) << ", expected " << +wanted;
    return text.str();
  }
  return {};
}

}  // namespace

std::vector<float> floats(std::size_t count, std::uint32_t seed, float low, float high) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = low + (high - low) * (static_cast<float>(at(seed, i) >> 8) / static_cast<float>(1 << 24));
  }
  return result;
}

std::vector<std::uint32_t> integers(std::size_t count, std::uint32_t seed, std::uint32_t bound) {
  std::vector<std::uint32_t> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t all = at(seed, i);
    result[i] = bound == 0 ? all : static_cast<std::uint32_t>(std::uint64_t{all} * bound >> 32);
  }
  return result;
}

std::string difference(const Buffer& expected, const std::vector<std::byte>& found, double more) {
  if (found.size() != expected.bytes.size()) return "another size";
  switch (expected.element) {
    case Element::Float:
      return differenceOf<float>(expected, found, more);
    case Element::Double:
      return differenceOf<double>(expected, found, more);
    case Element::Int:
      return differenceOf<std::int32_t>(expected, found, more);
    case Element::Uint:
      return differenceOf<std::uint32_t>(expected, found, more);
    case Element::Uchar:
      return differenceOf<std::uint8_t>(expected, found, more);
    case Element::Ushort:
      return differenceOf<std::uint16_t>(expected, found, more);
    case Element::Ulong:
      return differenceOf<std::uint64_t>(expected, found, more);
  }
  return "an unknown element";
}

}  // namespace sixty
