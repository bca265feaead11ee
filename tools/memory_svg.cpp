// A memory trace as a picture. Time runs to the right. Above, addresses run upwards, on the ranges that were reserved from the
// driver. Each block is a rectangle from its allocation to its free, in the colour of its size or its stream. Below, on the
// same axis, the bytes that are live and that are reserved. Addresses between ranges are left out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

#include "memory_trace.h"
#include "svg_text.h"

namespace {

constexpr double kLeft = 112, kRight = 24, kPlot = 1000, kTop = 84, kMemory = 520, kGap = 44, kCurve = 150, kBottom = 40;
constexpr double kSmallest = 0.4;  // of both sides in pixels: what is smaller cannot be seen

// At most so many letters.
std::string beginning(const std::string& text, size_t letters) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && letters-- == 0) return text.substr(0, at) + "\xe2\x80\xa6";
  }
  return text;
}

std::string withUnit(double value, std::initializer_list<const char*> units, double step) {
  const char* const* unit = units.begin();
  for (; value >= step - 0.5 && unit + 1 < units.end(); ++unit) value /= step;
  char text[48];
  snprintf(text, sizeof text, value >= 100 || value == std::floor(value) ? "%.0f %s" : "%.3g %s", value, *unit);
  return text;
}
std::string bytesText(uint64_t bytes) {
  return withUnit(static_cast<double>(bytes), {"B", "KiB", "MiB", "GiB", "TiB", "PiB"}, 1024);
}

// A piece of the address space that is drawn, and where its lowest byte is on the page.
struct Piece {
  uint64_t begin, end;
  double bottom;
};

struct Lifetime {
  uint64_t begin = 0, end = UINT64_MAX, address = 0, bytes = 0;
  uint32_t stream = 0;
};

class Picture {
 public:
  Picture(const MemoryTrace& trace, bool by_stream) : trace_(trace), by_stream_(by_stream) {
    first_ = trace.events.front().time;
    last_ = std::max(trace.events.back().time, first_) + (trace.timed ? 0 : 1);
    if (last_ == first_) ++last_;
    blocks_.resize(trace.blocks);
    for (const MemoryEvent& event : trace.events) {
      switch (event.kind) {
        case MemoryEvent::Kind::kAllocate:
          blocks_[event.id] = {event.time, UINT64_MAX, event.address, event.bytes, event.stream};
          streams_.emplace(event.stream, 0);
          break;
        case MemoryEvent::Kind::kFree:
          blocks_[event.id].end = event.time;
          break;
        case MemoryEvent::Kind::kReserve:
          regions_.push_back({event.time, UINT64_MAX, event.address, event.bytes, 0});
          break;
        case MemoryEvent::Kind::kRelease:
          regions_[event.id].end = event.time;
          break;
      }
    }
    uint32_t next = 0;
    for (auto& [stream, place] : streams_) place = next++;
    findPieces();
  }

  std::string draw() {
    const double width = kLeft + kPlot + kRight, height = curveBottom() + kBottom;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" + number(height) +
           "\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"11\">\n";
    rect(0, 0, width, height, "fill=\"#ffffff\"", "");
    rect(kLeft, kTop, kPlot, kMemory, "fill=\"#f6f6f6\"", "");
    drawRegions();
    drawBlocks();
    addresses();
    curves();
    timeAxis();
    head();
    return out_ + "</svg>\n";
  }

 private:
  double curveTop() const { return kTop + kMemory + kGap; }
  double curveBottom() const { return curveTop() + kCurve; }
  double x(uint64_t time) const {
    const uint64_t at = std::min(time, last_) - first_;
    return kLeft + kPlot * static_cast<double>(at) / static_cast<double>(last_ - first_);
  }

  void rect(double left, double top, double width, double height, const std::string& attributes, const std::string& title) {
    out_ += "<rect x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" + number(width) + "\" height=\"" +
            number(height) + "\" " + attributes;
    out_ += title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n";
  }
  void text(double left, double baseline, const std::string& words, const std::string& attributes) {
    out_ +=
        "<text x=\"" + number(left) + "\" y=\"" + number(baseline) + "\" " + attributes + '>' + escaped(words) + "</text>\n";
  }

  // All addresses that a block or a range ever has, without what lies between. The scale is the same for all pieces.
  void findPieces() {
    std::vector<std::pair<uint64_t, uint64_t>> all;
    for (const auto* list : {&blocks_, &regions_}) {
      for (const Lifetime& each : *list) all.emplace_back(each.address, each.address + each.bytes);
    }
    std::sort(all.begin(), all.end());
    for (const auto& [begin, end] : all) {
      if (!pieces_.empty() && begin <= pieces_.back().end) {
        pieces_.back().end = std::max(pieces_.back().end, end);
      } else {
        pieces_.push_back({begin, end, 0});
      }
    }
    double bytes = 0;
    for (const Piece& piece : pieces_) bytes += static_cast<double>(piece.end - piece.begin);
    const double gaps = static_cast<double>(pieces_.size() - 1);
    const double gap = gaps == 0 ? 0 : std::min(3.0, 0.1 * kMemory / gaps);
    scale_ = (kMemory - gap * gaps) / bytes;
    shown_bytes_ = bytes;
    double bottom = kTop + kMemory;
    for (Piece& piece : pieces_) {
      piece.bottom = bottom;
      bottom -= static_cast<double>(piece.end - piece.begin) * scale_ + gap;
    }
  }

  // The upper edge of a range.
  double top(uint64_t address, uint64_t bytes) const {
    auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), address,
                                  [](uint64_t value, const Piece& each) { return value < each.begin; });
    --piece;
    return piece->bottom - static_cast<double>(address + bytes - piece->begin) * scale_;
  }

  void drawRegions() {
    out_ += "<g fill=\"#e4e4e4\" stroke=\"#b8b8b8\" stroke-width=\"0\">\n";
    for (const Lifetime& region : regions_) {
      const bool outlined = static_cast<double>(region.bytes) * scale_ > 4;
      rect(x(region.begin), top(region.address, region.bytes), x(region.end) - x(region.begin),
           static_cast<double>(region.bytes) * scale_, outlined ? "stroke-width=\"0.5\"" : "",
           "reserved: " + bytesText(region.bytes));
    }
    out_ += "</g>\n";
  }

  // The power of two above the size, or the place of the stream.
  uint32_t classOf(const Lifetime& block) const {
    return by_stream_ ? streams_.at(block.stream) : 64 - static_cast<uint32_t>(__builtin_clzll(block.bytes));
  }
  std::string colorOf(uint32_t key) const {
    if (by_stream_) return "hsl(" + std::to_string((key * 137 + 210) % 360) + ",60%,62%)";
    const uint32_t least = classes_.begin()->first, most = classes_.rbegin()->first;
    const double part = most == least ? 0.5 : static_cast<double>(key - least) / static_cast<double>(most - least);
    return "hsl(" + std::to_string(static_cast<int>(230 - 220 * part)) + ",62%," +
           std::to_string(static_cast<int>(66 - 8 * part)) + "%)";
  }
  std::string nameOf(uint32_t key) const {
    if (!by_stream_) return "< " + bytesText(uint64_t{1} << key);
    for (const auto& [stream, place] : streams_) {
      if (place == key) return stream == 0 ? "no stream" : "stream " + std::to_string(stream);
    }
    return "";
  }

  void drawBlocks() {
    for (const Lifetime& block : blocks_) classes_[classOf(block)].push_back(&block);
    for (const auto& [key, blocks] : classes_) {
      out_ += "<g fill=\"" + colorOf(key) + "\" stroke=\"#444444\" stroke-width=\"0\">\n";
      for (const Lifetime* block : blocks) {
        const double width = x(block->end) - x(block->begin), height = static_cast<double>(block->bytes) * scale_;
        if (width < kSmallest && height < kSmallest) {
          ++left_out_;
          continue;
        }
        const bool large = width > 4 && height > 4;
        rect(x(block->begin), top(block->address, block->bytes), std::max(width, kSmallest), std::max(height, kSmallest),
             large ? "stroke-width=\"0.4\"" : "",
             large ? bytesText(block->bytes) + (block->stream == 0 ? "" : ", stream " + std::to_string(block->stream)) : "");
      }
      out_ += "</g>\n";
    }
  }

  // The meaning of the picture's height.
  void addresses() {
    text(kLeft - 8, kTop + 10, bytesText(static_cast<uint64_t>(shown_bytes_)), "text-anchor=\"end\" fill=\"#555555\"");
    text(kLeft - 8, kTop + kMemory, "0", "text-anchor=\"end\" fill=\"#555555\"");
    if (pieces_.size() > 1) {
      text(kLeft - 8, kTop + kMemory / 2 - 8, std::to_string(pieces_.size()) + " ranges",
           "text-anchor=\"end\" fill=\"#555555\"");
      text(kLeft - 8, kTop + kMemory / 2 + 8, "of addresses", "text-anchor=\"end\" fill=\"#555555\"");
    } else {
      text(kLeft - 8, kTop + kMemory / 2, "addresses", "text-anchor=\"end\" fill=\"#555555\"");
    }
  }

  // Steps of a sum over time as a path: at most four corners for each pixel, with the highest value in it.
  std::string steps(MemoryEvent::Kind up, MemoryEvent::Kind down, double most) const {
    std::string path;
    uint64_t sum = 0, highest = 0, pixel = UINT64_MAX;
    double left = kLeft;
    const auto y = [&](uint64_t value) { return curveBottom() - kCurve * static_cast<double>(value) / most; };
    const auto corner = [&](double at, uint64_t value) {
      path += (path.empty() ? "M" : " L") + number(at) + ' ' + number(y(value));
    };
    for (const MemoryEvent& event : trace_.events) {
      if (event.kind != up && event.kind != down) continue;
      const double at = x(event.time);
      if (static_cast<uint64_t>(at * 2) != pixel) {
        if (highest > sum) corner(left, highest);
        corner(left, sum);
        corner(at, sum);
        pixel = static_cast<uint64_t>(at * 2);
        highest = 0;
        left = at;
      }
      sum += event.kind == up ? event.bytes : 0 - event.bytes;
      highest = std::max(highest, sum);
    }
    if (highest > sum) corner(left, highest);
    corner(left, sum);
    corner(kLeft + kPlot, sum);
    return path;
  }

  void curves() {
    const MemoryPeaks peaks = peaksOf(trace_);
    const auto most = static_cast<double>(std::max(peaks.live, peaks.reserved));
    rect(kLeft, curveTop(), kPlot, kCurve, "fill=\"#f6f6f6\"", "");
    const std::string close = " L" + number(kLeft + kPlot) + ' ' + number(curveBottom()) + " L" + number(kLeft) + ' ' +
                              number(curveBottom()) + " Z\"";
    if (peaks.reserved != 0) {
      out_ += "<path d=\"" + steps(MemoryEvent::Kind::kReserve, MemoryEvent::Kind::kRelease, most) + close +
              " fill=\"#dcdcdc\" stroke=\"#909090\"/>\n";
    }
    out_ += "<path d=\"" + steps(MemoryEvent::Kind::kAllocate, MemoryEvent::Kind::kFree, most) + close +
            " fill=\"#a9c8ea\" stroke=\"#2f6cb3\"/>\n";
    text(kLeft - 8, curveTop() + 10, bytesText(static_cast<uint64_t>(most)), "text-anchor=\"end\" fill=\"#555555\"");
    text(kLeft - 8, curveBottom(), "0", "text-anchor=\"end\" fill=\"#555555\"");
    text(kLeft - 8, curveTop() + kCurve / 2 - 6, "live", "text-anchor=\"end\" fill=\"#2f6cb3\"");
    if (peaks.reserved != 0) {
      text(kLeft - 8, curveTop() + kCurve / 2 + 10, "reserved", "text-anchor=\"end\" fill=\"#707070\"");
    }
  }

  void timeAxis() {
    const auto label = [this](double part) {
      const double value = static_cast<double>(last_ - first_) * part;
      return trace_.timed ? withUnit(value, {"ns", "µs", "ms", "s"}, 1000) : number(std::round(value));
    };
    for (int i = 0; i <= 5; ++i) {
      const double at = kLeft + kPlot * i / 5;
      out_ += "<path d=\"M" + number(at) + ' ' + number(curveBottom()) + " v4\" stroke=\"#777777\"/>\n";
      text(i == 5 ? at + 8 : at, curveBottom() + 17, label(i / 5.0),
           i == 5 ? "text-anchor=\"end\" fill=\"#555555\"" : "text-anchor=\"middle\" fill=\"#555555\"");
    }
    text(12, curveBottom() + 17, trace_.timed ? "time" : "event", "fill=\"#555555\"");
  }

  void head() {
    const MemoryPeaks peaks = peaksOf(trace_);
    std::string words = std::to_string(trace_.blocks) + (trace_.blocks == 1 ? " allocation" : " allocations") +
                        ", peak of live bytes " + bytesText(peaks.live);
    if (peaks.reserved != 0) {
      char ratio[32];
      snprintf(ratio, sizeof ratio, "%.3g", static_cast<double>(peaks.reserved) / static_cast<double>(peaks.live));
      words += ", of reserved bytes " + bytesText(peaks.reserved) + " (" + ratio + " times)";
    }
    if (left_out_ != 0) words += "; " + std::to_string(left_out_) + " too small to be drawn";
    text(12, 24, trace_.name.empty() ? "Memory trace" : beginning(trace_.name, 120), "font-size=\"14\"");
    text(12, 44, words, "");
    double at = 12;
    for (const auto& [key, blocks] : classes_) {
      const std::string name = nameOf(key);
      const double width = 22 + 7 * static_cast<double>(name.size());
      if (at + width + 40 > kLeft + kPlot + kRight) {
        text(at, 66, "\xe2\x80\xa6", "");
        break;
      }
      rect(at, 57, 11, 11, "fill=\"" + colorOf(key) + "\" stroke=\"#777777\" stroke-width=\"0.5\"", "");
      text(at + 15, 66, name, "");
      at += width;
    }
  }

  const MemoryTrace& trace_;
  const bool by_stream_;
  uint64_t first_ = 0, last_ = 0, left_out_ = 0;
  double scale_ = 0, shown_bytes_ = 0;
  std::vector<Lifetime> blocks_, regions_;
  std::vector<Piece> pieces_;
  std::map<uint32_t, uint32_t> streams_;  // of the trace, and their places
  std::map<uint32_t, std::vector<const Lifetime*>> classes_;
  std::string out_;
};

}  // namespace

std::string memorySvg(const MemoryTrace& trace, bool by_stream) { return Picture(trace, by_stream).draw(); }
