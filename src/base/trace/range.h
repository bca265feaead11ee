// Ranges and marks of the program (rtTraceRangePush, rtTraceRangePop, rtTraceMark): a stack for each thread. They go to the
// timeline, to the program's callback, and to a tool for NVTX. Called by src/api/trace.cpp, outside of guards.
#pragma once

namespace manyrt::trace::range {

void push(const char* name);  // throws bad_alloc
bool pop();                   // false: the thread has no range
void mark(const char* name);

}  // namespace manyrt::trace::range
