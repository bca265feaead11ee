// The stack of replacements: what is read next, which macros are entered, and where the arguments of a use end. Leases its
// buffers, because a heavy program uses macros a million times.
#include "compiler/preprocessor/expander.h"

#include <utility>

namespace manyrt::compiler {
namespace {

constexpr size_t kMaxKept = 4096;  // lexemes of a buffer that waits for its next use
constexpr uint8_t kPlaceFlags = Lexeme::kSpaceBefore | Lexeme::kLineStart;

int length(const Name* name) { return static_cast<int>(name->text.size()); }

void empty(std::vector<Lexeme>* buffer) {
  if (buffer->capacity() > kMaxKept) {
    std::vector<Lexeme>().swap(*buffer);
  } else {
    buffer->clear();
  }
}

}  // namespace

Expander::Expander(Sources& sources, Names& names, Macros& macros, Diagnostics& diagnostics, Input& input)
    : sources_(sources),
      names_(names),
      macros_(macros),
      diagnostics_(diagnostics),
      input_(input),
      defined_(names.intern("defined")) {}

std::vector<Lexeme>* Expander::lease() {
  if (free_buffers_.empty()) {
    free_buffers_.push_back(buffers_.emplace_back(std::make_unique<std::vector<Lexeme>>()).get());
  }
  std::vector<Lexeme>* buffer = free_buffers_.back();
  free_buffers_.pop_back();
  return buffer;
}

void Expander::giveBack(std::vector<Lexeme>* buffer) {
  empty(buffer);
  free_buffers_.push_back(buffer);
}

std::unique_ptr<Expander::Call> Expander::leaseCall() {
  if (free_calls_.empty()) return std::make_unique<Call>();
  std::unique_ptr<Call> call = std::move(free_calls_.back());
  free_calls_.pop_back();
  return call;
}

void Expander::giveBack(std::unique_ptr<Call> call) {
  empty(&call->raw);
  empty(&call->expanded);
  call->arguments.clear();
  free_calls_.push_back(std::move(call));
}

bool Expander::spend(size_t tokens) {
  spent_ += static_cast<uint32_t>(tokens);
  spent_all_ += tokens;
  if (spent_ <= kMaxExpansion && spent_all_ <= kMaxExpansions) [[likely]]
    return !stopped_;
  if (!stopped_) {
    if (spent_ > kMaxExpansion) {
      diagnostics_.error(outermost_, "The macro used here makes more than %u tokens.", kMaxExpansion);
    } else {
      diagnostics_.error(outermost_, "The program's macros make more than %u tokens.", kMaxExpansions);
    }
  }
  stopped_ = true;
  return false;
}

void Expander::push(Macro* macro, std::vector<Lexeme>* buffer, const Lexeme* at, const Lexeme* end, uint8_t flags) {
  contexts_.push_back({at, end, macro, buffer, macro != nullptr, static_cast<uint8_t>(flags & kPlaceFlags)});
  if (macro != nullptr) macro->expanding = true;
}

void Expander::pop() {
  const Context& top = contexts_.back();
  if (top.first) carried_ |= top.flags;
  if (top.macro != nullptr) top.macro->expanding = false;
  if (top.buffer != nullptr) giveBack(top.buffer);
  contexts_.pop_back();
}

bool Expander::read(Lexeme* out) {
  while (!contexts_.empty()) {
    Context& top = contexts_.back();
    if (top.at == top.end) {
      if (top.macro == nullptr) return false;
      pop();
      continue;
    }
    *out = *top.at++;
    if (top.first) {
      top.first = false;
      out->flags = static_cast<uint8_t>((out->flags & ~kPlaceFlags) | top.flags);
    }
    out->flags |= carried_;
    carried_ = 0;
    from_macro_ = true;
    return true;
  }
  if (stopped() || !input_.read(out)) return false;
  out->flags |= carried_;
  carried_ = 0;
  from_macro_ = false;
  return true;
}

bool Expander::next(Lexeme* out) {
  while (read(out)) {
    if (out->name == nullptr) return true;
    if (in_condition_ && out->name == defined_) return readDefined(out);
    Macro* const macro = out->name->macro;
    if (macro == nullptr || out->has(Lexeme::kNoExpansion)) return true;
    // A macro's name inside its own replacement is never expanded (6.10.3.4). The lexeme itself carries the mark, which
    // therefore holds when the replacement has been left.
    if (macro->expanding) {
      out->flags |= Lexeme::kNoExpansion;
      return true;
    }
    if (!enter(*macro, out)) return true;
    if (stopped()) return false;
  }
  return false;
}

// True where the macro's use was taken out of the input; false: `out` is what comes next.
bool Expander::enter(Macro& macro, Lexeme* out) {
  if (macro.predefined != nullptr) macros_.complete(macro, names_, diagnostics_);
  if (macro.dynamic != DynamicMacro::kNone) {
    makeDynamic(macro.dynamic, out);
    return false;
  }
  if (macro.is_function && !opensCall()) return false;
  if (!from_macro_) {
    outermost_ = out->where;
    spent_ = 0;
  }
  if (macro.is_function) {
    const Lexeme use = *out;
    return enterFunction(macro, use);
  }
  enterObject(macro, *out);
  return true;
}

// Whether a "(" comes next. Leaves replacements that are read to their end, as the standard allows. The tokens after them may
// be the argument list of a macro whose name ends the replacement.
bool Expander::opensCall() {
  while (!contexts_.empty()) {
    const Context& top = contexts_.back();
    if (top.at != top.end) return top.at->is('(');
    if (top.macro == nullptr) return false;
    pop();
  }
  return !stopped() && input_.opensCall();
}

void Expander::enterObject(Macro& macro, const Lexeme& use) {
  if (!spend(macro.body.size() + 1)) return;
  if (!macro.has_paste) {
    push(&macro, nullptr, macro.body.data(), macro.body.data() + macro.body.size(), use.flags);
    return;
  }
  std::vector<Lexeme>* buffer = lease();
  substitute(*buffer, macro, nullptr);
  push(&macro, buffer, buffer->data(), buffer->data() + buffer->size(), use.flags);
}

bool Expander::enterFunction(Macro& macro, const Lexeme& use) {
  std::unique_ptr<Call> call = leaseCall();
  ++collecting_;
  const bool collected = collect(*call, macro, use);
  --collecting_;
  if (collected && countArguments(*call, macro, use)) {
    std::vector<Lexeme>* buffer = lease();
    substitute(*buffer, macro, call.get());
    push(&macro, buffer, buffer->data(), buffer->data() + buffer->size(), use.flags);
  }
  giveBack(std::move(call));
  return true;
}

bool Expander::collect(Call& call, const Macro& macro, const Lexeme& use) {
  Lexeme lexeme;
  if (!read(&lexeme)) return false;  // the "("
  // The list may begin in a macro's replacement and end in the input after it: read() crosses that border. Arguments stay
  // unexpanded here, since # and ## need them so. Names marked as not to be expanded keep the mark, or a macro could expand
  // itself by way of an argument. The last parameter of a variadic macro takes the remaining commas.
  uint32_t nesting = 0, begin = 0;
  const auto close = [&] {
    const uint32_t end = static_cast<uint32_t>(call.raw.size());
    call.arguments.push_back({{begin, end}, {0, 0}, false, false});
    begin = end;
  };
  while (spend(1)) {
    if (!read(&lexeme)) {
      if (!stopped()) {
        diagnostics_.error(use.where, "The argument list of the macro \"%.*s\" has no \")\".", length(macro.name),
                           macro.name->text.data());
        noteUse(use.where);
      }
      return false;
    }
    lexeme.flags &= Lexeme::kSpaceBefore | Lexeme::kNoExpansion;
    if (lexeme.is('(')) ++nesting;
    if (lexeme.is(')') && nesting-- == 0) {
      close();
      return true;
    }
    if (lexeme.is(',') && nesting == 0 && !(macro.is_variadic && call.arguments.size() + 1 >= macro.parameters.size())) {
      close();
    } else {
      call.raw.push_back(lexeme);
    }
  }
  return false;
}

bool Expander::countArguments(Call& call, const Macro& macro, const Lexeme& use) {
  const size_t wanted = macro.parameters.size();
  if (wanted == 0 && call.arguments.size() == 1 && call.raw.empty()) call.arguments.clear();
  if (macro.is_variadic && call.arguments.size() + 1 == wanted) {
    const uint32_t end = static_cast<uint32_t>(call.raw.size());
    call.arguments.push_back({{end, end}, {0, 0}, false, true});
  } else if (macro.is_variadic && wanted == 1 && call.raw.empty()) {
    call.arguments.front().is_omitted = true;
  }
  if (call.arguments.size() == wanted) return true;
  diagnostics_.error(use.where, "The macro \"%.*s\" takes %s%zu argument%s; here it gets %zu.", length(macro.name),
                     macro.name->text.data(), macro.is_variadic ? "at least " : "", wanted - (macro.is_variadic ? 1 : 0),
                     wanted - (macro.is_variadic ? 1 : 0) == 1 ? "" : "s", call.arguments.size());
  if (macro.where.line != 0) diagnostics_.note(macro.where, "The macro is defined here.");
  noteUse(use.where);
  return false;
}

// After an error at a place in a macro: where that macro came from.
void Expander::noteUse(Location place) {
  if (outermost_.file == place.file && outermost_.line == place.line) return;
  diagnostics_.note(outermost_, "It comes from what is used here.");
}

void Expander::expandRange(std::vector<Lexeme>* out, const Lexeme* at, const Lexeme* end) {
  if (depth_ == kMaxExpansionDepth) {
    if (!stopped_) {
      diagnostics_.error(outermost_, "Macros are used in the arguments of macros more than %u levels deep here.",
                         kMaxExpansionDepth);
    }
    stopped_ = true;
    return;
  }
  ++depth_;
  // The range is expanded as if it were the whole input. The context without a macro stops read() at its end, so that no call
  // takes arguments from after it. Contexts that are left over after an error are popped, which frees their macros for
  // expansion again.
  const size_t base = contexts_.size();
  const uint8_t carried = std::exchange(carried_, uint8_t{0});
  const bool from_macro = from_macro_;
  push(nullptr, nullptr, at, end, 0);
  Lexeme lexeme;
  while (next(&lexeme) && spend(1)) out->push_back(lexeme);
  while (contexts_.size() > base) pop();
  carried_ = carried;
  from_macro_ = from_macro;
  --depth_;
}

void Expander::expandArgument(Call& call, Argument& argument) {
  argument.is_expanded = true;
  argument.expanded.begin = static_cast<uint32_t>(call.expanded.size());
  expandRange(&call.expanded, call.raw.data() + argument.raw.begin, call.raw.data() + argument.raw.end);
  argument.expanded.end = static_cast<uint32_t>(call.expanded.size());
}

void Expander::expandLine(std::vector<Lexeme>* out, const Lexeme* at, const Lexeme* end, bool condition) {
  if (at == end) return;
  const Location outermost = std::exchange(outermost_, at->where);
  const bool in_condition = std::exchange(in_condition_, condition);
  if (depth_ == 0) spent_ = 0;
  expandRange(out, at, end);
  in_condition_ = in_condition;
  outermost_ = outermost;
}

}  // namespace manyrt::compiler
