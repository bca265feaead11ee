// Reading, checking and writing of memory traces. Both kinds of file go through Checker, which knows the live blocks. An event
// that cannot follow those before it is told with its place in the file.
#include "memory_trace.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "check.h"
#include "read_file.h"

namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxBytes = uint64_t{1} << 57;  // as of a buffer in a graph file
constexpr uint64_t kMaxAddress = uint64_t{1} << 62;

// The live blocks, by their address.
class Ranges {
 public:
  // The range that shares a byte with the new one; null: it was added.
  const std::pair<const uint64_t, uint64_t>* add(uint64_t address, uint64_t bytes) {
    const auto next = ranges_.lower_bound(address);
    if (next != ranges_.end() && next->first < address + bytes) return &*next;
    if (next != ranges_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second > address) return &*before;
    }
    ranges_.emplace_hint(next, address, bytes);
    return nullptr;
  }
  void remove(uint64_t address) { ranges_.erase(address); }
  // The first range that shares a byte with this one; null: none does.
  const std::pair<const uint64_t, uint64_t>* meets(uint64_t address, uint64_t bytes) const {
    auto at = ranges_.upper_bound(address);
    if (at != ranges_.begin() && std::prev(at)->first + std::prev(at)->second > address) --at;
    return at != ranges_.end() && at->first < address + bytes ? &*at : nullptr;
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;
};

std::string range(uint64_t address, uint64_t bytes) { return std::to_string(bytes) + " bytes at " + std::to_string(address); }

class Checker {
 public:
  explicit Checker(MemoryTrace* trace) : trace_(trace) {}

  // Each returns what is wrong, or nothing.
  std::string allocate(uint64_t id, uint64_t bytes, uint32_t stream, std::optional<uint64_t> address) {
    if (trace_->blocks != 0 && address.has_value() != trace_->placed) {
      return "the block " + std::to_string(id) +
             (address ? " has an address, and others have none." : " has no address, and others have one.");
    }
    trace_->placed = address.has_value();
    if (live_bytes_ > kMaxBytes - bytes) return "more than 2^57 bytes are live.";
    if (address) {
      if (const auto* other = blocks_.add(*address, bytes)) {
        return "the block " + std::to_string(id) + " of " + range(*address, bytes) + " overlaps the live one of " +
               range(other->first, other->second) + ".";
      }
    }
    if (!names_.try_emplace(id, Live{trace_->blocks, bytes, address.value_or(0), stream}).second) {
      if (address) blocks_.remove(*address);
      return "the block " + std::to_string(id) + " is allocated a second time without a free.";
    }
    live_bytes_ += bytes;
    add({MemoryEvent::Kind::kAllocate, stream, trace_->blocks++, bytes, address.value_or(0), time_});
    return "";
  }
  std::string free(uint64_t id, std::optional<uint32_t> stream) {
    const auto found = names_.find(id);
    if (found == names_.end()) return "the block " + std::to_string(id) + " is freed and is not live.";
    const Live block = found->second;
    names_.erase(found);
    if (trace_->placed) blocks_.remove(block.address);
    live_bytes_ -= block.bytes;
    add({MemoryEvent::Kind::kFree, stream.value_or(block.stream), block.id, block.bytes, block.address, time_});
    return "";
  }
  std::string reserve(uint64_t address, uint64_t bytes) {
    if (const auto* other = reserved_.add(address, bytes)) {
      return "the range of " + range(address, bytes) + " overlaps the reserved one of " + range(other->first, other->second) +
             ".";
    }
    regions_[address] = {region_count_, bytes, address, 0};
    add({MemoryEvent::Kind::kReserve, 0, region_count_++, bytes, address, time_});
    return "";
  }
  std::string release(uint64_t address) {
    const auto found = regions_.find(address);
    if (found == regions_.end()) return "the range at " + std::to_string(address) + " is released and is not reserved.";
    add({MemoryEvent::Kind::kRelease, 0, found->second.id, found->second.bytes, address, time_});
    regions_.erase(found);
    reserved_.remove(address);
    return "";
  }
  // A part of the reserved memory, which may be in several ranges. The rest of them counts as reserved anew.
  std::string releasePart(uint64_t address, uint64_t bytes) {
    const auto* met = reserved_.meets(address, bytes);
    if (met == nullptr) return release(address);  // which says so
    for (; met != nullptr; met = reserved_.meets(address, bytes)) {
      const auto [begin, size] = *met;
      (void)release(begin);
      if (begin < address) (void)reserve(begin, address - begin);
      if (begin + size > address + bytes) (void)reserve(address + bytes, begin + size - address - bytes);
    }
    return "";
  }
  bool isLive(uint64_t id) const { return names_.contains(id); }
  bool isReserved(uint64_t address, uint64_t bytes) const { return reserved_.meets(address, bytes) != nullptr; }
  // The time of the next event. False: it lies before the last one.
  bool at(uint64_t time) {
    if (time < time_) return false;
    time_ = time;
    return true;
  }

 private:
  struct Live {
    uint64_t id, bytes, address;
    uint32_t stream;
  };
  void add(const MemoryEvent& event) { trace_->events.push_back(event); }

  MemoryTrace* trace_;
  std::unordered_map<uint64_t, Live> names_, regions_;
  Ranges blocks_, reserved_;
  uint64_t live_bytes_ = 0, region_count_ = 0, time_ = 0;
};

// A whole number of a member, or a Failure.
uint64_t number(const Json& event, const char* name, uint64_t least, uint64_t most, const std::string& where) {
  const Json& value = event.at(name);
  if (value.is_number_unsigned() && value.get<uint64_t>() >= least && value.get<uint64_t>() <= most)
    return value.get<uint64_t>();
  throw Failure(where + '"' + name + "\" is " + value.dump(-1, ' ', false, Json::error_handler_t::replace) +
                "; it must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ".");
}

void onlyMembers(const Json& object, std::initializer_list<std::string_view> known, const std::string& where) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Failure(where + "there is no member \"" + name + "\".");
  }
}

uint64_t addressOf(const Json& event, const char* name, uint64_t bytes, const std::string& where) {
  return number(event, name, 0, kMaxAddress - bytes, where);
}

std::string addEvent(Checker* checker, const Json& event, const std::string& where) {
  const auto bytes = [&] {
    if (!event.contains("bytes")) throw Failure(where + "\"bytes\" is missing.");
    return number(event, "bytes", 1, kMaxBytes, where);
  };
  const auto stream = [&] { return static_cast<uint32_t>(number(event, "stream", 0, UINT32_MAX, where)); };
  if (event.contains("allocate")) {
    onlyMembers(event, {"allocate", "bytes", "stream", "address", "time"}, where);
    const uint64_t size = bytes();
    return checker->allocate(
        number(event, "allocate", 0, UINT64_MAX, where), size, event.contains("stream") ? stream() : 0,
        event.contains("address") ? std::optional(addressOf(event, "address", size, where)) : std::nullopt);
  }
  if (event.contains("free")) {
    onlyMembers(event, {"free", "stream", "time"}, where);
    return checker->free(number(event, "free", 0, UINT64_MAX, where),
                         event.contains("stream") ? std::optional(stream()) : std::nullopt);
  }
  if (event.contains("reserve")) {
    onlyMembers(event, {"reserve", "bytes", "time"}, where);
    const uint64_t size = bytes();
    return checker->reserve(addressOf(event, "reserve", size, where), size);
  }
  if (event.contains("release")) {
    onlyMembers(event, {"release", "time"}, where);
    return checker->release(number(event, "release", 0, kMaxAddress, where));
  }
  return "it has none of \"allocate\", \"free\", \"reserve\" and \"release\".";
}

MemoryTrace readTraceFile(const std::string& path, const std::string& text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Failure(path + ": it is no JSON: byte " + std::to_string(error.byte) + " cannot follow what is before.");
  }
  if (!json.is_object() || json.value("format", Json()) != "manyrt-memory-trace") {
    throw Failure(path + ": it is neither a memory trace, with \"format\": \"manyrt-memory-trace\", nor a file of RT_TRACE.");
  }
  onlyMembers(json, {"format", "version", "name", "events"}, path + ": ");
  if (json.value("version", Json()) != 1) throw Failure(path + ": its \"version\" is not 1, the only one that is known.");
  MemoryTrace trace;
  if (json.contains("name")) {
    if (!json["name"].is_string()) throw Failure(path + ": \"name\" must be a text.");
    trace.name = json["name"];
  }
  if (!json.contains("events") || !json["events"].is_array()) throw Failure(path + ": it has no list of \"events\".");
  Checker checker(&trace);
  size_t index = 0;
  for (const Json& event : json["events"]) {
    const std::string where = path + ": event " + std::to_string(index) + ": ";
    if (!event.is_object()) throw Failure(where + "it is no object.");
    if (index == 0) trace.timed = event.contains("time");
    if (event.contains("time") != trace.timed) throw Failure(where + "some events have a \"time\" and others have none.");
    const uint64_t time = trace.timed ? number(event, "time", 0, kMaxAddress, where) : index;
    if (!checker.at(time)) throw Failure(where + "its time lies before that of the event before.");
    if (const std::string wrong = addEvent(&checker, event, where); !wrong.empty()) throw Failure(where + wrong);
    ++index;
  }
  return trace;
}

// A file of RT_TRACE has one event in each line. That of a process that was killed ends anywhere. One of rtTraceStart has no
// allocations that are older: their frees are left out.
class LibraryTrace {
 public:
  LibraryTrace(const std::string& path, uint64_t pool) : path_(path), wanted_(pool) {}

  MemoryTrace read(const std::string& text) {
    size_t line_number = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line(text.data() + at, end - at);
      ++line_number;
      at = end + 1;
      if (line.find("\"name\":\"begins in the middle\",\"cat\":\"trace\"") != std::string_view::npos) from_start_ = false;
      if (line.find("\"cat\":\"memory\"") == std::string_view::npos) continue;
      if (line.back() == ',') line.remove_suffix(1);
      const Json event = Json::parse(line, nullptr, false);
      if (event.is_discarded() && at >= text.size()) break;
      const std::string where = path_ + ": line " + std::to_string(line_number) + ": ";
      if (!addLine(event, where)) throw Failure(where + "it is no event of memory as RT_TRACE writes them.");
    }
    return choose();
  }

 private:
  struct Pool {
    MemoryTrace trace;
    Checker checker{&trace};
    std::optional<double> first;
  };

  bool addLine(const Json& event, const std::string& where) {
    if (!event.is_object() || !event.contains("args") || !event["args"].is_object() || !event.contains("ts") ||
        !event["ts"].is_number()) {
      return false;
    }
    const Json& args = event["args"];
    const std::string name = event.value("name", Json()).is_string() ? event["name"].get<std::string>() : "";
    for (const char* member : {"pool", "address", "bytes", "stream"}) {
      if (!args.contains(member) || !args[member].is_number_unsigned()) return false;
    }
    const uint64_t number = args["pool"], address = args["address"], bytes = args["bytes"];
    const auto stream = args["stream"].get<uint32_t>();
    std::unique_ptr<Pool>& pool = pools_[number];
    if (pool == nullptr) {
      pool = std::make_unique<Pool>();
      pool->trace.timed = true;
    }
    const bool known =
        name == "free" ? pool->checker.isLive(address) : name != "release" || pool->checker.isReserved(address, bytes);
    if (!known && !from_start_) return true;
    if (name == "reserve") {
      pool->trace.name = args.value("device", "") + ", " + args.value("kind", "") + " memory, pool " + std::to_string(number);
    }
    // Threads write their events in any order within some microseconds.
    const double time = event["ts"];
    if (!pool->first) pool->first = time;
    (void)pool->checker.at(static_cast<uint64_t>(std::llround(std::max(0.0, time - *pool->first) * 1000)));
    const std::string wrong = name == "allocate"  ? pool->checker.allocate(address, bytes, stream, address)
                              : name == "free"    ? pool->checker.free(address, stream)
                              : name == "reserve" ? pool->checker.reserve(address, bytes)
                              : name == "release" ? pool->checker.releasePart(address, bytes)
                                                  : "it is none of allocate, free, reserve and release.";
    if (!wrong.empty()) throw Failure(where + wrong);
    return true;
  }

  MemoryTrace choose() {
    const Pool* best = nullptr;
    std::string numbers;
    for (const auto& [number, pool] : pools_) {
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
      if (wanted_ != 0 ? number == wanted_ : best == nullptr || peaksOf(pool->trace).live > peaksOf(best->trace).live) {
        best = pool.get();
      }
    }
    if (pools_.empty()) throw Failure(path_ + ": it holds no allocation.");
    if (best == nullptr) {
      throw Failure(path_ + ": it has no pool " + std::to_string(wanted_) + "; it has " + numbers + ".");
    }
    return best->trace;
  }

  const std::string& path_;
  const uint64_t wanted_;
  bool from_start_ = true;
  std::map<uint64_t, std::unique_ptr<Pool>> pools_;
};

std::string bytesText(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

MemoryTrace loadMemoryTrace(const std::string& path, uint64_t pool) {
  const std::string text = readFile(path);
  const size_t start = text.find_first_not_of(" \t\r\n");
  const bool from_library = start != std::string::npos && text[start] == '[';
  if (!from_library && pool != 0) throw Failure(path + ": only a file of RT_TRACE has pools to choose from.");
  MemoryTrace trace = from_library ? LibraryTrace(path, pool).read(text) : readTraceFile(path, text);
  if (trace.blocks == 0) throw Failure(path + ": it holds no allocation.");
  return trace;
}

std::string memoryTraceJson(const MemoryTrace& trace) {
  std::string text = "{\"format\": \"manyrt-memory-trace\", \"version\": 1, \"name\": " +
                     Json(trace.name).dump(-1, ' ', false, Json::error_handler_t::replace) + ", \"events\": [\n";
  std::vector<uint32_t> streams(trace.blocks);
  bool first = true;
  for (const MemoryEvent& event : trace.events) {
    text += first ? "" : ",\n";
    first = false;
    const auto member = [&text](const char* name, uint64_t value) {
      text += std::string(text.back() == '{' ? "\"" : ", \"") + name + "\": " + std::to_string(value);
    };
    text += '{';
    switch (event.kind) {
      case MemoryEvent::Kind::kAllocate:
        member("allocate", event.id);
        member("bytes", event.bytes);
        if (event.stream != 0) member("stream", event.stream);
        if (trace.placed) member("address", event.address);
        streams[event.id] = event.stream;
        break;
      case MemoryEvent::Kind::kFree:
        member("free", event.id);
        if (event.stream != streams[event.id]) member("stream", event.stream);
        break;
      case MemoryEvent::Kind::kReserve:
        member("reserve", event.address);
        member("bytes", event.bytes);
        break;
      case MemoryEvent::Kind::kRelease:
        member("release", event.address);
        break;
    }
    if (trace.timed) member("time", event.time);
    text += '}';
  }
  return text + "\n]}\n";
}

MemoryPeaks peaksOf(const MemoryTrace& trace) {
  MemoryPeaks peaks;
  uint64_t live = 0, reserved = 0;
  for (const MemoryEvent& event : trace.events) {
    if (event.kind == MemoryEvent::Kind::kAllocate) peaks.live = std::max(peaks.live, live += event.bytes);
    if (event.kind == MemoryEvent::Kind::kFree) live -= event.bytes;
    if (event.kind == MemoryEvent::Kind::kReserve) peaks.reserved = std::max(peaks.reserved, reserved += event.bytes);
    if (event.kind == MemoryEvent::Kind::kRelease) reserved -= event.bytes;
  }
  return peaks;
}

std::string memoryText(const MemoryTrace& trace) {
  uint64_t frees = 0, asked = 0, largest = 0;
  std::map<uint32_t, uint64_t> streams;
  std::map<int, std::pair<uint64_t, uint64_t>> sizes;  // by power of two: blocks and bytes
  for (const MemoryEvent& event : trace.events) {
    frees += event.kind == MemoryEvent::Kind::kFree;
    if (event.kind != MemoryEvent::Kind::kAllocate) continue;
    asked += event.bytes;
    largest = std::max(largest, event.bytes);
    ++streams[event.stream];
    auto& [blocks, bytes] = sizes[64 - __builtin_clzll(event.bytes)];
    ++blocks;
    bytes += event.bytes;
  }
  const MemoryPeaks peaks = peaksOf(trace);
  std::string text = (trace.name.empty() ? "" : trace.name + "\n") + std::to_string(trace.blocks) + " allocations of " +
                     bytesText(asked) + ", " + std::to_string(frees) + " frees, " + std::to_string(streams.size()) +
                     (streams.size() == 1 ? " stream\n" : " streams\n") + "peak of live bytes: " + std::to_string(peaks.live) +
                     '\n';
  if (peaks.reserved != 0) {
    char ratio[32];
    snprintf(ratio, sizeof ratio, "%.3f", static_cast<double>(peaks.reserved) / static_cast<double>(peaks.live));
    text += "peak of reserved bytes: " + std::to_string(peaks.reserved) + ", " + ratio + " times as much\n";
  }
  for (const auto& [power, counts] : sizes) {
    char line[128];
    snprintf(line, sizeof line, "  below 2^%-2d bytes: %8llu blocks, %llu bytes\n", power,
             static_cast<unsigned long long>(counts.first), static_cast<unsigned long long>(counts.second));
    text += line;
  }
  return text;
}
