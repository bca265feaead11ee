// A stream that fails, with work before and after the failure. Later work is skipped, streams that wait for it fail with the
// same cause, and its host functions are told. After rtStreamSynchronize it works again. All objects are the step's own.
#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "random/actor.h"
#include "random/steps.h"

namespace rtrandom {
namespace {

// The status that a host function after the failure was told. Kept until the function has been called.
struct Told {
  std::atomic<int> calls{0};
  std::atomic<rtStatus_t> status{RT_SUCCESS};
};

void tell(void* user, rtStatus_t status) {
  auto& told = *static_cast<Told*>(user);
  told.status.store(status);
  told.calls.fetch_add(1);
}

void throwError(void*, rtStatus_t) { throw std::runtime_error("the random driver wants this stream to fail"); }

constexpr rtStatus_t kNativeFailure = RT_ERROR_INVALID_IMAGE;
rtStatus_t failNative(const uint64_t*, void*) { return kNativeFailure; }

class Failure {
 public:
  Failure(Actor& actor, std::shared_ptr<Context> context) : rng_(actor.rng), context_(std::move(context)) {}

  void run() {
    create();
    fail_();
    const bool followed = giveWork();
    end();
    if (followed) {
      if (rng_.chance(50)) EXPECT(cause_, rtStreamSynchronizeFor, RT_TIMEOUT_INFINITE, follower_);
      EXPECT(cause_, rtStreamSynchronize, follower_);
    }
    OK(rtStreamSynchronize, follower_);
    if (dropped_) {
      OK(rtStreamDestroy, stream_);
    } else {
      if (rng_.chance(50)) EXPECT(cause_, rtStreamSynchronizeFor, RT_TIMEOUT_INFINITE, stream_);
      if (recorded_ && rng_.chance(50)) EXPECT(cause_, rtEventSynchronize, event_);
      EXPECT(cause_, rtStreamSynchronize, stream_);
      OK(rtStreamSynchronize, stream_);
    }
    waitForFunctions();
    expectBytes(before_);
    if (!dropped_) {
      const bool graph = rng_.chance(50);
      if (graph) {
        OK(rtGraphLaunch, exec_, stream_);
      } else {
        OK(rtMemsetAsync, memory_, kAfter, kBytes, stream_);
      }
      OK(rtStreamSynchronize, stream_);
      expectBytes(graph ? kByGraph : kAfter);
      OK(rtMemsetAsync, memory_, kAfter, kBytes, stream_);  // in flight while all is destroyed
      OK(rtStreamDestroy, stream_);
    }
    destroy();
  }

 private:
  static constexpr size_t kBytes = 1000;
  static constexpr uint8_t kByGraph = 200, kAfter = 201, kSkipped = 202;

  void create() {
    OK(rtStreamCreate, &stream_, nullptr, context_->handle);
    OK(rtStreamCreate, &follower_, nullptr, context_->handle);
    OK(rtStreamCreate, &healthy_, nullptr, context_->handle);
    OK(rtEventCreate, &event_, nullptr, context_->handle);
    OK(rtFenceCreate, &gate_, uint64_t{0}, context_->handle);
    OK(rtMalloc, &memory_, kBytes, context_->handle);
    before_ = static_cast<uint8_t>(rng_.below(200));
    OK(rtGraphCreate, &graph_);
    rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
    fill.dst.pointer = memory_;
    fill.pattern[0] = kByGraph;
    fill.pattern_size = 1;
    fill.count = kBytes;
    rtGraphNode_t node = nullptr;
    OK(rtGraphAddFillNode, &node, &fill, nullptr, 0u, graph_);
    OK(rtGraphInstantiate, &exec_, graph_, context_->handle);
    OK(rtMemsetAsync, memory_, static_cast<int32_t>(before_), kBytes, stream_);
    dropped_ = rng_.chance(20);
    if (dropped_ || rng_.chance(50)) OK(rtStreamSynchronize, stream_);
  }

  // Gives the stream what fails: now, or once the gate is open.
  void fail_() {
    gated_ = rng_.chance(50);
    if (gated_) OK(rtStreamWaitFence, gate_, uint64_t{1}, stream_);
    rtStatus_t status = RT_SUCCESS;
    switch (rng_.below(context_->kernels.native ? 3 : 2)) {
      case 0:
        cause_ = RT_ERROR_INVALID_HANDLE;
        OK(rtFenceCreate, &doomed_, uint64_t{0}, context_->handle);
        status = CALL(rtStreamWaitFence, doomed_, uint64_t{1}, stream_);
        break;
      case 1:
        cause_ = RT_ERROR_LAUNCH_FAILED;
        status = CALL(rtLaunchHostFunction, throwError, nullptr, stream_);
        break;
      default:
        cause_ = kNativeFailure;
        status = CALL(rtStreamLaunchNative, failNative, nullptr, stream_);
        break;
    }
    given(status);
  }

  // Whether the call's work was taken. A failure that is known already is the call's status.
  bool given(rtStatus_t status) const {
    if (status == RT_SUCCESS) return true;
    if (status != cause_) fail("work after a failure of %s returned %s.", rtGetErrorName(cause_), rtGetErrorName(status));
    return false;
  }

  // Whether the follower waits for the failure.
  bool giveWork() {
    bool followed = false;
    for (size_t count = rng_.range(1, 8); count > 0; --count) {
      switch (rng_.below(6)) {
        case 0:
          given(CALL(rtMemsetAsync, memory_, int32_t{kSkipped}, kBytes, stream_));
          break;
        case 1:
          given(CALL(rtMemset2DAsync, memory_, size_t{100}, int32_t{kSkipped}, size_t{90}, size_t{10}, stream_));
          break;
        case 2: {
          auto told = std::make_unique<Told>();
          if (given(CALL(rtLaunchHostFunction, tell, told.get(), stream_))) told_.push_back(std::move(told));
          break;
        }
        case 3:
          given(CALL(rtGraphLaunch, exec_, stream_));
          break;
        case 4:
          if (context_->kernels.add_constant != nullptr) {
            uint32_t value = 1, words = kBytes / 4;
            void* args[] = {&memory_, &value, &words};
            given(CALL(rtLaunchKernel, context_->kernels.add_constant, 2u, 1u, 1u, 8u, 1u, 1u, 0u, stream_, args, 3u));
          }
          break;
        default:
          if (followed || !given(CALL(rtEventRecord, event_, stream_))) break;
          recorded_ = true;
          if (!given(CALL(rtStreamWaitEvent, event_, follower_))) break;  // known at once: the follower goes on
          followed = true;
          given(CALL(rtMemsetAsync, memory_, int32_t{kSkipped}, kBytes, follower_));
          break;
      }
    }
    return followed;
  }

  void end() {
    const bool gate_first = rng_.chance(50);
    if (gated_ && gate_first) OK(rtFenceSignal, uint64_t{1}, gate_);
    OK(rtFenceDestroy, doomed_);
    if (gated_ && !gate_first) OK(rtFenceSignal, uint64_t{1}, gate_);
  }

  // The watchdog ends a wait that is too long.
  void waitForFunctions() {
    for (const auto& told : told_) {
      while (told->calls.load() == 0) std::this_thread::yield();
      if (told->calls.load() != 1) fail("a host function after a failure was called %d times.", told->calls.load());
      if (told->status.load() != cause_) {
        fail("a host function after a failure of %s got %s.", rtGetErrorName(cause_), rtGetErrorName(told->status.load()));
      }
    }
  }

  void expectBytes(uint8_t value) {
    std::vector<uint8_t> found(kBytes);
    OK(rtMemcpyAsync, found.data(), memory_, kBytes, RT_MEMCPY_DEFAULT, healthy_);
    OK(rtStreamSynchronize, healthy_);
    for (size_t i = 0; i < kBytes; ++i) {
      if (found[i] != value) fail("byte %zu of a failed stream's memory is %u and should be %u.", i, found[i], value);
    }
  }

  void destroy() {
    OK(rtFree, memory_);
    OK(rtGraphExecDestroy, exec_);
    OK(rtGraphDestroy, graph_);
    OK(rtEventDestroy, event_);
    OK(rtFenceDestroy, gate_);
    OK(rtStreamDestroy, follower_);
    OK(rtStreamDestroy, healthy_);
  }

  Rng& rng_;
  std::shared_ptr<Context> context_;
  rtStream_t stream_ = nullptr, follower_ = nullptr, healthy_ = nullptr;
  rtEvent_t event_ = nullptr;
  rtFence_t gate_ = nullptr, doomed_ = nullptr;
  rtGraph_t graph_ = nullptr;
  rtGraphExec_t exec_ = nullptr;
  void* memory_ = nullptr;
  uint8_t before_ = 0;
  rtStatus_t cause_ = RT_SUCCESS;
  bool gated_ = false, recorded_ = false;
  bool dropped_ = false;  // the stream is destroyed with its failure
  std::vector<std::unique_ptr<Told>> told_;
};

}  // namespace

void stepFailure(Actor& actor) {
  actor.payDebts();  // the step waits
  Failure(actor, actor.anyContext()).run();
}

// A context of its own is used, refused a reset while something of it is alive, reset, and used again.
void stepReset(Actor& actor) {
  actor.payDebts();
  rtContext_t context = nullptr;
  OK(rtContextCreate, &context, nullptr, actor.devices[actor.rng.below(actor.devices.size())]);
  for (size_t round = actor.rng.range(1, 3); round > 0; --round) {
    rtStream_t stream = nullptr;
    rtEvent_t event = nullptr;
    void* memory = nullptr;
    const size_t size = actor.rng.size(1 << 16);
    std::vector<uint8_t> found(size);
    const auto value = static_cast<uint8_t>(actor.rng.next());
    OK(rtStreamCreate, &stream, nullptr, context);
    OK(rtEventCreate, &event, nullptr, context);
    OK(rtMallocAsync, &memory, size, stream);
    OK(rtMemsetAsync, memory, static_cast<int32_t>(value), size, stream);
    OK(rtMemcpyAsync, found.data(), memory, size, RT_MEMCPY_DEFAULT, stream);
    OK(rtEventRecord, event, stream);
    if (actor.rng.chance(50)) EXPECT(RT_ERROR_BUSY, rtContextReset, context);
    OK(rtEventSynchronize, event);
    if (!std::all_of(found.begin(), found.end(), [&](uint8_t byte) { return byte == value; })) {
      fail("memory of a context that was reset holds other bytes than %u.", value);
    }
    OK(rtMemsetAsync, memory, 1, size, stream);  // in flight while all is destroyed
    OK(rtEventDestroy, event);
    if (actor.rng.chance(50)) {
      OK(rtFreeAsync, memory, stream);
    } else {
      OK(rtFree, memory);
    }
    OK(rtStreamDestroy, stream);
    OK(rtContextReset, context);
  }
  OK(rtContextDestroy, context);
}

}  // namespace rtrandom
