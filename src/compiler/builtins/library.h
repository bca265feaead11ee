// The text of the built-in functions: files of C++ in the folder library, which the build has put into the program as they are
// (cmake/EmbedLibrary.cmake), and where in them a function stands. The prelude asks and writes the text for a type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compiler/parser/type.h"

namespace manyrt::compiler {

struct LibraryFile {
  std::string_view name;  // "math.h"
  std::string_view text;
};
extern const LibraryFile kLibraryFiles[];  // in a source that the build makes
extern const size_t kLibraryFileCount;
std::string_view libraryText(std::string_view name);

struct LibraryFunction {
  static constexpr uint32_t kAnyLanes = 255;

  uint32_t scalars = 0;     // that T may be, as bits; 0: it is no template
  uint32_t lanes = 0;       // of the Vector<T, 3> that it takes; 0: it takes none; kAnyLanes: Vector<T, N>
  bool converts = false;    // it takes a From, which may be any type
  std::string_view result;  // "Unsigned<T>"
  std::string_view name;
  std::string_view parameters;  // "T x, int* exponent"
  std::string_view body;        // without braces; empty: a declaration alone
  std::string_view whole;       // the declaration, for what is written as it stands: extern "C"
};

// The first function of that name that is for this type, and for vectors of so many lanes if it is for vectors at all; with
// `cuda` the files for CUDA come first. Null: there is none.
const LibraryFunction* findLibraryFunction(std::string_view name, Scalar scalar, uint32_t lanes, bool cuda);
bool hasLibraryFunction(std::string_view name);

}  // namespace manyrt::compiler
