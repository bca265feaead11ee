// Finding the functions in the files of the library: templates for a set of types, plain functions, and declarations. The files
// are the library's own, are formatted by clang-format and compiled by a test, so that looking at the beginnings of lines is
// enough.
#include "compiler/builtins/library.h"

#include <algorithm>
#include <map>

#include "compiler/builtins/family.h"

namespace manyrt::compiler {
namespace {

constexpr const char* kElementaryFiles[] = {"elementary/parts.h",     "elementary/exp.h",  "elementary/angle.h",
                                            "elementary/native.h",    "elementary/wide.h", "elementary/wide_angle.h",
                                            "elementary/wide_power.h"};  // not for CUDA
constexpr const char* kHostFiles[] = {"math.h",      "common.h",   "integer.h",    "atomic.h",    "half.h",
                                      "geometric.h", "convert.h",  "vector.h",     "operators.h", "half_numbers.h",
                                      "bfloat16.h",  "subgroup.h", "integer_dot.h"};
constexpr const char* kCudaFiles[] = {"cuda_math.h", "cuda_atomic.h",   "cuda_vector.h",
                                      "cuda_half.h", "cuda_subgroup.h", "cuda_integer_dot.h"};

struct Concept {  // as in library/language.h
  std::string_view name;
  uint32_t scalars;
  bool for_lanes = false;
};
constexpr uint32_t kLong = bit(Scalar::kLong), kULong = bit(Scalar::kULong), kUnsigned = kIntegers & ~kSigned;
constexpr Concept kConcepts[] = {{"Half", kHalves},
                                 {"Element", kIntegers | kReals},
                                 {"Float", bit(Scalar::kFloat)},
                                 {"Double", bit(Scalar::kDouble)},
                                 {"Floating", kFloats},
                                 {"Long", kLong},
                                 {"ULong", kULong},
                                 {"NarrowSigned", kSigned & ~kLong},
                                 {"WideSigned", bit(Scalar::kInt) | kLong},
                                 {"NarrowUnsigned", kUnsigned & ~kULong},
                                 {"SmallInteger", kNarrow},
                                 {"SignedInteger", kSigned},
                                 {"UnsignedInteger", kUnsigned},
                                 {"Integer", kIntegers},
                                 {"Number", kIntegers | kFloats},
                                 {"Floats", bit(Scalar::kFloat), true},
                                 {"Doubles", bit(Scalar::kDouble), true},
                                 {"Reals", kFloats, true},
                                 {"Numbers", kIntegers | kFloats, true},
                                 {"HeldBy", kIntegers | kFloats},
                                 {"Beyond", kIntegers | kFloats},
                                 {"SignedBeyond", kSigned},
                                 {"UnsignedBeyond", kUnsigned}};

Concept conceptOf(std::string_view name) {
  for (const Concept& each : kConcepts) {
    if (each.name == name) return each;
  }
  return {{}, 0};
}

using Functions = std::multimap<std::string_view, LibraryFunction>;

// The end of the body that begins after a {.
size_t endOfBody(std::string_view text, size_t at) {
  for (uint32_t depth = 1; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) break;
  }
  return at;
}

std::string_view takeLine(std::string_view* text) {
  const std::string_view line = text->substr(0, text->find('\n'));
  text->remove_prefix(std::min(line.size() + 1, text->size()));
  return line;
}

// "template <Number T, Integer From, int... I>". The types that From may be can depend on T: "HeldBy<T> From".
LibraryFunction readTemplate(std::string_view line) {
  LibraryFunction function;
  line.remove_prefix(line.find('<') + 1);
  const Concept own = conceptOf(line.substr(0, line.find(' ')));
  function.scalars = own.scalars;
  function.for_lanes = own.for_lanes;
  if (const size_t from = line.find(" From"); from != line.npos) {
    const size_t space = line.rfind(' ', from - 1), begin = space == line.npos ? 0 : space + 1;
    const std::string_view name = line.substr(begin, line.find_first_of(" <", begin) - begin);
    function.from = conceptOf(name).scalars;
    if (name.ends_with("HeldBy")) function.relation = LibraryFunction::Relation::kHeld;
    if (name.ends_with("Beyond")) function.relation = LibraryFunction::Relation::kBeyond;
  }
  function.other_components = line.find("int... M") != line.npos;
  return function;
}

// The components of the first vector type: 3 for "Vector3<T> a, T b", any number for "Vector<T, I...> a", 0 without a vector.
uint32_t componentsIn(std::string_view types) {
  constexpr std::string_view kVector = "Vector";
  const size_t vector = types.find(kVector);
  if (vector == types.npos) return 0;
  const char next = types[vector + kVector.size()];
  return next == '<' ? LibraryFunction::kAnyComponents : static_cast<uint32_t>(next - '0');
}

// One function at the beginning of the text, after its template line; moves past it.
void readFunction(Functions* functions, std::string_view* text, LibraryFunction function) {
  const size_t end = text->find_first_of(";{"), open = text->find('('), close = text->rfind(')', end);
  if (end == text->npos || open > end) return text->remove_prefix(text->size());
  std::string_view head = text->substr(0, open);
  if (head.starts_with("inline ")) head.remove_prefix(7);
  const size_t space = head.rfind(' ');
  function.result = head.substr(0, space);
  function.name = head.substr(space + 1);
  function.parameters = text->substr(open + 1, close - open - 1);
  function.components = std::max(componentsIn(function.parameters), componentsIn(function.result));
  function.whole = text->substr(0, end + 1);
  function.is_declaration = (*text)[end] == ';';
  size_t length = end + 1;
  if (!function.is_declaration) {
    const size_t last = endOfBody(*text, end + 1);
    function.body = text->substr(end + 1, last - end - 1);
    length = last + 1;
  }
  functions->emplace(function.name, function);
  text->remove_prefix(length);
}

void readFile(Functions* functions, std::string_view text) {
  while (!text.empty()) {
    if (text.starts_with("template <")) {
      const LibraryFunction function = readTemplate(takeLine(&text));
      readFunction(functions, &text, function);
    } else if (text.starts_with("inline ") || text.starts_with("extern ")) {
      readFunction(functions, &text, {});
    } else {
      takeLine(&text);
    }
  }
}

template <size_t kCount>
Functions* readFiles(const char* const (&names)[kCount]) {
  auto* functions = new Functions;
  for (const char* name : names) readFile(functions, libraryText(name));
  return functions;
}

// The first file's function is found where several have the same name and type.
const Functions* readHostFiles() {
  Functions* functions = readFiles(kElementaryFiles);
  for (auto& [name, function] : *functions) function.host_only = true;
  for (const char* name : kHostFiles) readFile(functions, libraryText(name));
  return functions;
}

// Read once, and never destroyed: builds may run until the process ends.
const Functions& hostFunctions() {
  static const Functions* functions = readHostFiles();
  return *functions;
}
const Functions& cudaFunctions() {
  static const Functions* functions = readFiles(kCudaFiles);
  return *functions;
}

// HeldBy<From, T> of library/language.h.
bool holds(Scalar to, Scalar from) {
  const auto wholeBits = [](Scalar scalar) {
    if (scalar == Scalar::kFloat) return 24u;
    return scalar == Scalar::kDouble ? 53u : 8 * scalarSize(scalar) - ((kSigned & bit(scalar)) != 0 ? 1 : 0);
  };
  const bool fits = wholeBits(from) <= wholeBits(to);
  if ((kFloats & bit(to)) != 0) return fits;
  return fits && (kIntegers & bit(from)) != 0 && ((kSigned & bit(to)) != 0 || (kSigned & bit(from)) == 0);
}

bool isFor(const LibraryFunction& function, const LibraryTypes& types) {
  if (function.scalars != 0 && (function.scalars & bit(types.scalar)) == 0) return false;
  if (function.from != 0 && (function.from & bit(types.from)) == 0) return false;
  if (function.components != 0 && function.components != LibraryFunction::kAnyComponents &&
      function.components != types.components)
    return false;
  if (function.relation == LibraryFunction::Relation::kNone) return true;
  return holds(types.scalar, types.from) == (function.relation == LibraryFunction::Relation::kHeld);
}

const LibraryFunction* findIn(const Functions& functions, std::string_view name, const LibraryTypes& types, bool cuda) {
  const LibraryFunction* other = nullptr;
  const auto [begin, end] = functions.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    if (!isFor(at->second, types) || (cuda && at->second.host_only)) continue;
    if ((at->second.components != 0) == (types.components > 1)) return &at->second;
    if (other == nullptr) other = &at->second;
  }
  return other;
}

}  // namespace

std::string_view libraryText(std::string_view name) {
  for (size_t i = 0; i < kLibraryFileCount; ++i) {
    if (kLibraryFiles[i].name == name) return kLibraryFiles[i].text;
  }
  return {};
}

std::string_view libraryBody(std::string_view name) {
  std::string_view text = libraryText(name);
  while (text.starts_with('\n') || text.starts_with("//") || text.starts_with("#pragma once") || text.starts_with("#include")) {
    takeLine(&text);
  }
  return text;
}

const LibraryFunction* findLibraryFunction(std::string_view name, const LibraryTypes& types, bool cuda) {
  const LibraryFunction* found = cuda ? findIn(cudaFunctions(), name, types, cuda) : nullptr;
  return found != nullptr ? found : findIn(hostFunctions(), name, types, cuda);
}

bool hasLibraryFunction(std::string_view name) { return hostFunctions().contains(name) || cudaFunctions().contains(name); }

}  // namespace manyrt::compiler
