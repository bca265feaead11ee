// Products and the sums after them that are rounded once. This file decides which ones, on the typed tree and within one
// expression, as OpenCL C allows. The compiler of C++ fuses nothing by itself. So a kernel's numbers depend neither on the
// level of optimisation nor on the form in which a loop was written.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/parser/ast.h"
#include "compiler/preprocessor/token.h"

namespace manyrt::compiler {

// (product.a, product.b, addend) of a sum or difference; which of them carries the minus sign says `kind`.
struct Fused {
  enum class Kind : uint8_t { kNone, kAdd, kSubtract, kNegate };  // a * b + c, a * b - c, c - a * b
  Kind kind = Kind::kNone;
  const Expr* product = nullptr;
  const Expr* addend = nullptr;
};

class Contraction {
 public:
  // Reads `#pragma OPENCL FP_CONTRACT` and STDC's: each holds from its place to the end of the block that it stands in.
  explicit Contraction(const Tokens& tokens);

  Fused ofBinary(const Expr& expression) const;  // a kBinary
  Fused ofAssign(const Expr& expression) const;  // a compound kAssign; the addend is the target

 private:
  struct Change {
    uint32_t token;
    bool on;
  };
  bool allowed(const Expr& expression) const;
  bool isProduct(const Expr& expression, const Type* type) const;

  std::vector<Change> changes_;  // in the order of the tokens
};

}  // namespace manyrt::compiler
