// The machine under the benchmarks: its description, threads and the cores they stay on, floors, and a check of rt calls.
#pragma once

#include <rt.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interleave.h"

namespace bench {

// Ends the program with the library's sentence where a call fails; RT_NOT_READY is none.
void check(rtStatus_t status, const char* call);
#define RT_CHECK(call) ::bench::check((call), #call)

int coreCount();  // that this process may use

// Keeps the calling thread on the n-th core that the process may use (modulo their number).
void pinHere(int core);

// Puts threads that are created while it lives on cores 1, 2, ... in turn: call done() once they exist.
class Pinning {
 public:
  Pinning();
  void done();

 private:
  std::vector<int> before_;
};

void describeMachine(const std::function<void(const char*, const std::string&)>& add);

// A cache line that goes from this thread to one on another core and back, in nanoseconds. The other thread lives only
// while this is measured.
double pingPong(int64_t budget);

// A call into the library that has nothing to do.
Measure exportedCall();

// Contexts and kernels as the benchmarks need them.
rtContext_t createContext(const char* device, uint32_t cpu_threads);
rtStream_t createStream(rtContext_t context);
rtKernel_t createKernel(rtContext_t context, rtHostKernelFunction_t function, const std::vector<rtHostArg_t>& args);

// Does nothing, as a kernel.
void emptyKernel(const rtHostGroup_t* group, void* const* args);

}  // namespace bench
