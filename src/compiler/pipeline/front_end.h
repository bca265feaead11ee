// The beginning of every build from OpenCL C, for any device. It reads options, hashes the source's part of the key, and makes
// a typed program for a lowering.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/blake2b.h"
#include "base/status.h"
#include "compiler/build.h"
#include "compiler/parser/ast.h"
#include "compiler/pipeline/options.h"

namespace manyrt::compiler {

void addNumber(Blake2b* hash, uint64_t number);

// Whether a preprocessor could find an #include: the word stands there, line splices left out, be it in a comment. Only
// then can files outside of the request decide what the source means.
bool mayInclude(std::string_view text);

class FrontEnd {
 public:
  explicit FrontEnd(const BuildRequest& request) : request_(request), diagnostics_(sources_) {}

  Status readOptions();  // first
  const BuildOptions& options() const { return options_; }
  // Before addToKey: a predefined macro that the target does not have. The caller's part of the key says so.
  void undefine(const char* name) {
    auto& definitions = options_.preprocessor.definitions;
    definitions.insert(definitions.begin(), {name, "", true});
  }
  // The same for halves as numbers: cl_khr_fp16 cannot be enabled.
  void refuseHalves() {
    halves_ = false;
    undefine("cl_khr_fp16");
  }
  // And for sub-groups.
  void refuseSubGroups() {
    sub_groups_ = false;
    for (const char* name : {"cl_khr_subgroups", "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative"}) undefine(name);
  }
  const char* name() const { return request_.name[0] != '\0' ? request_.name : "kernel.cl"; }

  // Files that #include finds on the disk are listed in `found`, with texts of the sources.
  void noteHeaders(std::vector<FoundHeader>* found) { options_.preprocessor.found = found; }
  const Sources& sources() const { return sources_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  // Source, options, headers and the library's version; with an #include what the preprocessor makes of them. A failure of
  // that is in `log`.
  Status addToKey(Blake2b* hash, std::string* log);

  // Preprocesses, parses, and gives the program to `lower`, which reports to the diagnostics. All run on a stack of their own,
  // because the source decides the depth of nesting. Errors and warnings are appended to `log`.
  using Lower = std::function<bool(Program&, const Sources&, const BuildOptions&, Diagnostics&)>;
  Status translate(std::string* log, const Lower& lower);

 private:
  static Status onLargeStack(const std::function<Status()>& work);
  Status preprocessOnce(std::string* log);
  bool preprocessAll();
  Status translateHere(std::string* log, const Lower& lower);
  Status refused(std::string* log);

  const BuildRequest& request_;
  BuildOptions options_;
  bool halves_ = true, sub_groups_ = true;
  Sources sources_;
  Diagnostics diagnostics_;
  std::optional<Program> program_;  // once it is preprocessed: what comes from the cache needs none, and one takes microseconds
};

}  // namespace manyrt::compiler
