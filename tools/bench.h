// `manyrt bench`: how fast copies, launches and kernels are on this machine, beside what is to be expected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Options {
  std::vector<std::string> devices;  // empty: all that are found
  uint64_t bytes = 64 << 20;         // of a large copy
  double seconds = 0.2;              // of each measurement
  bool json = false, svg = false;
};

enum class Unit : uint8_t { kSeconds, kBytesPerSecond, kOperationsPerSecond };

struct Figure {
  std::string what;  // "copy host to device"
  Unit unit = Unit::kSeconds;
  double value = 0;
  double expected = 0;        // by plain code or the data sheet; 0: not known
  std::string expected_from;  // where that is from: "PCIe 5.0 x16", "memcpy of this thread"
};
struct DeviceFigures {
  std::string id, name;
  std::vector<Figure> figures;
  std::vector<std::string> missing;  // what could not be measured, and why, a sentence each
};
struct PairFigures {
  std::string from, to;
  double seconds = 0;           // of a copy of 8 bytes
  double bytes_per_second = 0;  // of a large one
};
struct Report {
  std::string version, machine;
  uint64_t bytes = 0;
  std::vector<DeviceFigures> devices;
  std::vector<PairFigures> pairs;
};

// Throws Failure.
void run(const Options& options);

// ---- Output (bench_output.cpp, bench_svg.cpp) ----
std::string valueText(Unit unit, double value);  // "7.73 GB/s"
double shareOfExpected(const Figure& figure);    // of times the expected one by the measured one; 0: none is expected
std::string reportText(const Report& report, size_t columns);
std::string reportJson(const Report& report);
std::string reportSvg(const Report& report);

}  // namespace bench
