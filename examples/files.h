/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the files of an example are that it reads: kernels and images. Needs POSIX: _POSIX_C_SOURCE before the first #include.
 */
#ifndef MANYRT_EXAMPLES_FILES_H_
#define MANYRT_EXAMPLES_FILES_H_

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of the examples' sources, where nothing is beside the program. A build may say it. */
#ifndef MANYRT_EXAMPLE_FILES
#define MANYRT_EXAMPLE_FILES "examples"
#endif

enum { kExamplePath = 4096 };

/* Finds a file by its name in the folder of the examples, such as "digits/digits.cl". It is beside the program, without the
 * folder, where CMakeLists.txt and Makefile of the installed examples put it; else in MANYRT_EXAMPLE_FILES. Returns `path`. */
static inline const char* exampleFile(char path[kExamplePath], const char* name) {
  const char* slash = strrchr(name, '/');
  const char* own_name = slash != NULL ? slash + 1 : name;
  const ssize_t length = readlink("/proc/self/exe", path, kExamplePath);
  size_t folder = length > 0 && length < kExamplePath ? (size_t)length : 0;
  while (folder > 0 && path[folder - 1] != '/') --folder;
  if (folder > 0 && folder + strlen(own_name) < kExamplePath) {
    strcpy(path + folder, own_name);
    if (access(path, R_OK) == 0) return path;
  }
  snprintf(path, kExamplePath, "%s/%s", MANYRT_EXAMPLE_FILES, name);
  return path;
}

#endif /* MANYRT_EXAMPLES_FILES_H_ */
