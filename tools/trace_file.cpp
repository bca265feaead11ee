// Reading a file of RT_TRACE, one event in each line, and finding when its devices were at work. Events that it cannot use are
// passed over, since the file may have those of later versions. A file that is none of RT_TRACE is refused.
#include "trace_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "check.h"
#include "read_file.h"

extern char** environ;

namespace {

using Json = nlohmann::json;

// The output of `gzip -dc -- path`, without a shell.
std::string unpack(const std::string& path) {
  (void)readFile(path);  // its sentence is better than gzip's
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Failure(path + ": there is no pipe to gzip.");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);  // its sentence is this command's
  std::string name = "gzip", how = "-dc", stop = "--", file = path;
  std::array<char*, 5> words = {name.data(), how.data(), stop.data(), file.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "gzip", &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 1 << 16> buffer;
  ssize_t got = 0;
  while (error == 0 && (got = read(ends[0], buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<size_t>(got));
  close(ends[0]);
  if (error != 0) throw Failure(path + ": gzip, which unpacks it, cannot be started.");
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Failure(path + ": gzip cannot unpack it.");
  }
  return text;
}

std::string textOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

uint64_t numberOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

class Reader {
 public:
  explicit Reader(TraceFile* trace) : trace_(*trace) {}

  void read(const std::string& text) {
    size_t line_number = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line(text.data() + at, end - at);
      ++line_number;
      at = end + 1;
      trace_.whole = line == "]";
      if (line.empty() || line == "[" || line == "]") continue;
      if (line.back() == ',') line.remove_suffix(1);
      const Json event = Json::parse(line, nullptr, false);
      if (event.is_discarded() && at >= text.size()) break;  // cut off
      if (!event.is_object()) {
        throw Failure(trace_.path + ": line " + std::to_string(line_number) + ": it is no event as RT_TRACE writes them.");
      }
      add(event);
    }
    finish();
  }

 private:
  // A process and a thread of the picture.
  uint32_t trackOf(const Json& event) {
    const auto key = std::make_pair(numberOf(event, "pid"), numberOf(event, "tid"));
    const auto [found, fresh] = tracks_.emplace(key, static_cast<uint32_t>(trace_.tracks.size()));
    if (fresh) {
      // Nodes of a graph that run at the same time have tracks this far apart.
      constexpr uint64_t kLane = 1'000'000;
      trace_.tracks.push_back({"", "", std::to_string(key.first) + ' ' + std::to_string(key.second % kLane)});
    }
    return found->second;
  }

  void add(const Json& event) {
    const std::string phase = textOf(event, "ph"), name = textOf(event, "name");
    const Json& args = event.contains("args") ? event["args"] : Json::object();
    if (!args.is_object()) return;
    if (phase == "M" && name == "thread_name") {
      trace_.tracks[trackOf(event)].name = textOf(args, "name");
    } else if (phase == "X") {
      addSpan(event, name, args);
    } else if (phase == "i" && name == "clock" && args.contains("error_us") && args["error_us"].is_number()) {
      double& error = trace_.clock_errors[textOf(args, "device")];
      error = std::max(error, args["error_us"].get<double>());
    } else if (phase == "i" && name == "lost") {
      trace_.lost += numberOf(args, "spans");
    }
  }

  // Nanoseconds of a number of microseconds; what no clock can say is 0.
  static int64_t timeOf(const Json& event, const char* member) {
    const auto found = event.find(member);
    if (found == event.end() || !found->is_number()) return 0;
    const double value = found->get<double>() * 1000;
    return std::isfinite(value) && std::abs(value) < 9e18 ? std::llround(value) : 0;
  }

  void addSpan(const Json& event, const std::string& name, const Json& args) {
    TraceSpan span;
    span.name = name;
    span.category = textOf(event, "cat");
    span.track = trackOf(event);
    span.begin = timeOf(event, "ts");
    span.end = span.begin + std::max<int64_t>(timeOf(event, "dur"), 0);
    span.bytes = numberOf(args, "bytes");
    span.serial = numberOf(args, "serial");
    span.in_graph = args.contains("in_graph");
    span.module = textOf(args, "module");
    const std::string device = textOf(args, "device");
    if (!device.empty()) trace_.tracks[span.track].device = device;
    (device.empty() ? trace_.threads : trace_.work).push_back(std::move(span));
  }

  void finish() {
    if (trace_.work.empty() && trace_.threads.empty()) throw Failure(trace_.path + ": it has no span.");
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const auto* list : {&trace_.work, &trace_.threads}) {
      for (const TraceSpan& span : *list) first = std::min(first, span.begin);
    }
    for (auto* list : {&trace_.work, &trace_.threads}) {
      for (TraceSpan& span : *list) {
        span.begin -= first;
        span.end -= first;
        trace_.end = std::max(trace_.end, span.end);
      }
      std::stable_sort(list->begin(), list->end(),
                       [](const TraceSpan& one, const TraceSpan& other) { return one.begin < other.begin; });
    }
  }

  TraceFile& trace_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> tracks_;
};

// Disjoint intervals in order, of intervals by beginning.
std::vector<TraceInterval> joined(std::vector<TraceInterval> all) {
  std::sort(all.begin(), all.end());
  std::vector<TraceInterval> out;
  for (const TraceInterval& each : all) {
    if (!out.empty() && each.first <= out.back().second) {
      out.back().second = std::max(out.back().second, each.second);
    } else {
      out.push_back(each);
    }
  }
  return out;
}

int64_t overlap(const TraceInterval& one, const TraceInterval& other) {
  return std::max<int64_t>(0, std::min(one.second, other.second) - std::max(one.first, other.first));
}

int64_t lengthOf(const std::vector<TraceInterval>& all) {
  int64_t sum = 0;
  for (const TraceInterval& each : all) sum += each.second - each.first;
  return sum;
}

// The time that is in both, of disjoint intervals in order.
int64_t common(const std::vector<TraceInterval>& one, const std::vector<TraceInterval>& other) {
  int64_t sum = 0;
  size_t at = 0;
  for (const TraceInterval& each : one) {
    while (at < other.size() && other[at].second <= each.first) ++at;
    for (size_t next = at; next < other.size() && other[next].first < each.second; ++next) sum += overlap(each, other[next]);
  }
  return sum;
}

// The function that has the most of the time. Calls on several threads count together.
std::string callIn(const TraceFile& trace, const TraceInterval& time) {
  std::map<std::string, int64_t> shares;
  for (const TraceSpan& span : trace.threads) {
    if (span.begin >= time.second) break;
    if (span.category == "call" && span.end > time.first) shares[span.name] += overlap(time, {span.begin, span.end});
  }
  const auto most = std::max_element(shares.begin(), shares.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  return most == shares.end() || most->second * 2 < time.second - time.first ? "" : most->first;
}

constexpr size_t kGaps = 10;  // that are told of each device

}  // namespace

TraceFile loadTraceFile(const std::string& path) {
  TraceFile trace;
  trace.path = path;
  const std::string text = path.ends_with(".gz") ? unpack(path) : readFile(path);
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) throw Failure(path + ": it is empty: nothing of a trace was written, or not yet.");
  if (text[begin] != '[') {
    throw Failure(path + ": it is no file of RT_TRACE, which is a list of events.");
  }
  Reader(&trace).read(text);
  return trace;
}

std::vector<TraceDevice> devicesOf(const TraceFile& trace) {
  struct Times {
    std::vector<TraceInterval> busy, kernels, copies;
    uint64_t launches = 0;
  };
  std::map<std::string, Times> all;
  std::set<std::pair<std::string, uint64_t>> with_nodes;  // launches of graphs that are told node by node
  for (const TraceSpan& span : trace.work) {
    if (span.in_graph) with_nodes.emplace(trace.tracks[span.track].stream_key, span.serial);
  }
  for (const TraceSpan& span : trace.work) {
    const std::string& device = trace.tracks[span.track].device;
    if (span.category == "host function" || span.category == "task") continue;
    if (span.category == "graph" && with_nodes.count({trace.tracks[span.track].stream_key, span.serial}) != 0) continue;
    Times& times = all[device];
    const TraceInterval time(span.begin, span.end);
    times.busy.push_back(time);
    if (span.category == "kernel") ++times.launches;
    if (span.category == "kernel" || span.category == "graph") times.kernels.push_back(time);
    if (span.category == "copy") times.copies.push_back(time);
  }
  std::vector<TraceDevice> devices;
  for (auto& [name, times] : all) {
    TraceDevice device;
    device.name = name;
    device.busy = joined(std::move(times.busy));
    device.launches = times.launches;
    const std::vector<TraceInterval> kernels = joined(std::move(times.kernels)), copies = joined(std::move(times.copies));
    device.copying = lengthOf(copies);
    device.copying_alone = device.copying - common(copies, kernels);
    for (size_t i = 1; i < device.busy.size(); ++i) {
      device.gaps.push_back({{device.busy[i - 1].second, device.busy[i].first}, ""});
    }
    std::stable_sort(device.gaps.begin(), device.gaps.end(), [](const TraceGap& one, const TraceGap& other) {
      return one.time.second - one.time.first > other.time.second - other.time.first;
    });
    for (size_t i = 0; i < std::min(kGaps, device.gaps.size()); ++i) device.gaps[i].call = callIn(trace, device.gaps[i].time);
    devices.push_back(std::move(device));
  }
  return devices;
}
