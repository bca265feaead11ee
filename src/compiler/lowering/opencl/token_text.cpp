// Printing a token stream. A blank separates two tokens that were not adjacent in one source: tokens of a macro might else join
// into one. Columns are kept where a line begins, for the messages of the compiler that reads this.
#include "compiler/lowering/opencl/token_text.h"

#include <algorithm>

namespace manyrt::compiler {
namespace {

constexpr uint32_t kMaxEmptyLines = 8;  // else a #line is shorter
constexpr uint32_t kMaxIndent = 120;

bool touches(const Token& left, const Token& right) {
  return !right.space_before && left.where.file == right.where.file && left.where.line == right.where.line &&
         left.where.column + left.text.size() == right.where.column;
}

std::string quote(std::string_view name) {
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') text.push_back('\\');
    text.push_back(c == '\n' ? ' ' : c);
  }
  return text + "\"";
}

}  // namespace

void TokenText::replace(TokenRange range, std::string text) {
  for (uint32_t token = range.begin; token < range.end; ++token) edits_[token].hidden = true;
  edits_[range.begin].instead = std::move(text);
}

void TokenText::goTo(Location place) {
  if (at_.line != 0 && at_.file == place.file && at_.line == place.line) return;
  const bool follows = at_.line != 0 && at_.file == place.file && place.line > at_.line;
  if (follows && place.line - at_.line <= kMaxEmptyLines) {
    out_.append(place.line - at_.line, '\n');
  } else {
    if (!out_.empty() && out_.back() != '\n') out_.push_back('\n');
    out_.append("#line ").append(std::to_string(place.line)).append(" ").append(quote(sources_.name(place.file))).append("\n");
  }
  out_.append(std::min(std::max(place.column, 1u) - 1, kMaxIndent), ' ');
  at_ = place;
  before_ = nullptr;
}

void TokenText::add(std::string_view text) {
  if (text.empty()) return;
  if (!out_.empty() && out_.back() != ' ' && out_.back() != '\n') out_.push_back(' ');
  out_.append(text).push_back(' ');
  before_ = nullptr;
}

void TokenText::addPragma(const Token& token) {
  if (!out_.empty() && out_.back() != '\n') out_.push_back('\n');
  out_.append("#pragma ").append(token.text).append("\n");
  at_ = Location();
  before_ = nullptr;
}

void TokenText::add(const Token& token) {
  const bool is_apart = before_ == nullptr || !touches(*before_, token);
  if (is_apart && !out_.empty() && out_.back() != ' ' && out_.back() != '\n') out_.push_back(' ');
  out_.append(token.text);
  before_ = &token;
}

std::string TokenText::print() {
  for (uint32_t i = 0; i < tokens_.size() && tokens_[i].kind != TokenKind::kEnd; ++i) {
    const Token& token = tokens_[i];
    const auto found = edits_.find(i);
    const Edit* edit = found == edits_.end() ? nullptr : &found->second;
    if (edit != nullptr && edit->hidden && edit->instead.empty()) continue;
    if (token.kind == TokenKind::kPragma) {
      if (edit != nullptr) add(edit->before);
      addPragma(token);
      continue;
    }
    goTo(token.expanded.line != 0 ? token.expanded : token.where);
    if (edit == nullptr) {
      add(token);
      continue;
    }
    add(edit->before);
    if (edit->hidden) {
      add(edit->instead);
    } else {
      add(token);
    }
    add(edit->after);
  }
  if (!out_.empty()) out_.push_back('\n');
  return std::move(out_);
}

}  // namespace manyrt::compiler
