// The figures as tables and as JSON.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench.h"
#include "terminal.h"
#include "units.h"

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

std::string rateText(double value, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < sizeof kPrefixes / sizeof *kPrefixes; ++prefix) value /= 1000;
  char text[48];
  std::snprintf(text, sizeof text,
                value < 9.995   ? "%.2f %s%s"
                : value < 99.95 ? "%.1f %s%s"
                                : "%.0f %s%s",
                value, kPrefixes[prefix], unit);
  return text;
}

std::string percentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return share > 0 ? text : "";
}

constexpr const char* kUnitNames[] = {"seconds", "bytes_per_second", "operations_per_second"};

}  // namespace

std::string valueText(Unit unit, double value) {
  switch (unit) {
    case Unit::kSeconds:
      return secondsText(value);
    case Unit::kBytesPerSecond:
      return rateText(value, "B/s");
    case Unit::kOperationsPerSecond:
      return rateText(value, "FLOP/s");
  }
  return "";
}

std::string reportText(const Report& report, size_t columns) {
  std::string text = terminal::wrapped("manyrt " + report.version + (report.machine.empty() ? "" : ", " + report.machine) +
                                           ", copies of " + bytesText(report.bytes) + "\n",
                                       columns);
  std::vector<std::pair<std::string, std::string>> sources;  // where a figure is expected from, and the figures
  for (const DeviceFigures& device : report.devices) {
    text += terminal::wrapped("\n" + device.id + ": " + device.name + "\n", columns);
    terminal::Table table{{"", "measured", "expected", "reached"}, {}};
    for (const Figure& each : device.figures) {
      table.rows.push_back({each.what, valueText(each.unit, each.value),
                            each.expected > 0 ? valueText(each.unit, each.expected) : "", percentText(shareOfExpected(each))});
    }
    text += terminal::tableText(table, columns);
    for (const std::string& each : device.missing) text += terminal::wrapped("not measured: " + each + "\n", columns);
    for (const Figure& each : device.figures) {
      if (each.expected <= 0) continue;
      const auto known =
          std::find_if(sources.begin(), sources.end(), [&](const auto& source) { return source.first == each.expected_from; });
      if (known == sources.end()) {
        sources.emplace_back(each.expected_from, each.what);
      } else if (known->second.find(each.what) == std::string::npos) {
        known->second += ", " + each.what;
      }
    }
  }
  if (!report.pairs.empty()) {
    terminal::Table table{{"from, to", "8 bytes", "copy"}, {}};
    for (const PairFigures& each : report.pairs) {
      table.rows.push_back({each.from + " to " + each.to, secondsText(each.seconds), rateText(each.bytes_per_second, "B/s")});
    }
    text += "\n" + terminal::tableText(table, columns);
  }
  if (!sources.empty()) text += "\nWhat is expected is from:\n";
  for (const auto& [from, what] : sources) text += terminal::wrapped("  " + what + ": " + from + "\n", columns);
  return text;
}

std::string reportJson(const Report& report) {
  Json devices = Json::array(), pairs = Json::array();
  for (const DeviceFigures& device : report.devices) {
    Json figures = Json::array();
    for (const Figure& each : device.figures) {
      Json figure{{"what", each.what}, {"unit", kUnitNames[static_cast<size_t>(each.unit)]}, {"value", each.value}};
      if (each.expected > 0)
        figure.update(
            Json{{"expected", each.expected}, {"expected_from", each.expected_from}, {"reached", shareOfExpected(each)}});
      figures.push_back(std::move(figure));
    }
    devices.push_back({{"id", device.id}, {"name", device.name}, {"figures", figures}, {"missing", device.missing}});
  }
  for (const PairFigures& each : report.pairs) {
    pairs.push_back(
        {{"from", each.from}, {"to", each.to}, {"seconds", each.seconds}, {"bytes_per_second", each.bytes_per_second}});
  }
  const Json all{{"version", report.version},
                 {"machine", report.machine},
                 {"bytes", report.bytes},
                 {"devices", devices},
                 {"pairs", pairs}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace bench
