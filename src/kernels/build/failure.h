// How a failed build is told to the program: one status whose sentence has the compiler's log.
#pragma once

#include <string>

#include "base/status.h"

namespace manyrt::kernels {

// What a failed build says, with the compiler's log where the sentence does not have it already.
Status buildFailure(const Status& status, std::string log);

}  // namespace manyrt::kernels
