// Functions that the library calls. A host function works on bytes that no other work has until it returns, then calls rt
// functions as a program may. It makes and destroys objects, gives work to other streams and is refused a wait for its own.
#include "random/callbacks.h"

#include "random/call_log.h"
#include "random/settings.h"

namespace rtrandom {
namespace {

constexpr int kMaxDepth = 16;  // of host functions on one thread, each inside a wait of the one before
thread_local int depth_of_thread = 0;

// A thread of the library is at work, for the watchdog, while a host function runs on it. Such functions may be nested.
class AtWork {
 public:
  AtWork() : log_(logOfThread()), outermost_(log_.stuckSince() == 0) {
    ++depth_of_thread;
    if (outermost_) log_.setActive(true);
  }
  ~AtWork() {
    --depth_of_thread;
    if (outermost_) log_.setActive(false);
  }
  int depth() const { return depth_of_thread; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  CallLog& log_;
  bool outermost_;
};

// Submits fill, record and free to a stream of its own and destroys all of it with the work in flight.
void useOwnObjects(Rng& rng) {
  rtStream_t stream = nullptr;
  rtEvent_t event = nullptr;
  void* memory = nullptr;
  OK(rtStreamCreate, &stream, nullptr, nullptr);
  OK(rtEventCreate, &event, nullptr, nullptr);
  OK(rtMallocAsync, &memory, rng.size(4096) + 4, stream);
  OK(rtMemsetAsync, memory, 7, 4, stream);
  OK(rtEventRecord, event, stream);
  if (rng.chance(30)) (void)CALL(rtEventSynchronizeFor, uint64_t{1000000}, event);
  if (rng.chance(50)) {
    OK(rtFreeAsync, memory, stream);
  } else {
    OK(rtFree, memory);
  }
  if (rng.chance(50)) {
    OK(rtStreamDestroy, stream);
    OK(rtEventDestroy, event);
  } else {
    OK(rtEventDestroy, event);
    OK(rtStreamDestroy, stream);
  }
}

void callBack(const HostCall& call) {
  Rng rng(call.seed, 7, call.calls == nullptr ? 0 : call.calls->load());
  rtContext_t context = nullptr;
  OK(rtContextGetCurrent, &context);
  switch (rng.below(6)) {
    case 0: {
      void* memory = nullptr;
      OK(rtMalloc, &memory, rng.size(8192), nullptr);
      OK(rtFree, memory);
      break;
    }
    case 1:
      useOwnObjects(rng);
      break;
    case 2: {
      uint64_t live = 0;
      OK(rtGetLiveHandleCount, &live, RT_HANDLE_ALL);
      break;
    }
    case 3: {
      rtFence_t fence = nullptr;
      OK(rtFenceCreate, &fence, uint64_t{1}, nullptr);
      OK(rtFenceSignal, uint64_t{2}, fence);
      OK(rtFenceWait, uint64_t{2}, fence);
      OK(rtFenceDestroy, fence);
      break;
    }
    default:
      break;
  }
}

}  // namespace

CallbackCounts& counts() {
  static CallbackCounts all;
  return all;
}

void applyHostFunction(const Op& op, uint8_t* memory) {
  for (size_t i = 0; i < op.size; ++i) {
    uint8_t& byte = memory[op.dst_offset + i];
    byte = static_cast<uint8_t>(byte * 3 + op.value + i);
  }
}

void runHostFunction(void* user, rtStatus_t status) {
  const AtWork at_work;
  if (at_work.depth() > kMaxDepth) fail("host functions are nested %d deep on one thread.", at_work.depth());
  const auto& call = *static_cast<const HostCall*>(user);
  if (status != RT_SUCCESS) {
    fail("a host function of a stream that has not failed got %s.", rtGetErrorName(status));
  }
  applyHostFunction(call.op, call.address);
  if (call.calls != nullptr) call.calls->fetch_add(1);
  callBack(call);
  counts().host_called.fetch_add(1);
}

rtStatus_t runNative(const uint64_t native[2], void* user) {
  auto& call = *static_cast<HostCall*>(user);
  if (native == nullptr) fail("a native call got no native stream.");
  if (call.calls != nullptr) call.calls->fetch_add(1);
  return RT_SUCCESS;
}

char* logSinks() {
  static char all[kLogSinks];
  return all;
}

// Threads exchange the callback at any time: each line comes with a pointer that belongs to it, and with a level that was asked
// for.
void receiveLine(int32_t level, const char* message, void* user) {
  const AtWork at_work;
  const char* sink = static_cast<const char*>(user);
  if (sink < logSinks() || sink >= logSinks() + kLogSinks) fail("a log callback got %p.", user);
  if (level < RT_LOG_ERROR || level > RT_LOG_DEBUG) fail("a line of the log has the level %d.", level);
  if (message == nullptr || *message == '\0') fail("a line of the log is empty.");
  uint64_t live = 0;
  OK(rtGetLiveHandleCount, &live, RT_HANDLE_ALL);
  EXPECT(RT_ERROR_BUSY, rtSetLogCallback, nullptr, nullptr, RT_LOG_ERROR);
  counts().log_lines.fetch_add(1);
}

void countRelease(void* user) {
  counts().releases.fetch_add(1);
  (void)user;
  if (!kReleaseFunctionsMayCall) return;
  void* memory = nullptr;
  if (CALL(rtMallocHost, &memory, size_t{64}, nullptr) == RT_SUCCESS) OK(rtFree, memory);
}

}  // namespace rtrandom
