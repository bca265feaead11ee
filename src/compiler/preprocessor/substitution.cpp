// Substitutes the use of a macro: the body with its arguments, the operators # and ##, the macros whose text depends on the
// place, and `defined`. The second half of the expander.
#include <utility>

#include "compiler/preprocessor/expander.h"

namespace manyrt::compiler {
namespace {

constexpr size_t kMaxSpelled = 64u << 20;  // bytes of all spellings that # and ## make
constexpr uint8_t kBodyFlags = Lexeme::kParameter | Lexeme::kStringify | Lexeme::kPaste;

int shownOperand(std::string_view text) { return static_cast<int>(text.size() < 60 ? text.size() : 60); }

}  // namespace

void Expander::setText(Lexeme* lexeme, std::string spelling, TokenKind kind) {
  spelled_ += spelling.size() + sizeof(std::string);
  const std::string_view kept = sources_.keep(std::move(spelling));
  lexeme->text = kept.data();
  lexeme->size = static_cast<uint32_t>(kept.size());
  lexeme->kind = kind;
  lexeme->name = nullptr;
  if (spelled_ <= kMaxSpelled || stopped_) return;
  diagnostics_.error(outermost_, "The tokens that macros make here with # and ## take more than %zu bytes.", kMaxSpelled);
  stopped_ = true;
}

void Expander::substitute(std::vector<Lexeme>& out, const Macro& macro, Call* call) {
  uint8_t pending = 0;  // the space before an argument of which nothing is left
  for (size_t i = 0; i < macro.body.size(); ++i) {
    const Lexeme& item = macro.body[i];
    const bool joins_left = i > 0 && macro.body[i - 1].has(Lexeme::kPaste);
    const size_t start = out.size();
    if (joins_left && swallowsComma(out, macro, i, call)) continue;
    appendItem(out, item, joins_left || item.has(Lexeme::kPaste), call);
    if (!spend(out.size() - start)) return;
    if (out.size() == start) {
      pending |= item.flags & Lexeme::kSpaceBefore;
      continue;
    }
    const uint8_t space = (item.flags & Lexeme::kSpaceBefore) | std::exchange(pending, uint8_t{0});
    out[start].flags = static_cast<uint8_t>((out[start].flags & ~Lexeme::kSpaceBefore) | space);
    if (joins_left && start > 0) pasteAt(out, start, macro.body[i - 1].where);
    if (stopped()) return;
  }
  if (macro.has_paste) std::erase_if(out, [](const Lexeme& lexeme) { return lexeme.has(Lexeme::kPlacemarker); });
}

void Expander::appendItem(std::vector<Lexeme>& out, const Lexeme& item, bool is_operand, Call* call) {
  if (!item.has(Lexeme::kParameter)) {
    out.push_back(item);
    out.back().flags &= static_cast<uint8_t>(~kBodyFlags);
    return;
  }
  Argument& argument = call->arguments[item.parameter];
  if (item.has(Lexeme::kStringify)) {
    appendString(out, item, *call, argument);
    return;
  }
  if (is_operand) {
    if (argument.raw.begin == argument.raw.end) {
      Lexeme nothing = item;
      nothing.size = 0;
      nothing.kind = TokenKind::kOther;
      nothing.name = nullptr;
      nothing.flags = Lexeme::kPlacemarker;
      out.push_back(nothing);
      return;
    }
    out.insert(out.end(), call->raw.begin() + argument.raw.begin, call->raw.begin() + argument.raw.end);
    return;
  }
  if (!argument.is_expanded) expandArgument(*call, argument);
  out.insert(out.end(), call->expanded.begin() + argument.expanded.begin, call->expanded.begin() + argument.expanded.end);
}

void Expander::appendString(std::vector<Lexeme>& out, const Lexeme& item, const Call& call, const Argument& argument) {
  std::string spelling;
  Lexeme lexeme = item;
  lexeme.flags = 0;
  const Lexeme* raw = call.raw.data();
  if (!stringify(&spelling, raw + argument.raw.begin, raw + argument.raw.end)) {
    diagnostics_.error(outermost_, "A string that the macro makes with # here has more than %zu bytes.", kMaxSpelling);
    stopped_ = true;
    return;
  }
  setText(&lexeme, std::move(spelling), TokenKind::kString);
  out.push_back(lexeme);
}

// GNU's `, ## __VA_ARGS__`, which kernels use. The comma is removed where these arguments and the comma before them are left
// out. Otherwise the arguments are not pasted to it.
bool Expander::swallowsComma(std::vector<Lexeme>& out, const Macro& macro, size_t index, Call* call) {
  const Lexeme& item = macro.body[index];
  if (!macro.is_variadic || !item.has(Lexeme::kParameter) || item.has(Lexeme::kStringify)) return false;
  if (item.parameter + 1u != macro.parameters.size() || !macro.body[index - 1].is(',')) return false;
  if (out.empty() || !out.back().is(',')) return false;
  const Argument& argument = call->arguments[item.parameter];
  // The list is omitted only where its comma is missing too. An empty list after a comma keeps the comma, as in GNU C.
  if (argument.is_omitted) out.pop_back();
  const size_t start = out.size();
  appendItem(out, item, true, call);
  if (out.size() > start) out[start].flags |= item.flags & Lexeme::kSpaceBefore;
  (void)spend(out.size() - start);
  return true;
}

// Joins the lexeme at `right` with the one before it. `operand`: where the left one stands in the macro.
void Expander::pasteAt(std::vector<Lexeme>& out, size_t right, Location operand) {
  Lexeme& a = out[right - 1];
  const Lexeme& b = out[right];
  const uint8_t space = a.flags & Lexeme::kSpaceBefore;
  if (a.has(Lexeme::kPlacemarker)) {
    a = b;
    a.flags = static_cast<uint8_t>((a.flags & ~Lexeme::kSpaceBefore) | space);
  } else if (!b.has(Lexeme::kPlacemarker)) {
    const std::string spelling = pasted(a, b);
    Lexeme made;
    if (spelling.size() > kMaxSpelling) {
      diagnostics_.error(outermost_, "A token that the macro makes with ## here has %zu bytes; %zu are the limit.",
                         spelling.size(), kMaxSpelling);
      stopped_ = true;
    } else if (!lexOne(&made, spelling, sources_, names_)) {
      diagnostics_.error(operand, "\"##\" joins \"%.*s\" and \"%.*s\", which together are not a token.", shownOperand(a.view()),
                         a.text, shownOperand(b.view()), b.text);
      noteUse(operand);
    } else {
      spelled_ += made.name != nullptr ? 0 : spelling.size() + sizeof(std::string);
      made.where = a.where;
      made.flags = space;
      a = made;
      if (spelled_ > kMaxSpelled) setText(&a, spelling, a.kind);  // which says so
    }
  }
  out.erase(out.begin() + static_cast<ptrdiff_t>(right));
}

void Expander::makeDynamic(DynamicMacro dynamic, Lexeme* lexeme) {
  const Location place = input_.place();
  if (dynamic == DynamicMacro::kFile) {
    std::string quoted = "\"";
    for (const char c : sources_.name(place.file)) {
      if (c == '"' || c == '\\') quoted.push_back('\\');
      quoted.push_back(c == '\n' ? ' ' : c);
    }
    setText(lexeme, quoted + "\"", TokenKind::kString);
    return;
  }
  setText(lexeme, std::to_string(dynamic == DynamicMacro::kLine ? place.line : counter_++), TokenKind::kNumber);
}

// After `defined`: a name, or one in parentheses. Nothing of it is replaced.
bool Expander::readDefined(Lexeme* out) {
  const Location where = out->where;
  Lexeme lexeme;
  bool ok = read(&lexeme);
  const bool parenthesis = ok && lexeme.is('(');
  if (parenthesis) ok = read(&lexeme);
  ok = ok && lexeme.name != nullptr;
  out->text = ok && lexeme.name->macro != nullptr ? "1" : "0";
  if (ok && parenthesis) ok = read(&lexeme) && lexeme.is(')');
  if (!ok && !stopped()) {
    diagnostics_.error(where, "After \"defined\" stands a macro's name, or one in parentheses.");
  }
  out->size = 1;
  out->kind = TokenKind::kNumber;
  out->name = nullptr;
  return ok;
}

}  // namespace manyrt::compiler
