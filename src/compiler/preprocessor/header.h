// A header that a build is given in memory. Requests hold them, the preprocessor finds them.
#pragma once

#include <string>

namespace manyrt::compiler {

struct Header {  // found by #include under its name before any folder is looked at
  std::string name;
  std::string text;
};

}  // namespace manyrt::compiler
