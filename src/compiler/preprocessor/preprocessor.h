// C99's preprocessor with the macros that OpenCL C predefines. The front end runs it first, because kernels come from macros
// and under #if, and because no other compiler need be there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/preprocessor/header.h"
#include "compiler/preprocessor/source.h"
#include "compiler/preprocessor/token.h"

namespace manyrt::compiler {

// A file that #include found on the disk, by the name that #include has for it.
struct FoundHeader {
  std::string name;
  std::string path;
  std::string_view text;  // of the sources
};

struct PreprocessorOptions {
  // In the order of the command line: {"NAME", "value"} for -D, {"NAME", nothing} with `undefine` for -U.
  struct Definition {
    std::string name;  // may carry parameters: "SQUARE(x)"
    std::string value;
    bool undefine = false;
  };
  std::vector<Definition> definitions;
  std::vector<Header> headers;
  std::vector<std::string> include_folders;   // -I, after the folder of the including file where that has one
  std::string source_folder;                  // of sources whose names have none; empty: they are in no folder
  std::vector<FoundHeader>* found = nullptr;  // receives each, again for each #include
};

// Limits that keep any input finite: kMaxTokens in all, kMaxIncludeDepth, kMaxExpansion of macros within macros.
inline constexpr uint32_t kMaxTokens = 4'000'000;
inline constexpr uint32_t kMaxIncludeDepth = 64;

// Appends the tokens of `file` and a kEnd. False after an error, which stands in the diagnostics.
bool preprocess(Tokens* tokens, Sources& sources, uint32_t file, const PreprocessorOptions& options, Diagnostics& diagnostics);

}  // namespace manyrt::compiler
