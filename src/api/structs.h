// The versioned structs of rt.h, read and written by the rules that all headers of the project share (base/structs.h).
#pragma once

#include "base/structs.h"

namespace manyrt::api {

using manyrt::checkLabel;
using manyrt::checkResult;
using manyrt::readOptions;
using manyrt::writeResult;

}  // namespace manyrt::api
