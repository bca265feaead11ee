/* SPDX-License-Identifier: Apache-2.0
 *
 * dynamic_batches: one exec runs a network on batches of changing size. A network of two layers is planned once, for the
 * largest batch; each batch then brings buffers, grids and copies of its own size, without a new plan. */
#include "common.h"

enum { kInputs = 16, kHidden = 32, kOutputs = 8, kMaxRows = 256, kGroup = 32, kParameters = (kInputs + kOutputs) * kHidden };

static const char kSource[] =
    "__kernel void layer(__global const float* in, __global const float* weights, __global float* out, uint inputs,\n"
    "                    uint outputs, uint rows) {\n"
    "  const uint i = get_global_id(0), row = i / outputs, column = i % outputs;\n"
    "  if (row >= rows) return;\n"
    "  float sum = 0;\n"
    "  for (uint k = 0; k < inputs; ++k) sum += in[row * inputs + k] * weights[k * outputs + column];\n"
    "  out[i] = fmax(sum, 0.0f);\n"
    "}\n";

/* A layer as a node of the graph: what it reads, its weights, what it writes, and how many rows of the batch there are. */
typedef struct {
  rtGraphNode_t node;
  rtGraphBuffer_t in, out;
  uint32_t inputs, outputs, rows;
  rtGraphArg_t args[6];
  rtGraphKernelParams_t params;
} Layer;

static void setRows(Layer* layer, float* weights, uint32_t rows) {
  const uint32_t* values[3] = {&layer->inputs, &layer->outputs, &layer->rows};
  layer->rows = rows;
  rtGraphArg_t in = {RT_ARG_POINTER, RT_GRAPH_READ, sizeof(float) * rows * layer->inputs, NULL, {layer->in, 0, NULL}};
  rtGraphArg_t fixed = {RT_ARG_POINTER, RT_GRAPH_READ, 0, NULL, {NULL, 0, weights}};
  rtGraphArg_t out = {RT_ARG_POINTER, RT_GRAPH_WRITE, sizeof(float) * rows * layer->outputs, NULL, {layer->out, 0, NULL}};
  layer->args[0] = in;
  layer->args[1] = fixed;
  layer->args[2] = out;
  for (int i = 0; i < 3; ++i) {
    rtGraphArg_t value = {RT_ARG_VALUE, 0, sizeof(uint32_t), values[i], {NULL, 0, NULL}};
    layer->args[3 + i] = value;
  }
  layer->params.args = layer->args;
  layer->params.arg_count = 6;
  layer->params.grid[0] = (rows * layer->outputs + kGroup - 1) / kGroup;
  layer->params.group[0] = kGroup;
}

static void layerOnHost(const float* in, const float* weights, float* out, uint32_t inputs, uint32_t outputs, uint32_t rows) {
  for (uint32_t i = 0; i < rows * outputs; ++i) {
    float sum = 0;
    for (uint32_t k = 0; k < inputs; ++k) sum += in[i / outputs * inputs + k] * weights[k * outputs + i % outputs];
    out[i] = sum > 0 ? sum : 0;
  }
}

int main(void) {
  static float weights[kParameters], x[kMaxRows * kInputs], h[kMaxRows * kHidden], y[kMaxRows * kOutputs];
  static float result[kMaxRows * kOutputs];
  for (int i = 0; i < kParameters; ++i) weights[i] = (float)(i * 7 % 11 - 5); /* small whole numbers: sums are exact */
  for (int i = 0; i < kMaxRows * kInputs; ++i) x[i] = (float)(i * 5 % 13 - 6);
  void* device = NULL;
  rtStream_t stream = NULL;
  rtModule_t module = NULL;
  rtKernel_t kernel = NULL;
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtModuleCreateFromSource(&module, kSource, NULL, NULL));
  CHECK(rtModuleGetKernel(&kernel, "layer", module));
  CHECK(rtMalloc(&device, sizeof weights, NULL));
  CHECK(rtMemcpy(device, weights, sizeof weights, RT_MEMCPY_HOST_TO_DEVICE));

  /* The sizes of the graph are the maxima. The hidden layer is a temporary: it has its place in the exec, for the largest
   * batch. */
  rtGraph_t graph = NULL;
  rtGraphBuffer_t in = NULL, hidden = NULL, out = NULL;
  CHECK(rtGraphCreate(&graph));
  CHECK(rtGraphAddBuffer(&in, sizeof x, RT_GRAPH_BUFFER_INPUT, "in", graph));
  CHECK(rtGraphAddBuffer(&hidden, sizeof h, RT_GRAPH_BUFFER_TEMPORARY, "hidden", graph));
  CHECK(rtGraphAddBuffer(&out, sizeof y, RT_GRAPH_BUFFER_OUTPUT, "out", graph));
  Layer layers[2] = {{NULL, in, hidden, kInputs, kHidden, 0, {{0}}, RT_GRAPH_KERNEL_PARAMS_INIT},
                     {NULL, hidden, out, kHidden, kOutputs, 0, {{0}}, RT_GRAPH_KERNEL_PARAMS_INIT}};
  float* parts[2] = {device, (float*)device + kInputs * kHidden};
  for (int i = 0; i < 2; ++i) {
    layers[i].params.kernel = kernel;
    setRows(&layers[i], parts[i], kMaxRows);
    CHECK(rtGraphAddKernelNode(&layers[i].node, &layers[i].params, NULL, RT_INFERRED, graph));
  }
  rtGraphExec_t exec = NULL;
  CHECK(rtGraphInstantiate(&exec, graph, NULL));

  static const uint32_t kBatches[] = {kMaxRows, 1, 100, 17, 255, 64, kMaxRows};
  for (size_t batch = 0; batch < sizeof kBatches / sizeof *kBatches; ++batch) {
    const uint32_t rows = kBatches[batch];
    const size_t in_size = sizeof(float) * rows * kInputs, out_size = sizeof(float) * rows * kOutputs;
    void *batch_in = NULL, *batch_out = NULL; /* as large as this batch */
    CHECK(rtMallocAsync(&batch_in, in_size, stream));
    CHECK(rtMallocAsync(&batch_out, out_size, stream));
    CHECK(rtMemcpyAsync(batch_in, x, in_size, RT_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(rtGraphExecBindBufferRange(in, batch_in, in_size, exec)); /* these four in any order: the launch sees all of them */
    CHECK(rtGraphExecBindBufferRange(out, batch_out, out_size, exec));
    for (int i = 0; i < 2; ++i) {
      setRows(&layers[i], parts[i], rows);
      CHECK(rtGraphExecSetKernelParams(layers[i].node, &layers[i].params, exec));
    }
    CHECK(rtGraphLaunch(exec, stream));
    CHECK(rtMemcpyAsync(result, batch_out, out_size, RT_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(rtFreeAsync(batch_in, stream));
    CHECK(rtFreeAsync(batch_out, stream));
    CHECK(rtStreamSynchronize(stream));
    layerOnHost(x, weights, h, kInputs, kHidden, rows);
    layerOnHost(h, weights + kInputs * kHidden, y, kHidden, kOutputs, rows);
    for (uint32_t i = 0; i < rows * kOutputs; ++i) EXPECT(result[i] == y[i]);
    printf("a batch of %3u rows is right\n", rows);
  }
  CHECK(rtGraphExecDestroy(exec));
  CHECK(rtGraphDestroy(graph));
  CHECK(rtFree(device));
  CHECK(rtModuleDestroy(module));
  CHECK(rtStreamDestroy(stream));
  return EXIT_SUCCESS;
}
