// A function of the library for one type, as the compiler of a kernel gets it: no template, a name of its own, the words of
// library/language.h replaced by what they mean, and before it the functions that it calls. What is written here for one lane a
// lowering to lanes can write for a vector of them: the text says T, Unsigned<T> and so on, and leaves to the writer what they
// are.
#include <algorithm>
#include <utility>

#include "compiler/builtins/library.h"
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }
bool isSpace(char letter) { return letter == ' ' || letter == '\n'; }
bool isWordLetter(char letter) {
  return isDigit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

// What a word of library/language.h means for a scalar; empty: it is none.
std::string wordValue(std::string_view word, Scalar scalar) {
  const bool wide = scalarSize(scalar) == 8;
  if (word == "largest") return largest(scalar);
  if (word == "smallest") return smallest(scalar);
  if (word == "beyond") return "0x1p" + std::to_string(bitsOf(scalar) - (isSignedInteger(scalar) ? 1 : 0));
  if (word == "Common") return wide && !isFloat(scalar) ? "__int128" : "double";
  if (word == "bits") return std::to_string(bitsOf(scalar));
  if (word == "Signed") return cppName(signedOf(scalar));
  if (word == "Unsigned") return cppName(unsignedOf(scalar));
  if (word == "Wide") return wideName(scalar, isSignedInteger(scalar));
  if (word == "WideUnsigned") return wideName(scalar, false);
  if (word == "Promoted") return promotedUnsigned(scalar);
  if (word == "CudaWord") return wide ? "unsigned long long" : "unsigned int";
  if (word == "CudaNumber" && isSignedInteger(scalar)) return wide ? "long long" : "int";
  if (word == "CudaNumber") return wide ? "unsigned long long" : "unsigned int";
  return {};
}

// "x, y" of "T x, T y".
std::string namesOf(std::string_view parameters) {
  std::string names;
  while (!parameters.empty()) {
    const std::string_view one = parameters.substr(0, parameters.find(','));
    size_t begin = one.size();
    while (begin > 0 && isWordLetter(one[begin - 1])) --begin;
    names += (names.empty() ? "" : ", ") + std::string(one.substr(begin));
    parameters.remove_prefix(std::min(one.size() + 1, parameters.size()));
  }
  return names;
}

// Of a function that does nothing but call another one with its own parameters: that one's name.
std::string_view forwardedTo(const LibraryFunction& function) {
  constexpr std::string_view kReturn = "return ";
  std::string_view body = function.body;
  while (!body.empty() && isSpace(body.front())) body.remove_prefix(1);
  while (!body.empty() && isSpace(body.back())) body.remove_suffix(1);
  if (!body.starts_with(kReturn)) return {};
  body.remove_prefix(kReturn.size());
  std::string_view name = body.substr(0, body.find('('));
  const std::string_view behind = body.substr(name.size());
  if (name.ends_with("<T>")) name.remove_suffix(3);
  return name != function.name && behind == "(" + namesOf(function.parameters) + ");" ? name : std::string_view();
}

// Where the identifier or number that begins at `at` ends: "clamp", "0x1p-40f".
size_t endOfWord(std::string_view text, size_t at) {
  const bool number = isDigit(text[at]);
  for (++at; at < text.size(); ++at) {
    const bool of_exponent = (text[at] == '-' || text[at] == '+') && (text[at - 1] == 'p' || text[at - 1] == 'e');
    if (!isWordLetter(text[at]) && !(number && (text[at] == '.' || of_exponent))) break;
  }
  return at;
}

// "<T>", "<From>", "<double>" or "<float>" behind a word: moves over it. False: there is none.
bool takeArgument(std::string_view text, size_t* at, Scalar* scalar, Scalar from) {
  const std::pair<std::string_view, Scalar> kArguments[] = {
      {"<T>", *scalar}, {"<From>", from}, {"<double>", Scalar::kDouble}, {"<float>", Scalar::kFloat}};
  for (const auto& [argument, meaning] : kArguments) {
    if (text.substr(*at, argument.size()) != argument) continue;
    *at += argument.size();
    *scalar = meaning;
    return true;
  }
  return false;
}

}  // namespace

// What the word at `at` becomes; moves behind it and its argument.
std::string Prelude::expandWord(std::string_view text, size_t* at, const Instance& instance) {
  const size_t begin = *at;
  *at = endOfWord(text, begin);
  const std::string_view word = text.substr(begin, *at - begin);
  if (word == "T") return cppName(instance.scalar);
  if (word == "From") return cppName(instance.from);
  if (word == "half") return cppName(Scalar::kHalf);
  if (constexpr std::string_view kOfT = "<T, "; word == "Vector" && text.substr(*at, kOfT.size()) == kOfT) {
    const char count = text[*at + kOfT.size()];
    *at = text.find('>', *at) + 1;
    return type(types_.vector(instance.scalar, count == 'N' ? instance.lanes : static_cast<uint32_t>(count - '0')));
  }
  Instance own = instance;
  if (takeArgument(text, at, &own.scalar, instance.from)) {
    if (std::string value = wordValue(word, own.scalar); !value.empty()) return value;
  }
  const bool is_call = *at < text.size() && text[*at] == '(';
  const bool of_others = begin >= 2 && text.substr(begin - 2, 2) == "::";
  if (is_call && !of_others && (word == "fused" || hasLibraryFunction(word))) return libraryFunction(word, own);
  return std::string(word);
}

// The text with T and the words for it replaced, calls of the library's functions by their names here, and space made small.
// What is written as ::name loses the colons: the functions that are defined here have other names anyway.
std::string Prelude::expand(std::string_view text, const Instance& instance) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "::") {
      at += 2;
    } else if (isWordLetter(text[at])) {
      out += expandWord(text, &at, instance);
    } else if (!isSpace(text[at])) {
      out += text[at++];
    } else {
      if (!out.empty() && out.back() != ' ') out += ' ';
      ++at;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string Prelude::libraryFunction(std::string_view name, const Instance& instance) {
  const auto [scalar, lanes, from] = instance;
  if (name == "fused") return multiplyAddLane(scalar);
  const LibraryFunction* function = findLibraryFunction(name, scalar, lanes, dialect_ == Dialect::kCuda);
  if (function == nullptr) return "mrt_" + std::string(name);  // the parser accepts no call that gets here
  if (function->body.empty()) {
    if (function->scalars != 0) return "__builtin_" + std::string(name) + (scalar == Scalar::kFloat ? "f" : "");
    if (first(std::string(name))) text_ += std::string(function->whole) + "\n";
    return std::string(name);
  }
  if (const std::string_view other = forwardedTo(*function); hasLibraryFunction(other)) return libraryFunction(other, instance);
  std::string own = "mrt_" + std::string(name);
  if (function->scalars != 0) own += std::string("_") + scalarName(scalar);
  if (function->lanes != 0 && lanes > 1) own += std::to_string(lanes);
  if (function->converts) own += std::string("_") + scalarName(from);
  const std::string result = expand(function->result, instance);
  return define(own, result, expand(function->parameters, instance), [&] { return expand(function->body, instance); });
}

}  // namespace manyrt::compiler
