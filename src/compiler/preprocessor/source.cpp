// Texts, places and messages of the front end. The text that a user reads of a failed build is formatted here: the place, the
// sentence, the line of the source and a caret. Messages and lines are cut to a bounded length, and control characters never
// get out.
#include "compiler/preprocessor/source.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxWarnings = 100;
constexpr size_t kMaxMessage = 1024;  // bytes of a sentence; after it "..."
constexpr size_t kMaxShown = 160;     // bytes of a source line that are shown

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the UTF-8 letter at the head of `text`; 0: there is none, or one that steers a terminal.
size_t letterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first == '\t' || (first >= 0x20 && first != 0x7f) ? 1 : 0;
  const size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
  }
  if (first == 0xc2 && byte(1) < 0xa0) return 0;                                           // controls
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90)) return 0;    // written too long
  if ((first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90)) return 0;  // halves of pairs; beyond Unicode
  return length;
}

// Strings of the interface are UTF-8, but sources need not be. Invalid bytes and control characters become question marks.
void appendVisible(std::string* out, std::string_view text) {
  while (!text.empty()) {
    const size_t length = letterLength(text);
    if (length == 0) {
      out->push_back('?');
    } else {
      out->append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

// The line and the caret under `column`. A long line is shown only around the column, cut between letters.
void appendLine(std::string* out, std::string_view line, uint32_t column) {
  const size_t at = column == 0 ? 0 : column - 1;
  if (line.empty() || at > line.size()) return;
  size_t begin = line.size() <= kMaxShown || at <= kMaxShown / 2 ? 0 : at - kMaxShown / 2;
  while (begin != 0 && begin < at && continues(line[begin])) ++begin;
  size_t end = line.size() - begin <= kMaxShown ? line.size() : begin + kMaxShown;
  while (end != line.size() && end > at && continues(line[end])) --end;
  const std::string_view before = begin == 0 ? "" : "...";
  std::string left;  // of the caret
  appendVisible(&left, line.substr(begin, at - begin));
  out->append("  ").append(before).append(left);
  appendVisible(out, line.substr(at, end - at));
  out->append(end < line.size() ? "...\n  " : "\n  ");
  out->append(before.size(), ' ');
  for (const char c : left) {
    if (!continues(c)) out->push_back(c == '\t' ? '\t' : ' ');
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

void Diagnostics::add(Location where, Diagnostic::Kind kind, const char* format, va_list arguments) {
  constexpr const char* kWords[] = {"error", "warning", "note"};
  Diagnostic& made = list_.emplace_back(Diagnostic{kind, where, "", ""});
  if (where.line != 0) {
    appendVisible(&log_, sources_.name(where.file));
    log_.append(":").append(std::to_string(where.line)).append(":").append(std::to_string(where.column)).append(": ");
  }
  log_.append(kWords[static_cast<size_t>(kind)]).append(": ");
  char sentence[kMaxMessage];
  const int length = vsnprintf(sentence, sizeof sentence, format, arguments);
  appendVisible(&made.text, sentence);
  if (length >= static_cast<int>(sizeof sentence)) made.text.append("...");
  appendLine(&made.shown, sources_.line(where), where.column);
  log_.append(made.text).append("\n").append(made.shown);
}

void Diagnostics::addPlain(std::string text) {
  log_.append("note: ").append(text).append("\n");
  list_.push_back({Diagnostic::Kind::kNote, {}, std::move(text), ""});
}

void Diagnostics::error(Location where, const char* format, ...) {
  if (full()) return;
  ++errors_;
  va_list arguments;
  va_start(arguments, format);
  add(where, Diagnostic::Kind::kError, format, arguments);
  va_end(arguments);
  if (full()) addPlain(std::to_string(kMaxErrors) + " errors are shown; the rest was not read.");
}

void Diagnostics::warning(Location where, const char* format, ...) {
  if (full() || warnings_ > kMaxWarnings) return;
  if (++warnings_ > kMaxWarnings) {
    addPlain(std::to_string(kMaxWarnings) + " warnings are shown; there are more.");
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  add(where, Diagnostic::Kind::kWarning, format, arguments);
  va_end(arguments);
}

void Diagnostics::note(Location where, const char* format, ...) {
  if (full()) return;
  va_list arguments;
  va_start(arguments, format);
  add(where, Diagnostic::Kind::kNote, format, arguments);
  va_end(arguments);
}

}  // namespace manyrt::compiler
