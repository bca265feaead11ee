// Running kernels. The blocks of a launch run one after the other, those of a cooperative launch at the same time. The threads
// of a block are fibers that take turns at barriers. A Runner belongs to one thread of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/fiber_switch.h"
#include "device.h"
#include "kernel/abi.h"
#include "memory.h"
#include "unit.h"

namespace manyrt::simulated {

struct Launch {
  std::shared_ptr<Unit> unit;
  const Unit::Kernel* kernel = nullptr;
  simulated_cuda::Index grid{}, block{};
  size_t shared_bytes = 0;  // dynamic
  bool cooperative = false;
  std::vector<unsigned char> parameters;
};

simulated_cuda::Hooks kernelHooks();

class Runner {
 public:
  explicit Runner(Context& context) : context_(context) {}
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void run(Launch& launch);

  // Hooks and signals call these, on the stack of the thread that runs.
  int barrier(int predicate);
  void exchange(simulated_cuda::Lane* lane);
  void pause();
  void touch(uintptr_t address, size_t size, bool writes);
  [[noreturn]] void fail(Error code, const char* why);
  bool inKernel() const { return running_ != nullptr; }
  uintptr_t topOfStack() const;
  [[noreturn]] MANYRT_NOT_COUNTED void enterThread(cpu::fibers::Continuation& from);

 private:
  struct Fiber : cpu::fibers::Continuation {
    unsigned char* stack = nullptr;
    bool entered = false;  // it waits in enterThread() for the next thread of a kernel
  };
  enum class State : uint8_t { kReady, kBarrier, kExchange, kEnded };
  struct Thread {
    simulated_cuda::Index index{};
    State state = State::kReady;
    Fiber* fiber = nullptr;
    int predicate = 0;
    simulated_cuda::Lane* lane = nullptr;
  };

  void begin(Launch& launch);
  void runTogether(Launch& launch);
  void runBlock(simulated_cuda::Index block);
  void startAll();
  void resume(Thread& thread);
  void switchAway();
  bool pass();  // a turn for each that is ready; false: none was
  bool release();
  bool releaseBarrier();
  bool releaseExchanges();
  bool releaseExchange(size_t warp);
  void abandon();
  void poison();
  void lookAfterShared();
  Fiber* takeFiber();

  Context& context_;
  Launch* launch_ = nullptr;
  Unit::ThreadMemory memory_{};
  std::vector<Thread> threads_;
  size_t live_ = 0;
  Thread* running_ = nullptr;
  cpu::fibers::Continuation home_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_fibers_;
  int counted_ = 0;  // predicates, of the last barrier
  bool early_end_told_ = false;
  Error failure_ = kSuccess;

  struct Known {
    uintptr_t begin = 0, end = 0;
  };
  static constexpr size_t kKnown = 4;
  Known known_[kKnown];  // allocations that may be touched, as of known_epoch_
  size_t next_known_ = 0;
  uint64_t known_epoch_ = 0;
};

}  // namespace manyrt::simulated
