// From files to the tokens that the parser reads: the stack of files, and what becomes of a lexeme that no macro replaces.
#include "compiler/preprocessor/preprocessor.h"

#include "compiler/preprocessor/preprocessor_state.h"

namespace manyrt::compiler {
namespace {

// Digraphs leave under their usual spelling; # keeps them apart until then.
std::string_view usualSpelling(std::string_view text) {
  if (text == "<:") return "[";
  if (text == ":>") return "]";
  if (text == "<%") return "{";
  if (text == "%>") return "}";
  if (text == "%:") return "#";
  if (text == "%:%:") return "##";
  return text;
}

std::string oneLine(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

// The command line's definitions as a file of directives.
std::string definitionsText(const PreprocessorOptions& options) {
  std::string text;
  for (const PreprocessorOptions::Definition& definition : options.definitions) {
    text.append(definition.undefine ? "#undef " : "#define ").append(oneLine(definition.name));
    if (!definition.undefine) text.append(" ").append(oneLine(definition.value));
    text.append("\n");
  }
  return text;
}

}  // namespace

Preprocessor::Preprocessor(Tokens* tokens, Sources& sources, const PreprocessorOptions& options, Diagnostics& diagnostics)
    : sources_(sources),
      diagnostics_(diagnostics),
      tokens_(*tokens),
      names_(sources, [this](Name& name) { return macros_.predefined(name); }),
      files_(sources, names_, options, diagnostics),
      expander_(sources, names_, macros_, diagnostics, *this),
      pragma_operator_(names_.intern("_Pragma")) {}

Location Preprocessor::relocated(Location where) const {
  const Frame& frame = frames_.back();
  where.file = frame.presumed;
  where.line = static_cast<uint32_t>(where.line + frame.shift);
  return where;
}

void Preprocessor::enter(IncludedFile* file) { frames_.push_back({file, 0, file->file, 0, conditions_.size()}); }

void Preprocessor::closeConditions() {
  for (; conditions_.size() > frames_.back().conditions; conditions_.pop_back()) {
    if (!stopped()) diagnostics_.error(conditions_.back().where, "This condition has no #endif.");
  }
}

bool Preprocessor::spend() {
  if (++read_ <= kMaxRead) [[likely]]
    return true;
  if (!stopped_)
    diagnostics_.error(place_, "The program with all that it includes has more than %u tokens (an #include counts for %u).",
                       kMaxRead, kReadPerInclude);
  stopped_ = true;
  return false;
}

bool Preprocessor::read(Lexeme* out) {
  for (;;) {
    Frame& frame = frames_.back();
    const std::vector<Lexeme>& lexemes = frame.file->lexed.lexemes;
    if (frame.at == lexemes.size()) {
      if (frames_.size() == 1 || expander_.collecting()) return false;
      closeConditions();
      frames_.pop_back();
      continue;
    }
    if (!spend() || diagnostics_.full()) return false;
    const Lexeme& lexeme = lexemes[frame.at];
    if (lexeme.has(Lexeme::kDirective)) {
      runDirective();
      if (stopped()) return false;
      continue;
    }
    ++frame.at;
    *out = lexeme;
    out->where.file = frame.presumed;
    out->where.line = static_cast<uint32_t>(out->where.line + frame.shift);
    place_ = out->where;
    return true;
  }
}

bool Preprocessor::opensCall() const {
  const Frame& frame = frames_.back();
  const std::vector<Lexeme>& lexemes = frame.file->lexed.lexemes;
  return frame.at < lexemes.size() && lexemes[frame.at].is('(');
}

void Preprocessor::emitToken(const Token& token) {
  if (tokens_.size() >= kMaxTokens) {
    if (!stopped_) diagnostics_.error(token.where, "The preprocessed program has more than %u tokens.", kMaxTokens);
    stopped_ = true;
    return;
  }
  tokens_.push_back(token);
}

void Preprocessor::emitPragma(std::string_view text, Location where, Location expanded) {
  Token token;
  token.kind = TokenKind::kPragma;
  token.space_before = token.line_start = true;
  token.text = text;
  token.where = where;
  token.expanded = expanded;
  emitToken(token);
}

void Preprocessor::emit(const Lexeme& lexeme) {
  if (lexeme.name == pragma_operator_) {
    pragmaOperator(lexeme);
    return;
  }
  Token token;
  token.kind = lexeme.kind;
  token.space_before = lexeme.has(Lexeme::kSpaceBefore);
  token.line_start = lexeme.has(Lexeme::kLineStart);
  token.text = lexeme.view();
  token.expanded = expander_.origin();
  token.where = lexeme.where.line != 0 ? lexeme.where : token.expanded;
  if (lexeme.kind == TokenKind::kPunctuator) {
    token.text = usualSpelling(token.text);
  } else if (lexeme.kind == TokenKind::kOther && (*lexeme.text == '"' || *lexeme.text == '\'')) {
    diagnostics_.error(token.where, "The closing %c is missing on this line.", *lexeme.text);
  }
  // Tokens that macros bring together must not join where they are printed. Only tokens that touch in their own text stay
  // together.
  if (!token.space_before && !tokens_.empty() && tokens_.back().text.data() + tokens_.back().text.size() != token.text.data()) {
    token.space_before = true;
  }
  emitToken(token);
}

// _Pragma("text") is #pragma text.
void Preprocessor::pragmaOperator(const Lexeme& lexeme) {
  const Location expanded = expander_.origin();
  Lexeme open, string, close;
  if (!expander_.next(&open) || !open.is('(') || !expander_.next(&string) || string.kind != TokenKind::kString ||
      string.text[0] != '"' || !expander_.next(&close) || !close.is(')')) {
    if (!stopped()) {
      diagnostics_.error(lexeme.where.line != 0 ? lexeme.where : expanded, "After _Pragma stands a string in parentheses.");
    }
    return;
  }
  std::string text;
  const std::string_view inside = string.view().substr(1, string.size - 2);
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '\\' && i + 1 < inside.size() && (inside[i + 1] == '"' || inside[i + 1] == '\\')) ++i;
    text.push_back(inside[i]);
  }
  emitPragma(sources_.keep(std::move(text)), lexeme.where, expanded);
}

void Preprocessor::run(uint32_t file) {
  IncludedFile* const included = files_.add(file);
  if (included == nullptr) return;
  tokens_.reserve(tokens_.size() + included->lexed.lexemes.size() + 1);
  enter(included);
  Lexeme lexeme;
  while (!stopped() && expander_.next(&lexeme)) emit(lexeme);
  while (!frames_.empty()) {
    closeConditions();
    frames_.pop_back();
  }
}

bool preprocess(Tokens* tokens, Sources& sources, uint32_t file, const PreprocessorOptions& options, Diagnostics& diagnostics) {
  const uint32_t errors = diagnostics.errorCount();
  Preprocessor preprocessor(tokens, sources, options, diagnostics);
  const std::string definitions = definitionsText(options);
  if (!definitions.empty()) preprocessor.run(sources.add("<build options>", definitions));
  preprocessor.run(file);
  Token end;
  end.line_start = end.space_before = true;
  end.where = tokens->empty() ? Location{file, 1, 1} : tokens->back().where;
  tokens->push_back(end);
  return diagnostics.errorCount() == errors;
}

}  // namespace manyrt::compiler
