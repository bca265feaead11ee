// The outcome that a spoiled integer has to have, as a table: by function, argument and range of values. Also the few legal
// calls that a test must not make, each with its reason. Used by misuse_test.cpp only.
#ifndef MANYRT_TESTS_MISUSE_RULES_H_
#define MANYRT_TESTS_MISUSE_RULES_H_

#include <string>
#include <vector>

#include "support/function_table.h"

namespace manyrt::misuse {

enum class Expect {
  documented,    // anything that the function documents
  baseline,      // the same as with the valid value
  success,       //
  failure,       // any documented error
  invalidValue,  // also what the valid call returns, if that is an error
  invalidDevice,
  noMemory,  // RT_ERROR_OUT_OF_MEMORY, or RT_ERROR_INVALID_VALUE for a size that no address space has
  skip       // not called
};

struct Rule {
  std::string function;  // empty: every function
  std::string argument;
  uint64_t low, high;  // inclusive, after conversion to the argument's type
  Expect expect;
};

inline constexpr uint64_t kAll = UINT64_MAX;
inline constexpr uint64_t kHuge = uint64_t{1} << 63;  // more than any address space

// The first rule that fits counts; without one: Expect::documented.
inline const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = {
      // Legal, but they would wait for ever, or lock or run more than a test machine has.
      {"rtFenceWait", "value", 6, kAll, Expect::skip},
      {"rtStreamWaitFence", "value", 6, kAll, Expect::skip},
      {"rtMallocHost", "size", 1, kHuge - 1, Expect::skip},
      {"rtHostRegister", "size", 1, kHuge - 1, Expect::skip},
      {"", "grid_x", 1, kAll, Expect::skip},
      {"", "grid_y", 1, kAll, Expect::skip},
      {"", "grid_z", 1, kAll, Expect::skip},
      {"", "grid_x", 0, 0, Expect::baseline},
      {"", "grid_y", 0, 0, Expect::baseline},
      {"", "grid_z", 0, 0, Expect::baseline},

      // Lists of constants.
      {"", "backend", 0, kAll, Expect::invalidValue},
      {"", "ordinal", 0, kAll, Expect::invalidDevice},
      {"", "attribute", 0, kAll, Expect::invalidValue},
      {"", "capability", 0, kAll, Expect::invalidValue},
      {"", "kind", 0, kAll, Expect::invalidValue},
      {"", "kinds", 0, kAll, Expect::invalidValue},
      {"", "level", 0, kAll, Expect::invalidValue},

      // Launches.
      {"", "group_x", 0, kAll, Expect::invalidValue},
      {"", "group_y", 0, kAll, Expect::invalidValue},
      {"", "group_z", 0, kAll, Expect::invalidValue},
      {"", "group_size", 0, kAll, Expect::invalidValue},
      {"", "arg_count", RT_ARGS_ALL, RT_ARGS_ALL, Expect::baseline},
      {"", "arg_count", 0, kAll, Expect::invalidValue},
      {"", "index", 1, kAll, Expect::invalidValue},
      {"rtLaunchKernel", "local_bytes", 1, kAll, Expect::failure},
      {"rtLaunchKernelWithOptions", "local_bytes", 1, kAll, Expect::failure},

      // Modules: a size is not believed before it is compared with the limit of an image.
      {"rtModuleLoadData", "size", 0, kAll, Expect::invalidValue},
      {"rtModuleCreateFromSources", "count", 0, 0, Expect::invalidValue},
      {"rtModuleCreateFromSources", "count", 2, 65536, Expect::skip},  // more than the array has
      {"rtModuleCreateFromSources", "count", 65537, kAll, Expect::invalidValue},
      {"rtModuleBuildMany", "count", 0, 0, Expect::invalidValue},
      {"rtModuleBuildMany", "count", 2, 65536, Expect::skip},  // more than the arrays have
      {"rtModuleBuildMany", "count", 65537, kAll, Expect::invalidValue},

      // Graphs: lists of nodes are not believed before they are counted.
      {"rtGraphMakeBuffer", "size", 0, 0, Expect::invalidValue},
      {"rtGraphMakeBuffer", "size", 4097, kAll, Expect::invalidValue},
      {"rtGraphAddBuffer", "size", 0, 0, Expect::invalidValue},
      {"rtGraphAddBuffer", "size", 1, uint64_t{1} << 57, Expect::baseline},
      {"rtGraphAddBuffer", "size", (uint64_t{1} << 57) + 1, kAll, Expect::invalidValue},
      {"", "role", 0, kAll, Expect::invalidValue},
      {"rtGraphAddDependencies", "count", 0, 0, Expect::success},
      {"rtGraphRemoveDependencies", "count", 0, 0, Expect::success},
      {"rtGraphAddDependencies", "count", 5, kAll, Expect::invalidValue},
      {"rtGraphRemoveDependencies", "count", 5, kAll, Expect::invalidValue},
      {"rtGraphExportDot", "size", 0, kAll, Expect::documented},
      {"rtGraphSave", "size", 0, kAll, Expect::documented},
      {"rtGraphLoad", "size", 0, kAll, Expect::invalidValue},
      {"", "capacity", 0, kAll, Expect::baseline},

      // Copies and fills: nothing to do is success, and nothing leaves its allocation of 4096 bytes.
      {"rtMemcpy", "size", 0, 0, Expect::success},
      {"rtMemcpyAsync", "size", 0, 0, Expect::success},
      {"rtMemset", "size", 0, 0, Expect::success},
      {"rtMemsetAsync", "size", 0, 0, Expect::success},
      {"rtMemcpy", "size", 1, kAll, Expect::invalidValue},
      {"rtMemcpyAsync", "size", 1, kAll, Expect::invalidValue},
      {"rtMemset", "size", 1, kAll, Expect::invalidValue},
      {"rtMemsetAsync", "size", 1, kAll, Expect::invalidValue},
      {"rtMemPrefetchAsync", "size", 1, kAll, Expect::failure},
      {"", "width", 0, 0, Expect::success},
      {"", "height", 0, 0, Expect::success},
      {"", "width", 1, kAll, Expect::invalidValue},
      {"", "height", 1, kAll, Expect::invalidValue},
      {"", "pitch", 0, kAll, Expect::invalidValue},
      {"", "dst_pitch", 0, kAll, Expect::invalidValue},
      {"", "src_pitch", 0, kAll, Expect::invalidValue},
      {"", "pattern_size", 0, kAll, Expect::invalidValue},
      {"rtMemFillAsync", "count", 0, 0, Expect::success},
      {"rtMemFillAsync", "count", 1, kAll, Expect::invalidValue},

      // Allocations.
      {"rtHostRegister", "size", 0, 0, Expect::failure},
      {"rtHostRegister", "size", kHuge, kAll, Expect::failure},
      {"rtMemImport", "size", 0, 0, Expect::failure},
      {"rtMemImportWithRelease", "size", 0, 0, Expect::failure},
      {"rtMalloc", "size", 0, 0, Expect::success},
      {"rtMallocHost", "size", 0, 0, Expect::success},
      {"rtMallocAsync", "size", 0, 0, Expect::success},
      {"rtMallocFromPool", "size", 0, 0, Expect::success},
      {"rtMallocWithOptions", "size", 0, 0, Expect::success},
      {"rtMalloc", "size", kHuge, kAll, Expect::noMemory},
      {"rtMallocHost", "size", kHuge, kAll, Expect::noMemory},
      {"rtMallocAsync", "size", kHuge, kAll, Expect::noMemory},
      {"rtMallocFromPool", "size", kHuge, kAll, Expect::noMemory},
      {"rtMallocWithOptions", "size", kHuge, kAll, Expect::noMemory},
      {"rtMallocShared", "size", kHuge, kAll, Expect::failure},
      {"", "alignment", 0, 0, Expect::baseline},
      {"", "alignment", kHuge + 1, kAll, Expect::invalidValue},

      // Fences: the value never falls.
      {"rtFenceSignal", "value", 0, 0, Expect::invalidValue},
  };
  return table;
}

inline Expect expectation(const calls::Function& function, const calls::Argument& argument, uint64_t value) {
  for (const Rule& rule : rules()) {
    if ((rule.function.empty() || rule.function == function.name) && rule.argument == argument.name && value >= rule.low &&
        value <= rule.high) {
      return rule.expect;
    }
  }
  return Expect::documented;
}

}  // namespace manyrt::misuse

#endif  // MANYRT_TESTS_MISUSE_RULES_H_
