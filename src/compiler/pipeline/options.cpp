// Reading build options: words as a shell splits them, then each word against one table. All options of clBuildProgram in
// OpenCL 1.2 are known here. Others are refused by name, because ignoring an option could change results silently.
#include "compiler/pipeline/options.h"

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "base/nearest_word.h"

namespace manyrt::compiler {
namespace {

using Flag = bool BuildOptions::*;

struct FlagOption {
  std::string_view text;
  bool value;
  Flag flags[4];
};
constexpr FlagOption kFlags[] = {
    {"-cl-single-precision-constant", true, {&BuildOptions::single_precision_constants}},
    {"-cl-denorms-are-zero", true, {&BuildOptions::flush_denormals}},
    {"-cl-fp32-correctly-rounded-divide-sqrt", true, {}},  // it always is
    {"-cl-opt-disable", false, {&BuildOptions::optimize}},
    {"-cl-strict-aliasing", true, {}},  // of OpenCL 1.0; it means nothing since
    {"-cl-mad-enable", true, {&BuildOptions::mad}},
    {"-cl-no-signed-zeros", true, {&BuildOptions::no_signed_zeros}},
    {"-cl-unsafe-math-optimizations", true, {&BuildOptions::unsafe_math, &BuildOptions::no_signed_zeros, &BuildOptions::mad}},
    {"-cl-finite-math-only", true, {&BuildOptions::finite_math}},
    {"-cl-fast-relaxed-math",
     true,
     {&BuildOptions::relaxed_math, &BuildOptions::unsafe_math, &BuildOptions::finite_math, &BuildOptions::no_signed_zeros}},
    {"-cl-kernel-arg-info", true, {}},  // it is always there
    {"-w", true, {&BuildOptions::no_warnings}},
    {"-Werror", true, {&BuildOptions::warnings_are_errors}},
    {"-Wdouble-literals", true, {&BuildOptions::warns_of_doubles}},
    {"-g", true, {&BuildOptions::debug}}};

constexpr std::string_view kStandard = "-cl-std=";
constexpr std::string_view kGroupSize = "-rt-group-size=";
constexpr std::string_view kTier = "-rt-tier=";

bool isNameByte(char c, bool first) {
  const char lower = static_cast<char>(c | 32);
  return c == '_' || c == '$' || (lower >= 'a' && lower <= 'z') || (!first && c >= '0' && c <= '9');
}

// A macro's name, with `parameters` perhaps followed by its parameters.
bool isMacroName(std::string_view text, bool parameters) {
  size_t length = 0;
  while (length < text.size() && isNameByte(text[length], length == 0)) ++length;
  if (length == 0) return false;
  return length == text.size() || (parameters && text[length] == '(' && text.back() == ')');
}

Status addDefinition(BuildOptions* options, const std::string& text) {
  const size_t equals = text.find('=');
  PreprocessorOptions::Definition definition;
  definition.name = text.substr(0, equals);
  definition.value = equals == text.npos ? "1" : text.substr(equals + 1);
  RT_CHECK_ARG(isMacroName(definition.name, true), "The build option \"-D%s\" does not begin with a macro's name.",
               text.c_str());
  options->preprocessor.definitions.push_back(std::move(definition));
  return Status();
}

Status setGroupSize(BuildOptions* options, std::string_view text) {
  uint32_t size[3] = {1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  uint64_t items = 1;
  bool ok = true;
  for (uint32_t i = 0; ok; ++i) {
    const auto [rest, error] = std::from_chars(at, end, size[i]);
    ok = error == std::errc() && size[i] != 0 && !__builtin_mul_overflow(items, uint64_t{size[i]}, &items);
    at = rest;
    if (at == end || !ok) break;
    ok = *at++ == ',' && i < 2;
  }
  RT_CHECK_ARG(ok && items <= UINT32_MAX,
               "The build option \"%s%.*s\" is damaged: it takes one to three numbers from 1 with commas between, for at most "
               "%u work-items.",
               kGroupSize.data(), static_cast<int>(text.size()), text.data(), UINT32_MAX);
  memcpy(options->group_size, size, sizeof size);
  return Status();
}

Status setTier(BuildOptions* options, std::string_view text) {
  constexpr std::pair<std::string_view, Tier> kKnown[] = {
      {"tiered", Tier::kTiered}, {"optimized", Tier::kOptimized}, {"quick", Tier::kQuick}};
  for (const auto& [word, tier] : kKnown) {
    if (text != word) continue;
    options->tier = tier;
    return Status();
  }
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "The build option \"%s%.*s\" names no form of code; tiered, optimized and quick are known.",
                       kTier.data(), static_cast<int>(text.size()), text.data());
}

Status setStandard(BuildOptions* options, std::string_view text) {
  constexpr const char* kKnown[][2] = {{"CL1.0", "100"}, {"CL1.1", "110"}, {"CL1.2", "120"}};
  for (const auto& known : kKnown) {
    if (text != known[0]) continue;
    options->preprocessor.definitions.push_back({"__OPENCL_C_VERSION__", known[1], false});
    return Status();
  }
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "The build option \"%s%.*s\" names a language that is not known; CL1.0, CL1.1 and "
                       "CL1.2 are.",
                       kStandard.data(), static_cast<int>(text.size()), text.data());
}

// Options that are one word: flags, and those with "=".
Status applyWord(BuildOptions* options, std::string_view word) {
  for (const FlagOption& option : kFlags) {
    if (option.text != word) continue;
    for (const Flag flag : option.flags) {
      if (flag != nullptr) options->*flag = option.value;
    }
    if (options->relaxed_math && word == "-cl-fast-relaxed-math") {
      options->mad = true;  // by way of the unsafe optimisations
      options->preprocessor.definitions.push_back({"__FAST_RELAXED_MATH__", "1", false});
    }
    return Status();
  }
  if (word.starts_with(kStandard)) return setStandard(options, word.substr(kStandard.size()));
  if (word.starts_with(kGroupSize)) return setGroupSize(options, word.substr(kGroupSize.size()));
  if (word.starts_with(kTier)) return setTier(options, word.substr(kTier.size()));
  // An option with a value is compared up to that: "-cl-sdt=CL1.2".
  const size_t equals = word.find('=');
  NearestWord nearest(word.substr(0, equals == word.npos ? equals : equals + 1));
  std::string known = "-D, -U, -I";
  for (const FlagOption& option : kFlags) {
    known.append(", ").append(option.text);
    nearest.consider(option.text);
  }
  nearest.consider(kStandard);
  nearest.consider(kGroupSize);
  nearest.consider(kTier);
  known.append(", ").append(kStandard).append(", ").append(kGroupSize).append(" and ").append(kTier);
  return Status::error(RT_ERROR_INVALID_VALUE, "The build option \"%.*s\" is not known%s Options are %s.",
                       static_cast<int>(word.size()), word.data(), nearest.sentence().c_str(), known.c_str());
}

// Applies an option that has a value, in its own word or in the next one.
Status applyValue(BuildOptions* options, char letter, const std::string& value) {
  switch (letter) {
    case 'D':
      return addDefinition(options, value);
    case 'U':
      RT_CHECK_ARG(isMacroName(value, false), "The build option \"-U%s\" is not a macro's name.", value.c_str());
      options->preprocessor.definitions.push_back({value, "", true});
      return Status();
    default:
      RT_CHECK_ARG(!value.empty(), "The build option \"-I\" names no folder.");
      options->preprocessor.include_folders.push_back(value);
      return Status();
  }
}

void appendPart(std::string* out, char letter, const std::string& text) {
  out->append(1, letter).append(std::to_string(text.size())).append(":").append(text);
}

// Lengths stand before texts, so that no two sets of options have one spelling.
std::string normalize(const BuildOptions& options) {
  constexpr Flag kAll[] = {&BuildOptions::single_precision_constants,
                           &BuildOptions::no_signed_zeros,
                           &BuildOptions::mad,
                           &BuildOptions::finite_math,
                           &BuildOptions::unsafe_math,
                           &BuildOptions::relaxed_math,
                           &BuildOptions::flush_denormals,
                           &BuildOptions::optimize,
                           &BuildOptions::no_warnings,
                           &BuildOptions::warnings_are_errors,
                           &BuildOptions::warns_of_doubles,
                           &BuildOptions::debug};
  std::string out;
  for (const Flag flag : kAll) out.push_back(options.*flag ? '1' : '0');
  for (const uint32_t size : options.group_size) out.append(",").append(std::to_string(size));
  out.push_back(';');
  for (const PreprocessorOptions::Definition& definition : options.preprocessor.definitions) {
    appendPart(&out, definition.undefine ? 'U' : 'D', definition.name);
    if (!definition.undefine) appendPart(&out, '=', definition.value);
  }
  for (const std::string& folder : options.preprocessor.include_folders) appendPart(&out, 'I', folder);
  return out;
}

}  // namespace

Status splitWords(std::vector<std::string>* words, std::string_view text) {
  std::string word;
  // A word may be empty ("" is one), so that `in_word`, not the length, says whether one has begun. Quotes group and vanish, as
  // a shell has them.
  bool in_word = false;
  char quote = 0;
  size_t opened = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f')) {
      if (in_word) words->push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (c == quote && quote != 0) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      opened = i;
    } else if (c == '\\' && quote != '\'') {
      RT_CHECK_ARG(i + 1 < text.size(), "The build options end with a backslash, which stands before nothing.");
      const char next = text[++i];
      // In double quotes a backslash is one unless it stands before what it could protect.
      if (quote == '"' && strchr("\"\\$`\n", next) == nullptr) word.push_back('\\');
      if (next != '\n') word.push_back(next);
    } else {
      word.push_back(c);
    }
  }
  RT_CHECK_ARG(quote == 0, "The build options have a %c at byte %zu that is not closed.", quote, opened);
  if (in_word) words->push_back(std::move(word));
  return Status();
}

Status parseOptions(BuildOptions* options, const char* text) {
  *options = BuildOptions();
  std::vector<std::string> words;
  RT_TRY(splitWords(&words, text));
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const char letter = word.size() >= 2 && word[0] == '-' ? word[1] : '\0';
    if (letter != 'D' && letter != 'U' && letter != 'I') {
      RT_TRY(applyWord(options, word));
    } else if (word.size() > 2) {
      RT_TRY(applyValue(options, letter, word.substr(2)));
    } else {
      RT_CHECK_ARG(i + 1 < words.size(), "The build option \"-%c\" stands at the end, without what it takes.", letter);
      RT_TRY(applyValue(options, letter, words[++i]));
    }
  }
  options->normalized = normalize(*options);
  return Status();
}

}  // namespace manyrt::compiler
