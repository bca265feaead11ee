// Elements by the type of an array. A buffer of a graph has little-endian elements, as the machines have that manyrt runs on.
#include "array_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "check.h"
#include "compiler/parser/half.h"

namespace {

// SplitMix64: each number is a hash of the seed and its place.
uint64_t random(uint64_t seed, uint64_t place) {
  uint64_t value = seed + (place + 1) * 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

size_t sizeOf(const std::string& type) {
  return type.ends_with("64") ? 8 : type.ends_with("32") ? 4 : type.ends_with("16") ? 2 : 1;
}

uint64_t wordAt(const Array& array, size_t size, size_t place) {
  uint64_t word = 0;
  std::memcpy(&word, array.bytes.data() + size * place, size);
  return word;
}

// For a 64-bit integer the nearest double, which a message and a tolerance can do with.
double numberOf(const std::string& type, uint64_t word) {
  if (type == "f16") return manyrt::compiler::valueOfHalf(static_cast<uint16_t>(word));
  if (type == "f32") return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(word)));
  if (type == "f64") return std::bit_cast<double>(word);
  if (type[0] == 'u') return static_cast<double>(word);
  const size_t unused = 64 - 8 * sizeOf(type);
  return static_cast<double>(static_cast<int64_t>(word << unused) >> unused);
}

uint64_t wordOf(const std::string& type, uint64_t bits) {
  const double from_minus_one = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  if (type == "f16") return manyrt::compiler::halfBits(std::trunc(from_minus_one * 1024) / 1024);
  if (type == "f32") return std::bit_cast<uint32_t>(static_cast<float>(std::trunc(from_minus_one * 0x1p24) * 0x1p-24));
  if (type == "f64") return std::bit_cast<uint64_t>(from_minus_one);
  return bits % 100;
}

bool isNear(double found, double expected, double tolerance) {
  if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
  if (std::isinf(expected) || std::isinf(found)) return expected == found;
  return std::fabs(found - expected) <= tolerance * std::max(1.0, std::fabs(expected));
}

}  // namespace

void fillRandom(Array* array, uint64_t seed) {
  if (array->type.empty()) {
    for (size_t i = 0; i < array->bytes.size(); ++i) array->bytes[i] = static_cast<unsigned char>(random(seed, i));
    return;
  }
  const size_t size = sizeOf(array->type);
  for (size_t i = 0; i < array->bytes.size() / size; ++i) {
    const uint64_t word = wordOf(array->type, random(seed, i));
    std::memcpy(array->bytes.data() + i * size, &word, size);
  }
}

std::string difference(const Array& found, const Array& expected, double tolerance) {
  const size_t size = sizeOf(expected.type), count = expected.bytes.size() / size;
  size_t differ = 0, first = 0;
  double most = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t one = wordAt(found, size, i), other = wordAt(expected, size, i);
    if (one == other) continue;
    const double a = numberOf(expected.type, one), b = numberOf(expected.type, other);
    if (tolerance > 0 && isNear(a, b, tolerance)) continue;
    if (differ++ == 0) first = i;
    if (const double apart = std::fabs(a - b); apart > most) most = apart;
  }
  if (differ == 0) return "";
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(),
                "%zu of %zu elements are not as expected; element %zu is %.9g, not %.9g; the most that two are apart is %.3g",
                differ, count, first, numberOf(expected.type, wordAt(found, size, first)),
                numberOf(expected.type, wordAt(expected, size, first)), most);
  return text.data();
}
