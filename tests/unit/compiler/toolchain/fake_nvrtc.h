/* Exports of fake_nvrtc.c: NVRTC's functions, as far as the library uses them, and a count. */
#pragma once

#include <stddef.h>

int fakeNvrtcCompiles(void); /* how often nvrtcCompileProgram was called */

const char* nvrtcGetErrorString(int result);
int nvrtcVersion(int* major, int* minor);
int nvrtcGetNumSupportedArchs(int* count);
int nvrtcGetSupportedArchs(int* out);
int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* texts,
                       const char* const* names);
int nvrtcDestroyProgram(void** program);
int nvrtcCompileProgram(void* user, int count, const char* const* options);
int nvrtcGetProgramLogSize(void* user, size_t* size);
int nvrtcGetProgramLog(void* user, char* out);
int nvrtcGetPTXSize(void* user, size_t* size);
int nvrtcGetPTX(void* user, char* out);
int nvrtcGetCUBINSize(void* user, size_t* size);
int nvrtcGetCUBIN(void* user, char* out);
