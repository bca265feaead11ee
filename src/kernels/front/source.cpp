// Texts, places and messages of the front end. What a user reads of a failed build is formatted here: the place, the sentence,
// the line of the source and a caret. Messages and lines are cut to a bounded length, and control characters never get out.
#include "kernels/front/source.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace manyrt::kernels {
namespace {

constexpr uint32_t kMostWarnings = 100;
constexpr size_t kMostMessage = 1024;  // bytes of a sentence; behind it "..."
constexpr size_t kMostShown = 160;     // bytes of a source line that are shown

// What a terminal or a C string could trip over becomes a question mark.
void appendVisible(std::string* out, std::string_view text) {
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    out->push_back(c == '\t' || (byte >= 0x20 && byte != 0x7f) ? c : '?');
  }
}

// The line and the caret under `column`. Of a long line only the part around the column is shown.
void appendLine(std::string* out, std::string_view line, uint32_t column) {
  const size_t at = column == 0 ? 0 : column - 1;
  if (line.empty() || at > line.size()) return;
  const size_t begin = line.size() <= kMostShown || at <= kMostShown / 2 ? 0 : at - kMostShown / 2;
  const std::string_view shown = line.substr(begin, kMostShown);
  const std::string_view before = begin == 0 ? "" : "...";
  out->append("  ").append(before);
  appendVisible(out, shown);
  out->append(begin + shown.size() < line.size() ? "...\n  " : "\n  ");
  out->append(before.size(), ' ');
  for (const char c : shown.substr(0, at - begin)) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) out->push_back(c == '\t' ? '\t' : ' ');  // not inside a UTF-8 letter
  }
  out->append("^\n");
}

}  // namespace

uint32_t Sources::add(std::string name, std::string text) {
  files_.push_back({std::move(name), &texts_.emplace_back(std::move(text)), 0});
  return static_cast<uint32_t>(files_.size() - 1);
}

uint32_t Sources::alias(uint32_t file, std::string name, int64_t line_shift) {
  const std::string* text = files_[file].text;
  files_.push_back({std::move(name), text, line_shift});
  return static_cast<uint32_t>(files_.size() - 1);
}

std::string_view Sources::line(Location where) const {
  if (where.line == 0 || where.file >= files_.size()) return {};
  int64_t wanted = int64_t{where.line} - files_[where.file].line_shift;
  if (wanted < 1) return {};
  std::string_view rest = *files_[where.file].text;
  for (; wanted > 1; --wanted) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

std::string_view Sources::keep(std::string spelling) { return texts_.emplace_back(std::move(spelling)); }

void Diagnostics::add(Location where, const char* word, const char* format, va_list arguments) {
  if (where.line != 0) {
    appendVisible(&log_, sources_.name(where.file));
    log_.append(":").append(std::to_string(where.line)).append(":").append(std::to_string(where.column)).append(": ");
  }
  log_.append(word).append(": ");
  char sentence[kMostMessage];
  const int length = vsnprintf(sentence, sizeof sentence, format, arguments);
  appendVisible(&log_, sentence);
  log_.append(length >= static_cast<int>(sizeof sentence) ? "...\n" : "\n");
  appendLine(&log_, sources_.line(where), where.column);
}

void Diagnostics::error(Location where, const char* format, ...) {
  if (full()) return;
  ++errors_;
  va_list arguments;
  va_start(arguments, format);
  add(where, "error", format, arguments);
  va_end(arguments);
  if (full()) log_.append("note: ").append(std::to_string(kMostErrors)).append(" errors are shown; the rest was not read.\n");
}

void Diagnostics::warning(Location where, const char* format, ...) {
  if (full() || warnings_ > kMostWarnings) return;
  if (++warnings_ > kMostWarnings) {
    log_.append("note: ").append(std::to_string(kMostWarnings)).append(" warnings are shown; there are more.\n");
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  add(where, "warning", format, arguments);
  va_end(arguments);
}

void Diagnostics::note(Location where, const char* format, ...) {
  if (full()) return;
  va_list arguments;
  va_start(arguments, format);
  add(where, "note", format, arguments);
  va_end(arguments);
}

}  // namespace manyrt::kernels
