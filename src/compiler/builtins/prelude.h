// The part of OpenCL C that C++ does not have: vector types, their operators, literals and swizzles, and the built-in
// functions, as C++ text. Each piece is written when a program first asks for it, so that the compiler reads nothing else.
// No system header, no template; all names begin with mrt_. One text serves g++, clang++ and NVRTC.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/builtins/library.h"
#include "compiler/lowering/cpp/contraction.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler {

// Which compiler the text is for: CUDA's functions take other attributes, and some of them are done otherwise
// (library/cuda_*.h). Names that gcc has and CUDA lacks are replaced at the end, by cudaText.
enum class Dialect : uint8_t { kHost, kHostQuick, kCuda };

struct Prototype;

class Prelude {
 public:
  explicit Prelude(TypeTable& types, Dialect dialect = Dialect::kHost) : types_(types), dialect_(dialect) {}

  bool relaxed = false;  // -cl-fast-relaxed-math: coarser functions of float for the host

  // The C++ name of a scalar, vector, event or void type; defines vectors: a struct of components s0, s1, ... sF, aligned as
  // OpenCL C says (three components take four), trivially copyable.
  std::string type(const Type* type);

  // Each of these returns the name of a function and defines it. Arguments are passed by value unless said otherwise.
  std::string make(const Type* vector, const std::vector<const Type*>& parts);  // (parts...) -> vector; scalars and vectors
  std::string splat(const Type* vector);                                        // (scalar) -> vector
  std::string unary(Op op, const Type* type);                                   // - ~ ! of vectors, - of halves; (a) -> result
  // Vectors: every binary operator but the comma. Scalars: kDiv and kRem of integers, which never trap, the shifts, which take
  // the amount modulo the width, and arithmetic of halves. (a, b) -> result.
  std::string binary(Op op, const Type* type, const Type* amount);  // `amount`: of shifts, the right side's type, else type
  // (a, b, c) -> a * b + c and its like, rounded once where the processor does that, else twice.
  std::string multiplyAdd(Fused::Kind kind, const Type* type);
  // Vectors and halves: ++ and -- on an lvalue: (vector&) -> the new value, or the old one for the postfix forms.
  std::string step(Op op, const Type* type);
  // ++ and -- of some components of a vector.
  std::string stepSwizzle(Op op, const Type* vector, const uint8_t* components, uint32_t count);
  // A struct whose member v has this type and any alignment.
  std::string packed(const Type* type);
  std::string swizzle(const Type* vector, const uint8_t* components, uint32_t count);     // (vector) -> its components
  std::string setSwizzle(const Type* vector, const uint8_t* components, uint32_t count);  // (vector&, value) -> value
  std::string select(const Type* result, const Type* condition);                          // (condition, then, else)
  std::string halfToFloat();                                                              // (half) -> float
  std::string toHalf(Scalar from);  // (float or double) -> half, to the nearest
  // A call of a builtin that is kFence, kPure, kMemory, kAtomic, kPrint or kSubGroup; `arguments` are the converted types.
  // Pointer parameters are plain C++ pointers: address spaces are gone. kMemory and kAtomic take them by address.
  std::string builtin(const Builtin& builtin, QualType result, const std::vector<QualType>& arguments);

  // The same for the values of several work-items at once. The function takes vectors of the compiler, with as many lanes as
  // mrt_L has (library/lanes/math.h). Empty: there is none, and the lanes are to call builtin() one by one. Tests (`is_test`)
  // give masks of the arguments' size.
  std::string wholeBuiltin(const Builtin& builtin, QualType result, const std::vector<QualType>& arguments, bool* is_test);

  // All definitions so far, each after those that it uses.
  const std::string& text() const { return text_; }

 private:
  // True for the first question about `name`: the caller then appends its definition to text_.
  bool first(const std::string& name);
  // Defines name(parameters) { body } of a result, once; `body` is only asked then, and may define what it uses.
  template <typename Body>
  std::string define(const std::string& name, const std::string& result, const std::string& parameters, Body body,
                     const char* linkage = "mrt_fn ") {
    if (first(name)) {
      const std::string inner = body();
      text_ += linkage + result + " " + name + "(" + parameters + ") { " + inner + " }\n";
    }
    return name;
  }

  std::string multiplyAddComponent(Scalar scalar);
  // instantiate.cpp: a function of the library for these types, and text of the library with its words replaced.
  struct Expansion {
    LibraryTypes types;
    bool in_pack = false;
    uint32_t component = 0;  // in a pack: which one
  };
  std::string libraryFunction(std::string_view name, const LibraryTypes& types, const char* linkage = "mrt_fn ");
  std::string wholeFunction(const LibraryFunction& function, const LibraryTypes& types);
  std::string rareFunction(std::string_view name, LibraryTypes types);
  std::string fuses();
  std::string kept(Scalar scalar);
  std::string rarelyBeyond(Scalar scalar);
  std::string rarelyOfTwo();
  std::string expandTo(std::string_view text, size_t* at, const LibraryTypes& types);
  std::string expand(std::string_view text, const Expansion& expansion);
  std::string expandWord(std::string_view text, size_t* at, const Expansion& expansion);
  std::string expandVector(std::string_view text, size_t* at, const LibraryTypes& types);
  std::string expandComponent(std::string_view text, size_t* at, const Expansion& expansion);
  // prelude_builtin.cpp
  std::string byComponents(const std::string& name, const std::string& one, bool is_test, const Type* result,
                           const std::vector<QualType>& arguments);
  std::string chosenName(const Builtin& builtin, const Type* gentype) const;
  std::string converted(const Builtin& builtin, const Type* from);
  std::string convertedHalf(const Builtin& builtin, Scalar from);
  std::string subGroup(const Builtin& builtin, QualType result);
  // Functions of halves that are computed in float.
  std::string halfFunction(const std::string& name, const Prototype& form, const LibraryTypes& types);
  std::string halfVectorFunction(const std::string& name, QualType result, const std::vector<QualType>& arguments);
  std::string reinterpreted(const Type* to, const Type* from);
  // prelude_print.cpp
  std::string printed(const std::vector<QualType>& arguments);

  TypeTable& types_;
  const Dialect dialect_;
  std::set<std::string> defined_;
  std::string text_;
};

}  // namespace manyrt::compiler
