// Built-in functions that read and write through pointers: vload and vstore, half precision in memory, atomics, fences and
// prefetch. Atomics are relaxed, as OpenCL C 1.2 has them.
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

bool isHalf(const std::string& name) { return name.find("half") != std::string::npos; }

// How far the elements of one index are from those of the next: aligned vectors of three lie like those of four.
uint32_t strideOf(const Builtin& builtin) {
  const bool aligned = builtin.name == "vloada_half" || builtin.name == "vstorea_half";
  return aligned && builtin.width == 3 ? 4 : builtin.width;
}

std::string widthText(const Builtin& builtin) { return builtin.width > 1 ? std::to_string(builtin.width) : ""; }

struct AtomicOperation {
  const char* name;
  const char* parameters;  // behind the pointer
  const char* body;        // $T is the type
};

constexpr char kRepeat[] =
    "$T old = __atomic_load_n(p, __ATOMIC_RELAXED); while (!(kept)) { if (__atomic_compare_exchange_n(p, &old, b, true, "
    "__ATOMIC_RELAXED, __ATOMIC_RELAXED)) break; } return old;";

constexpr AtomicOperation kAtomics[] = {
    {"add", ", $T b", "return __atomic_fetch_add(p, b, __ATOMIC_RELAXED);"},
    {"sub", ", $T b", "return __atomic_fetch_sub(p, b, __ATOMIC_RELAXED);"},
    {"and", ", $T b", "return __atomic_fetch_and(p, b, __ATOMIC_RELAXED);"},
    {"or", ", $T b", "return __atomic_fetch_or(p, b, __ATOMIC_RELAXED);"},
    {"xor", ", $T b", "return __atomic_fetch_xor(p, b, __ATOMIC_RELAXED);"},
    {"inc", "", "return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);"},
    {"dec", "", "return __atomic_fetch_sub(p, 1, __ATOMIC_RELAXED);"},
    {"xchg", ", $T b", "return __atomic_exchange_n(p, b, __ATOMIC_RELAXED);"},
    {"cmpxchg", ", $T b, $T c", "__atomic_compare_exchange_n(p, &b, c, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return b;"},
    {"min", ", $T b", "old <= b"},
    {"max", ", $T b", "old >= b"},
};

}  // namespace

std::string Prelude::loaded(const Builtin& builtin, const Type* result, const Type* pointee) {
  const bool half = isHalf(builtin.name);
  const std::string own = "mrt_" + builtin.name + widthText(builtin) + "_" + idOf(pointee);
  const std::string stride = std::to_string(strideOf(builtin));
  return define(own, type(result), "unsigned long i, const " + type(pointee) + "* p", [&] {
    const std::string read = half ? halfToFloat() + "(p[" : "p[";
    return "p += i * " + stride + "; " +
           returned(result, [&](uint32_t i) { return read + std::to_string(i) + (half ? "])" : "]"); });
  });
}

std::string Prelude::stored(const Builtin& builtin, const Type* data, const Type* pointee) {
  const bool half = isHalf(builtin.name);
  std::string own = "mrt_" + builtin.name + widthText(builtin);
  if (builtin.rounding != 0) own += std::string("_") + builtin.rounding;
  own += "_" + idOf(data) + "_" + idOf(pointee);
  const std::string stride = std::to_string(strideOf(builtin));
  return define(own, "void", type(data) + " a, unsigned long i, " + type(pointee) + "* p", [&] {
    const std::string write = half ? toHalf(elementOf(data), builtin.rounding) + "(" : "";
    std::string text = "p += i * " + stride + ";";
    for (uint32_t i = 0; i < builtin.width; ++i) {
      text += " p[" + std::to_string(i) + "] = " + write + lane("a", data, i) + (half ? ");" : ";");
    }
    return text;
  });
}

std::string Prelude::atomic(const std::string& name, Scalar scalar) {
  const std::string operation = name.substr(name.find('_') + 1);
  if (dialect_ == Dialect::kCuda) return cudaAtomic(operation, scalar);
  std::string own = "mrt_atomic_" + operation + "_" + scalarName(scalar);
  const std::string element = cppName(scalar);
  if (isFloat(scalar)) {  // xchg alone: through an integer of its size, which is what the instruction moves
    return define(own, element, "volatile " + element + "* p, " + element + " b",
                  [&] { return element + " r; __atomic_exchange(p, &b, &r, __ATOMIC_RELAXED); return r;"; });
  }
  for (const AtomicOperation& row : kAtomics) {
    if (operation != row.name) continue;
    return define(own, element, "volatile " + element + "* p" + replaced(row.parameters, "$T", element), [&] {
      const bool repeats = operation == "min" || operation == "max";
      return replaced(repeats ? replaced(kRepeat, "kept", row.body) : row.body, "$T", element);
    });
  }
  return own;
}

// Flags: 1 local, 2 global. Work-items of a group share a thread, so that order among them only binds the compiler.
std::string Prelude::fence(const std::string& name) {
  if (dialect_ == Dialect::kCuda) return cudaFence(name);
  const std::string order = name == "read_mem_fence" ? "ACQUIRE" : name == "write_mem_fence" ? "RELEASE" : "SEQ_CST";
  return define("mrt_" + name, "void", "unsigned int flags", [&] {
    return "if (flags & 2) __atomic_thread_fence(__ATOMIC_" + order + "); else __atomic_signal_fence(__ATOMIC_" + order + ");";
  });
}

std::string Prelude::prefetched(const Type* pointee) {
  return define("mrt_prefetch_" + idOf(pointee), "void", "const " + type(pointee) + "* p, unsigned long n",
                [&] { return std::string(dialect_ == Dialect::kCuda ? "" : "if (n > 0) __builtin_prefetch(p);"); });
}

}  // namespace manyrt::compiler
