/* SPDX-License-Identifier: Apache-2.0
 *
 * bridge.h - the Go package's part in C. Calls come with their message, since a goroutine may move to another thread between
 * two calls. The library calls a function here for a host function of Go.
 */
#ifndef MANYRT_GO_BRIDGE_H_
#define MANYRT_GO_BRIDGE_H_

#if !__has_include(<rt_message.h>)
#error "rt_message.h of manyrt was not found: install the Debian package libmanyrt-dev"
#endif
#include <rt_message.h>
#include <stdlib.h>
#include <string.h>

/* In callback.go. */
extern void manyrtHostFunction(uintptr_t handle, rtStatus_t status);
extern void manyrtRelease(uintptr_t handle);
extern void manyrtLog(int32_t level, char* line);

static inline void manyrtHost(void* user, rtStatus_t status) { manyrtHostFunction((uintptr_t)user, status); }

static inline void manyrtLogLine(int32_t level, const char* line, void* user) {
  (void)user;
  manyrtLog(level, (char*)line);
}

static inline rtStatus_t manyrtSetLog(char* message, size_t size, int on, int32_t level) {
  return rtSetLogCallbackWithMessage(message, size, on ? manyrtLogLine : NULL, NULL, level);
}

static inline void manyrtReleaseHost(void* user) { manyrtRelease((uintptr_t)user); }

/* Copies with addresses as numbers or as bytes: cgo looks for pointers of Go in all that an unsafe.Pointer points to. */
static inline rtStatus_t manyrtCopy(char* message, size_t size, unsigned char* dst, const unsigned char* src, size_t bytes) {
  return rtMemcpyWithMessage(message, size, dst, src, bytes, RT_MEMCPY_DEFAULT);
}

static inline rtStatus_t manyrtCopyAsync(char* message, size_t size, unsigned char* dst, const unsigned char* src, size_t bytes,
                                         rtStream_t stream) {
  return rtMemcpyAsyncWithMessage(message, size, dst, src, bytes, RT_MEMCPY_DEFAULT, stream);
}

/* The options in C: cgo does not pass a struct of Go that has pointers of C in it without checks. */
static inline rtStatus_t manyrtLoadFile(char* message, size_t size, rtModule_t* module, const char* path, const char* options,
                                        rtContext_t context) {
  rtModuleOptions_t all = RT_MODULE_OPTIONS_INIT;
  all.build_options = options;
  return rtModuleLoadFileWithMessage(message, size, module, path, &all, context);
}

static inline void manyrtNothing(void* user, rtStatus_t status) {
  (void)user;
  (void)status;
}

/* Frees memory of C once the stream has passed its present work. Where this is refused it is never freed: the stream may still
   write to it. */
static inline void manyrtFreeAfter(void* memory, rtStream_t stream) {
  char message[256];
  (void)rtLaunchHostFunctionWithReleaseWithMessage(message, sizeof message, manyrtNothing, memory, free, stream);
}

static inline rtStatus_t manyrtLaunchHost(char* message, size_t size, uintptr_t handle, rtStream_t stream) {
  return rtLaunchHostFunctionWithReleaseWithMessage(message, size, manyrtHost, (void*)handle, manyrtReleaseHost, stream);
}

#endif
