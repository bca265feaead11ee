// Simulated NCCL: a shared library that stands in for NCCL on simulated CUDA devices. Name it in RT_NCCL. Ranks meet as NCCL's
// do: the first operation of a kind holds the calling thread until all ranks have called. Work in the stream waits for the
// others on the device. An abort ends both. The ends of all ranks of a process are one group of NCCL, or fail. Ranks among
// processes start without blocking; the split of such a communicator makes one that blocks.
//
// This header is what tests call beside NCCL's own functions, by dlsym on the handle of the library.
//
//   SIMULATED_NCCL_VERSION   what ncclGetVersion says; 22800
#pragma once

#define SIMULATED_NCCL_API __attribute__((visibility("default")))

extern "C" {
SIMULATED_NCCL_API int simulatedNcclLive(void);                               // communicators that are not ended
SIMULATED_NCCL_API int simulatedNcclCount(const char* function);              // calls so far
SIMULATED_NCCL_API int simulatedNcclCaller(void);                             // the thread (gettid) of the last operation
SIMULATED_NCCL_API void simulatedNcclFail(const char* function, int result);  // every later call returns it; 0: as usual
SIMULATED_NCCL_API void simulatedNcclAsyncError(int result);                  // of every communicator
// Work of the rank, of every communicator, waits on the device until 0 lets it begin, or an abort ends it. Negative values hold
// other steps: at -1 the start waits, at -2 the calls of collectives, at -3 also those among connected processes. At -4 starts
// among processes wait in their second step. An abort that begins meanwhile is counted as "abort within a call".
SIMULATED_NCCL_API void simulatedNcclHold(int rank, int on);
}
