// A library that a benchmark runs beside this one, opened by its name, and its functions.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace bench {

// The first of these names that can be opened; null names are passed over. Null: none.
inline void* openFirst(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (name == nullptr) continue;
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

// Null for a library that is not there; a function that a library lacks ends the program.
template <class Function>
void take(Function** function, void* library, const char* name) {
  *function = library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  if (library == nullptr || *function != nullptr) return;
  fprintf(stderr, "%s is missing\n", name);
  exit(EXIT_FAILURE);
}

}  // namespace bench
