/* SPDX-License-Identifier: Apache-2.0
 *
 * A step of training as a graph: captured once from the stream that would run it, replayed for each batch. The data between the
 * layers and the gradients become temporaries, for which the plan finds the memory. */
#ifndef MANYRT_EXAMPLES_DIGITS_STEP_GRAPH_H_
#define MANYRT_EXAMPLES_DIGITS_STEP_GRAPH_H_

#include "network.h"

typedef struct StepGraph {
  rtGraph_t graph;
  rtGraphExec_t exec;
  rtGraphNode_t update;   /* the step's last node, whose rate changes */
  rtGraphBuffer_t losses; /* another place for each batch */
  UpdateMemory memory;
} StepGraph;

/* The step on `batch`, whose memory it will use each time but the losses'. */
void stepGraphCreate(StepGraph* step, const Network* network, const Workspace* workspace, const Batch* batch, rtStream_t stream,
                     rtContext_t context);
void stepGraphRun(StepGraph* step, const Network* network, float* losses, float rate, rtStream_t stream);
void stepGraphSave(const StepGraph* step, const char* path); /* for `manyrt graph`; ends the program if it cannot be written */
void stepGraphDestroy(StepGraph* step);

#endif /* MANYRT_EXAMPLES_DIGITS_STEP_GRAPH_H_ */
