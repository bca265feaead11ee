// Definitions of macros, as #define, -D and the table of predefined ones give them.
#include "compiler/preprocessor/macro.h"

namespace manyrt::compiler {
namespace {

constexpr size_t kMaxParameters = 1024;

// Reads a definition; the parameters' names are marked while it does.
class DefinitionReader {
 public:
  DefinitionReader(Macro& macro, const Lexeme* at, const Lexeme* end, Names& names, Diagnostics& diagnostics)
      : macro_(macro), at_(at), end_(end), names_(names), diagnostics_(diagnostics) {}
  ~DefinitionReader() {
    for (Name* name : macro_.parameters) name->parameter = 0;
  }
  DefinitionReader(const DefinitionReader&) = delete;
  DefinitionReader& operator=(const DefinitionReader&) = delete;

  bool read() {
    if (at_ != end_ && at_->is('(') && !at_->has(Lexeme::kSpaceBefore)) {
      macro_.is_function = true;
      if (!readParameters(at_++)) return false;
    }
    return readBody();
  }

 private:
  bool addParameter(Name* name) {
    if (name->parameter != 0) {
      diagnostics_.error(at_->where, "The macro \"%.*s\" has two parameters \"%.*s\".", length(macro_.name),
                         macro_.name->text.data(), length(name), name->text.data());
      return false;
    }
    if (macro_.parameters.size() == kMaxParameters) {
      diagnostics_.error(at_->where, "The macro has more than %zu parameters.", kMaxParameters);
      return false;
    }
    macro_.parameters.push_back(name);
    name->parameter = static_cast<uint32_t>(macro_.parameters.size());
    return true;
  }

  static int length(const Name* name) { return static_cast<int>(name->text.size()); }

  // After the "(". Leaves the ")" after.
  bool readParameters(const Lexeme* open) {
    if (at_ != end_ && at_->is(')')) return ++at_, true;
    while (at_ != end_) {
      if (at_->kind == TokenKind::kPunctuator && at_->view() == "...") {
        if (!addParameter(names_.intern("__VA_ARGS__"))) return false;
        macro_.is_variadic = true;
        ++at_;
      } else if (at_->kind == TokenKind::kIdentifier) {
        if (!addParameter(at_->name)) return false;
        ++at_;
        if (at_ != end_ && at_->kind == TokenKind::kPunctuator && at_->view() == "...") {  // GNU's named rest
          macro_.is_variadic = true;
          ++at_;
        }
      } else {
        diagnostics_.error(at_->where, "A parameter's name or \"...\" is expected here, not \"%.*s\".",
                           static_cast<int>(at_->size), at_->text);
        return false;
      }
      if (at_ != end_ && at_->is(')')) return ++at_, true;
      if (at_ == end_ || !at_->is(',') || macro_.is_variadic) break;
      ++at_;
    }
    diagnostics_.error(at_ != end_ ? at_->where : open->where, "The list of the macro's parameters has no \")\"%s.",
                       macro_.is_variadic ? " after \"...\"" : "");
    return false;
  }

  bool readBody() {
    // The operators leave the body here and become flags: # on the parameter after it, ## on the operand before it. Expansion
    // then never looks at operators that come from arguments, as the standard demands.
    std::vector<Lexeme>& body = macro_.body;
    body.reserve(static_cast<size_t>(end_ - at_));
    for (; at_ != end_; ++at_) {
      Lexeme lexeme = *at_;
      lexeme.flags &= Lexeme::kSpaceBefore;
      if (at_->isPaste()) {
        if (body.empty() || at_ + 1 == end_) {
          diagnostics_.error(at_->where, "\"##\" stands at the %s of the macro; it joins two operands.",
                             body.empty() ? "beginning" : "end");
          return false;
        }
        body.back().flags |= Lexeme::kPaste;
        macro_.has_paste = true;
        continue;
      }
      if (macro_.is_function && at_->isHash()) {
        if (at_ + 1 == end_ || at_[1].name == nullptr || at_[1].name->parameter == 0) {
          diagnostics_.error(at_->where, "After \"#\" in a macro with parameters stands one of these parameters.");
          return false;
        }
        ++at_;
        lexeme.flags |= Lexeme::kStringify;
        lexeme.name = at_->name;
        lexeme.text = at_->text;
        lexeme.size = at_->size;
        lexeme.kind = TokenKind::kIdentifier;
      }
      if (lexeme.name != nullptr && lexeme.name->parameter != 0) {
        lexeme.flags |= Lexeme::kParameter;
        lexeme.parameter = static_cast<uint16_t>(lexeme.name->parameter - 1);
      } else if (lexeme.name != nullptr && lexeme.view() == "__VA_ARGS__") {
        diagnostics_.warning(lexeme.where,
                             "\"__VA_ARGS__\" means something only in a macro whose parameters end with \"...\".");
      }
      body.push_back(lexeme);
    }
    if (!body.empty()) body.front().flags &= static_cast<uint8_t>(~Lexeme::kSpaceBefore);
    return true;
  }

  Macro& macro_;
  const Lexeme* at_;
  const Lexeme* const end_;
  Names& names_;
  Diagnostics& diagnostics_;
};

bool same(const Macro& a, const Macro& b) {
  if (a.is_function != b.is_function || a.is_variadic != b.is_variadic || a.parameters != b.parameters ||
      a.dynamic != b.dynamic || a.body.size() != b.body.size()) {
    return false;
  }
  for (size_t i = 0; i < a.body.size(); ++i) {
    if (a.body[i].flags != b.body[i].flags || a.body[i].kind != b.body[i].kind || a.body[i].view() != b.body[i].view()) {
      return false;
    }
  }
  return true;
}

}  // namespace

Macro* Macros::predefined(Name& name) {
  const PredefinedMacro* entry = findPredefined(name.text);
  if (entry == nullptr) return nullptr;
  Macro& macro = macros_.emplace_back();
  macro.name = &name;
  macro.dynamic = entry->dynamic;
  macro.predefined = entry;
  macro.is_builtin = true;
  macro.is_function = entry->text[0] == '(';
  return &macro;
}

void Macros::complete(Macro& macro, Names& names, Diagnostics& diagnostics) {
  std::vector<Lexeme> text;
  lexText(&text, macro.predefined->text, names);
  macro.predefined = nullptr;
  if (macro.is_function) text.front().flags = 0;                                                     // no space before the "("
  (void)DefinitionReader(macro, text.data(), text.data() + text.size(), names, diagnostics).read();  // the table is sound
}

Macro* Macros::define(const Lexeme* at, const Lexeme* end, Location directive, Names& names, Diagnostics& diagnostics) {
  if (at == end || at->kind != TokenKind::kIdentifier || at->view() == "defined") {
    const std::string found = at == end ? "the end of the line" : "\"" + std::string(at->view()) + "\"";
    diagnostics.error(at == end ? directive : at->where, "A macro's name is expected after #define, not %s.", found.c_str());
    return nullptr;
  }
  Name* const name = at->name;
  Macro& macro = macros_.emplace_back();
  macro.name = name;
  macro.where = at->where;
  if (!DefinitionReader(macro, at + 1, end, names, diagnostics).read()) {
    macros_.pop_back();
    return nullptr;
  }
  Macro* const old = name->macro;
  if (old != nullptr && (!old->is_builtin || old->dynamic != DynamicMacro::kNone) && !same(*old, macro)) {
    diagnostics.warning(macro.where, "The macro \"%.*s\" is defined again, and differently.",
                        static_cast<int>(name->text.size()), name->text.data());
    if (old->where.line != 0) diagnostics.note(old->where, "This is the definition that is replaced.");
  }
  return name->macro = &macro;
}

bool stringify(std::string* out, const Lexeme* at, const Lexeme* end) {
  out->assign(1, '"');
  for (const Lexeme* lexeme = at; lexeme != end; ++lexeme) {
    if (lexeme != at && lexeme->has(Lexeme::kSpaceBefore)) out->push_back(' ');
    const bool quoted = lexeme->kind == TokenKind::kString || lexeme->kind == TokenKind::kCharacter;
    for (const char c : lexeme->view()) {
      if (quoted && (c == '"' || c == '\\')) out->push_back('\\');
      out->push_back(c);
    }
    if (out->size() > kMaxSpelling) return false;
  }
  out->push_back('"');
  return true;
}

std::string pasted(const Lexeme& a, const Lexeme& b) {
  std::string spelling(a.view());
  spelling.append(b.view());
  return spelling;
}

}  // namespace manyrt::compiler
