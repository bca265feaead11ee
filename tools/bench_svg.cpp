// The figures as a picture. Each device has a bar for each figure, as long as the reached part of the expected figure. In a
// table of pairs, a cell is the darker, the faster the copy. Bars have no common unit, so that the number stands beside each.
#include <algorithm>
#include <cmath>

#include "bench.h"
#include "svg_text.h"
#include "units.h"

namespace bench {
namespace {

constexpr double kWidth = 800, kMargin = 16, kRow = 22, kNames = 150, kValues = 90, kBar = 220, kTitle = 34, kCell = 92;
constexpr double kLetter = 6.2;  // of the small size

class Picture {
 public:
  void text(double x, double y, const std::string& words, const std::string& more = "") {
    body_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\"" + (more.empty() ? "" : " " + more) + ">" + escaped(words) +
             "</text>\n";
  }
  void bar(double x, double y, double width, const std::string& colour, double height = 14) {
    body_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
             number(height) + "\" fill=\"" + colour + "\"/>\n";
  }
  void line(double x, double y, double height) {
    body_ += "<line x1=\"" + number(x) + "\" y1=\"" + number(y) + "\" x2=\"" + number(x) + "\" y2=\"" + number(y + height) +
             "\" stroke=\"#555555\"/>\n";
  }
  std::string finished(double height) const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width_) + "\" height=\"" + number(height) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body_ +
           "</svg>\n";
  }
  void widen(double width) { width_ = std::max(width_, width); }

 private:
  std::string body_;
  double width_ = kWidth;
};

// Cut to what fits, with a mark.
std::string fitting(const std::string& words, double width) {
  const auto letters = static_cast<size_t>(width / kLetter);
  return words.size() <= letters ? words : words.substr(0, letters - 3) + "...";
}

double drawDevice(Picture* picture, const DeviceFigures& device, double y) {
  picture->text(kMargin, y + 14, fitting(device.id + ": " + device.name, kWidth - 2 * kMargin), "font-weight=\"bold\"");
  y += kTitle - 8;
  const double left = kMargin + kNames + kValues + 12;
  for (const Figure& each : device.figures) {
    const double share = shareOfExpected(each);
    picture->text(kMargin, y + 11, each.what);
    picture->text(kMargin + kNames + kValues, y + 11, valueText(each.unit, each.value), "text-anchor=\"end\"");
    if (share > 0) {
      picture->bar(left, y, kBar, "#eeeeee");
      picture->bar(left, y, kBar * std::min(share, 1.0), each.unit == Unit::kSeconds ? "#c98a2b" : "#3b7dbd");
      picture->line(left + kBar, y - 2, 18);
      picture->text(
          left + kBar + 8, y + 11,
          fitting(valueText(each.unit, each.expected) + ", " + each.expected_from, kWidth - left - kBar - 8 - kMargin),
          "fill=\"#555555\"");
    }
    y += kRow;
  }
  for (const std::string& each : device.missing) {
    picture->text(kMargin, y + 11, fitting("not measured: " + each, kWidth - 2 * kMargin), "fill=\"#a33333\"");
    y += kRow;
  }
  return y + 10;
}

// A colour between white and blue by the logarithm of the speed.
std::string shade(double value, double least, double most) {
  const double part = most > least ? (std::log(value) - std::log(least)) / (std::log(most) - std::log(least)) : 1;
  const auto mix = [part](double dark) { return static_cast<int>(std::lround(255 - part * (255 - dark) * 0.6)); };
  char text[16];
  snprintf(text, sizeof text, "#%02x%02x%02x", mix(0x3b), mix(0x7d), mix(0xbd));
  return text;
}

double drawPairs(Picture* picture, const Report& report, double y) {
  double least = report.pairs[0].bytes_per_second, most = least;
  for (const PairFigures& each : report.pairs) {
    least = std::min(least, each.bytes_per_second);
    most = std::max(most, each.bytes_per_second);
  }
  picture->text(kMargin, y + 14, "Copies from the device of a row to that of a column", "font-weight=\"bold\"");
  y += kTitle;
  const auto column = [&](const std::string& id) {
    size_t place = 0;
    while (report.devices[place].id != id) ++place;
    return place;
  };
  const double left = kMargin + 80;
  picture->widen(left + kCell * static_cast<double>(report.devices.size()) + kMargin);
  for (size_t i = 0; i < report.devices.size(); ++i) {
    const std::string& id = report.devices[i].id;
    picture->text(left + kCell * (static_cast<double>(i) + 0.5), y, id, "text-anchor=\"middle\"");
    picture->text(kMargin, y + 24 + 40 * static_cast<double>(i), id);
  }
  for (const PairFigures& each : report.pairs) {
    const double x = left + kCell * static_cast<double>(column(each.to)),
                 top = y + 6 + 40 * static_cast<double>(column(each.from));
    picture->bar(x, top, kCell - 2, shade(each.bytes_per_second, least, most), 38);
    picture->text(x + kCell / 2, top + 16, valueText(Unit::kBytesPerSecond, each.bytes_per_second), "text-anchor=\"middle\"");
    picture->text(x + kCell / 2, top + 31, secondsText(each.seconds), "text-anchor=\"middle\"");
  }
  return y + 16 + 40 * static_cast<double>(report.devices.size());
}

}  // namespace

std::string reportSvg(const Report& report) {
  Picture picture;
  picture.text(kMargin, 24,
               fitting("manyrt " + report.version + (report.machine.empty() ? "" : ", " + report.machine) + ", copies of " +
                           bytesText(report.bytes),
                       kWidth - 2 * kMargin),
               "font-size=\"13\"");
  picture.text(kMargin, 42, "A full bar is what is expected. Blue: speeds. Brown: times, the expected one by the measured one.",
               "fill=\"#555555\"");
  double y = 56;
  for (const DeviceFigures& each : report.devices) y = drawDevice(&picture, each, y);
  if (!report.pairs.empty()) y = drawPairs(&picture, report, y);
  return picture.finished(y + kMargin);
}

}  // namespace bench
