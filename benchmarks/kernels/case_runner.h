// Runs a case: builds its kernels, holds its buffers, performs its launches. One class per way: this library (case_runner.cpp),
// a driver of OpenCL (case_runner_opencl.cpp). The benchmark bench_sixty and the test kernels.sixty call these.
#pragma once

#include <rt.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "kernel_case.h"

namespace sixty {

// A failure as a sentence: a source that is not accepted, a launch that fails.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CaseRunner {
 public:
  virtual ~CaseRunner() = default;
  virtual void restore() = 0;                            // the buffers hold again what the case says
  virtual void run() = 0;                                // all launches in order, and waits for the last
  virtual std::vector<std::byte> read(std::size_t) = 0;  // a buffer by its index
};

std::string readSource(const Kernel& kernel);
std::string optionsOf(const Kernel& kernel, bool relaxed);

// Through rt.h, on a context of any device. The case is borrowed until the runner ends.
std::unique_ptr<CaseRunner> runOnContext(const Kernel& kernel, const Case& given, bool relaxed, rtContext_t context,
                                         rtStream_t stream);

// Runs the case once from its first state and compares every checked buffer. Empty, or how the result differs, by more than the
// tolerances and `more`.
std::string checkAgainst(const std::vector<Buffer>& expected, CaseRunner& runner, double more = 0);

// The buffers of a case as they have to be at its end.
std::vector<Buffer> expectedOf(const Kernel& kernel, const Case& given, std::size_t scale);

}  // namespace sixty
