/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine's side: runs the model that model.py has made, on every device that is there or on those that are named. It needs
 * rt.h's library and the C library, no Python and no compiler. Results are compared with those that model.py has had.
 *
 *   deploy_run FOLDER [DEVICE...]
 *
 * Ends with 0; with 1 if something failed or differs; with 2 if the command line is wrong. */
#include <string.h>

#include "../common.h"

enum { kMaxBuffers = 64, kMaxPath = 4096, kFirst = 16 };

/* Divisions of other devices need not be rounded correctly. */
static const float kTolerance = 1e-5f;

typedef struct Bytes {
  void* data;
  size_t size;
} Bytes;

/* A model is a graph with named buffers and a named value, and an image of its kernels. */
typedef struct Model {
  const char* folder;
  rtGraph_t graph;
  rtGraphBuffer_t buffers[kMaxBuffers];
  rtGraphBufferInfo_t infos[kMaxBuffers];
  uint32_t buffer_count;
  rtGraphValue_t images;                       /* of the batch */
  Bytes pixels, labels, probabilities, digits; /* all images, and what is expected of them */
  size_t image_count, image_bytes, batch, classes;
} Model;

static void fail(const char* folder, const char* name, const char* sentence) {
  fprintf(stderr, "deploy_run: %s/%s %s\n", folder, name, sentence);
  exit(EXIT_FAILURE);
}

static void* hostMemory(size_t size) {
  void* memory = malloc(size > 0 ? size : 1);
  if (memory != NULL) return memory;
  fprintf(stderr, "deploy_run: there is no memory for %zu bytes\n", size);
  exit(EXIT_FAILURE);
}

static const char* pathOf(char path[kMaxPath], const char* folder, const char* name) {
  const int length = snprintf(path, kMaxPath, "%s/%s", folder, name);
  if (length < 0 || length >= kMaxPath) fail(folder, name, "has a path that is too long");
  return path;
}

static Bytes readFile(const char* folder, const char* name) {
  char path[kMaxPath];
  FILE* file = fopen(pathOf(path, folder, name), "rb");
  long size = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size < 0 || fseek(file, 0, SEEK_SET) != 0) fail(folder, name, "cannot be read");
  Bytes bytes = {hostMemory((size_t)size), (size_t)size};
  if (fread(bytes.data, 1, bytes.size, file) != bytes.size) fail(folder, name, "cannot be read to its end");
  fclose(file);
  return bytes;
}

static uint32_t bufferIndex(const Model* model, const char* name) {
  for (uint32_t i = 0; i < model->buffer_count; ++i) {
    if (strcmp(model->infos[i].name, name) == 0) return i;
  }
  fprintf(stderr, "deploy_run: the graph has no buffer \"%s\"\n", name);
  exit(EXIT_FAILURE);
}

static rtGraphValue_t findValue(rtGraph_t graph, const char* name) {
  rtGraphValue_t values[kMaxBuffers];
  uint32_t count = 0;
  CHECK(rtGraphGetValues(values, kMaxBuffers, &count, graph));
  for (uint32_t i = 0; i < count && i < kMaxBuffers; ++i) {
    rtGraphValueInfo_t info = RT_GRAPH_VALUE_INFO_INIT;
    CHECK(rtGraphValueGetInfo(&info, values[i]));
    if (strcmp(info.name, name) == 0) return values[i];
  }
  fprintf(stderr, "deploy_run: the graph has no value \"%s\"\n", name);
  exit(EXIT_FAILURE);
}

/* The graph, and the files that are no memory of it. All sizes follow from the buffers. */
static void loadModel(Model* model, const char* folder) {
  memset(model, 0, sizeof *model);
  model->folder = folder;
  const Bytes file = readFile(folder, "model.json");
  CHECK(rtGraphLoad(&model->graph, file.data, file.size));
  free(file.data);
  CHECK(rtGraphGetBuffers(model->buffers, kMaxBuffers, &model->buffer_count, model->graph));
  EXPECT(model->buffer_count <= kMaxBuffers);
  for (uint32_t i = 0; i < model->buffer_count; ++i) {
    model->infos[i].struct_size = sizeof model->infos[i];
    CHECK(rtGraphBufferGetInfo(&model->infos[i], model->buffers[i]));
  }
  model->images = findValue(model->graph, "images");

  model->pixels = readFile(folder, "pixels.bin");
  model->labels = readFile(folder, "labels.bin"); /* a byte for each image */
  model->probabilities = readFile(folder, "probabilities.bin");
  model->digits = readFile(folder, "digits.bin");
  model->image_count = model->labels.size;
  model->batch = model->infos[bufferIndex(model, "digits")].size / sizeof(int32_t);
  if (model->image_count == 0 || model->batch == 0) fail(folder, "labels.bin", "or a batch of the graph is empty");
  model->image_bytes = model->infos[bufferIndex(model, "pixels")].size / model->batch;
  model->classes = model->infos[bufferIndex(model, "probabilities")].size / model->batch / sizeof(float);
  if (model->pixels.size != model->image_count * model->image_bytes)
    fail(folder, "pixels.bin", "has another size than its images");
  if (model->probabilities.size != model->image_count * model->classes * sizeof(float) ||
      model->digits.size != model->image_count * sizeof(int32_t)) {
    fail(folder, "probabilities.bin", "or digits.bin has another size than the results");
  }
}

/* Memory for all buffers but temporaries, bound to `exec`; constants are filled from their files. */
static void bindMemory(void* memory[kMaxBuffers], const Model* model, rtGraphExec_t exec, rtContext_t context) {
  for (uint32_t i = 0; i < model->buffer_count; ++i) {
    const rtGraphBufferInfo_t* info = &model->infos[i];
    memory[i] = NULL;
    if (info->role == RT_GRAPH_BUFFER_TEMPORARY) continue;
    CHECK(rtMalloc(&memory[i], info->size, context));
    CHECK(rtGraphExecBindBuffer(model->buffers[i], memory[i], exec));
    if (info->role != RT_GRAPH_BUFFER_CONSTANT) continue;
    char name[sizeof info->name + sizeof ".bin"];
    snprintf(name, sizeof name, "%s.bin", info->name);
    const Bytes contents = readFile(model->folder, name);
    if (contents.size != info->size) fail(model->folder, name, "has another size than the buffer of the graph");
    CHECK(rtMemcpy(memory[i], contents.data, contents.size, RT_MEMCPY_HOST_TO_DEVICE));
    free(contents.data);
  }
}

/* Reads all images, batch by batch. Everything is submitted at once: there is one wait, at the end. */
static void readImages(float* probabilities, int32_t* digits, const Model* model, void* const memory[kMaxBuffers],
                       rtGraphExec_t exec, rtContext_t context) {
  void* pixels = memory[bufferIndex(model, "pixels")];
  const void* found[] = {memory[bufferIndex(model, "probabilities")], memory[bufferIndex(model, "digits")]};
  rtStream_t stream = NULL;
  CHECK(rtStreamCreate(&stream, NULL, context));
  for (size_t first = 0; first < model->image_count; first += model->batch) {
    const size_t left = model->image_count - first;
    const uint32_t count = (uint32_t)(left < model->batch ? left : model->batch);
    CHECK(rtMemcpyAsync(pixels, (const char*)model->pixels.data + first * model->image_bytes, count * model->image_bytes,
                        RT_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(rtGraphExecBindValue(model->images, &count, sizeof count, exec)); /* for the next launch */
    CHECK(rtGraphLaunch(exec, stream));
    CHECK(rtMemcpyAsync(probabilities + first * model->classes, found[0], count * model->classes * sizeof(float),
                        RT_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(rtMemcpyAsync(digits + first, found[1], count * sizeof(int32_t), RT_MEMCPY_DEVICE_TO_HOST, stream));
  }
  CHECK(rtStreamSynchronize(stream));
  CHECK(rtStreamDestroy(stream));
}

/* Returns whether the results are as expected: to the bit on processors of any kind. */
static int compare(const char* device, int exact, const float* probabilities, const int32_t* digits, const Model* model) {
  const float* expected = model->probabilities.data;
  float apart = 0.0f;
  for (size_t i = 0; i < model->image_count * model->classes; ++i) {
    const float difference = probabilities[i] > expected[i] ? probabilities[i] - expected[i] : expected[i] - probabilities[i];
    if (!(difference <= apart)) apart = difference; /* a NaN, too */
  }
  size_t right = 0;
  for (size_t i = 0; i < model->image_count; ++i) right += digits[i] == ((const unsigned char*)model->labels.data)[i];
  const int same_bits = memcmp(probabilities, expected, model->probabilities.size) == 0;
  const int same_digits = memcmp(digits, model->digits.data, model->digits.size) == 0;
  const int passed = same_digits && (exact ? same_bits : apart <= kTolerance);
  printf("%s: %zu images, %zu read right:", device, model->image_count, right);
  for (size_t i = 0; i < kFirst && i < model->image_count; ++i) printf(" %d", digits[i]);
  printf(" ...\n  %s digits, probabilities ", same_digits ? "the expected" : "OTHER");
  if (same_bits) {
    printf("to the bit\n");
  } else {
    printf("%g apart at most%s\n", (double)apart, passed ? "" : ": TOO MUCH");
  }
  return passed;
}

/* Runs the model on a device. Returns 1 if the results are as expected, else 0.
 * Returns -1 if the image has nothing that the device takes, and the device was not asked for by name. */
static int runOn(rtDevice_t device, int by_name, const Model* model) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  rtContext_t context = NULL;
  rtModule_t module = NULL;
  CHECK(rtDeviceGetProperties(&properties, device));
  CHECK(rtContextCreate(&context, NULL, device));
  char path[kMaxPath];
  const rtStatus_t loaded = rtModuleLoadFile(&module, pathOf(path, model->folder, "model.rtm"), NULL, context);
  if (loaded < 0 && !by_name) {
    char* why = lastMessage();
    printf("%s: left out: %s\n", properties.id, why != NULL ? why : "");
    free(why);
    CHECK(rtContextDestroy(context));
    return -1;
  }
  CHECK(loaded);

  rtCapturePlanOptions_t options = RT_CAPTURE_PLAN_OPTIONS_INIT;
  rtCapturePlan_t plan = NULL;
  rtGraphExec_t exec = NULL;
  options.modules = &module; /* the graph file names kernels, and they are in here */
  options.module_count = 1;
  CHECK(rtCapturePlanCreate(&plan, &options, model->graph, context));
  CHECK(rtGraphExecCreate(&exec, plan));
  void* memory[kMaxBuffers];
  bindMemory(memory, model, exec, context);

  float* probabilities = hostMemory(model->probabilities.size);
  int32_t* digits = hostMemory(model->digits.size);
  readImages(probabilities, digits, model, memory, exec, context);
  const int passed = compare(properties.id, properties.backend == RT_BACKEND_CPU, probabilities, digits, model);

  free(probabilities);
  free(digits);
  for (uint32_t i = 0; i < model->buffer_count; ++i) CHECK(rtFree(memory[i]));
  CHECK(rtGraphExecDestroy(exec));
  CHECK(rtCapturePlanDestroy(plan));
  CHECK(rtModuleDestroy(module));
  CHECK(rtContextDestroy(context));
  return passed;
}

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    fprintf(stderr, "deploy_run FOLDER [DEVICE...]: runs the model that model.py has written into the folder\n");
    return 2;
  }
  Model model;
  loadModel(&model, argv[1]);
  int32_t count = argc - 2, ran = 0, passed = 1;
  if (argc == 2) CHECK(rtDeviceGetCount(&count, RT_BACKEND_ALL));
  for (int32_t i = 0; i < count; ++i) {
    rtDevice_t device = NULL;
    if (argc == 2) {
      CHECK(rtDeviceGet(&device, RT_BACKEND_ALL, i));
    } else {
      CHECK(rtDeviceGetByName(&device, argv[i + 2]));
    }
    const int result = runOn(device, argc > 2, &model);
    ran += result >= 0;
    passed = passed && result != 0;
  }
  if (ran == 0) fprintf(stderr, "deploy_run: the image has nothing for any device of this machine\n");
  CHECK(rtGraphDestroy(model.graph));
  free(model.pixels.data);
  free(model.labels.data);
  free(model.probabilities.data);
  free(model.digits.data);
  CHECK(rtShutdown());
  return ran > 0 && passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
