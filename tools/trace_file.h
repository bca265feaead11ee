// A file of RT_TRACE as the manyrt command reads it: what streams did, what threads called, and what follows from both. The
// table (trace_table.cpp) and the picture (trace_svg.cpp) are made of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

// Times are nanoseconds since the first event of the file.
struct TraceSpan {
  std::string name;
  std::string category;  // kernel, copy, fill, graph, ...; of a thread call, build, part
  uint32_t track = 0;    // index into TraceFile::tracks
  int64_t begin = 0, end = 0;
  uint64_t bytes = 0;   // of copies and fills
  uint64_t serial = 0;  // of work
  bool in_graph = false;
  std::string module;

  int64_t duration() const { return end - begin; }
};

struct TraceTrack {
  std::string device;  // empty: a thread
  std::string name;
  std::string stream_key;  // the same of all tracks of one stream
};

struct TraceFile {
  std::string path;
  std::vector<TraceTrack> tracks;
  std::vector<TraceSpan> work;                 // of streams, by beginning
  std::vector<TraceSpan> threads;              // of threads, likewise
  std::map<std::string, double> clock_errors;  // of devices, the largest, microseconds
  uint64_t lost = 0;
  int64_t end = 0;    // of the last span
  bool whole = true;  // false: the file has no end, as that of a process that is running or was killed
};

// Throws Failure with a sentence for what is wrong. A path that ends with .gz is unpacked by gzip.
TraceFile loadTraceFile(const std::string& path);

using TraceInterval = std::pair<int64_t, int64_t>;

// Time in which a device does nothing between its first and its last work.
struct TraceGap {
  TraceInterval time;
  std::string call;  // that the host was in for the longest part of it; empty: in none
};

struct TraceDevice {
  std::string name;
  std::vector<TraceInterval> busy;         // disjoint, in order
  std::vector<TraceGap> gaps;              // the longest first
  int64_t copying = 0, copying_alone = 0;  // time of copies, and that in which no kernel ran
  uint64_t launches = 0;                   // kernels

  int64_t begin() const { return busy.front().first; }
  int64_t end() const { return busy.back().second; }
};

std::vector<TraceDevice> devicesOf(const TraceFile& trace);

std::string traceText(const TraceFile& trace);  // trace_table.cpp: for a reader
std::string traceJson(const TraceFile& trace);
std::string traceSvg(const TraceFile& trace);  // trace_svg.cpp
std::string traceHtml(const TraceFile& trace);

std::string durationText(int64_t nanoseconds);
