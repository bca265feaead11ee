// Program scope: which declaration comes next, what a #pragma says, and how parsing goes on after an error.
#include "compiler/parser/parser.h"

#include <algorithm>
#include <charconv>

#include "compiler/parser/keyword.h"
#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

// The words of a pragma's text, one after the other.
std::string_view takeWord(std::string_view* text) {
  const size_t begin = text->find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text->remove_prefix(begin);
  size_t end = text->find_first_of(" \t():");
  if (end == 0) end = 1;
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(word.size());
  return word;
}

// The extensions that the library always has ("cl_khr_..."). Enabling them changes nothing.
bool isKnownExtension(std::string_view name) {
  for (std::string_view known :
       {"cl_khr_fp16", "cl_khr_fp64", "cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics",
        "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics", "cl_khr_integer_dot_product",
        "cl_intel_bfloat16_conversions", "cl_khr_subgroups", "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative",
        "all"}) {
    if (name == known) return true;
  }
  return false;
}

// "unroll", "unroll 4", "unroll (4)": the factor; 0 for none, -1 where it is no positive number.
int32_t unrollFactor(std::string_view text) {
  std::string_view word = takeWord(&text);
  if (word == "(") word = takeWord(&text);
  if (word.empty()) return 0;
  int32_t factor = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), factor);
  return error == std::errc() && end == word.data() + word.size() && factor > 0 ? factor : -1;
}

}  // namespace

Parser::Parser(Program& program, const LanguageOptions& options, Diagnostics& diagnostics)
    : Cursor(program.tokens, diagnostics),
      Scopes(program.types, diagnostics),
      ExpressionBuilder(program, options.warns_of_doubles, diagnostics),
      options_(options),
      builtins_(program.types) {
  if (program.tokens.empty()) program.tokens.emplace_back();  // the cursor relies on an end
}

// The rest of #pragma pack: what fields of structs are aligned to at most.
bool Parser::setFieldLimit(std::string_view text) {
  constexpr size_t kMaxPushed = 256;
  std::string words;
  for (char letter : text) {
    if (letter != ' ' && letter != '\t') words += letter;
  }
  if (words == "()") {
    field_limits_.back() = 0;
    return true;
  }
  if (words == "(pop)") {  // one too many is none
    if (field_limits_.size() > 1) field_limits_.pop_back();
    return true;
  }
  const bool push = words.rfind("(push", 0) == 0;
  if (push && field_limits_.size() < kMaxPushed) field_limits_.push_back(field_limits_.back());
  if (words == "(push)") return true;
  const std::string number =
      push ? words.substr(std::min<size_t>(words.size(), 6)) : words.substr(std::min<size_t>(words.size(), 1));
  for (const char* known : {"1)", "2)", "4)", "8)", "16)"}) {
    if (number != known) continue;
    field_limits_.back() = static_cast<uint32_t>(std::stoul(number));
    return true;
  }
  return false;
}

bool Parser::acceptPragma() {
  if (peek().kind != TokenKind::kPragma) return false;
  const Token& token = next();
  std::string_view text = token.text;
  const std::string_view word = takeWord(&text);
  if (word == "unroll") {
    unroll_ = unrollFactor(text);
    if (unroll_ < 0) {
      diagnostics_.error(token.where, "The factor of #pragma unroll must be a positive number, not \"%s\".",
                         std::string(text).c_str());
    }
  } else if (word == "nounroll") {
    unroll_ = 1;
  } else if (word == "pack") {
    if (!setFieldLimit(text)) {
      diagnostics_.error(token.where, "#pragma pack%s is none of pack(n), pack(push, n), pack(push), pack(pop) and pack().",
                         std::string(text).c_str());
    }
  } else if (word == "OPENCL" && takeWord(&text) == "EXTENSION") {
    switchExtension(text, token.where);
  }
  return true;
}

// The rest of #pragma OPENCL EXTENSION. Only that for halves changes what the language has.
void Parser::switchExtension(std::string_view text, Location where) {
  const std::string name(takeWord(&text));
  if (takeWord(&text) != ":") {
    diagnostics_.warning(where, "The pragma is ignored: \":\" is missing after \"%s\".", name.c_str());
    return;
  }
  const bool enables = takeWord(&text) != "disable";
  if (name == "cl_khr_fp16" || name == "all") {
    half_arithmetic_ = enables && options_.halves;
    builtins_.takeHalves(half_arithmetic_);
  }
  const bool is_known = isKnownExtension(name) && (name != "cl_khr_fp16" || options_.halves);
  if (enables && !is_known) {
    diagnostics_.warning(where, "The extension \"%s\" is not supported; the pragma is ignored.", name.c_str());
  }
}

bool Parser::acceptStaticAssert() {
  if (!at("_Static_assert")) return false;
  const Location where = next().where;
  int64_t value = 0;
  if (!expect("(", "_Static_assert") || !parseIntegerConstant(&value, "the condition of _Static_assert") ||
      !expect(",", "the condition of _Static_assert")) {
    skipTo(";");
    return true;
  }
  const std::string message(peek().text);
  if (peek().kind == TokenKind::kString) next();
  if (!expect(")", "the message of _Static_assert") || !expect(";", "_Static_assert")) skipTo(";");
  if (value == 0) diagnostics_.error(where, "The static assertion fails: %s.", message.c_str());
  return true;
}

bool Parser::parseDeclaration() {
  const uint32_t first = static_cast<uint32_t>(at_);
  Specifiers specifiers;
  if (!parseSpecifiers(&specifiers)) return false;
  if (accept(";")) {
    const bool declares = specifiers.type->isRecord() || specifiers.type->kind == TypeKind::kEnum;
    if (!declares) diagnostics_.warning(specifiers.where, "This declaration declares nothing.");
    return true;
  }
  for (bool is_first = true;; is_first = false) {
    Declarator declarator;
    if (!parseDeclarator(&declarator, specifiers, false)) return false;
    Specifiers own = specifiers;
    if (!parseAttributes(&own, &declarator.alignment, nullptr)) return false;
    if (own.is_typedef) {
      if (!declareType(own, declarator)) return false;
    } else if (declarator.type->isFunction()) {
      Function* function = declareFunction(own, declarator);
      if (is_first && at("{")) return parseDefinition(function, declarator, first);
      if (function == nullptr) return false;
    } else if (!declareProgramVariable(own, declarator)) {
      return false;
    }
    if (!accept(",")) return expect(";", "the declaration");
  }
}

bool Parser::parseProgram() {
  size_t part = 0;  // the next one
  while (!atEnd() && !diagnostics_.full()) {
    const size_t before = at_;
    for (; part < program_.parts.size() && program_.parts[part].begin <= at_; ++part) showOnly(&program_.parts[part].declared);
    if (accept(";") || acceptPragma() || acceptStaticAssert()) continue;
    if (unroll_ != -1) {
      unroll_ = -1;
      diagnostics_.error(peek().where, "#pragma unroll must stand before a for, while or do loop.");
    }
    if (!parseDeclaration()) {
      recover(before);
      if (at("}")) next();  // one too many
      scopes_.resize(kProgramScope + 1);
      function_ = nullptr;
      open_records_.clear();
    }
    if (at_ == before) next();
  }
  if (!diagnostics_.failed()) checkExterns();
  if (!diagnostics_.failed()) checkCalls();
  return !diagnostics_.failed();
}

bool parse(Program* program, const LanguageOptions& options, Diagnostics& diagnostics) {
  Parser parser(*program, options, diagnostics);
  const bool parsed = parser.parseProgram();
  parser.keepBuiltins();
  return parsed;
}

}  // namespace manyrt::compiler
