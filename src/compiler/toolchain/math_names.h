// What a linker has to know of the C library's math functions: a shared object with the names that a kernel calls and nothing
// else. With the whole of libm to read, linking a kernel takes twice as long.
#pragma once

#include <string>
#include <vector>

namespace manyrt::compiler {

// A file to link with in place of libm: those of the names that libm has, in the versions that this process would get; its
// name as a library is libm's, which is what will be loaded. Empty: libm has none of the names, or is not of a form that is
// understood here; `understood` tells which.
std::vector<unsigned char> mathNames(std::vector<std::string> wanted, bool* understood);

}  // namespace manyrt::compiler
