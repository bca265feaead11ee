// The table of CUDA functions. They come from the runtime that was linked in, or from one that is opened at the first question
// for a device. At exit, before the runtime ends, the table is exchanged for one whose calls fail.
#pragma once

#include <atomic>
#include <string>

#include "backends/cuda/declarations.h"

namespace manyrt::cuda {

struct Table {
#define X(name, result, parameters) result(*cuda##name) parameters = nullptr;
  RT_CUDA_RUNTIME_TABLE(X)
#undef X
#define X(name, version, result, parameters) result(*cu##name) parameters = nullptr;
  RT_CUDA_DRIVER_TABLE(X)
  RT_CUDA_DRIVER_OPTIONAL_TABLE(X)
#undef X
};

namespace internal {
extern std::atomic<const Table*> current;
}

// Good once openTable() has succeeded. Relaxed: a caller has seen that success, which orders the table's contents before it.
inline const Table& table() { return *internal::current.load(std::memory_order_relaxed); }

// At the first call opens the runtime and fills the table; false: `reason` is a sentence. Later calls give the same answer.
bool openTable(std::string* reason);
// The runtime that was opened: "the CUDA runtime that is part of this library", or a file's name.
const std::string& runtimeName();

// The runtime that was linked in, filled by runtime_static.cpp where the build has one; false: there is none.
bool staticRuntime(Table* out, void* (**entry_point)(const char* name, int version));

}  // namespace manyrt::cuda
