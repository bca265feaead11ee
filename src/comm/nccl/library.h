// NCCL as a table of functions: RT_NCCL, or libnccl.so.2 where the loader looks. Opened once, at the first question.
#pragma once

#include <string>

#include "base/status.h"
#include "comm/nccl/declarations.h"

namespace manyrt::comm::nccl {

struct Library {
#define X(member, symbol, parameters) Result(*member) parameters = nullptr;
  MANYRT_NCCL_FUNCTIONS(X)
#undef X
  const char* (*errorString)(Result) = nullptr;
  const char* (*lastError)(NativeComm*) = nullptr;
  int version = 0;
};

// BACKEND_UNAVAILABLE, with a sentence that names the package, where there is none or it is too old.
Status open(const Library** library);

std::string versionText(int version);  // "2.28.3"

// NCCL's words about a failed call, as a failure of DRIVER.
Status failure(const Library& library, const char* call, Result result);

}  // namespace manyrt::comm::nccl
