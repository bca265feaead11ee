// Makes the status of a failed build, beside buildFailure of build.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace manyrt::compiler {

// Returns `status`, or INTERNAL with the function's place where the compiler found errors in generated text: the front end had
// accepted the source `name`. `said` is what the compiler said, `texts` the files unit0.cpp, unit1.cpp, ...
Status orDefect(Status status, const char* name, std::string_view said, const std::vector<std::string>& texts);

}  // namespace manyrt::compiler
