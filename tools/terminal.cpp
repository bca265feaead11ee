// Widths, colours, broken lines, tables, progress.
#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace terminal {
namespace {

constexpr size_t kUsual = 80, kLeast = 20, kMost = 4096;
constexpr const char* kPlain = "\033[0m";

// The mark of a colour at the head of a text: how many bytes it has, else 0.
size_t markLength(std::string_view text) {
  if (text.size() < 3 || text[0] != '\033' || text[1] != '[') return 0;
  const size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

struct Line {
  size_t indent = 0;  // of the first word
  size_t second = 0;  // where a column after a gap of two blanks begins; 0: there is none
};

Line layoutOf(std::string_view line) {
  Line found;
  size_t at = 0, letters = 0, gap = 0;
  bool began = false;
  while (at < line.size()) {
    if (const size_t mark = markLength(line.substr(at)); mark != 0) {
      at += mark;
      continue;
    }
    if (line[at] == ' ') {
      ++gap;
    } else {
      if (!began) found.indent = letters;
      if (began && gap >= 2) {
        found.second = letters;
        return found;
      }
      began = true;
      gap = 0;
    }
    if ((static_cast<unsigned char>(line[at]) & 0xc0) != 0x80) ++letters;
    ++at;
  }
  return found;
}

void wrapLine(std::string* out, std::string_view line, size_t most) {
  if (lettersIn(line) <= most) {
    out->append(line);
    return;
  }
  constexpr size_t kBelow = 6;  // of text that stood far to the right
  const size_t leading = line.find_first_not_of(' ');
  if (leading != std::string_view::npos && leading > most / 2) {
    line.remove_prefix(leading - std::min(leading, kBelow));
  }
  const Line layout = leading > most / 2 ? Line{kBelow - 4, 0} : layoutOf(line);
  const bool hangs = layout.second != 0 && layout.second <= most / 2;
  const size_t indent = hangs ? layout.second : std::min(layout.indent + 4, most / 2);
  std::string now;
  size_t used = 0, at = 0;
  bool has_word = false, broken = false;
  while (at < line.size()) {
    const size_t begin = line.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    const size_t letters = lettersIn(word);
    size_t gap = begin - at;
    const bool column = has_word && !hangs && gap >= 2;  // a column that does not hang stands below
    if (column) gap = 2;
    const bool breaks = has_word && (used + gap + letters > most || (column && !broken));
    if (breaks) {
      out->append(now).push_back('\n');
      now.assign(indent, ' ');
      used = indent;
      broken = true;
    } else {
      now.append(gap, ' ');
      used += gap;
    }
    now.append(word);
    used += letters;
    has_word = true;
    at = end;
  }
  out->append(now);
}

}  // namespace

size_t columns(std::FILE* stream) {
  if (isatty(fileno(stream)) == 0) return 0;
  size_t found = 0;
  if (const char* said = std::getenv("COLUMNS")) found = std::strtoul(said, nullptr, 10);
  winsize size{};
  if (found == 0 && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0) found = size.ws_col;
  return found == 0 ? kUsual : std::clamp(found, kLeast, kMost);
}

bool wantsColours(std::FILE* stream) {
  const char* off = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (off != nullptr && off[0] != '\0') return false;
  return isatty(fileno(stream)) != 0 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

std::string coloured(const char* colour, const std::string& text) { return colour == nullptr ? text : colour + text + kPlain; }

size_t lettersIn(std::string_view text) {
  size_t letters = 0;
  for (size_t at = 0; at < text.size();) {
    if (const size_t mark = markLength(text.substr(at)); mark != 0) {
      at += mark;
      continue;
    }
    if ((static_cast<unsigned char>(text[at++]) & 0xc0) != 0x80) ++letters;
  }
  return letters;
}

std::string padded(std::string text, size_t letters) {
  const size_t has = lettersIn(text);
  if (has < letters) text.append(letters - has, ' ');
  return text;
}

std::string wrapped(std::string_view text, size_t most) {
  if (most == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    wrapLine(&out, text.substr(0, end), most);
    if (end == text.size()) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

void write(std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stdout); }

void print(std::string_view text) { write(wrapped(text, columns(stdout))); }

std::string tableText(const Table& table, size_t most) {
  std::vector<size_t> widths;
  for (size_t column = 0; column < table.head.size(); ++column) {
    size_t width = lettersIn(table.head[column]);
    for (const auto& row : table.rows) width = std::max(width, lettersIn(row[column]));
    widths.push_back(width);
  }
  size_t total = widths.empty() ? 0 : 2 * (widths.size() - 1);
  for (const size_t width : widths) total += width;
  std::string text;
  if (most != 0 && total > most) {
    for (const auto& row : table.rows) {
      text += row[0] + '\n';
      for (size_t column = 1; column < row.size(); ++column) {
        if (!row[column].empty()) text += "  " + table.head[column] + ' ' + row[column] + '\n';
      }
    }
    return text;
  }
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line = padded(row[0], widths[0]);
    for (size_t column = 1; column < row.size(); ++column) {
      line += "  " + std::string(widths[column] - lettersIn(row[column]), ' ') + row[column];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add(table.head);
  for (const auto& row : table.rows) add(row);
  return text;
}

Progress::Progress(size_t steps) : steps_(std::max<size_t>(steps, 1)), columns_(columns(stderr)) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (columns_ == 0) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void Progress::step(const std::string& what) {
  if (columns_ == 0) return;
  constexpr size_t kBar = 16;
  const size_t full = std::min(kBar * step_ / steps_, kBar);
  std::string line = "[" + std::string(full, '#') + std::string(kBar - full, '.') + "] " + std::to_string(step_ + 1) + "/" +
                     std::to_string(steps_) + " " + what;
  if (line.size() > columns_ - 1) line.resize(columns_ - 1);  // what is longer would scroll
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  ++step_;
}

}  // namespace terminal
