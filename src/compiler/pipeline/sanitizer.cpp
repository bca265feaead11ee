// Code for a sanitizer calls its runtime, which the process has to have from its start: it cannot be loaded with a kernel.
// ThreadSanitizer also has to see the library's own synchronisation, so it takes a library that was built for it.
#include "compiler/pipeline/sanitizer.h"

#include <cstring>

#include "base/config.h"
#include "base/log.h"
#include "base/os/sanitizer.h"

namespace manyrt::compiler {
namespace {

#if defined(MANYRT_BUILT_FOR_ADDRESS)
constexpr bool kForAddress = true, kForThread = false;
#elif defined(MANYRT_BUILT_FOR_THREAD)
constexpr bool kForAddress = false, kForThread = true;
#else
constexpr bool kForAddress = false, kForThread = false;
#endif

void watchAddresses(KernelSanitizer* found) {
  found->flags = {"-fsanitize=address", "-fno-omit-frame-pointer"};
  if (sanitizer::hasUndefined()) {
    found->flags.insert(found->flags.end(), {"-fsanitize=bounds,alignment", "-fno-sanitize-recover=bounds,alignment"});
  }
  // An ordinary library does not say which stack is in use: then those of fibers are not looked at.
  if (!kForAddress) found->fiber_flags = {"--param=asan-stack=0"};
}

}  // namespace

std::string KernelSanitizer::key() const {
  std::string all;
  for (const std::string& flag : flags) all += flag + " ";
  for (const std::string& flag : fiber_flags) all += flag + " ";
  return all;
}

const char* KernelSanitizer::word() const {
  if (!watches()) return "";
  return flags.front() == "-fsanitize=thread" ? "thread" : "address";
}

Status findKernelSanitizer(KernelSanitizer* found) {
  const char* value = config::get(config::Variable::kCpuSanitize);
  const bool off = value != nullptr && strcmp(value, "off") == 0;
  const bool address = value != nullptr && strcmp(value, "address") == 0;
  const bool thread = value != nullptr && strcmp(value, "thread") == 0;
  if (value != nullptr && !off && !address && !thread) {
    log::write(RT_LOG_WARNING, "RT_CPU_SANITIZE=%s is none of address, thread and off and is not used.", value);
    value = nullptr;
  }
  if (address || (value == nullptr && kForAddress)) {
    if (!sanitizer::hasAddress()) {
      return Status::error(RT_ERROR_NOT_SUPPORTED,
                           "RT_CPU_SANITIZE=address needs AddressSanitizer in the process: build the program with "
                           "-fsanitize=address, or start it with LD_PRELOAD=libasan.so.");
    }
    watchAddresses(found);
  } else if (thread || (value == nullptr && kForThread)) {
    if (!kForThread || !sanitizer::hasThread()) {
      return Status::error(RT_ERROR_NOT_SUPPORTED,
                           "RT_CPU_SANITIZE=thread needs a manyrt that was itself built for ThreadSanitizer "
                           "(cmake -DMANYRT_SANITIZE=thread), in a program built with -fsanitize=thread.");
    }
    found->flags = {"-fsanitize=thread", "-fno-omit-frame-pointer"};
  }
  return Status();
}

}  // namespace manyrt::compiler
