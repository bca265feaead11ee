// Shared by the tests of backends: a device with a context, streams, host kernels from lambdas, tasks, and points that a test
// passes by hand.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/cpu.h"
#include "backends/null/null.h"
#include "base/os/barrier.h"

namespace manyrt::test {

inline const Deadline kNever = Deadline::never();

// A point of no backend: the test passes it.
class HandPoint final : public backend::Point {};

class FunctionTask final : public Task {
 public:
  explicit FunctionTask(std::function<Status(const Status&)> function) : function_(std::move(function)) {}
  Status run(const Status& status) override { return function_(status); }

 private:
  std::function<Status(const Status&)> function_;
};

inline Task* task(std::function<void()> function) {
  return new FunctionTask([function = std::move(function)](const Status&) {
    function();
    return Status();
  });
}

class Rig {
 public:
  explicit Rig(uint32_t threads = 2, backend::Backend* backend = cpu::backend(),
               backend::WaitPolicy wait = backend::WaitPolicy::kDefault) {
    barrier::prepare();
    backend::ContextOptions options;
    options.cpu_threads = threads;
    options.wait = wait;
    EXPECT_TRUE(backend->device(0)->createContext(&context, options).ok());
  }

  Ref<backend::Stream> stream(int32_t priority = 0) {
    Ref<backend::Stream> made;
    EXPECT_TRUE(context->createStream(&made, {.priority = priority, .label = "test"}).ok());
    return made;
  }
  Ref<backend::Point> point() {
    Ref<backend::Point> made;
    EXPECT_TRUE(context->createPoint(&made, true).ok());
    return made;
  }
  Ref<backend::Kernel> kernel(rtHostKernelFunction_t function, std::vector<rtHostArg_t> args = {}) {
    rtHostKernel_t host = RT_HOST_KERNEL_INIT;
    host.function = function;
    host.args = args.data();
    host.arg_count = static_cast<uint32_t>(args.size());
    host.name = "tested";
    Ref<backend::Kernel> made;
    EXPECT_TRUE(context->hostKernels()->create(&made, host).ok());
    return made;
  }

  Ref<backend::Context> context;
};

inline Status launch(backend::Stream& stream, backend::Kernel& kernel, std::vector<const void*> args, uint32_t groups = 1,
                     bool cooperative = false, uint32_t local_bytes = 0) {
  backend::Launch what{{groups, 1, 1}, {1, 1, 1}, local_bytes, cooperative, args.data()};
  return stream.launch(kernel, what);
}

inline bool finish(backend::Stream& stream) { return stream.wait(stream.submitted(), kNever); }

// A device of a test's own. Devices live as long as the process. A thread that goes on with a stream may look at its device
// when the stream's last submission is over already.
template <class Device>
Device& keep() {
  static auto* devices = new std::deque<Device>;
  return devices->emplace_back();
}

// Spins until the condition holds: for what must happen by itself.
template <class Condition>
void await(Condition condition) {
  while (!condition()) std::this_thread::yield();
}

constexpr rtHostArg_t kPointerArg = {8, RT_ARG_POINTER};
constexpr rtHostArg_t kLocalArg = {8, RT_ARG_LOCAL};
constexpr rtHostArg_t valueArg(uint32_t size) { return {size, RT_ARG_VALUE}; }

}  // namespace manyrt::test
