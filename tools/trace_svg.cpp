// A trace as a picture. Time runs to the right. Each device has a strip that shows when it was at work, and a lane for each
// track of its streams. Lanes have kernels, copies and fills; a thin line above nodes is the graph that they belong to. Below
// are the threads with their calls, builds and outer ranges. Spans that are too short to be seen are drawn together with their
// neighbours.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>

#include "svg_text.h"
#include "trace_file.h"

namespace {

constexpr double kLeft = 230, kPlot = 1000, kRight = 24, kTop = 84, kLane = 24, kStrip = 10, kBetween = 6, kBottom = 36;
constexpr double kSeen = 0.5;    // pixels that a span takes at least
constexpr double kLetter = 6.2;  // pixels, about

constexpr std::array kKernelColors = {"#4e8fd0", "#59a14f", "#b07aa1", "#76b7b2", "#9c755f", "#7b66c9", "#c2a500", "#3f7f6f"};
constexpr char kOtherKernels[] = "#8fa3b8", kCopies[] = "#f28e2b", kFills[] = "#e7c49a", kOther[] = "#bab0ac",
               kCalls[] = "#cfe0f2", kBuilds[] = "#d37295", kParts[] = "#a7cba1", kRanges[] = "#8c6bb1", kBusy[] = "#5f6b76",
               kText[] = "#333333", kQuiet[] = "#777777";

// As much of the words as fits; nothing where that is not worth it.
std::string fitting(const std::string& words, double width) {
  const auto letters = static_cast<size_t>(std::max(0.0, (width - 6) / kLetter));
  if (words.size() <= letters) return words;
  return letters < 4 ? "" : words.substr(0, letters - 1) + "\xe2\x80\xa6";
}

struct Lane {
  std::string name;
  std::vector<const TraceSpan*> spans;  // by beginning
};

class Picture {
 public:
  explicit Picture(const TraceFile& trace) : trace_(trace), devices_(devicesOf(trace)) { chooseColors(); }

  std::string draw() {
    double y = kTop;
    for (const TraceDevice& device : devices_) y = drawDevice(device, y);
    y = drawThreads(y);
    axis(y);
    const double width = kLeft + kPlot + kRight, height = y + kBottom;
    const std::string begin = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
                              number(height) + "\" viewBox=\"0 0 " + number(width) + ' ' + number(height) +
                              "\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"11\">\n" +
                              "<rect x=\"0\" y=\"0\" width=\"" + number(width) + "\" height=\"" + number(height) +
                              "\" fill=\"#ffffff\"/>\n";
    return begin + head() + out_ + "</svg>\n";
  }

 private:
  double x(int64_t time) const {
    return kLeft + kPlot * static_cast<double>(time) / static_cast<double>(std::max<int64_t>(trace_.end, 1));
  }

  static std::string rect(double left, double top, double width, double height, const std::string& color,
                          const std::string& title) {
    return "<rect x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" + number(width) + "\" height=\"" +
           number(height) + "\" fill=\"" + color + "\"" +
           (title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n");
  }
  static std::string text(double left, double baseline, const std::string& words, const std::string& attributes) {
    return "<text x=\"" + number(left) + "\" y=\"" + number(baseline) + "\" " + attributes + '>' + escaped(words) + "</text>\n";
  }
  static std::string colored(const char* color, const std::string& more = "") {
    return "fill=\"" + std::string(color) + "\" " + more;
  }

  // The kernels with the most time have colours of their own.
  void chooseColors() {
    std::map<std::string, int64_t> times;
    for (const TraceSpan& span : trace_.work) {
      if (span.category == "kernel") times[span.name] += span.duration();
    }
    std::vector<std::pair<std::string, int64_t>> sorted(times.begin(), times.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& one, const auto& other) { return one.second > other.second; });
    for (size_t i = 0; i < std::min(sorted.size(), kKernelColors.size()); ++i) {
      kernel_colors_[sorted[i].first] = kKernelColors[i];
      shown_kernels_.push_back(sorted[i].first);
    }
    other_kernels_ = sorted.size() > kKernelColors.size();
  }

  std::string colorOf(const TraceSpan& span) const {
    if (span.category == "kernel") {
      const auto found = kernel_colors_.find(span.name);
      return found != kernel_colors_.end() ? found->second : kOtherKernels;
    }
    const std::map<std::string_view, const char*> colors = {{"copy", kCopies},  {"fill", kFills}, {"call", kCalls},
                                                            {"build", kBuilds}, {"part", kParts}, {"range", kRanges}};
    const auto found = colors.find(span.category);
    return found != colors.end() ? found->second : kOther;
  }

  static std::string titleOf(const TraceSpan& span) {
    std::string title = span.name + (span.module.empty() ? "" : " (" + span.module + ")") + ": " +
                        durationText(span.duration()) + " at " + durationText(span.begin);
    if (span.bytes != 0) title += ", " + std::to_string(span.bytes) + " bytes";
    return title;
  }

  // Spans of one row. Short ones that touch are one rectangle in the colour of the first.
  void row(const std::vector<const TraceSpan*>& spans, double top, double height, bool with_names) {
    size_t at = 0;
    while (at < spans.size()) {
      const TraceSpan& first = *spans[at];
      const double left = x(first.begin);
      double right = std::max(x(first.end), left + kSeen);
      size_t count = 1;
      while (right - left < 2 && at + count < spans.size()) {
        const TraceSpan& next = *spans[at + count];
        if (x(next.begin) > right + kSeen || x(next.end) - x(next.begin) >= 2) break;
        right = std::max(right, x(next.end));
        ++count;
      }
      out_ += rect(left, top, right - left, height, colorOf(first),
                   count == 1 ? titleOf(first) : std::to_string(count) + " spans from " + titleOf(first));
      const std::string name = with_names && count == 1 ? fitting(first.name, right - left) : "";
      if (!name.empty())
        out_ += text(left + 3, top + height / 2 + 4, name, colored(first.category == "call" ? kText : "#ffffff"));
      at += count;
    }
  }

  void label(const std::string& words, double baseline, const char* color) {
    out_ += text(12, baseline, fitting(words, kLeft - 12), colored(color));
  }

  void background(double top, double height) { out_ += rect(kLeft, top, kPlot, height, "#f5f5f5", ""); }

  double drawDevice(const TraceDevice& device, double y) {
    int64_t busy = 0;
    for (const TraceInterval& each : device.busy) busy += each.second - each.first;
    const int64_t period = std::max<int64_t>(device.end() - device.begin(), 1);
    char share[48];
    snprintf(share, sizeof share, ": at work %.0f%%", 100 * static_cast<double>(busy) / static_cast<double>(period));
    label(device.name + share, y + kStrip, kText);
    background(y, kStrip);
    double drawn = 0;
    for (const TraceInterval& each : device.busy) {
      const double left = std::max(x(each.first), drawn), right = std::max(x(each.second), x(each.first) + kSeen);
      if (right <= drawn) continue;
      out_ += rect(left, y, right - left, kStrip, kBusy, "");
      drawn = right;
    }
    for (size_t i = 0; i < std::min<size_t>(device.gaps.size(), 10); ++i) {
      const TraceGap& gap = device.gaps[i];
      const double left = x(gap.time.first), width = x(gap.time.second) - left;
      if (width < kSeen) break;
      out_ += rect(left, y, width, kStrip, "#f0b8b8",
                   "nothing to do for " + durationText(gap.time.second - gap.time.first) +
                       (gap.call.empty() ? "" : ", the host in " + gap.call));
    }
    y += kStrip + kBetween;
    for (uint32_t track = 0; track < trace_.tracks.size(); ++track) {
      if (trace_.tracks[track].device != device.name) continue;
      std::vector<const TraceSpan*> graphs, rest;
      for (const TraceSpan& span : trace_.work) {
        if (span.track == track) (span.category == "graph" ? graphs : rest).push_back(&span);
      }
      const std::string& name = trace_.tracks[track].name;
      label("  " + (name.empty() ? "stream" : name), y + kLane / 2 + 4, kQuiet);
      background(y, kLane);
      row(graphs, y, 3, false);
      row(rest, y + 4, kLane - 4, true);
      y += kLane + kBetween;
    }
    return y + kBetween;
  }

  double drawThreads(double y) {
    for (uint32_t track = 0; track < trace_.tracks.size(); ++track) {
      std::vector<const TraceSpan*> calls, ranges, rest;
      for (const TraceSpan& span : trace_.threads) {
        if (span.track != track) continue;
        if (span.category != "range") {
          (span.category == "call" ? calls : rest).push_back(&span);
        } else if (ranges.empty() || span.begin >= ranges.back()->end) {  // the outer ones
          ranges.push_back(&span);
        }
      }
      if (calls.empty() && ranges.empty() && rest.empty()) continue;
      label("thread " + trace_.tracks[track].name, y + kLane / 2 + 4, kQuiet);
      background(y, kLane);
      row(calls, y, kLane, rest.empty());
      row(rest, y + kLane / 2, kLane / 2, false);
      row(ranges, y, 3, false);
      y += kLane + kBetween;
    }
    return y;
  }

  void axis(double y) {
    for (int i = 0; i <= 5; ++i) {
      const double at = kLeft + kPlot * i / 5;
      out_ += "<path d=\"M" + number(at) + ' ' + number(y) + " v4\" stroke=\"#777777\"/>\n";
      out_ += text(at, y + 17, durationText(trace_.end * i / 5),
                   colored(kQuiet, i == 5 ? "text-anchor=\"end\"" : "text-anchor=\"middle\""));
    }
  }

  std::string head() const {
    const size_t slash = trace_.path.rfind('/');
    std::string words = std::to_string(trace_.work.size()) + " spans of work in " + durationText(trace_.end);
    if (trace_.lost != 0) words += ", " + std::to_string(trace_.lost) + " missing";
    std::string all = text(12, 24, fitting(trace_.path.substr(slash == std::string::npos ? 0 : slash + 1), 900),
                           colored(kText, "font-size=\"14\""));
    all += text(12, 44, words, colored(kText));
    std::vector<std::pair<std::string, std::string>> keys;
    for (const std::string& kernel : shown_kernels_) keys.emplace_back(kernel, kernel_colors_.at(kernel));
    if (other_kernels_) keys.emplace_back("other kernels", kOtherKernels);
    for (const auto& [name, color] :
         {std::pair{"copies", kCopies}, {"fills", kFills}, {"builds", kBuilds}, {"calls", kCalls}, {"gaps", "#f0b8b8"}}) {
      keys.emplace_back(name, color);
    }
    double at = 12;
    for (const auto& [name, color] : keys) {
      const std::string shown = fitting(name, 24 * kLetter);
      const double width = 26 + kLetter * 1.1 * static_cast<double>(shown.size());
      if (at + width > kLeft + kPlot) break;
      all += rect(at, 57, 11, 11, color, "");
      all += text(at + 15, 67, shown, colored(kText));
      at += width;
    }
    return all;
  }

  const TraceFile& trace_;
  const std::vector<TraceDevice> devices_;
  std::map<std::string, std::string> kernel_colors_;
  std::vector<std::string> shown_kernels_;
  bool other_kernels_ = false;
  std::string out_;
};

}  // namespace

std::string traceSvg(const TraceFile& trace) { return Picture(trace).draw(); }

std::string traceHtml(const TraceFile& trace) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(trace.path) +
         "</title></head>\n<body style=\"font-family: sans-serif\">\n<div style=\"overflow-x: auto\">" + traceSvg(trace) +
         "</div>\n<pre>" + escaped(traceText(trace)) + "</pre>\n</body></html>\n";
}
