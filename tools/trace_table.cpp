// A trace as a table: kernels and copies by device as RT_PROFILE has them, and how busy each device was. Its longest gaps have
// the call that the host was in. Copies that no kernel ran beside, steps of builds, ranges and calls follow.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "trace_file.h"

namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string device, category, name, module;
  uint64_t count = 0, bytes = 0;
  int64_t total = 0, least = INT64_MAX, most = 0;

  void add(const TraceSpan& span) {
    ++count;
    bytes += span.bytes;
    total += span.duration();
    least = std::min(least, span.duration());
    most = std::max(most, span.duration());
  }
  int64_t mean() const { return total / static_cast<int64_t>(count); }
  bool isKernel() const { return category == "kernel"; }
  bool movesBytes() const { return category == "copy" || category == "fill"; }
  double speed() const { return total == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(total); }
};

// Kernels first, then copies and fills, then the rest; of one kind by time.
std::vector<Row> rowsOf(const TraceFile& trace, const std::vector<TraceSpan>& spans) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Row> found;
  for (const TraceSpan& span : spans) {
    const std::string& device = trace.tracks[span.track].device;
    Row& row = found[{device, span.category, span.name, span.module}];
    if (row.count == 0)
      std::tie(row.device, row.category, row.name, row.module) = std::tie(device, span.category, span.name, span.module);
    row.add(span);
  }
  std::vector<Row> rows;
  for (auto& [key, row] : found) rows.push_back(std::move(row));
  const auto place = [](const Row& row) {
    return std::make_tuple(row.device, row.isKernel() ? 0 : row.movesBytes() ? 1 : 2, -row.total, row.name);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& one, const Row& other) { return place(one) < place(other); });
  return rows;
}

int64_t kernelTime(const std::vector<Row>& rows, const std::string& device) {
  int64_t total = 0;
  for (const Row& row : rows) total += row.isKernel() && row.device == device ? row.total : 0;
  return total;
}

double share(int64_t part, int64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

template <class... Arguments>
std::string line(const char* format, Arguments... arguments) {
  std::string text(static_cast<size_t>(snprintf(nullptr, 0, format, arguments...)), '\0');
  snprintf(text.data(), text.size() + 1, format, arguments...);
  return text;
}

std::string head(const std::string& title, const char* first, const char* last) {
  return title + line("\n  %8s %10s %11s %11s %11s %11s  %s\n", first, "count", "total", "mean", "min", "max", last);
}

std::string rowText(const Row& row, const std::string& first) {
  return line("  %8s %10llu %11s %11s %11s %11s  %s\n", first.c_str(), static_cast<unsigned long long>(row.count),
              durationText(row.total).c_str(), durationText(row.mean()).c_str(), durationText(row.least).c_str(),
              durationText(row.most).c_str(), (row.name + (row.module.empty() ? "" : " (" + row.module + ")")).c_str());
}

std::string workText(const std::vector<Row>& rows) {
  std::string text, section;
  for (const Row& row : rows) {
    const std::string now = (row.isKernel()     ? "kernels of "
                             : row.movesBytes() ? "copies and fills of "
                                                : "other work of ") +
                            row.device;
    if (now != section)
      text += head(now, row.isKernel() ? "share" : row.movesBytes() ? "GB/s" : "", row.isKernel() ? "kernel" : "kind");
    section = now;
    std::string first;
    if (row.isKernel()) first = line("%.1f%%", 100 * share(row.total, kernelTime(rows, row.device)));
    if (row.movesBytes()) first = line("%.3f", row.speed());
    text += rowText(row, first);
  }
  return text;
}

std::string deviceText(const TraceFile& trace, const TraceDevice& device) {
  int64_t busy = 0;
  for (const TraceInterval& each : device.busy) busy += each.second - each.first;
  const int64_t period = device.end() - device.begin();
  std::string text = device.name + line(": at work %.1f%% of %s between its first and its last work", 100 * share(busy, period),
                                        durationText(period).c_str());
  text += line(", %.0f launches of kernels a second\n", share(static_cast<int64_t>(device.launches), period) * 1e9);
  if (device.copying != 0) {
    text += line("  copies took %s, %.1f%% of it with no kernel beside them\n", durationText(device.copying).c_str(),
                 100 * share(device.copying_alone, device.copying));
  }
  const auto error = trace.clock_errors.find(device.name);
  if (error != trace.clock_errors.end()) text += line("  its times are right to %.1f us\n", error->second);
  constexpr size_t kShown = 5;
  for (size_t i = 0; i < std::min(kShown, device.gaps.size()); ++i) {
    const TraceGap& gap = device.gaps[i];
    text += line("  gap of %s at %s, the host %s\n", durationText(gap.time.second - gap.time.first).c_str(),
                 durationText(gap.time.first).c_str(), gap.call.empty() ? "mostly in no call" : ("in " + gap.call).c_str());
  }
  return text;
}

std::vector<TraceSpan> spansOf(const TraceFile& trace, const char* category) {
  std::vector<TraceSpan> spans;
  for (const TraceSpan& span : trace.threads) {
    if (span.category == category) spans.push_back(span);
  }
  return spans;
}

Json rowJson(const Row& row) {
  Json json;
  if (!row.device.empty()) json["device"] = row.device;
  json["kind"] = row.category;
  json["name"] = row.name;
  if (row.isKernel()) json["module"] = row.module;
  json["count"] = row.count;
  json["total_ns"] = row.total;
  json["min_ns"] = row.least;
  json["max_ns"] = row.most;
  if (row.movesBytes()) json["bytes"] = row.bytes;
  return json;
}

}  // namespace

std::string durationText(int64_t nanoseconds) {
  const auto value = static_cast<double>(nanoseconds);
  if (nanoseconds < 10'000) return line("%lld ns", static_cast<long long>(nanoseconds));
  if (nanoseconds < 10'000'000) return line("%.2f us", value / 1e3);
  return nanoseconds < 10'000'000'000 ? line("%.2f ms", value / 1e6) : line("%.2f s", value / 1e9);
}

std::string traceText(const TraceFile& trace) {
  std::string text = trace.path + ": " + durationText(trace.end) + ", " + std::to_string(trace.work.size()) + " spans of work" +
                     (trace.whole ? "" : "; the file has no end") + "\n\n";
  for (const TraceDevice& device : devicesOf(trace)) text += deviceText(trace, device) + '\n';
  text += workText(rowsOf(trace, trace.work));
  const std::vector<Row> builds = rowsOf(trace, spansOf(trace, "build")), calls = rowsOf(trace, spansOf(trace, "call"));
  if (!builds.empty()) text += head("builds", "", "step");
  for (const Row& row : builds) text += rowText(row, "");
  const std::vector<Row> ranges = rowsOf(trace, spansOf(trace, "range"));
  if (!ranges.empty()) text += head("ranges", "", "range");
  for (const Row& row : ranges) text += rowText(row, "");
  if (!calls.empty()) text += head("calls", "", "function");
  for (const Row& row : calls) text += rowText(row, "");
  if (trace.lost != 0) text += std::to_string(trace.lost) + " spans are missing: the driver did not tell their times\n";
  return text;
}

std::string traceJson(const TraceFile& trace) {
  Json json{{"whole", trace.whole}, {"lost", trace.lost}, {"duration_ns", trace.end}};
  json["devices"] = Json::array();
  for (const TraceDevice& device : devicesOf(trace)) {
    Json one{{"device", device.name}, {"begin_ns", device.begin()}, {"end_ns", device.end()}, {"launches", device.launches}};
    int64_t busy = 0;
    for (const TraceInterval& each : device.busy) busy += each.second - each.first;
    one["busy_ns"] = busy;
    one["copying_ns"] = device.copying;
    one["copying_alone_ns"] = device.copying_alone;
    one["gaps"] = Json::array();
    for (const TraceGap& gap : device.gaps) {
      if (one["gaps"].size() == 10) break;
      one["gaps"].push_back({{"begin_ns", gap.time.first}, {"end_ns", gap.time.second}, {"call", gap.call}});
    }
    json["devices"].push_back(std::move(one));
  }
  const std::pair<const char*, std::vector<TraceSpan>> lists[] = {{"work", trace.work},
                                                                  {"builds", spansOf(trace, "build")},
                                                                  {"calls", spansOf(trace, "call")},
                                                                  {"ranges", spansOf(trace, "range")}};
  for (const auto& [name, spans] : lists) {
    json[name] = Json::array();
    for (const Row& row : rowsOf(trace, spans)) json[name].push_back(rowJson(row));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
