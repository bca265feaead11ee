// Built-in functions that read and write through pointers: vload and vstore, half precision in memory, and prefetch. Atomics
// are functions of the library.
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

// atom_ and atomic_ are the same.
std::string Prelude::atomic(const std::string& name, Scalar scalar) {
  return libraryFunction("atomic" + name.substr(name.find('_')), {scalar});
}

std::string Prelude::prefetched(const Type* pointee) {
  return define("mrt_prefetch_" + idOf(pointee), "void", "const " + type(pointee) + "* p, unsigned long n",
                [&] { return std::string(dialect_ == Dialect::kCuda ? "" : "if (n > 0) __builtin_prefetch(p);"); });
}

}  // namespace manyrt::compiler
