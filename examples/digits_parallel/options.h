/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of digits_parallel. */
#ifndef MANYRT_EXAMPLES_DIGITS_PARALLEL_OPTIONS_H_
#define MANYRT_EXAMPLES_DIGITS_PARALLEL_OPTIONS_H_

#include <stdint.h>

#include "../common_comm.h"

typedef struct Options {
  char device_names[kMostRanks][32]; /* of the ranks of this process */
  uint32_t device_count;             /* 0: the processes of MPI are the ranks, or those of id_file, on their CPUs */
  const char* id_file;               /* processes of this host are the ranks, which find each other by this file; or NULL */
  uint32_t rank;                     /* of this process, with id_file */
  uint32_t ranks;
  const char* data;
  const char* kernels;                      /* digits.cl */
  char data_path[4096], kernels_path[4096]; /* where these two are by default */
  uint64_t seed;
  uint32_t epochs;
  uint32_t images; /* 0: all */
  int apart;       /* the ranks do not average, so that their weights differ and the program has to find it */
  int threshold;   /* 0: any accuracy will do */
} Options;

/* Returns -1 to go on, else the status to end with: 0 after --help, 2 after a message on stderr. */
int optionsParse(Options* options, int argc, char** argv);

#endif /* MANYRT_EXAMPLES_DIGITS_PARALLEL_OPTIONS_H_ */
