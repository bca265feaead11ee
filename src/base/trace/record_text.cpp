// Formatting records. A launch in a loop has a text that is the same each time, but for its number and times: it is kept.
#include "base/trace/record_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/trace/words.h"

namespace manyrt::trace::record {
namespace {

constexpr int kDevices = kThreads + 1;  // the process of the first device
constexpr uint64_t kLane = 1'000'000;   // between the tracks of one stream

void addThree(Line& line, std::string_view name, const uint32_t values[3]) {
  line.text(",\"").text(name).text("\":[").number(values[0]).text(",").number(values[1]).text(",").number(values[2]).text("]");
}

// Fields that only some kinds of work have.
void describe(Line& line, const trace::Work& work, int64_t duration) {
  if (work.in_graph) line.text(",\"in_graph\":true");
  if (work.kind == Kind::kKernel) {
    line.member("module", work.module).member("tier", work.tier);
    addThree(line, "grid", work.grid);
    addThree(line, "group", work.group);
  } else if (work.kind == Kind::kCopy || work.kind == Kind::kFill) {
    // Bytes in a nanosecond are GB/s. Beyond 2^53 bytes the thousandths would not fit; no device has that.
    const auto bytes = static_cast<int64_t>(std::min<uint64_t>(work.bytes, uint64_t{1} << 53));
    line.member("bytes", work.bytes).time("GB/s", duration > 0 ? bytes * 1000 / duration : 0);
  }
}

void addName(Line& line, const char* what, int pid, uint64_t tid, const char* name) {
  line.text("{\"ph\":\"M\"").member("name", what).place(pid, tid).text(",\"args\":{\"name\":").quoted(name).text("}}");
}

// "7.12": an arrow.
void addArrow(Line& line, uint64_t track, uint64_t serial) {
  line.text(",\"id\":\"").number(track).text(".").number(serial).text("\"");
}

// The beginning of an arrow.
void addSubmission(Line& line, uint64_t thread, uint64_t track, uint64_t serial, int64_t time) {
  line.text("{\"ph\":\"s\",\"name\":\"submit\",\"cat\":\"submit\"");
  addArrow(line, track, serial);
  line.place(kThreads, thread).time("ts", time).text("}");
}

template <class Record>
Record take(const char* at) {
  Record record;
  memcpy(static_cast<void*>(&record), at, sizeof record);
  return record;
}

}  // namespace

void Text::begin() {
  first_ = true;
  fails_ = false;
  named_.clear();
  devices_.clear();
  for (KeptShape& each : shapes_) each.head = 0;  // they hold numbers of processes, which each file gives anew
}

// `body` adds to the line. A line that overflows is left out.
template <class Body>
void Text::line(Output& output, Body body) {
  char* const room = fails_ ? nullptr : output.room(Line::kRoom + 2);
  if (room == nullptr) {
    fails_ = true;
    return;
  }
  memcpy(room, first_ ? "[\n" : ",\n", 2);
  Line made(room + 2);
  body(made);
  if (!made.isValid()) return;
  first_ = false;
  output.used(made.size() + 2);
}

bool Text::end(Output& output) {
  constexpr std::string_view kEnd = "\n]\n";
  char* const room = output.room(kEnd.size());
  if (room == nullptr) return false;
  memcpy(room, kEnd.data(), kEnd.size());
  output.used(kEnd.size());
  return true;
}

bool Text::write(const char* records, size_t size, Output& output) {
  for (size_t at = 0; at < size && !fails_;) {
    const char* const begin = records + at;
    const auto header = take<Header>(begin);
    at += (header.size + 7) & ~size_t{7};
    switch (header.type) {
      case Type::kText:
        line(output, [&](Line& made) { made.text({begin + sizeof(Header), header.size - sizeof(Header)}); });
        break;
      case Type::kCall: {
        const auto call = take<Call>(begin);
        line(output, [&](Line& made) {
          made.text("{\"ph\":\"X\"").member("name", call.name).text(",\"cat\":\"call\"").place(kThreads, call.thread);
          made.time("ts", call.begin).time("dur", call.end - call.begin).text(",\"args\":{}}");
          if (call.track == 0) return;
          made.text(",\n");  // after the call, since both begin at the same time
          addSubmission(made, call.thread, call.track, call.serial, call.begin);
        });
        break;
      }
      case Type::kPart: {
        const auto part = take<Part>(begin);
        line(output, [&](Line& made) {
          made.text("{\"ph\":\"X\"").member("name", begin + sizeof part).text(",\"cat\":\"part\"").place(kThreads, part.thread);
          made.time("ts", part.begin).time("dur", part.end - part.begin).text(",\"args\":{}}");
        });
        break;
      }
      case Type::kSubmitted: {
        const auto submitted = take<Submitted>(begin);
        line(output,
             [&](Line& made) { addSubmission(made, submitted.thread, submitted.track, submitted.serial, submitted.time); });
        break;
      }
      case Type::kWork:
        work(take<Work>(begin), output);
        break;
      case Type::kClock: {
        const auto clock = take<Clock>(begin);
        const int pid = process(clock.device, output);
        line(output, [&](Line& made) {
          made.text("{\"ph\":\"i\",\"s\":\"p\",\"name\":\"clock\",\"cat\":\"clock\"").place(pid, 0).time("ts", clock.time);
          made.text(",\"args\":{\"device\":").quoted(clock.device).time("error_us", clock.error).text("}}");
        });
        break;
      }
    }
  }
  return !fails_;
}

// A device, as a process of the picture, which has a name in the file by then. Without memory all are one.
int Text::process(const char* device, Output& output) {
  const auto found =
      std::find_if(devices_.begin(), devices_.end(), [&](const char* each) { return strcmp(each, device) == 0; });
  const int pid = kDevices + static_cast<int>(found - devices_.begin());
  if (found != devices_.end()) return pid;
  try {
    devices_.push_back(device);
  } catch (const std::bad_alloc&) {  // a trace fails no call
    return kDevices;
  }
  char name[80];
  snprintf(name, sizeof name, "streams of %s", device);
  line(output, [&](Line& made) { addName(made, "process_name", pid, 0, name); });
  return pid;
}

void Text::nameTrack(const Work& record, int pid, uint64_t tid, Output& output) {
  try {
    if (!named_.insert(tid).second) return;
  } catch (const std::bad_alloc&) {  // as above: the track has its number alone
    return;
  }
  char name[sizeof(Track::label) + sizeof(Track::context) + 48];
  int used = snprintf(name, sizeof name, record.context[0] == '\0' ? "%s" : "%s, context %s", record.label, record.context);
  if (record.work.lane != 0) {
    snprintf(name + used, sizeof name - static_cast<size_t>(used), ", side by side %u", unsigned{record.work.lane});
  }
  line(output, [&](Line& made) { addName(made, "thread_name", pid, tid, name); });
}

Text::Shape Text::shapeOf(const Work& record) {
  const trace::Work& work = record.work;
  Shape shape{record.track, work.name, work.module, work.tier, {}, {}, work.lane, work.in_graph};
  std::copy_n(work.grid, 3, shape.grid);
  std::copy_n(work.group, 3, shape.group);
  return shape;
}

// Where the texts of a launch are kept, unless another launch has the place.
Text::KeptShape* Text::placeOf(const Work& record) {
  return &shapes_[(reinterpret_cast<uintptr_t>(record.work.name) / 16 + record.track + record.work.lane) % kShapes];
}

// Null: they are too long to be kept.
const Text::KeptShape* Text::keep(const Work& record, int pid, uint64_t tid) {
  const trace::Work& work = record.work;
  KeptShape& kept = *placeOf(record);
  LocalLine head, tail, place;
  head.text("{\"ph\":\"X\"").member("name", work.name).member("cat", wordOf(work.kind)).place(pid, tid);
  tail.member("device", record.device).member("stream", record.label);
  describe(tail, work, 0);
  tail.text("}}");
  place.place(pid, tid);
  kept.head = 0;
  const bool is_valid = head.isValid() && tail.isValid() && place.isValid();
  if (!is_valid || head.size() + tail.size() + place.size() > KeptShape::kBytes) return nullptr;
  kept.shape = shapeOf(record);
  kept.head = head.size();
  kept.tail = tail.size();
  kept.place = place.size();
  memcpy(kept.text, head.data(), kept.head);
  memcpy(kept.text + kept.head, tail.data(), kept.tail);
  memcpy(kept.text + kept.head + kept.tail, place.data(), kept.place);
  return &kept;
}

void Text::launch(const Work& record, const KeptShape& kept, Output& output) {
  line(output, [&](Line& made) {
    made.text({kept.text, kept.head}).time("ts", record.begin).time("dur", record.end - record.begin);
    made.text(",\"args\":{\"serial\":").number(record.serial).text({kept.text + kept.head, kept.tail});
    if (record.work.in_graph) return;  // as below
    made.text(",\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"submit\",\"cat\":\"submit\"");
    addArrow(made, record.track, record.serial);
    made.text({kept.text + kept.head + kept.tail, kept.place}).time("ts", record.begin).text("}");
  });
}

void Text::work(const Work& record, Output& output) {
  const trace::Work& work = record.work;
  if (work.kind == Kind::kKernel) {  // a kept text has named its track
    const KeptShape* const kept = placeOf(record);
    if (kept->head != 0 && kept->shape == shapeOf(record)) return launch(record, *kept, output);
  }
  const uint64_t tid = record.track + work.lane * kLane;
  const int pid = process(record.device, output);
  nameTrack(record, pid, tid, output);
  if (work.kind == Kind::kKernel) {
    if (const KeptShape* const kept = keep(record, pid, tid); kept != nullptr) return launch(record, *kept, output);
  }
  const int64_t duration = record.end - record.begin;
  line(output, [&](Line& made) {
    made.text("{\"ph\":\"X\"").member("name", trace::nameOf(work)).member("cat", wordOf(work.kind)).place(pid, tid);
    made.time("ts", record.begin).time("dur", duration).text(",\"args\":{\"serial\":").number(record.serial);
    made.member("device", record.device).member("stream", record.label);
    describe(made, work, duration);
    made.text("}}");
    if (work.in_graph) return;  // the arrow leads to the whole graph
    made.text(",\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"submit\",\"cat\":\"submit\"");
    addArrow(made, record.track, record.serial);
    made.place(pid, tid).time("ts", record.begin).text("}");
  });
}

}  // namespace manyrt::trace::record
