// Environment variables as flags, numbers and lists, with a line in the log for a bad value. environment.cpp reads them.
#include "base/config.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/log.h"
#include "base/text.h"
#include "rt.h"

namespace manyrt::config {
namespace {

constexpr const char* kNames[] = {
#define X(id, name, text) name,
    RT_ENVIRONMENT_TABLE(X)
#undef X
};

}  // namespace

bool flag(Variable variable) {
  const char* value = get(variable);
  return value != nullptr && strcmp(value, "0") != 0;
}

int64_t integer(Variable variable, int64_t least, int64_t most, int64_t otherwise) {
  const char* value = get(variable);
  if (value == nullptr) return otherwise;
  char* end = nullptr;
  long long number = strtoll(value, &end, 10);
  if (end == value || *end != '\0' || number < least || number > most) {
    log::write(RT_LOG_WARNING, "%s=%s is not a number from %lld to %lld and is not used.", nameOf(variable), value,
               static_cast<long long>(least), static_cast<long long>(most));
    return otherwise;
  }
  return number;
}

int32_t logLevel() {
  const char* value = get(Variable::kLog);
  if (value == nullptr) return RT_LOG_WARNING;
  static constexpr const char* kLevels[] = {"none", "error", "warning", "info", "debug"};
  for (int32_t level = 0; level < 5; ++level) {
    if (strcmp(value, kLevels[level]) == 0 || (value[0] == '0' + level && value[1] == '\0')) return level;
  }
  return RT_LOG_WARNING;
}

bool listed(Variable variable, const char* word) {
  const char* at = get(variable);
  size_t length = strlen(word);
  while (at != nullptr && *at != '\0') {
    size_t size = strcspn(at, ",");
    if (size == length && strncmp(at, word, size) == 0) return true;
    at += size;
    if (*at == ',') ++at;
  }
  return false;
}

void tellMisspelt() {
  if (getauxval(AT_SECURE) != 0) return;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (strncmp(*each, "RT_", 3) != 0) continue;
    const std::string_view name(*each, strcspn(*each, "="));
    std::string_view nearest;
    size_t least = SIZE_MAX;
    for (const char* known : kNames) {
      const size_t apart = lettersApart(name, known);
      if (apart >= least) continue;
      least = apart;
      nearest = known;
    }
    const size_t kLettersOfOneMistake = 3;
    if (least == 0 || least > (name.size() - 3) / kLettersOfOneMistake) continue;
    log::write(RT_LOG_WARNING, "%.*s is no variable of manyrt; %.*s is near.", static_cast<int>(name.size()), name.data(),
               static_cast<int>(nearest.size()), nearest.data());
  }
}

}  // namespace manyrt::config
