// The terminal of the manyrt command: its width, whether it has colours, lines that are broken between words, tables and a
// progress bar. Output that goes to a file or a program has neither colours nor broken lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace terminal {

// The width of the terminal that a stream goes to: COLUMNS, else the terminal's answer, else 80. 0: it goes to no terminal.
size_t columns(std::FILE* stream);

// Not where it is no terminal, NO_COLOR is set or TERM is "dumb" or missing.
bool wantsColours(std::FILE* stream);

inline constexpr const char* kBold = "\033[1m";
inline constexpr const char* kRed = "\033[1;31m";
inline constexpr const char* kGreen = "\033[1;32m";
inline constexpr const char* kYellow = "\033[1;33m";
inline constexpr const char* kMagenta = "\033[1;35m";
inline constexpr const char* kCyan = "\033[1;36m";
// `colour` may be null: then it is the text alone.
std::string coloured(const char* colour, const std::string& text);

// Letters of a text, without the marks of colours.
size_t lettersIn(std::string_view text);
std::string padded(std::string text, size_t letters);

// Breaks lines that have more letters than `most` between words; what follows stands under the line's second column, if it has
// one that leaves room, else indented. 0: nothing is broken. A word that is longer than a line is left whole.
std::string wrapped(std::string_view text, size_t most);

// To standard output: as it is, and broken for its terminal.
void write(std::string_view text);
void print(std::string_view text);

// The first column is text, the others are numbers with their units, to the right.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // as long as the head
};
// At most `most` columns (0: any): where a row is longer, its cells stand below each other, each with the word of the head.
std::string tableText(const Table& table, size_t most);

// One line on standard error that is written again and again, and is gone at the end. Where that is no terminal, nothing.
class Progress {
 public:
  explicit Progress(size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(const std::string& what);  // begins the next step

 private:
  void clear();

  const size_t steps_;
  const size_t columns_;
  size_t step_ = 0;
};

}  // namespace terminal
