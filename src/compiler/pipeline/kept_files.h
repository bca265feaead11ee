// Files that debuggers and profilers open, in a folder of the build: its sources, the C++ that was made of them, and the
// object. RT_CPU_DEBUG, RT_CPU_PERF and `-g` ask for them. The object is loaded from there, so that its path means the same to
// another process, and after the end of this one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/blake2b.h"
#include "compiler/preprocessor/source.h"

namespace manyrt::compiler {

class KeptFiles {
 public:
  // The files that the environment and `-g` ask for. The caller reads the environment; threads of the library get a copy.
  static KeptFiles find(bool debug_option);

  bool debugs() const { return debugs_; }      // RT_CPU_DEBUG: quick code without optimisation, with the user's names
  bool profiles() const { return profiles_; }  // RT_CPU_PERF: lines in each code
  bool wanted() const { return !base_.empty(); }
  std::string key() const;  // what code depends on

  void choose(const Digest& key);  // the folder of this build, in wanted()
  const std::string& folder() const { return folder_; }
  // Sources that came as strings: those of files stand where they are.
  void keepSources(const Sources& sources) const;
  void keepText(const std::string& name, std::string_view text) const;
  // Writes beside and renames. The path; empty where that failed, and then the object is loaded from memory.
  std::string keepObject(const char* name, const std::vector<unsigned char>& object) const;

 private:
  bool debugs_ = false, profiles_ = false;
  std::string base_;    // of all builds; empty: nothing is kept
  std::string folder_;  // absolute
};

}  // namespace manyrt::compiler
