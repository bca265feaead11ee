// The drivers of OpenCL that bench_sixty runs beside this library, and a case on one of them.
#pragma once

#include "case_runner.h"

namespace sixty {

// A CPU device of an installed driver, with a context and a queue in order.
class OpenClDriver {
 public:
  // "PoCL" (its device with threads of its own) or "Intel". Null if it is not there; then `why` says so.
  static std::unique_ptr<OpenClDriver> find(const std::string& name, std::string* why);
  virtual ~OpenClDriver() = default;
  virtual std::string version() const = 0;
  virtual std::unique_ptr<CaseRunner> runner(const Kernel& kernel, const Case& given, bool relaxed) = 0;
};

}  // namespace sixty
