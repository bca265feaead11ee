// The directives. Each directive takes its whole line. In skipped groups only the directives that open and close conditions are
// read. Skipping goes from directive to directive, not from token to token.
#include <algorithm>
#include <charconv>

#include "compiler/preprocessor/condition.h"
#include "compiler/preprocessor/preprocessor_state.h"

namespace manyrt::compiler {
namespace {

int shown(std::string_view text) { return static_cast<int>(text.size() < 200 ? text.size() : 200); }

// The name between the quotes, or between < and >.
std::string unquoted(std::string_view text, bool escapes) {
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (escapes && text[i] == '\\' && i + 2 < text.size()) ++i;
    out.push_back(text[i]);
  }
  return out;
}

}  // namespace

const Preprocessor::Directive Preprocessor::kDirectives[] = {
    {"if", &Preprocessor::doIf},           {"ifdef", &Preprocessor::doIfdef}, {"ifndef", &Preprocessor::doIfndef},
    {"elif", &Preprocessor::doElif},       {"else", &Preprocessor::doElse},   {"endif", &Preprocessor::doEndif},
    {"define", &Preprocessor::doDefine},   {"undef", &Preprocessor::doUndef}, {"pragma", &Preprocessor::doPragma},
    {"include", &Preprocessor::doInclude}, {"line", &Preprocessor::doLine},   {"error", &Preprocessor::doError},
    {"warning", &Preprocessor::doWarning}};

// At a "#". Moves after the line; the result begins after the "#".
Preprocessor::Line Preprocessor::takeLine() {
  Frame& frame = frames_.back();
  const std::vector<Lexeme>& lexemes = frame.file->lexed.lexemes;
  const uint32_t begin = ++frame.at;
  while (frame.at < lexemes.size() && !lexemes[frame.at].has(Lexeme::kLineStart)) ++frame.at;
  read_ += frame.at - begin;
  place_ = relocated(lexemes[begin - 1].where);
  Line line{lexemes.data() + begin, lexemes.data() + frame.at, place_};
  if (frame.presumed == frame.file->file) return line;
  moved_.assign(line.begin, line.end);
  for (Lexeme& lexeme : moved_) lexeme.where = relocated(lexeme.where);
  line.begin = moved_.data();
  line.end = line.begin + moved_.size();
  return line;
}

void Preprocessor::runDirective() {
  Line line = takeLine();
  if (line.begin == line.end) return;  // the null directive
  if (line.begin->kind == TokenKind::kNumber) {
    doLine(line);  // a line marker, as other preprocessors leave them
    return;
  }
  const std::string_view word = line.begin->view();
  line.where = line.begin->where;
  ++line.begin;
  for (const Directive& directive : kDirectives) {
    if (directive.word == word) {
      (this->*directive.handler)(line);
      return;
    }
  }
  diagnostics_.error(line.where, "There is no directive \"#%.*s\".", shown(word), word.data());
}

void Preprocessor::wantEnd(const Lexeme* at, const Line& line, const char* word) {
  if (at >= line.end) return;
  diagnostics_.warning(at->where, "\"%.*s\" after #%s means nothing.", shown(at->view()), at->text, word);
}

void Preprocessor::doDefine(const Line& line) { (void)macros_.define(line.begin, line.end, line.where, names_, diagnostics_); }

void Preprocessor::doUndef(const Line& line) {
  if (line.begin == line.end || line.begin->name == nullptr) {
    diagnostics_.error(line.begin == line.end ? line.where : line.begin->where, "A macro's name is expected after #undef.");
    return;
  }
  line.begin->name->macro = nullptr;
  wantEnd(line.begin + 1, line, "undef");
}

// --- conditions

bool Preprocessor::evaluate(const Line& line) {
  expanded_.clear();
  const uint32_t errors = diagnostics_.errorCount();
  expander_.expandLine(&expanded_, line.begin, line.end, true);
  bool value = false;
  if (diagnostics_.errorCount() == errors && !stopped()) {
    (void)evaluateCondition(&value, expanded_, line.where, diagnostics_);
  }
  return value;
}

void Preprocessor::open(const Line& line, bool value) {
  conditions_.push_back({line.where, value, false});
  if (!value) skipGroup();
}

void Preprocessor::doIf(const Line& line) { open(line, evaluate(line)); }

void Preprocessor::conditionOnName(const Line& line, bool wanted) {
  bool value = false;
  if (line.begin == line.end || line.begin->name == nullptr) {
    diagnostics_.error(line.begin == line.end ? line.where : line.begin->where, "A macro's name is expected after #%s.",
                       wanted ? "ifdef" : "ifndef");
  } else {
    value = (line.begin->name->macro != nullptr) == wanted;
    wantEnd(line.begin + 1, line, wanted ? "ifdef" : "ifndef");
  }
  open(line, value);
}

bool Preprocessor::hasCondition(const Line& line, const char* word) {
  const bool open = conditions_.size() > frames_.back().conditions;
  if (!open) diagnostics_.error(line.where, "There is no #if in this file for this #%s.", word);
  if (!open || !conditions_.back().has_else || word[2] == 'd') return open;  // #endif may stand after #else
  diagnostics_.error(line.where, "#%s stands after the #else of its #if.", word);
  diagnostics_.note(conditions_.back().where, "The #if is here.");
  return true;
}

// Reached from a group that is read: the rest is skipped.
void Preprocessor::doElif(const Line& line) {
  if (hasCondition(line, "elif")) skipGroup();
}

void Preprocessor::doElse(const Line& line) {
  if (!hasCondition(line, "else")) return;
  conditions_.back().has_else = true;
  wantEnd(line.begin, line, "else");
  skipGroup();
}

void Preprocessor::doEndif(const Line& line) {
  if (!hasCondition(line, "endif")) return;
  wantEnd(line.begin, line, "endif");
  conditions_.pop_back();
}

// A directive inside of what is skipped. True where reading goes on after it.
bool Preprocessor::skipped(std::string_view word, const Line& line, uint32_t* nested) {
  if (word == "if" || word == "ifdef" || word == "ifndef") ++*nested;
  if (word == "endif") {
    if ((*nested)-- != 0) return false;
    doEndif(line);
    return true;
  }
  if (*nested != 0 || (word != "else" && word != "elif")) return false;
  const bool is_else = word == "else";
  (void)hasCondition(line, is_else ? "else" : "elif");
  Condition& condition = conditions_.back();
  if (is_else) {
    wantEnd(line.begin, line, "else");
    condition.has_else = true;
  }
  if (condition.taken) return false;
  condition.taken = is_else || evaluate(line);
  return condition.taken;
}

void Preprocessor::skipGroup() {
  Frame& frame = frames_.back();
  const LexedFile& lexed = frame.file->lexed;
  uint32_t nested = 0;
  auto at = std::lower_bound(lexed.directives.begin(), lexed.directives.end(), frame.at);
  for (; at != lexed.directives.end() && spend() && !stopped(); ++at) {
    const Lexeme* word = lexed.lexemes.data() + *at + 1;
    if (*at + 1 == lexed.lexemes.size() || word->name == nullptr || word->has(Lexeme::kLineStart)) continue;
    const char first = *word->text;
    if (first != 'i' && first != 'e') continue;
    frame.at = *at;
    Line line = takeLine();
    line.where = line.begin->where;
    ++line.begin;
    if (skipped(word->view(), line, &nested)) return;
  }
  frame.at = static_cast<uint32_t>(lexed.lexemes.size());
}

// --- files and lines

bool Preprocessor::headerName(std::string* name, bool* angled, const Line& line) {
  const Lexeme* at = line.begin;
  const Lexeme* end = line.end;
  if (at != end && at->kind != TokenKind::kString) {
    expanded_.clear();
    expander_.expandLine(&expanded_, at, end, false);
    at = expanded_.data();
    end = at + expanded_.size();
  }
  if (at != end && at->kind == TokenKind::kString) {
    *angled = *at->text == '<';
    *name = unquoted(at->view(), false);
    if (at + 1 != end) wantEnd(at + 1, {at, end, line.where}, "include");
    return true;
  }
  if (at != end && at->is('<')) {
    *angled = true;
    for (++at; at != end && !at->is('>'); ++at) {
      if (!name->empty() && at->has(Lexeme::kSpaceBefore)) name->push_back(' ');
      name->append(at->view());
    }
    if (at != end) return true;
  }
  if (!stopped()) diagnostics_.error(line.where, "A header's name, in quotes or in < and >, is expected after #include.");
  return false;
}

void Preprocessor::doInclude(const Line& line) {
  const Location where = line.begin != line.end ? line.begin->where : line.where;
  if (expander_.collecting()) {
    diagnostics_.error(line.where, "#include cannot stand in the arguments of a macro.");
    return;
  }
  std::string name;
  bool angled = false;
  if (!headerName(&name, &angled, line)) return;
  if (frames_.size() > kMaxIncludeDepth) {
    diagnostics_.error(where, "Headers include headers more than %u levels deep here.", kMaxIncludeDepth);
    stopped_ = true;  // the files above would all go on to include
    return;
  }
  read_ += kReadPerInclude;
  IncludedFile* file = files_.find(name, angled, *frames_.back().file, where);
  if (file != nullptr && !file->once) enter(file);
}

void Preprocessor::doLine(const Line& line) {
  Frame& frame = frames_.back();
  const uint32_t next_line = frame.file->lexed.lexemes[frame.at - 1].where.line + 1;  // of the text
  expanded_.clear();
  expander_.expandLine(&expanded_, line.begin, line.end, false);
  uint32_t number = 0;
  const std::string_view digits = expanded_.empty() ? std::string_view() : expanded_[0].view();
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  constexpr uint32_t kMax = 2147483647;
  if (digits.empty() || rest != digits.data() + digits.size() || error != std::errc() || number == 0 || number > kMax) {
    if (!stopped()) {
      diagnostics_.error(line.begin != line.end ? line.begin->where : line.where,
                         "A line's number from 1 to %u is expected after #line.", kMax);
    }
    return;
  }
  std::string name = sources_.name(frame.presumed);
  if (expanded_.size() > 1) {
    const Lexeme& lexeme = expanded_[1];
    if (lexeme.kind != TokenKind::kString || *lexeme.text != '"') {
      diagnostics_.error(lexeme.where.line != 0 ? lexeme.where : line.where,
                         "A file's name in quotes is expected after the number of #line, not \"%.*s\".", shown(lexeme.view()),
                         lexeme.text);
      return;
    }
    name = unquoted(lexeme.view(), true);
  }
  // Places keep the lines of the text. An alias of the file adds the shift when a message is printed, so that one text can have
  // several names and numbers. A file that repeats the directive uses its alias again.
  const int64_t shift = int64_t{number} - next_line;
  const auto [alias, is_new] = aliases_.try_emplace({frame.file->file, shift, name}, 0);
  if (is_new) alias->second = sources_.alias(frame.file->file, name, shift);
  frame.presumed = alias->second;
  frame.shift = shift;
}

// --- messages and pragmas

// The line as it is written, comments excepted.
std::string Preprocessor::spelled(const Line& line) const {
  std::string text;
  for (const Lexeme* at = line.begin; at != line.end; ++at) {
    if (at != line.begin && at->has(Lexeme::kSpaceBefore)) text.push_back(' ');
    text.append(at->view());
  }
  return text;
}

void Preprocessor::doError(const Line& line) { diagnostics_.error(line.where, "#error %s", spelled(line).c_str()); }

void Preprocessor::doWarning(const Line& line) { diagnostics_.warning(line.where, "#warning %s", spelled(line).c_str()); }

void Preprocessor::doPragma(const Line& line) {
  if (line.begin != line.end && line.begin->view() == "once") {
    frames_.back().file->once = true;
    return;
  }
  if (expander_.collecting()) {
    diagnostics_.error(line.where, "#pragma cannot stand in the arguments of a macro; _Pragma(\"...\") can.");
    return;
  }
  const Location where = line.begin != line.end ? line.begin->where : line.where;
  Line shown_line = line;
  if (line.begin != line.end && line.begin->view() == "unroll") {  // its number may be a macro; an extension's name stays
    expanded_.clear();
    expander_.expandLine(&expanded_, line.begin, line.end, false);
    shown_line = {expanded_.data(), expanded_.data() + expanded_.size(), line.where};
  }
  emitPragma(sources_.keep(spelled(shown_line)), where, Location());
}

}  // namespace manyrt::compiler
