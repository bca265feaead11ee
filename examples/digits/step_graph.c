/* SPDX-License-Identifier: Apache-2.0
 *
 * Capture, buffers, one exec. Between two launches only what the batch changes is exchanged: where its losses go, and the rate.
 */
#include "step_graph.h"

#include "../common.h"

static const float kAnyRate = 1.0f; /* of the capture; no launch uses it */

static rtGraphBuffer_t makeBuffer(const void* memory, size_t count, int32_t role, const char* name, rtGraph_t graph) {
  rtGraphBuffer_t buffer = NULL;
  CHECK(rtGraphMakeBuffer(&buffer, (void*)memory, count * sizeof(float), role, name, graph));
  return buffer;
}

void stepGraphCreate(StepGraph* step, const Network* network, const Workspace* workspace, const Batch* batch, rtStream_t stream,
                     rtContext_t context) {
  CHECK(rtStreamBeginCapture(stream));
  networkTrain(network, workspace, batch, kAnyRate, stream);
  CHECK(rtStreamGetCapturedNode(&step->update, stream));
  CHECK(rtStreamEndCapture(&step->graph, stream));

  rtGraph_t graph = step->graph;
  const size_t images = batch->count;
  makeBuffer(batch->images, images * kPixels, RT_GRAPH_BUFFER_INPUT, "images", graph);
  makeBuffer(batch->labels, images, RT_GRAPH_BUFFER_INPUT, "labels", graph);
  makeBuffer(workspace->hidden, images * kHidden, RT_GRAPH_BUFFER_TEMPORARY, "hidden", graph);
  makeBuffer(workspace->hidden_delta, images * kHidden, RT_GRAPH_BUFFER_TEMPORARY, "hidden_delta", graph);
  makeBuffer(workspace->logits, images * kClasses, RT_GRAPH_BUFFER_TEMPORARY, "logits", graph);
  makeBuffer(workspace->logits_delta, images * kClasses, RT_GRAPH_BUFFER_TEMPORARY, "logits_delta", graph);
  step->losses = makeBuffer(batch->losses, images, RT_GRAPH_BUFFER_OUTPUT, "losses", graph);
  step->memory.weights.buffer = makeBuffer(network->weights, kWeights, RT_GRAPH_BUFFER_OUTPUT, "weights", graph);
  step->memory.gradients.buffer = makeBuffer(network->gradients, kWeights, RT_GRAPH_BUFFER_TEMPORARY, "gradients", graph);
  step->memory.velocity.buffer = makeBuffer(network->velocity, kWeights, RT_GRAPH_BUFFER_OUTPUT, "velocity", graph);
  CHECK(rtGraphInstantiate(&step->exec, graph, context));
}

void stepGraphRun(StepGraph* step, const Network* network, float* losses, float rate, rtStream_t stream) {
  CHECK(rtGraphExecBindBuffer(step->losses, losses, step->exec));
  networkSetRate(network, &step->memory, rate, step->update, step->exec);
  CHECK(rtGraphLaunch(step->exec, stream));
}

void stepGraphSave(const StepGraph* step, const char* path) {
  size_t size = 0;
  CHECK(rtGraphSave(NULL, 0, &size, step->graph));
  char* data = malloc(size);
  FILE* file = fopen(path, "wb");
  if (data != NULL) CHECK(rtGraphSave(data, size, &size, step->graph));
  const int written = data != NULL && file != NULL && fwrite(data, 1, size, file) == size;
  if (file == NULL || fclose(file) != 0 || !written) {
    fprintf(stderr, "digits: the graph cannot be written to %s\n", path);
    exit(EXIT_FAILURE);
  }
  free(data);
}

void stepGraphDestroy(StepGraph* step) {
  CHECK(rtGraphExecDestroy(step->exec));
  CHECK(rtGraphDestroy(step->graph));
}
