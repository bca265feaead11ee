/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of digits. */
#ifndef MANYRT_EXAMPLES_DIGITS_OPTIONS_H_
#define MANYRT_EXAMPLES_DIGITS_OPTIONS_H_

#include <stdint.h>

enum { kMaxSeeds = 16 };

typedef struct Options {
  const char* device; /* NULL: every device that runs kernels from source */
  const char* data;
  const char* kernels;
  char data_path[4096], kernels_path[4096]; /* where these two are by default */
  const char* output;
  uint64_t seeds[kMaxSeeds];
  uint32_t seed_count;
  uint32_t epochs;
  uint32_t images;        /* 0: all */
  const char* graph_file; /* NULL: the graph is not written */
  const char* weights;    /* NULL: they are not written */
  int graph;              /* also train by a graph, and compare */
  int threshold;          /* 0: any accuracy will do */
} Options;

/* Returns -1 to go on, else the status to end with: 0 after --help, 2 after a message on stderr. */
int optionsParse(Options* options, int argc, char** argv);

#endif /* MANYRT_EXAMPLES_DIGITS_OPTIONS_H_ */
