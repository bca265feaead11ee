// For tests that run compilers themselves: the flag for this processor's own instructions, and whether a compiler makes code
// for this kind of processor. Under an emulator the machine's own compilers are in PATH, too.
#pragma once

#include <stdio.h>
#include <string.h>

#include <string>

#if defined(__x86_64__)
#define NATIVE_PROCESSOR_FLAG "-march=native"
#else
#define NATIVE_PROCESSOR_FLAG "-mcpu=native"  // -march takes no "native" of every compiler there
#endif

namespace rttest {

inline bool compilesForHere(const std::string& compiler) {
  FILE* const answer = popen(("'" + compiler + "' -dumpmachine").c_str(), "r");
  if (answer == nullptr) return false;
  char machine[64] = "";
  const bool answered = fgets(machine, sizeof machine, answer) != nullptr;
  pclose(answer);
#if defined(__x86_64__)
  return answered && strstr(machine, "x86_64") != nullptr;
#elif defined(__aarch64__)
  return answered && strstr(machine, "aarch64") != nullptr;
#else
  return answered;
#endif
}

}  // namespace rttest
