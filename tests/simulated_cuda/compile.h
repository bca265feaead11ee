// Compiling a source of kernels with the host's compiler. Knows nothing of NVRTC's handles.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace manyrt::simulated {

struct Source {
  std::string name;
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;  // name as included, text
  std::vector<std::string> expressions;                      // names that are asked for
};

struct CompileOptions {
  int architecture = 75;
  bool real = false;  // sm_, which gives a cubin; compute_ gives PTX alone
  std::string standard = "c++17";
  std::vector<std::string> passed_on;  // definitions and include folders
};

// False, and a line in the log: NVRTC does not know an option.
bool readOptions(int count, const char* const* options, CompileOptions* read, std::string* log);

struct Compiled {
  bool good = false;
  std::string log;
  std::vector<unsigned char> object;
  std::vector<std::string> lowered;  // as the expressions
};

Compiled compile(const Source& source, const CompileOptions& options);

}  // namespace manyrt::simulated
