/* SPDX-License-Identifier: Apache-2.0
 *
 * build_error: a kernel that does not compile. The status is RT_ERROR_BUILD_FAILED and no module is made. The message of the
 * failure has the compiler's log, with the name, line and column of each mistake. */
#include <string.h>

#include "common.h"

enum { kCount = 1000 };

/* `stepp` is the mistake. */
static const char kSource[] =
    "__kernel void ramp(__global float* out, float first, float step) {\n"
    "  const int i = get_global_id(0);\n"
    "  out[i] = first + i * stepp;\n"
    "}\n";

/* In messages a source has the name that the program gives it; where the program gives none, it is kernel.cl. */
static rtStatus_t build(rtModule_t* module, const char* build_options) {
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_OPENCL_C;
  options.name = "ramp.cl";
  options.build_options = build_options;
  return rtModuleLoadData(module, kSource, strlen(kSource), &options, NULL);
}

/* "ramp.cl:line:column: error:" for the first place of `word` in the source; both count from 1. */
static void placeOf(const char* word, char* place, size_t size) {
  const char* found = strstr(kSource, word);
  const char* line = kSource;
  int number = 1;
  for (const char* at = kSource; at < found; ++at) {
    if (*at != '\n') continue;
    line = at + 1;
    ++number;
  }
  snprintf(place, size, "ramp.cl:%d:%d: error:", number, (int)(found - line) + 1);
}

static void expectMistake(void) {
  rtModule_t module = NULL;
  const rtStatus_t status = build(&module, NULL);
  if (status != RT_ERROR_BUILD_FAILED)
    CHECK(status); /* another failure, as RT_ERROR_COMPILER_NOT_FOUND, is told and ends this */
  char* log = lastMessage();
  char place[64];
  placeOf("stepp", place, sizeof place);
  printf("%s:\n%s\n\n", rtGetErrorName(status), log != NULL ? log : "");
  EXPECT(status == RT_ERROR_BUILD_FAILED && module == NULL);
  EXPECT(log != NULL && strstr(log, place) != NULL && strstr(log, "out[i] = first + i * stepp;") != NULL);
  free(log);
}

/* An unknown option is no mistake in the source: it has a status of its own. */
static void expectUnknownOption(void) {
  rtModule_t module = NULL;
  const rtStatus_t status = build(&module, "-cl-make-it-fast");
  char* message = lastMessage();
  printf("%s:\n%s\n\n", rtGetErrorName(status), message != NULL ? message : "");
  EXPECT(status == RT_ERROR_INVALID_VALUE && module == NULL);
  EXPECT(message != NULL && strstr(message, "-cl-make-it-fast") != NULL);
  free(message);
}

/* With a macro in the options the same source means something. The compiler's remarks stay with the module. */
static void buildAndRun(void) {
  rtModule_t module = NULL;
  rtKernel_t ramp = NULL;
  void* out = NULL;
  size_t log_bytes = 0;
  float first = 3.0f;
  float step = 0.5f;
  float values[kCount];
  CHECK(build(&module, "-Dstepp=step"));
  CHECK(rtModuleGetBuildLog(NULL, 0, &log_bytes, module));
  CHECK(rtModuleGetKernel(&ramp, "ramp", module));
  CHECK(rtMalloc(&out, sizeof values, NULL));
  void* args[] = {&out, &first, &step};
  CHECK(rtLaunchKernel(ramp, kCount / 100, 1, 1, 100, 1, 1, 0, NULL, args, RT_ARGS_ALL));
  CHECK(rtStreamSynchronize(NULL));
  CHECK(rtMemcpy(values, out, sizeof values, RT_MEMCPY_DEVICE_TO_HOST));
  for (int i = 0; i < kCount; ++i) EXPECT(values[i] == 3.0f + 0.5f * (float)i);
  printf("With -Dstepp=step it builds, with a log of %zu bytes, and gives %g to %g\n", log_bytes - 1, (double)values[0],
         (double)values[kCount - 1]);
  CHECK(rtFree(out));
  CHECK(rtModuleDestroy(module));
}

int main(void) {
  expectMistake();
  expectUnknownOption();
  buildAndRun();
  return EXIT_SUCCESS;
}
