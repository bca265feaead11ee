// From OpenCL C to code that the CPU runs: front end, lowering, compiler, cache, in this order and no other. The CPU backend
// calls it; the same source with the same options is built once in a process, also when several threads ask at once.
#pragma once

#include <string>

#include "base/ref.h"
#include "base/status.h"
#include "kernels/build/object.h"
#include "kernels/build/request.h"

namespace manyrt::kernels {

// BUILD_FAILED with a log that has the user's names and lines; COMPILER_NOT_FOUND; INVALID_VALUE for options. `log` also
// receives the warnings and remarks of a build that succeeded; from the cache the same text.
Status buildForCpu(Ref<Object>* object, std::string* log, const BuildRequest& request);

}  // namespace manyrt::kernels
