// Writes a function of the library for one type, as the compiler of a kernel gets it. It is no template and has a name of its
// own. The words of library/language.h are replaced by their meanings, and packs are written out component by component. The
// functions that it calls stand before it. The text only says T, Unsigned<T>, Vector<T, I...>. A lowering that runs several
// work-items at once can therefore make T a vector of their values.
#include <algorithm>
#include <optional>

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

// The meaning of a word of library/language.h for a scalar. Empty: it is no such word.
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

// The type of the values of several work-items: library/lanes/math.h has the macro.
std::string lanesOf(const std::string& type) { return "MRT_W(" + type + ")"; }

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

// The function that this one only calls with its own parameters. Empty: it does more.
std::string_view forwardedTo(const LibraryFunction& function) {
  constexpr std::string_view kReturn = "return ";
  std::string_view body = function.body;
  while (!body.empty() && isSpace(body.front())) body.remove_prefix(1);
  while (!body.empty() && isSpace(body.back())) body.remove_suffix(1);
  if (!body.starts_with(kReturn)) return {};
  body.remove_prefix(kReturn.size());
  std::string_view name = body.substr(0, body.find('('));
  const std::string_view rest = body.substr(name.size());
  if (name.ends_with("<T>")) name.remove_suffix(3);
  return name != function.name && rest == "(" + namesOf(function.parameters) + ");" ? name : std::string_view();
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

// "<T>", "<From>", "<double>", "<float>" or "<T, Unsigned<From>>" after a word: moves over it. False: there is none.
bool takeArgument(std::string_view text, size_t* at, LibraryTypes* types) {
  struct Argument {
    std::string_view text;
    Scalar scalar, from;
  };
  const auto [scalar, components, from, from_components, in_lanes] = *types;
  const Argument kArguments[] = {{"<T>", scalar, from},
                                 {"<From>", from, from},
                                 {"<double>", Scalar::kDouble, from},
                                 {"<float>", Scalar::kFloat, from},
                                 {"<T, Unsigned<From>>", scalar, unsignedOf(from)}};
  for (const Argument& argument : kArguments) {
    if (text.substr(*at, argument.text.size()) != argument.text) continue;
    *at += argument.text.size();
    types->scalar = argument.scalar;
    types->from = argument.from;
    return true;
  }
  return false;
}

// An expression that is written once for each component: all of "a.s[I] + b.s[I]..." or of "p[I] | ..." in the text.
struct Pack {
  size_t begin, end;       // of the expression
  size_t next;             // the end of the three dots
  std::string_view joint;  // what stands between two of them
};

size_t beforeSpaces(std::string_view text, size_t end) {
  while (end > 0 && isSpace(text[end - 1])) --end;
  return end;
}

// The next one from `at` on. Dots after sizeof, or before the > of a type, are none.
std::optional<Pack> nextPack(std::string_view text, size_t at) {
  constexpr std::string_view kDots = "...";
  for (size_t dots = text.find(kDots, at); dots != text.npos; dots = text.find(kDots, dots + kDots.size())) {
    Pack pack{0, beforeSpaces(text, dots), dots + kDots.size(), ", "};
    if (text.substr(0, dots).ends_with("sizeof") || text.substr(pack.next, 1) == ">") continue;
    const char last = text[pack.end - 1];
    const bool folds = last == ',' || last == '|' || last == '&';
    if (folds) {
      pack.joint = last == '|' ? " | " : last == '&' ? " & " : ", ";
      pack.end = beforeSpaces(text, pack.end - 1);
    }
    // It begins after the bracket that it is in, or in a list after a comma.
    uint32_t depth = 0;
    for (pack.begin = pack.end; pack.begin > at; --pack.begin) {
      const char letter = text[pack.begin - 1];
      if (letter == ')' || letter == ']' || letter == '}') ++depth;
      const bool opens = letter == '(' || letter == '[' || letter == '{';
      if (depth == 0 && (opens || (letter == ',' && !folds))) break;
      if (opens) --depth;
    }
    while (isSpace(text[pack.begin])) ++pack.begin;
    return pack;
  }
  return std::nullopt;
}

}  // namespace

// Vector<Signed<T>, I...> or Vector3<T>; `at` is the end of the word, and moves past the >.
std::string Prelude::expandVector(std::string_view text, size_t* at, const LibraryTypes& types) {
  const char count = text[*at - 1];
  const size_t begin = *at + 1;
  const bool other = text.substr(begin, text.find('>', begin) - begin).find("M...") != text.npos;
  const std::string_view element = text.substr(begin, text.find_first_of(">,", begin) - begin);
  const Scalar scalar = element.starts_with("From")       ? types.from
                        : element.starts_with("Signed")   ? signedOf(types.scalar)
                        : element.starts_with("Unsigned") ? unsignedOf(types.scalar)
                                                          : types.scalar;
  const bool numbered = isDigit(count);
  *at = numbered ? text.find('>', begin) + 1 : text.find("...>", begin) + 4;
  return type(types_.vector(scalar, numbered ? static_cast<uint32_t>(count - '0')
                                    : other  ? types.from_components
                                             : types.components));
}

// to<double>(x); `at` is the end of the word, and moves past the >.
std::string Prelude::expandTo(std::string_view text, size_t* at, const LibraryTypes& types) {
  const size_t end = text.find('>', *at);
  const std::string_view word = text.substr(*at + 1, end - *at - 1);
  *at = end + 1;
  const std::string own = word == "T" ? cppName(types.scalar) : std::string(word);
  return types.in_lanes ? "mrt_w_to<L, " + own + ">" : "(" + own + ")";
}

// Whether products are fused with sums, which is the processor's to say.
std::string Prelude::fuses() {
  if (first("mrt_fuses")) {
    text_ += "#if defined(__FP_FAST_FMAF) || defined(__FMA__)\n#define mrt_fuses 1\n#else\n#define mrt_fuses 0\n#endif\n";
  }
  return "mrt_fuses";
}

// kept(x) for a number.
std::string Prelude::kept(Scalar scalar) {
  const std::string type = cppName(scalar), name = "mrt_kept_" + type;
  if (first(name)) {
    text_ += "static inline __attribute__((always_inline)) " + type + " " + name + "(" + type +
             " x) {\n#if MRT_REORDERS && defined(__x86_64__)\n__asm__(\"\" : \"+x\"(x));\n#elif MRT_REORDERS && "
             "defined(__aarch64__)\n__asm__(\"\" : \"+w\"(x));\n#endif\nreturn x; }\n";
  }
  return name;
}

// rarely_beyond(limit, f, x, other) for a number: f is not called within the limit.
std::string Prelude::rarelyBeyond(Scalar scalar) {
  const std::string name = scalar == Scalar::kFloat ? "mrt_rarely_beyond_f" : "mrt_rarely_beyond_d";
  const std::string absolute = scalar == Scalar::kFloat ? "__builtin_fabsf" : "__builtin_fabs";
  if (first(name)) text_ += "#define " + name + "(limit, f, x, o) (" + absolute + "(x) <= (limit) ? (o) : f(x))\n";
  return name;
}

std::string Prelude::rarelyOfTwo() {
  if (first("mrt_rarely_of_two")) text_ += "#define mrt_rarely_of_two(c, f, x, y, o) ((c) ? f(x, y) : (o))\n";
  return "mrt_rarely_of_two";
}

// A function for one number that is written as a value. It is seldom called, and never part of its caller.
std::string Prelude::rareFunction(std::string_view name, LibraryTypes types) {
  types.in_lanes = false;
  return libraryFunction(name, types, "static __attribute__((noinline, cold, unused)) ");
}

// Expands the word at `at` and moves past it and its argument.
std::string Prelude::expandWord(std::string_view text, size_t* at, const Expansion& expansion) {
  const LibraryTypes& types = expansion.types;
  const size_t begin = *at;
  *at = endOfWord(text, begin);
  const std::string_view word = text.substr(begin, *at - begin);
  if (word == "T") return types.in_lanes ? lanesOf(cppName(types.scalar)) : type(types_.scalar(types.scalar));
  if (word == "to" && text.substr(*at, 1) == "<") return expandTo(text, at, types);
  if (word == "fuses") return fuses();
  if (word == "kept") return types.in_lanes ? "mrt_w_kept<L>" : kept(types.scalar);
  if (word == "rarely_beyond") return types.in_lanes ? "mrt_w_rarely_beyond<L>" : rarelyBeyond(types.scalar);
  if (word == "rarely_of_two") return types.in_lanes ? "mrt_w_rarely_of_two<L>" : rarelyOfTwo();
  if (word == "From") return type(types_.scalar(types.from));
  if (word == "half") return type(types_.scalar(Scalar::kHalf));
  if (expansion.in_pack && (word == "I" || word == "M")) return std::to_string(expansion.component);
  if (word.starts_with("Vector")) return expandVector(text, at, types);
  if (constexpr std::string_view kCount = "...("; word == "sizeof" && text.substr(*at, kCount.size()) == kCount) {
    const bool other = text[*at + kCount.size()] == 'M';
    *at = text.find(')', *at) + 1;
    return std::to_string(other ? types.from_components : types.components);
  }
  LibraryTypes own = types;
  if (expansion.in_pack) own.components = 1;
  if (takeArgument(text, at, &own)) {
    if (std::string value = wordValue(word, own.scalar); !value.empty()) {
      return types.in_lanes && (word == "Signed" || word == "Unsigned") ? lanesOf(value) : value;
    }
    if (text.substr(*at, 1) == ",") return rareFunction(word, own);
  }
  const bool is_call = *at < text.size() && text[*at] == '(';
  const bool of_others = begin >= 2 && text.substr(begin - 2, 2) == "::";
  if (is_call && !of_others && (word == "fused" || hasLibraryFunction(word))) return libraryFunction(word, own);
  return std::string(word);
}

// ".s[I]", ".s[M]" or ".s[2]" at `at`: the component of a vector; nothing where the vector is a scalar.
std::string Prelude::expandComponent(std::string_view text, size_t* at, const Expansion& expansion) {
  const char index = text[*at + 3];
  *at = text.find(']', *at) + 1;
  const uint32_t components = index == 'M' ? expansion.types.from_components : expansion.types.components;
  const uint32_t component = isDigit(index) ? static_cast<uint32_t>(index - '0') : expansion.component;
  return components == 1 ? "" : std::string(".s") + kComponentDigits[component];
}

// Replaces T and the words for it, writes packs out, renames calls of the library's functions, and shortens white space. Names
// written as ::name lose the colons: the functions that are defined here have other names anyway.
std::string Prelude::expand(std::string_view text, const Expansion& expansion) {
  std::string out;
  std::optional<Pack> pack = nextPack(text, 0);
  for (size_t at = 0; at < text.size();) {
    if (pack && at == pack->begin) {
      const std::string_view one = text.substr(at, pack->end - at);
      const bool other = one.find("[M]") != one.npos;
      const uint32_t count = other ? expansion.types.from_components : expansion.types.components;
      at = pack->next;
      if (count == 1 && out.ends_with("return {")) {  // a scalar needs no braces
        out.pop_back();
        ++at;
      }
      for (uint32_t component = 0; component < count; ++component) {
        if (component > 0) out += pack->joint;
        out += expand(one, {expansion.types, true, component});
      }
      pack = nextPack(text, at);
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "::") {
      at += 2;
    } else if (text.substr(at, 3) == ".s[") {
      out += expandComponent(text, &at, expansion);
    } else if (isWordLetter(text[at])) {
      out += expandWord(text, &at, expansion);
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

// A function for vectors of work-items. A function that computes in double runs twice, with half of the lanes each, where a
// vector of doubles would be larger than a register.
std::string Prelude::wholeFunction(const LibraryFunction& function, const LibraryTypes& types) {
  if (function.is_declaration || !function.for_lanes) return "mrt_w_" + std::string(function.name) + "<L>";
  const std::string own = "mrt_" + std::string(function.name) + "_" + scalarName(types.scalar) + "_w";
  if (first(own)) {
    const Expansion expansion{types};
    const std::string parameters = expand(function.parameters, expansion), body = expand(function.body, expansion);
    text_ += "template <class L> mrt_fn " + expand(function.result, expansion) + " " + own + "(" + parameters + ") { ";
    const bool halves = scalarSize(types.scalar) == 8 || function.body.find("double") != function.body.npos;
    if (halves) {
      const std::string names = namesOf(function.parameters);
      const size_t count = static_cast<size_t>(std::count(names.begin(), names.end(), ',')) + 1;
      text_ += "if constexpr (L::n * 8 > MRT_BYTES) { MRT_HALVES_" + std::to_string(count) + "(" + own + ", " + names +
               ") } else { ";
    }
    text_ += body + (halves ? " } }\n" : " }\n");
  }
  return own + "<L>";
}

std::string Prelude::libraryFunction(std::string_view name, const LibraryTypes& types, const char* linkage) {
  const auto [scalar, components, from, from_components, in_lanes] = types;
  if (name == "fused") return in_lanes ? "mrt_w_fused<L>" : multiplyAddComponent(scalar);
  const LibraryFunction* function = findLibraryFunction(name, types, dialect_ == Dialect::kCuda);
  if (function == nullptr) return "mrt_" + std::string(name);  // the parser accepts no call that gets here
  if (in_lanes) return wholeFunction(*function, types);
  if (function->is_declaration) {
    if (function->scalars != 0) return "__builtin_" + std::string(name) + (scalar == Scalar::kFloat ? "f" : "");
    if (first(std::string(name))) text_ += std::string(function->whole) + "\n";
    return std::string(name);
  }
  if (const std::string_view other = forwardedTo(*function); hasLibraryFunction(other)) return libraryFunction(other, types);
  std::string own = "mrt_" + std::string(name);
  if (function->scalars != 0) own += std::string("_") + scalarName(scalar);
  if (function->components != 0 && components > 1) own += std::to_string(components);
  if (function->from != 0) own += std::string("_") + scalarName(from);
  if (function->other_components) own += "_" + std::to_string(from_components);
  const Expansion expansion{types};
  const std::string result = expand(function->result, expansion);
  return define(
      own, result, expand(function->parameters, expansion), [&] { return expand(function->body, expansion); }, linkage);
}

}  // namespace manyrt::compiler
