// How a failed build is told to the program, beside buildFailure of build.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace manyrt::compiler {

// `status`, unless it is BUILD_FAILED because of errors in generated text: the front end had accepted the source `name`, so
// that this is INTERNAL, with the function's place. `said` is what the compiler said, `texts` the files unit0.cpp, unit1.cpp,
// ...
Status orDefect(Status status, const char* name, std::string_view said, const std::vector<std::string>& texts);

}  // namespace manyrt::compiler
