// Finds built-in functions in the C++ files of the folder library. The build puts these files into the program as they are
// (cmake/EmbedLibrary.cmake). The prelude asks and writes the text for a type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compiler/parser/type.h"

namespace manyrt::compiler {

struct LibraryFile {
  std::string_view name;  // "math.h", "lanes/types.h"
  std::string_view text;
};
extern const LibraryFile kLibraryFiles[];  // in a source that the build makes
extern const size_t kLibraryFileCount;
std::string_view libraryText(std::string_view name);
// A file without the comments and the includes at its head, as a program gets it.
std::string_view libraryBody(std::string_view name);

// The types of one instance of a function: T, the number of components of I, From, and the number of components of M.
struct LibraryTypes {
  Scalar scalar;
  uint32_t components = 1;
  Scalar from = Scalar::kInt;
  uint32_t from_components = 1;
  bool in_lanes = false;  // T is a vector with the values of several work-items
};

struct LibraryFunction {
  static constexpr uint32_t kAnyComponents = 255;
  enum class Relation : uint8_t { kNone, kHeld, kBeyond };  // of From to T: the words of library/language.h

  uint32_t scalars = 0;  // that T may be, as bits; 0: it is no template
  uint32_t from = 0;     // that From may be; 0: it has no From
  Relation relation = Relation::kNone;
  uint32_t components = 0;        // of the Vector3<T> that it takes; 0: it takes none; kAnyComponents: Vector<T, I...>
  bool other_components = false;  // it takes a vector with components of its own, M
  bool is_declaration = false;
  bool for_lanes = false;   // T may be a vector of several work-items: Floats and its like in library/language.h
  bool host_only = false;   // CUDA does not get it
  std::string_view result;  // "Unsigned<T>"
  std::string_view name;
  std::string_view parameters;  // "T x, int* exponent"
  std::string_view body;        // without braces
  std::string_view whole;       // the declaration, for what is written as it stands: extern "C"
};

// Finds the first function of that name that fits the types. For several components, functions that take vectors are preferred;
// for one component, the others are. With `cuda` the files for CUDA come first. Null: there is none.
const LibraryFunction* findLibraryFunction(std::string_view name, const LibraryTypes& types, bool cuda);
bool hasLibraryFunction(std::string_view name);

}  // namespace manyrt::compiler
