/* Work of a stream that is neither a kernel from source, nor a copy or a fill, for trace_test.py. */
#ifndef TRACE_OTHER_WORK_H
#define TRACE_OTHER_WORK_H

#include "rt.h"

/* Two launches of a function of the program as a kernel "add_one", where the device has such; two prefetches, where it has
 * shared memory; two native functions; a host function; and two launches of a graph of a native function and a fill of 1,024
 * bytes. Returns what failed first. */
rtStatus_t otherWork(rtStream_t stream, rtContext_t context, rtDevice_t device);

#endif
