// Adding up, and writing the result. Names are kept texts or literals, so that an address stands for a text where rows of work
// are looked up; steps of builds are few and are compared. Calls, and launches of kernels that have rows, are added up in the
// tallies of their threads, and come together here at the end.
#include "base/trace/profile.h"

#include <errno.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/config.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/os/file_size_signal.h"
#include "base/text.h"
#include "base/trace/tally.h"
#include "base/trace/words.h"

namespace manyrt::trace::profile {
namespace {

using Number = unsigned long long;

struct Sum {
  uint64_t count = 0, timed = 0;
  int64_t total = 0, least = INT64_MAX, most = 0;  // nanoseconds. The total has an estimate for those that are not timed
  void add(int64_t nanoseconds) {
    ++count;
    ++timed;
    total += nanoseconds;
    least = std::min(least, nanoseconds);
    most = std::max(most, nanoseconds);
  }
  void add(const Tally::Sum& other) {
    count += other.count;
    timed += other.timed;
    total += other.total;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
  bool isEstimate() const { return timed < count; }
  int64_t mean() const { return count == 0 ? 0 : total / static_cast<int64_t>(count); }
};

struct Key {
  const char* device;
  const char* name;
  const char* module;
  Kind kind;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    size_t hash = static_cast<size_t>(key.kind);
    for (const char* each : {key.device, key.name, key.module}) hash = hash * 31 + std::hash<const char*>()(each);
    return hash;
  }
};

struct WorkSum : Sum {
  uint64_t bytes = 0;
  uint64_t late = 0;                                          // launches that were only counted, on a device that tells later
  uint64_t samples = 0;                                       // launches that stand for these, and
  int64_t sample_total = 0;                                   // their time, in nanoseconds
  std::vector<std::pair<const KernelForm*, uint64_t>> forms;  // of a kernel, with its launches in each
};

struct CallSum : Sum {
  int64_t waited = 0;
};

struct Sums {
  Ranked<std::mutex, LockRank::kTraceProfile> mutex;
  bool open = false;
  std::string path;  // empty: stderr
  std::unordered_map<Key, WorkSum, KeyHash> work;
  std::map<std::string, CallSum> calls;  // from the tallies, at the end
  std::map<std::string, Sum, std::less<>> builds;
  uint64_t lost = 0;
};
Sums& sums() { return neverDestroyed<Sums>(); }

// Adds under the lock. A profile fails no call: without memory a row is missing.
template <class Add>
void with(Add add) {
  Sums& all = sums();
  std::lock_guard lock(all.mutex);
  if (!all.open) return;
  try {
    add(all);
  } catch (const std::bad_alloc&) {  // as said above
    ++all.lost;
  }
}

// A kernel has a form or two: those of quick and of optimised code, or one for each size of its groups.
void addForm(WorkSum& row, const KernelForm* form, uint64_t launches) {
  const auto found = std::find_if(row.forms.begin(), row.forms.end(), [&](const auto& each) { return each.first == form; });
  if (found != row.forms.end()) {
    found->second += launches;
  } else {
    row.forms.emplace_back(form, launches);
  }
}

// The time that a look at the clock takes, in nanoseconds: the least of some, since others meet interruptions.
int64_t timeOfLook() {
  int64_t least = INT64_MAX;
  for (int i = 0; i < 64; ++i) {
    const int64_t before = nowNanoseconds();
    least = std::min(least, nowNanoseconds() - before);
  }
  return least;
}

// At the end of the profile, under its lock. A function may have several literals of its name.
void addTallies(Sums& all) {
  const int64_t look = timeOfLook();
  Tallies::forEach([&](const Tally& tally) {
    const Tally::Sum sum = tally.sum(look);
    if (sum.count == 0) return;  // its first one is under way
    if (const char* function = tally.function(); function != nullptr) {
      CallSum& call = all.calls[function];
      call.add(sum);
      call.waited += sum.waited;
    } else {
      const Row& row = *tally.row();
      WorkSum& work = all.work[{row.device, row.name, row.module, Kind::kKernel}];
      if (row.is_late) {
        work.late += sum.count;
      } else {
        work.add(sum);
      }
      if (row.form != nullptr) addForm(work, row.form, sum.count);
    }
  });
}

// Launches that were only counted, as the mean of the samples. All long launches are timed, so that the mean of what was timed
// says nothing of the others. It stands for them before there is a sample. Where nothing was timed, the driver did not tell.
void addLate(Sums& all) {
  for (auto& [key, sum] : all.work) {
    if (sum.late == 0) continue;
    const uint64_t known = sum.samples != 0 ? sum.samples : sum.timed;
    const int64_t time = sum.samples != 0 ? sum.sample_total : sum.total;
    const double mean = known == 0 ? 0 : static_cast<double>(time) / static_cast<double>(known);
    sum.count += sum.late;
    sum.total += static_cast<int64_t>(mean * static_cast<double>(sum.late));
    if (sum.timed == 0) sum.least = 0;
  }
}

template <class Map>
auto& rowOf(Map& map, const char* name) {
  const auto found = map.find(std::string_view(name));
  return found != map.end() ? found->second : map[name];
}

// ---- What is written ----

void append(std::string* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
void append(std::string* text, const char* format, ...) {
  char line[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  *text += line;
}

// A share of two whole numbers, times a power of ten, with that many digits after the point: no locale has a say.
std::string ratio(uint64_t part, uint64_t whole, unsigned scale, int digits) {
  unsigned power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  const auto value =
      whole == 0 ? 0
                 : static_cast<Number>(static_cast<long double>(part) / static_cast<long double>(whole) * scale * power + 0.5L);
  char text[48];
  snprintf(text, sizeof text, "%llu.%0*llu", value / power, digits, value % power);
  return text;
}

// In the unit that leaves one to four digits ahead of the point.
std::string duration(int64_t nanoseconds) {
  const auto value = static_cast<uint64_t>(std::max<int64_t>(nanoseconds, 0));
  if (value < 10'000) return std::to_string(value) + " ns";
  if (value < 10'000'000) return ratio(value, 1000, 1, 2) + " us";
  return value < 10'000'000'000 ? ratio(value, 1'000'000, 1, 2) + " ms" : ratio(value, 1'000'000'000, 1, 2) + " s";
}

// The total or the mean of a row. "~": it has an estimate for those that are not timed.
std::string about(const Sum& sum, int64_t nanoseconds) { return (sum.isEstimate() ? "~" : "") + duration(nanoseconds); }

// Bytes in a nanosecond.
std::string speed(const WorkSum& sum) { return ratio(sum.bytes, static_cast<uint64_t>(sum.total), 1, 3); }

using WorkRow = std::pair<Key, WorkSum>;

// By device, kernels first, then copies and the rest, each by the time that it took.
std::vector<WorkRow> sortedRows(const Sums& all) {
  std::vector<WorkRow> sorted(all.work.begin(), all.work.end());
  std::sort(sorted.begin(), sorted.end(), [](const WorkRow& one, const WorkRow& other) {
    const int by_device = strcmp(one.first.device, other.first.device);
    if (by_device != 0) return by_device < 0;
    return std::make_tuple(one.first.kind, -one.second.total, std::string_view(one.first.name)) <
           std::make_tuple(other.first.kind, -other.second.total, std::string_view(other.first.name));
  });
  return sorted;
}

template <class Map>
auto byTotal(const Map& map) {
  std::vector<std::pair<std::string, typename Map::mapped_type>> sorted(map.begin(), map.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& one, const auto& other) { return one.second.total > other.second.total; });
  return sorted;
}

bool isKernel(const WorkRow& row) { return row.first.kind == Kind::kKernel; }
bool movesBytes(const WorkRow& row) { return row.first.kind == Kind::kCopy || row.first.kind == Kind::kFill; }

// The time of all kernels of the row's device.
uint64_t kernelTime(const std::vector<WorkRow>& all, const char* device) {
  int64_t total = 0;
  for (const WorkRow& row : all) total += isKernel(row) && strcmp(row.first.device, device) == 0 ? row.second.total : 0;
  return static_cast<uint64_t>(total);
}

// How a kernel ran, below its row: "  as optimized code, 16 lanes along dimension 0, split at barriers".
std::string sentenceOf(const KernelForm& form) {
  std::string text = "as " + std::string(form.tier) + " code";
  const auto number = [](uint32_t value) { return std::to_string(value); };
  if (form.group_items != 0) {
    text += ", " + number(form.group_items) + " work-items in a group, " + number(form.registers) + " registers, " +
            number(form.groups_per_unit) + " groups a multiprocessor, occupancy " + number((form.occupancy + 5) / 10) + "%";
  }
  if (form.barriers[0] == '\0') return text;
  if (form.lanes != 0) text += ", " + number(form.lanes) + " lanes along dimension " + number(form.dimension);
  if (form.lanes != 0 && form.lane_loops != form.loops)
    text += " in " + number(form.lane_loops) + " of " + number(form.loops) + " loops";
  if (form.no_lanes[0] != '\0') text += std::string(form.lanes != 0 ? ", else no lanes: " : ", no lanes: ") + form.no_lanes;
  if (strcmp(form.barriers, "split") == 0) text += ", split at its barriers";
  if (strcmp(form.barriers, "fibers") == 0) text += std::string(", on fibers: ") + form.fibers;
  return text;
}

void addWorkTable(std::string* text, const std::vector<WorkRow>& all) {
  const char *device = "", *section = "";
  for (const WorkRow& row : all) {
    const auto& [key, sum] = row;
    const char* const now = isKernel(row) ? "kernels" : movesBytes(row) ? "copies and fills" : "other work";
    if (strcmp(device, key.device) != 0 || section != now) {
      const char* const first = isKernel(row) ? "share" : movesBytes(row) ? "GB/s" : "";
      append(text, "%s of %s\n  %8s %10s %11s %11s %11s %11s  %s\n", now, key.device, first,
             isKernel(row) ? "launches" : "count", "total", "mean", "min", "max", isKernel(row) ? "kernel" : "kind");
    }
    device = key.device;
    section = now;
    std::string first;
    if (isKernel(row)) first = ratio(static_cast<uint64_t>(sum.total), kernelTime(all, key.device), 100, 1) + "%";
    if (movesBytes(row)) first = speed(sum);
    append(text, "  %8s %10llu %11s %11s %11s %11s  %s%s%s%s\n", first.c_str(), static_cast<Number>(sum.count),
           about(sum, sum.total).c_str(), about(sum, sum.mean()).c_str(), duration(sum.least).c_str(),
           duration(sum.most).c_str(), key.name, key.module[0] != '\0' ? " (" : "", key.module,
           key.module[0] != '\0' ? ")" : "");
    for (const auto& [form, launches] : sum.forms)
      append(text, "  %8s %10llu %s\n", "", static_cast<Number>(launches), sentenceOf(*form).c_str());
  }
}

// Says which times were taken where not all were.
void addEstimates(std::string* text, const Sums& all) {
  std::string rows;
  const auto addRow = [&rows](const Sum& sum, const char* name) {
    if (sum.isEstimate())
      append(&rows, "  %8s %10llu of %llu  %s\n", "", static_cast<Number>(sum.timed), static_cast<Number>(sum.count), name);
  };
  for (const WorkRow& row : sortedRows(all)) addRow(row.second, row.first.name);
  for (const auto& [name, sum] : byTotal(all.calls)) addRow(sum, name.c_str());
  if (rows.empty()) return;
  append(text,
         "times marked ~ are of samples, since each was below %llu us, on a GPU %llu us; the counts are exact\n  %8s %10s\n",
         static_cast<Number>(Tally::kShort / 1000), static_cast<Number>(Tally::kShortOnDevice / 1000), "", "timed");
  *text += rows;
}

std::string table(const Sums& all) {
  std::string text = "manyrt: profile\n";
  addWorkTable(&text, sortedRows(all));
  if (!all.builds.empty())
    append(&text, "builds\n  %8s %10s %11s %11s %11s %11s  step\n", "", "count", "total", "mean", "min", "max");
  for (const auto& [step, sum] : byTotal(all.builds)) {
    append(&text, "  %8s %10llu %11s %11s %11s %11s  %s\n", "", static_cast<Number>(sum.count), duration(sum.total).c_str(),
           duration(sum.mean()).c_str(), duration(sum.least).c_str(), duration(sum.most).c_str(), step.c_str());
  }
  if (!all.calls.empty())
    append(&text, "calls\n  %8s %10s %11s %11s %11s %11s  function\n", "", "count", "total", "waited", "mean", "max");
  for (const auto& [name, sum] : byTotal(all.calls)) {
    append(&text, "  %8s %10llu %11s %11s %11s %11s  %s\n", "", static_cast<Number>(sum.count), about(sum, sum.total).c_str(),
           duration(sum.waited).c_str(), about(sum, sum.mean()).c_str(), duration(sum.most).c_str(), name.c_str());
  }
  addEstimates(&text, all);
  if (all.lost != 0) append(&text, "not counted: %llu, whose times the driver did not tell\n", static_cast<Number>(all.lost));
  return text;
}

// As the timeline does it (trace/line.h).
std::string inQuotes(const std::string& text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = letterLength(&text[at]);
    if (text[at] == '"' || text[at] == '\\') out += '\\';
    if (length <= 1) out += length == 0 ? '?' : static_cast<unsigned char>(text[at]) < 0x20 ? ' ' : text[at];
    if (length > 1) out.append(text, at, length);
    at += length == 0 ? 1 : length;
  }
  return out + '"';
}

std::string sumMembers(const Sum& sum) {
  std::string text;
  append(&text, "\"count\":%llu,\"timed\":%llu,\"total_ns\":%lld,\"mean_ns\":%lld,\"min_ns\":%lld,\"max_ns\":%lld",
         static_cast<Number>(sum.count), static_cast<Number>(sum.timed), static_cast<long long>(sum.total),
         static_cast<long long>(sum.mean()), static_cast<long long>(sum.least), static_cast<long long>(sum.most));
  return text;
}

// Members that a device does not tell are left out.
std::string formMembers(const WorkSum& sum) {
  std::string text;
  for (const auto& [form, launches] : sum.forms) {
    text += text.empty() ? "{" : ",{";
    append(&text, "\"launches\":%llu", static_cast<Number>(launches));
    text += ",\"tier\":" + inQuotes(form->tier);
    if (form->group_items != 0) {
      append(&text, ",\"group_items\":%u,\"local_bytes\":%u,\"registers\":%u,\"groups_per_multiprocessor\":%u,\"occupancy\":%s",
             form->group_items, form->local_bytes, form->registers, form->groups_per_unit,
             ratio(form->occupancy, 1000, 1, 3).c_str());
    }
    if (form->barriers[0] != '\0') {
      append(&text, ",\"lanes\":%u,\"dimension\":%u,\"loops\":%u,\"lane_loops\":%u", form->lanes, form->dimension, form->loops,
             form->lane_loops);
      text += ",\"no_lanes\":" + inQuotes(form->no_lanes) + ",\"barriers\":" + inQuotes(form->barriers) +
              ",\"fibers\":" + inQuotes(form->fibers);
    }
    text += '}';
  }
  return text;
}

std::string json(const Sums& all) {
  std::string text = "{\"format\":\"manyrt-profile\",\"version\":1,\n\"work\":[";
  const std::vector<WorkRow> work = sortedRows(all);
  const char* comma = "\n";
  for (const WorkRow& row : work) {
    const auto& [key, sum] = row;
    text += comma;
    text += "{\"device\":" + inQuotes(key.device) + ",\"kind\":" + inQuotes(wordOf(key.kind)) +
            ",\"name\":" + inQuotes(key.name) + ',' + sumMembers(sum);
    if (isKernel(row)) {
      text += ",\"module\":" + inQuotes(key.module) +
              ",\"share\":" + ratio(static_cast<uint64_t>(sum.total), kernelTime(work, key.device), 1, 4);
    }
    if (!sum.forms.empty()) text += ",\"forms\":[" + formMembers(sum) + ']';
    if (movesBytes(row)) append(&text, ",\"bytes\":%llu,\"gb_per_s\":%s", static_cast<Number>(sum.bytes), speed(sum).c_str());
    text += '}';
    comma = ",\n";
  }
  text += "],\n\"builds\":[";
  comma = "\n";
  for (const auto& [step, sum] : byTotal(all.builds)) {
    text += comma + ("{\"step\":" + inQuotes(step)) + ',' + sumMembers(sum) + '}';
    comma = ",\n";
  }
  text += "],\n\"calls\":[";
  comma = "\n";
  for (const auto& [name, sum] : byTotal(all.calls)) {
    text += comma + ("{\"name\":" + inQuotes(name)) + ',' + sumMembers(sum) +
            ",\"waited_ns\":" + std::to_string(static_cast<long long>(sum.waited)) + '}';
    comma = ",\n";
  }
  return text + "],\n\"lost\":" + std::to_string(all.lost) + "}\n";
}

void writeFile(const std::string& path, const std::string& text) {
  FileSizeSignal signal;
  errno = 0;
  std::FILE* file = fopen(path.c_str(), "we");
  bool good = file != nullptr && fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  if (file != nullptr && fclose(file) != 0 && good) {
    good = false;
    error = errno;
  }
  signal.exceeded = !good && error == EFBIG;
  if (!good) log::write(RT_LOG_WARNING, "The profile %s cannot be written: %s.", path.c_str(), strerror(error));
}

}  // namespace

bool start() {
  const char* value = config::get(config::Variable::kProfile);
  if (value == nullptr || strcmp(value, "0") == 0) return false;
  Sums& all = sums();
  std::lock_guard lock(all.mutex);
  try {
    all.path = strcmp(value, "1") == 0 ? "" : value;
    all.open = true;
  } catch (const std::bad_alloc&) {  // a profile fails no call
    return false;
  }
  return true;
}

void finish() {
  Sums& all = sums();
  std::lock_guard lock(all.mutex);
  if (!all.open) return;
  all.open = false;
  try {
    addTallies(all);
    addLate(all);
    if (all.path.empty()) {
      fputs(table(all).c_str(), stderr);
    } else {
      writeFile(all.path, json(all));
    }
  } catch (const std::bad_alloc&) {  // as in start()
    log::write(RT_LOG_WARNING, "There is no memory to write the profile.");
  }
}

void beforeFork() { sums().mutex.lock(); }
void afterForkInParent() { sums().mutex.unlock(); }
void afterForkInChild() {
  sums().open = false;
  sums().mutex.unlock();
}

void call(Tally* tally, int64_t nanoseconds, int64_t waited) {
  if (tally == nullptr) return lost();  // as in with()
  tally->add(nanoseconds, std::min(waited, nanoseconds));
}

void build(const char* step, int64_t nanoseconds) {
  with([&](Sums& all) { rowOf(all.builds, step).add(nanoseconds); });
}

void work(const Track& track, const Work& work, int64_t nanoseconds) {
  if (work.row != nullptr && !work.row->is_late) {
    Tally* const tally = Tallies::find(work.row);
    return tally != nullptr ? tally->add(nanoseconds, 0) : lost();
  }
  with([&](Sums& all) {
    const char* const device = work.row != nullptr ? work.row->device : track.device;
    WorkSum& row = all.work[{device, nameOf(work), work.module, work.kind}];
    row.add(nanoseconds);
    row.bytes += work.bytes;
    if (work.is_sample) {
      ++row.samples;
      row.sample_total += nanoseconds;
    }
    if (work.form != nullptr) addForm(row, work.form, 1);
  });
}

void lost() {
  with([](Sums& all) { ++all.lost; });
}

}  // namespace manyrt::trace::profile
