// The table of OpenCL functions. The loader (libOpenCL.so.1, or the file of RT_OPENCL) is opened at the first question for a
// device, and never closed. Functions that a platform has beyond 1.2 are looked up separately.
#pragma once

#include <atomic>
#include <string>

#include "backends/opencl/declarations.h"

namespace manyrt::opencl {

struct Table {
#define X(name) decltype(&::name) name = nullptr;
  RT_OPENCL_TABLE(X)
#undef X
};

// Functions of one platform; null where it has none.
struct Extensions {
#define X(member, svm, usm, result, parameters) result(*member) parameters = nullptr;
  RT_OPENCL_POINTER_TABLE(X)
#undef X
#define X(name, result, parameters) result(*name) parameters = nullptr;
  RT_OPENCL_SVM_TABLE(X)
  RT_OPENCL_USM_TABLE(X)
  RT_OPENCL_IL_TABLE(X)
#undef X
};

namespace internal {
extern std::atomic<const Table*> current;
}

// Good once openTable() has succeeded.
// Relaxed: a caller has seen the opening of the table succeed, which orders its contents before.
inline const Table& table() { return *internal::current.load(std::memory_order_relaxed); }

// At the first call opens the loader and fills the table; false: `reason` is a sentence. Later calls give the same answer.
bool openTable(std::string* reason);

// Each false where a function is missing, and then nothing that is to be called.
bool findSvm(Extensions* out, cl_platform_id platform);
bool findUsm(Extensions* out, cl_platform_id platform);
bool findIl(Extensions* out, cl_platform_id platform);

}  // namespace manyrt::opencl
