// Hands ranges and marks on to a tool for NVTX, such as Nsight Systems: the library that NVTX_INJECTION64_PATH names. Called by
// trace/range.cpp alone.
#pragma once

namespace manyrt::trace::nvtx {

void push(const char* name);
void pop();
void mark(const char* name);

}  // namespace manyrt::trace::nvtx
