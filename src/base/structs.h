// Versioned structs. Options: fields that an older header does not have get their defaults. A field of a newer header that this
// library does not know is refused unless it is zero. Results: the library writes the part that it knows and zeroes the rest.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/status.h"

namespace manyrt {

// `first`: the size of the struct in the first release.
template <class T>
Status readOptions(T* out, const T* in, const T& defaults, const char* name, size_t first = sizeof(T)) {
  *out = defaults;
  if (in == nullptr) return Status();
  size_t size = in->struct_size;
  RT_CHECK_ARG(size >= first, "%s.struct_size is %zu; it is at least %zu: start from the initialiser macro.", name, size,
               first);
  const auto* bytes = reinterpret_cast<const unsigned char*>(in);
  for (size_t i = sizeof(T); i < size; ++i) {
    if (bytes[i] != 0) {
      return Status::error(RT_ERROR_NOT_SUPPORTED,
                           "%s sets a field at byte %zu that this version of the library does not have.", name, i);
    }
  }
  memcpy(out, in, std::min(size, sizeof(T)));
  out->struct_size = sizeof(T);
  return Status();
}

template <class T>
Status checkResult(T* out, const char* name, size_t first = sizeof(T)) {
  RT_CHECK_ARG(out != nullptr, "The output \"%s\" is NULL.", name);
  RT_CHECK_ARG(out->struct_size >= first, "%s->struct_size is %u; it is at least %zu: start from the initialiser macro.", name,
               out->struct_size, first);
  size_t size = out->struct_size;
  memset(reinterpret_cast<unsigned char*>(out) + sizeof(uint32_t), 0, size - sizeof(uint32_t));
  return Status();
}

// Writes `result`, as this library has it; the caller's struct_size stays.
template <class T>
void writeResult(T* out, const T& result) {
  uint32_t size = out->struct_size;
  memcpy(out, &result, std::min<size_t>(size, sizeof(T)));
  out->struct_size = size;
}

// Checks a label, which is a char array of the caller.
template <size_t N>
Status checkLabel(const char (&label)[N]) {
  RT_CHECK_ARG(memchr(label, '\0', N) != nullptr, "The label has no terminator in its %zu bytes.", N);
  return Status();
}

}  // namespace manyrt
