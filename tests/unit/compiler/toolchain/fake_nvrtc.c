/* NVRTC's interface without a compiler after it, for tests of what happens around it. FAKE_NVRTC says how the next call goes:
   "builtins", "option", "compile", "memory" let the compilation fail so, "broken" let it give no code. The code is the list of
   options, one a line. FAKE_NVRTC_ARCHITECTURES: of two digits or three, with commas; FAKE_NVRTC_MAJOR: the version. */
#include "fake_nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char text[4096];
  char log[256];
  int is_cubin;
} Program;

static int compiles;
int fakeNvrtcCompiles(void) { return __atomic_load_n(&compiles, __ATOMIC_SEQ_CST); }

static int isMode(const char* mode) {
  const char* set = getenv("FAKE_NVRTC");
  return set != NULL && strcmp(set, mode) == 0;
}

const char* nvrtcGetErrorString(int result) { return result == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR_OF_A_TEST"; }

int nvrtcVersion(int* major, int* minor) {
  const char* set = getenv("FAKE_NVRTC_MAJOR");
  *major = set != NULL ? atoi(set) : 13;
  *minor = 0;
  return 0;
}

static const char* architectures(void) {
  const char* set = getenv("FAKE_NVRTC_ARCHITECTURES");
  return set != NULL ? set : "75,80,90";
}

int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  for (const char* at = architectures(); *at != '\0'; ++at) *count += *at == ',';
  return 0;
}

int nvrtcGetSupportedArchs(int* out) {
  for (const char* at = architectures(); at != NULL; at = strchr(at, ',')) *out++ = atoi(at += *at == ',');
  return 0;
}

int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* texts,
                       const char* const* names) {
  Program* made = calloc(1, sizeof *made);
  (void)source;
  if (made == NULL) return 1;
  snprintf(made->text, sizeof made->text, "%s", name);
  for (int i = 0; i < headers; ++i) {
    if (texts[i] == NULL || names[i] == NULL) return 3;
  }
  *program = made;
  return 0;
}

int nvrtcDestroyProgram(void** program) {
  free(*program);
  *program = NULL;
  return 0;
}

int nvrtcCompileProgram(void* user, int count, const char* const* options) {
  Program* program = user;
  __atomic_add_fetch(&compiles, 1, __ATOMIC_SEQ_CST);
  snprintf(program->log, sizeof program->log, "a remark of the compiler\n");
  for (int i = 0; i < count; ++i) {
    const size_t used = strlen(program->text);
    snprintf(program->text + used, sizeof program->text - used, "\n%s", options[i]);
    program->is_cubin |= strstr(options[i], "sm_") != NULL;
  }
  if (isMode("builtins")) return 7;
  if (isMode("memory")) return 1;
  if (isMode("option")) {
    snprintf(program->log, sizeof program->log, "nvrtc: error: unrecognized option --that found\n");
    return 5;
  }
  if (isMode("compile")) {
    snprintf(program->log, sizeof program->log, "kernel.cl(3): error: too much shared memory\n");
    return 6;
  }
  return 0;
}

int nvrtcGetProgramLogSize(void* user, size_t* size) {
  *size = strlen(((Program*)user)->log) + 1;
  return 0;
}
int nvrtcGetProgramLog(void* user, char* out) {
  strcpy(out, ((Program*)user)->log);
  return 0;
}
static size_t codeSize(Program* program, int is_cubin) {
  return program->is_cubin == is_cubin && !isMode("broken") ? strlen(program->text) + 1 : 0;
}
int nvrtcGetPTXSize(void* user, size_t* size) {
  *size = codeSize(user, 0);
  return 0;
}
int nvrtcGetPTX(void* user, char* out) {
  strcpy(out, ((Program*)user)->text);
  return 0;
}
int nvrtcGetCUBINSize(void* user, size_t* size) {
  *size = codeSize(user, 1);
  return 0;
}
#ifndef FAKE_NVRTC_WITHOUT_CUBIN
int nvrtcGetCUBIN(void* user, char* out) {
  strcpy(out, ((Program*)user)->text);
  return 0;
}
#endif
