// Joining sentence and log.
#include "kernels/build/failure.h"

#include <cstring>

namespace manyrt::kernels {

Status buildFailure(const Status& status, std::string log) {
  const bool timeout = status.code() == RT_ERROR_TIMEOUT;  // of the compiler: for the program a build that failed
  if (status.code() != RT_ERROR_BUILD_FAILED && !timeout) return status;
  const char* said = status.message()[0] != '\0' ? status.message() : errorString(RT_ERROR_BUILD_FAILED);
  while (!log.empty() && log.back() == '\n') log.pop_back();
  if (log.empty() || strstr(said, log.c_str()) != nullptr) return Status::error(RT_ERROR_BUILD_FAILED, "%s", said);
  return Status::error(RT_ERROR_BUILD_FAILED, "%s\n%s", said, log.c_str());
}

}  // namespace manyrt::kernels
