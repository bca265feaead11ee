/* A profiler that is not the library's: it adds up what a callback of the trace is told. For traced_program.c. */
#ifndef MANYRT_TESTS_TRACE_PROFILER_H_
#define MANYRT_TESTS_TRACE_PROFILER_H_

#include "rt.h"

rtStatus_t profilerBegin(void);
rtStatus_t profilerEnd(const char* file); /* writes the sums as JSON, in the form of RT_PROFILE */

#endif /* MANYRT_TESTS_TRACE_PROFILER_H_ */
