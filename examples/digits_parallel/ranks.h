/* SPDX-License-Identifier: Apache-2.0
 *
 * How the ranks come to be: devices of this process, processes of this host, or those that mpirun has started. After it both
 * are the same: a process has `local` ranks, the first of which is `first` of `size` in all. */
#ifndef MANYRT_EXAMPLES_DIGITS_PARALLEL_RANKS_H_
#define MANYRT_EXAMPLES_DIGITS_PARALLEL_RANKS_H_

#include "../common_comm.h"
#include "options.h"

typedef struct Ranks {
  uint32_t size;
  uint32_t first;
  uint32_t local;
  rtContext_t contexts[kMostRanks]; /* of the local ranks; owned */
  rtComm_t comms[kMostRanks];       /* owned */
  int processes;                    /* MPI runs */
} Ranks;

/* A device that is not there, or processes without MPI, end the program. */
void ranksOpen(Ranks* ranks, const Options* options);
void ranksClose(Ranks* ranks);

#endif /* MANYRT_EXAMPLES_DIGITS_PARALLEL_RANKS_H_ */
