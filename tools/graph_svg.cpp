// A plan as a picture. Time runs to the right, one column for each step. Above, each stream is a lane of boxes with upright
// labels that are read from below; lines between lanes are dependencies that do not follow from others. Below, on the same
// axis, each temporary is a rectangle from its first to its last step at its place in memory. A box that is too small for its
// label tells it on hovering.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "graph_file.h"
#include "svg_text.h"

namespace {

constexpr double kMinColumn = 20, kMaxColumn = 64, kLane = 150, kLaneGap = 14, kLeft = 96, kTop = 78, kMemory = 280,
                 kLetter = 6.6;

// The letters that fit into a width. Names are told apart by their ends as often as by their beginnings, so the middle is left
// out.
std::string fitting(const std::string& text, double width) {
  std::vector<std::string> letters;
  for (const char byte : text) {
    if (letters.empty() || (static_cast<unsigned char>(byte) & 0xc0) != 0x80) letters.emplace_back();
    letters.back() += byte;
  }
  const auto room = static_cast<size_t>(std::max(0.0, width / kLetter));
  if (letters.size() <= room) return text;
  if (room < 3) return "";
  const size_t head = room / 2, tail = room - 1 - head;
  std::string cut;
  for (size_t i = 0; i < head; ++i) cut += letters[i];
  cut += "\xe2\x80\xa6";
  for (size_t i = letters.size() - tail; i < letters.size(); ++i) cut += letters[i];
  return cut;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return value >= 1000 ? std::to_string(static_cast<long long>(value)) : text;
}

std::string bytesText(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return number(value) + ' ' + kUnits[unit];
}

const char* colorOf(std::string_view kind) {
  if (kind == "kernel") return "#cfe3f7";
  if (kind == "copy" || kind == "rectangle") return "#d6efd3";
  if (kind == "fill") return "#fbe6c4";
  return kind == "graph" ? "#e6d9f2" : "#e8e8e8";
}

class Picture {
 public:
  Picture(const Loaded& loaded, const Planned& planned) : loaded_(loaded), planned_(planned) {
    columns_ = std::max<size_t>(planned.steps.size(), 1);
    column_ = std::clamp(800 / static_cast<double>(columns_), kMinColumn, kMaxColumn);
    width_ = std::max(kLeft + static_cast<double>(columns_) * column_ + 24, 900.0);
    lanes_end_ = kTop + planned.info.stream_count * (kLane + kLaneGap);
    memory_top_ = lanes_end_ + 56;
  }

  std::string draw() {
    const bool memory = planned_.info.temporary_bytes != 0;
    const double height = memory ? memory_top_ + kMemory + 24 : lanes_end_ + 60;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width_) + "\" height=\"" + number(height) +
           "\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"11\">\n";
    rect(0, 0, width_, height, "#ffffff", "none", "");
    head();
    lanes();
    dependencies();
    for (size_t i = 0; i < planned_.steps.size(); ++i) step(i);
    axis();
    if (memory) {
      temporaries();
    } else {
      text(kLeft, lanes_end_ + 48, "No temporaries: every buffer is bound by the program.", "");
    }
    return out_ + "</svg>\n";
  }

 private:
  double columnX(size_t step) const { return kLeft + static_cast<double>(step) * column_; }
  double laneY(uint32_t stream) const { return kTop + stream * (kLane + kLaneGap); }

  void rect(double x, double y, double width, double height, const std::string& fill, const char* stroke,
            const std::string& title) {
    out_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" + number(height) +
            "\" fill=\"" + fill + "\" stroke=\"" + stroke + "\"";
    out_ += title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n";
  }
  void text(double x, double y, const std::string& words, const std::string& attributes) {
    if (words.empty()) return;
    out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + attributes + '>' + escaped(words) + "</text>\n";
  }

  void head() {
    text(12, 22, planHead(planned_.info), "font-size=\"14\"");
    double x = 12;
    for (const char* kind : {"kernel", "copy", "fill", "graph", "empty"}) {
      rect(x, 34, 12, 12, colorOf(kind), "#777777", "");
      text(x + 17, 44, kind, "");
      x += 76;
    }
  }

  void lanes() {
    for (uint32_t i = 0; i < planned_.info.stream_count; ++i) {
      rect(kLeft - 4, laneY(i) - 3, static_cast<double>(columns_) * column_ + 8, kLane + 6, "#f6f6f6", "none", "");
      text(12, laneY(i) + kLane / 2, "stream " + std::to_string(i), "");
    }
  }

  void step(size_t i) {
    const PlannedStep& at = planned_.steps[i];
    const FileNode& node = loaded_.nodes[at.node];
    const double x = columnX(i), y = laneY(at.stream);
    rect(x + 2, y, column_ - 4, kLane, colorOf(node.kind), "#777777",
         "step " + std::to_string(i) + ", node " + std::to_string(at.node) + ": " + node.label);
    const double middle = x + column_ / 2 + 4, bottom = y + kLane - 5;
    text(middle, bottom, fitting(std::to_string(at.node) + ' ' + node.label, kLane - 10),
         "transform=\"rotate(-90 " + number(middle) + ' ' + number(bottom) + ")\"");
  }

  // A node of which others wait is drawn at its last step, one that waits at its first: a child graph has several.
  void dependencies() {
    const size_t count = loaded_.nodes.size();
    std::vector<size_t> first(count, SIZE_MAX), last(count, 0);
    for (size_t i = 0; i < planned_.steps.size(); ++i) {
      first[planned_.steps[i].node] = std::min(first[planned_.steps[i].node], i);
      last[planned_.steps[i].node] = i;
    }
    for (uint32_t node = 0; node < count; ++node) {
      for (const uint32_t before : loaded_.nodes[node].after) {
        if (first[node] == SIZE_MAX || first[before] == SIZE_MAX) continue;
        const PlannedStep &from = planned_.steps[last[before]], &to = planned_.steps[first[node]];
        if (from.stream == to.stream || follows(node, before)) continue;
        const bool down = from.stream < to.stream;
        const double x1 = columnX(last[before]) + column_ / 2, y1 = laneY(from.stream) + (down ? kLane : 0);
        const double x2 = columnX(first[node]) + column_ / 2, y2 = laneY(to.stream) + (down ? 0 : kLane);
        out_ += "<path d=\"M" + number(x1) + ' ' + number(y1) + " L" + number(x2) + ' ' + number(y2) +
                "\" fill=\"none\" stroke=\"#b04a4a\" stroke-width=\"1\" opacity=\"0.7\"/>\n";
      }
    }
  }

  // Whether another of the nodes that `node` waits for comes after `before`.
  bool follows(uint32_t node, uint32_t before) const {
    std::vector<uint32_t> open;
    for (const uint32_t each : loaded_.nodes[node].after) {
      if (each != before) open.push_back(each);
    }
    std::vector<bool> seen(loaded_.nodes.size());
    while (!open.empty()) {
      const uint32_t each = open.back();
      open.pop_back();
      if (each == before) return true;
      if (seen[each]) continue;
      seen[each] = true;
      open.insert(open.end(), loaded_.nodes[each].after.begin(), loaded_.nodes[each].after.end());
    }
    return false;
  }

  void axis() {
    const size_t every = columns_ > 10 ? 5 : 1;
    for (size_t i = 0; i < planned_.steps.size(); i += every) {
      text(columnX(i) + column_ / 2, lanes_end_ + 10, std::to_string(i), "text-anchor=\"middle\" fill=\"#555555\"");
    }
    text(12, lanes_end_ + 10, "step", "fill=\"#555555\"");
  }

  void temporaries() {
    const rtCapturePlanInfo_t& info = planned_.info;
    const double scale = kMemory / static_cast<double>(info.temporary_bytes);
    text(12, memory_top_ - 14,
         "Temporaries: " + bytesText(info.temporary_bytes) + " for all, " + bytesText(info.temporary_bytes_without_reuse) +
             " if each had its own place, " + bytesText(info.temporary_bytes_live) + " in use at once at most",
         "font-size=\"13\"");
    rect(kLeft - 4, memory_top_, static_cast<double>(columns_) * column_ + 8, kMemory, "#f6f6f6", "none", "");
    text(12, memory_top_ + 10, "0", "fill=\"#555555\"");
    text(12, memory_top_ + kMemory, bytesText(info.temporary_bytes), "fill=\"#555555\"");
    for (size_t i = 0; i < planned_.temporaries.size(); ++i) {
      const PlannedTemporary& each = planned_.temporaries[i];
      const double x = columnX(each.first) + 1, y = memory_top_ + static_cast<double>(each.offset) * scale;
      const double width = static_cast<double>(each.last - each.first + 1) * column_ - 2;
      const double height = std::max(static_cast<double>(each.bytes) * scale, 1.0);
      rect(x, y, width, height, "hsl(" + std::to_string(i * 47 % 360) + ",55%,82%)", "#999999",
           each.name + ": " + bytesText(each.bytes) + " at " + std::to_string(each.offset) + ", steps " +
               std::to_string(each.first) + " to " + std::to_string(each.last));
      if (height >= 13) text(x + 4, y + height / 2 + 4, fitting(each.name, width - 8), "");
    }
  }

  const Loaded& loaded_;
  const Planned& planned_;
  size_t columns_ = 0;
  double column_ = kMinColumn, width_ = 0, lanes_end_ = 0, memory_top_ = 0;
  std::string out_;
};

}  // namespace

std::string graphSvg(const Loaded& loaded, const Planned& planned) { return Picture(loaded, planned).draw(); }
