// Numbers with their units, as the texts and pictures of the manyrt command write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

inline std::string bytesText(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < sizeof kUnits / sizeof *kUnits; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

// Three digits: "12.3 µs", "845 ns", "1.24 ms".
inline std::string secondsText(double seconds) {
  static constexpr const char* kUnits[] = {"ns", "µs", "ms", "s"};
  double value = seconds * 1e9;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < sizeof kUnits / sizeof *kUnits; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, value < 9.995 ? "%.2f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

// "1 step", "2 steps".
inline std::string counted(uint64_t count, const std::string& one, const std::string& many = "") {
  return std::to_string(count) + ' ' + (count == 1 ? one : many.empty() ? one + 's' : many);
}
