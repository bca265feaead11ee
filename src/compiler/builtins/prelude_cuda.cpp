// Built-in functions that touch memory as CUDA has them: atomics on generic addresses, which order nothing, as OpenCL C 1.2's
// do, and fences.
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

struct CudaAtomic {
  const char* name;
  const char* parameters;  // behind the pointer; $T is the type
  const char* body;        // $C the type that CUDA's function takes
};
constexpr CudaAtomic kCudaAtomics[] = {
    {"add", ", $T b", "return ($T)atomicAdd(($C*)p, ($C)b);"},
    {"sub", ", $T b", "return ($T)atomicAdd(($C*)p, ($C)(0 - ($C)b));"},
    {"inc", "", "return ($T)atomicAdd(($C*)p, ($C)1);"},
    {"dec", "", "return ($T)atomicAdd(($C*)p, ~($C)0);"},
    {"and", ", $T b", "return ($T)atomicAnd(($C*)p, ($C)b);"},
    {"or", ", $T b", "return ($T)atomicOr(($C*)p, ($C)b);"},
    {"xor", ", $T b", "return ($T)atomicXor(($C*)p, ($C)b);"},
    {"xchg", ", $T b", "return ($T)atomicExch(($C*)p, ($C)b);"},
    {"cmpxchg", ", $T b, $T c", "return ($T)atomicCAS(($C*)p, ($C)b, ($C)c);"},
    {"min", ", $T b", "return ($T)atomicMin(($S*)p, ($S)b);"},  // $S: of T's sign
    {"max", ", $T b", "return ($T)atomicMax(($S*)p, ($S)b);"},
};

}  // namespace

std::string Prelude::cudaAtomic(const std::string& operation, Scalar scalar) {
  const std::string own = "mrt_atomic_" + operation + "_" + scalarName(scalar);
  const std::string element = cppName(scalar);
  if (isFloat(scalar)) {  // xchg alone
    return define(own, element, "volatile " + element + "* p, " + element + " b",
                  [&] { return "return atomicExch((" + element + "*)p, b);"; });
  }
  const bool wide = scalarSize(scalar) == 8;
  const std::string plain = wide ? "unsigned long long" : "unsigned int";
  const std::string same_sign = !isSignedInteger(scalar) ? plain : wide ? "long long" : "int";
  for (const CudaAtomic& row : kCudaAtomics) {
    if (operation != row.name) continue;
    return define(own, element, "volatile " + element + "* p" + replaced(row.parameters, "$T", element),
                  [&] { return replaced(replaced(replaced(row.body, "$T", element), "$C", plain), "$S", same_sign); });
  }
  return own;
}

// Flags: 1 local, 2 global. CUDA has one kind of fence for reads and writes.
std::string Prelude::cudaFence(const std::string& name) {
  return define("mrt_" + name, "void", "unsigned int flags",
                [&] { return std::string("if (flags & 2) __threadfence(); else __threadfence_block();"); });
}

}  // namespace manyrt::compiler
