// The text that makes CUDA C++ ordinary C++.
#pragma once

#include <string_view>

namespace manyrt::simulated {

std::string_view kernelHeaders();

}  // namespace manyrt::simulated
