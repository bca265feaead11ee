/* Threads that launch while timelines begin and end, for trace_test.py. */
#ifndef TRACE_THREADS_H
#define TRACE_THREADS_H

#include "rt.h"

enum { kTimelines = 6, kCountedThreads = 4, kBusyThreads = 4, kCountedLaunches = 10 };

/* Writes the timelines FILE.0 to FILE.5. The stream "counted i" of thread i gets, in each of them, kCountedLaunches launches, a
 * copy to the device, one back, and a fill; "busy i" gets launches all the time, at the beginnings and ends of timelines too.
 * Returns what failed first. */
rtStatus_t threadedTimelines(const char* file, rtKernel_t kernel, rtContext_t context);

#endif
