// Finding the functions in the files of the library: templates for a set of types, plain functions, and declarations. The files
// are the library's own, are formatted by clang-format and compiled by a test, so that looking at the beginnings of lines is
// enough.
#include "compiler/builtins/library.h"

#include <map>

#include "compiler/builtins/family.h"

namespace manyrt::compiler {
namespace {

constexpr const char* kHostFiles[] = {"math.h", "common.h", "integer.h", "atomic.h", "half.h", "geometric.h", "convert.h"};
constexpr const char* kCudaFiles[] = {"cuda_math.h", "cuda_atomic.h"};

struct Concept {  // as in library/language.h
  std::string_view name;
  uint32_t scalars;
};
constexpr uint32_t kLong = bit(Scalar::kLong), kULong = bit(Scalar::kULong), kUnsigned = kIntegers & ~kSigned;
constexpr Concept kConcepts[] = {{"Float", bit(Scalar::kFloat)},
                                 {"Double", bit(Scalar::kDouble)},
                                 {"Floating", kFloats},
                                 {"Long", kLong},
                                 {"ULong", kULong},
                                 {"NarrowSigned", kSigned & ~kLong},
                                 {"NarrowUnsigned", kUnsigned & ~kULong},
                                 {"SmallInteger", kNarrow},
                                 {"SignedInteger", kSigned},
                                 {"UnsignedInteger", kUnsigned},
                                 {"Integer", kIntegers},
                                 {"Number", kIntegers | kFloats}};

uint32_t scalarsOf(std::string_view name) {
  for (const Concept& each : kConcepts) {
    if (each.name == name) return each.scalars;
  }
  return 0;
}

using Functions = std::multimap<std::string_view, LibraryFunction>;

// Where the body that begins behind a { ends.
size_t endOfBody(std::string_view text, size_t at) {
  for (uint32_t depth = 1; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) break;
  }
  return at;
}

// One function at the beginning of the text; the length of what it takes there.
size_t readFunction(Functions* functions, std::string_view text, uint32_t scalars) {
  LibraryFunction function;
  function.scalars = scalars;
  const size_t end = text.find_first_of(";{"), open = text.find('('), close = text.rfind(')', end);
  if (end == text.npos || open > end) return text.size();
  std::string_view head = text.substr(0, open);
  if (head.starts_with("inline ")) head.remove_prefix(7);
  const size_t space = head.rfind(' ');
  function.result = head.substr(0, space);
  function.name = head.substr(space + 1);
  function.parameters = text.substr(open + 1, close - open - 1);
  constexpr std::string_view kVector = "Vector<T, ";
  if (const size_t vector = function.parameters.find(kVector); vector != text.npos) {
    const char lanes = function.parameters[vector + kVector.size()];
    function.lanes = lanes == 'N' ? LibraryFunction::kAnyLanes : static_cast<uint32_t>(lanes - '0');
  }
  function.converts = function.parameters.starts_with("From ");
  function.whole = text.substr(0, end + 1);
  size_t length = end + 1;
  if (text[end] == '{') {
    const size_t last = endOfBody(text, end + 1);
    function.body = text.substr(end + 1, last - end - 1);
    length = last + 1;
  }
  functions->emplace(function.name, function);
  return length;
}

void readFile(Functions* functions, std::string_view text) {
  constexpr std::string_view kTemplate = "template <";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t behind = std::min(line.size() + 1, text.size());
    if (line.starts_with(kTemplate)) {
      const uint32_t scalars = scalarsOf(line.substr(kTemplate.size(), line.find(' ', kTemplate.size()) - kTemplate.size()));
      text.remove_prefix(behind);
      text.remove_prefix(readFunction(functions, text, scalars));
    } else if (line.starts_with("inline ") || line.starts_with("extern ")) {
      text.remove_prefix(readFunction(functions, text, 0));
    } else {
      text.remove_prefix(behind);
    }
  }
}

template <size_t kCount>
const Functions* readFiles(const char* const (&names)[kCount]) {
  auto* functions = new Functions;
  for (const char* name : names) readFile(functions, libraryText(name));
  return functions;
}

// Read once, and never destroyed: builds may run until the process ends.
const Functions& hostFunctions() {
  static const Functions* functions = readFiles(kHostFiles);
  return *functions;
}
const Functions& cudaFunctions() {
  static const Functions* functions = readFiles(kCudaFiles);
  return *functions;
}

const LibraryFunction* findIn(const Functions& functions, std::string_view name, Scalar scalar, uint32_t lanes) {
  const auto [begin, end] = functions.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    const LibraryFunction& function = at->second;
    const bool fits = function.lanes == 0 || function.lanes == lanes || function.lanes == LibraryFunction::kAnyLanes;
    if (fits && (function.scalars == 0 || (function.scalars & bit(scalar)) != 0)) return &function;
  }
  return nullptr;
}

}  // namespace

std::string_view libraryText(std::string_view name) {
  for (size_t i = 0; i < kLibraryFileCount; ++i) {
    if (kLibraryFiles[i].name == name) return kLibraryFiles[i].text;
  }
  return {};
}

const LibraryFunction* findLibraryFunction(std::string_view name, Scalar scalar, uint32_t lanes, bool cuda) {
  const LibraryFunction* found = cuda ? findIn(cudaFunctions(), name, scalar, lanes) : nullptr;
  return found != nullptr ? found : findIn(hostFunctions(), name, scalar, lanes);
}

bool hasLibraryFunction(std::string_view name) { return hostFunctions().contains(name) || cudaFunctions().contains(name); }

}  // namespace manyrt::compiler
