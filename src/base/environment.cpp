// Reads environment variables through secure_getenv alone, so that a set-user-id program reads none. Apart from config.cpp,
// whose lines go to the log, so that a library beside the core can read the same table.
#include <cstdlib>

#include "base/config.h"

namespace manyrt::config {

const char* nameOf(Variable variable) {
  static constexpr const char* kNames[] = {
#define X(id, name, text) name,
      RT_ENVIRONMENT_TABLE(X)
#undef X
  };
  return kNames[static_cast<int>(variable)];
}

const char* get(Variable variable) {
  const char* value = secure_getenv(nameOf(variable));
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

}  // namespace manyrt::config
