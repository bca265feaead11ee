// Functions of the C library that libstdc++ of gcc 12 and later expects, and Debian 11's does not have (glibc 2.31). Linked
// into each library and program of a wheel, visible there alone. cmake/sysroot.cmake has the rest.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// glibc 2.32: non-zero while the process has one thread. Zero always: reference counts are atomic.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// glibc 2.36. std::random_device of a library that was built with it asks for it by default.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) abort();  // 4 bytes come whole, once the system has started
  return value;
}
