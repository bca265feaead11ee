// The texts that a program is made of, the places in them, and what is wrong with them. Every part of the front end reports
// here; the log that a user sees is made here and nowhere else.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace manyrt::compiler {

// Where something is spelled. Lines and columns count from 1 (columns in bytes); line 0: nowhere.
struct Location {
  uint32_t file = 0;  // of Sources
  uint32_t line = 0;
  uint32_t column = 0;
};

// Owns the texts of files and of spellings that no file contains (pasted tokens). The views that it hands out stay valid as
// long as it lives. A `#line` makes an alias: the same text under another name and other line numbers.
class Sources {
 public:
  uint32_t add(std::string name, std::string text);
  uint32_t alias(uint32_t file, std::string name, int64_t line_shift);
  uint32_t count() const { return static_cast<uint32_t>(files_.size()); }
  const std::string& name(uint32_t file) const { return files_[file].name; }
  std::string_view text(uint32_t file) const { return *files_[file].text; }
  std::string_view line(Location where) const;  // without its end; empty where there is none
  std::string_view keep(std::string spelling);

 private:
  struct File {
    std::string name;
    const std::string* text;
    int64_t line_shift;  // presumed line minus line of the text
  };
  std::deque<std::string> texts_;
  std::vector<File> files_;
};

struct Diagnostic {
  enum class Kind : uint8_t { kError, kWarning, kNote };
  Kind kind;
  Location where;     // line 0: nowhere
  std::string text;   // one sentence
  std::string shown;  // the line of the source and a caret under the column, two lines; empty: none
};

// Errors, warnings and notes in order. After kMaxErrors the front end gives up: every loop over input checks `full`.
class Diagnostics {
 public:
  static constexpr uint32_t kMaxErrors = 20;
  explicit Diagnostics(const Sources& sources) : sources_(sources) {}

  void error(Location where, const char* format, ...) __attribute__((format(printf, 3, 4)));
  void warning(Location where, const char* format, ...) __attribute__((format(printf, 3, 4)));
  void note(Location where, const char* format, ...) __attribute__((format(printf, 3, 4)));  // belongs to the one before

  bool failed() const { return errors_ != 0; }
  bool full() const { return errors_ >= kMaxErrors; }
  uint32_t errorCount() const { return errors_; }
  // "name:line:column: error: sentence", the line of the source and a caret under the column, for each.
  const std::string& log() const { return log_; }
  const std::vector<Diagnostic>& list() const { return list_; }

 private:
  void add(Location where, Diagnostic::Kind kind, const char* format, va_list arguments);
  void addPlain(std::string text);  // a note on the list itself

  const Sources& sources_;
  std::string log_;
  std::vector<Diagnostic> list_;
  uint32_t errors_ = 0;
  uint32_t warnings_ = 0;
};

}  // namespace manyrt::compiler
