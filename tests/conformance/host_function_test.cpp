// Host functions: exactly once, on a thread of the library, with the stream's context current; what may and may not be
// waited for inside.
#include <atomic>
#include <thread>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

struct Call {
  std::atomic<int> calls{0};
  std::atomic<rtStatus_t> status{RT_SUCCESS};
};

void note(void* user, rtStatus_t status) {
  Call* call = static_cast<Call*>(user);
  call->status.store(status);
  call->calls.fetch_add(1);
  call->calls.notify_all();
}

class HostFunctionTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(, HostFunctionTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(HostFunctionTest, IsCalledExactlyOncePerSubmissionWithSuccess) {
  std::vector<Call> calls(300);
  for (Call& call : calls) {
    call.status.store(RT_ERROR_INTERNAL);
    ASSERT_RT_OK(rtLaunchHostFunction(note, &call, stream_));
  }
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (Call& call : calls) {
    EXPECT_EQ(call.calls.load(), 1);
    EXPECT_EQ(call.status.load(), RT_SUCCESS);
  }
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchHostFunction(nullptr, nullptr, stream_));
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtLaunchHostFunction(note, nullptr, garbage<rtStream_t>()));
}

struct Where {
  std::thread::id thread;
  rtContext_t current = nullptr;
  rtStatus_t result = RT_ERROR_INTERNAL;
};

TEST_P(HostFunctionTest, RunsOnAThreadOfTheLibraryWithTheStreamsContextCurrent) {
  Where where;
  ASSERT_RT_OK(rtContextSetCurrent(nullptr));
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        Where* here = static_cast<Where*>(user);
        here->thread = std::this_thread::get_id();
        here->result = rtContextGetCurrent(&here->current);
      },
      &where, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));  // even a thread that waits never runs a host function
  EXPECT_EQ(where.result, RT_SUCCESS);
  EXPECT_NE(where.thread, std::this_thread::get_id());
  EXPECT_EQ(where.current, context_.get());
}

struct Inside {
  rtContext_t context;
  rtStream_t stream;
  rtEvent_t event;
  rtFence_t fence;
  rtDevice_t device;
  std::vector<rtStatus_t> results;
};

TEST_P(HostFunctionTest, RtCallsAreLegalInside) {
  Inside inside{context_, nullptr, nullptr, nullptr, device_, {}};
  Fence fence;
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  inside.fence = fence;
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        Inside* in = static_cast<Inside*>(user);
        void* memory = nullptr;
        in->results.push_back(rtStreamCreate(&in->stream, nullptr, nullptr));
        in->results.push_back(rtMalloc(&memory, 4096, nullptr));
        in->results.push_back(rtMemsetAsync(memory, 1, 4096, in->stream));
        in->results.push_back(rtStreamSynchronize(in->stream));  // another stream's: legal
        in->results.push_back(rtFree(memory));
        in->results.push_back(rtStreamDestroy(in->stream));
        in->results.push_back(rtFenceSignal(1, in->fence));
      },
      &inside, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(inside.results, std::vector<rtStatus_t>(7, RT_SUCCESS));
  EXPECT_RT_OK(rtFenceWait(1, fence));
}

TEST_P(HostFunctionTest, WaitingInsideForItsOwnStreamIsBusy) {
  Event event;
  Gate gate(context_);
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  Inside inside{context_, stream_, event, nullptr, device_, {}};
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        Inside* in = static_cast<Inside*>(user);
        in->results.push_back(rtStreamSynchronize(in->stream));
        in->results.push_back(rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, in->stream));
        in->results.push_back(rtContextSynchronize(in->context));
        in->results.push_back(rtDeviceSynchronize(in->device));
        in->results.push_back(rtEventSynchronize(in->event));
        in->results.push_back(rtEventSynchronizeFor(RT_TIMEOUT_INFINITE, in->event));
      },
      &inside, stream_));
  ASSERT_RT_OK(rtEventRecord(event, stream_));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(inside.results, std::vector<rtStatus_t>(6, RT_ERROR_BUSY));
}

TEST_P(HostFunctionTest, WaitingInsideForTheDefaultStreamFromItIsBusy) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  struct In {
    void* memory;
    rtStatus_t copied;
    rtStatus_t set;
    rtStatus_t shut;
  } in{memory, 0, 0, 0};
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        In* inside = static_cast<In*>(user);
        char bytes[16] = {};
        inside->copied = rtMemcpy(inside->memory, bytes, sizeof bytes, RT_MEMCPY_DEFAULT);
        inside->set = rtMemset(inside->memory, 1, 16);
        inside->shut = rtShutdown();
      },
      &in, nullptr));
  ASSERT_RT_OK(rtStreamSynchronize(nullptr));
  EXPECT_EQ(in.copied, RT_ERROR_BUSY);
  EXPECT_EQ(in.set, RT_ERROR_BUSY);
  EXPECT_EQ(in.shut, RT_ERROR_BUSY);
}

TEST_P(HostFunctionTest, SubmittingToItsOwnStreamInsideIsLegal) {
  struct Chain {
    rtStream_t stream;
    std::atomic<int> left{50};
  } chain{stream_};
  static const rtHostFunction_t next = [](void* user, rtStatus_t) {
    Chain* in = static_cast<Chain*>(user);
    if (in->left.load() > 1) (void)rtLaunchHostFunction(next, in, in->stream);
    in->left.fetch_sub(1);
    in->left.notify_all();
  };
  ASSERT_RT_OK(rtLaunchHostFunction(next, &chain, stream_));
  for (int seen = chain.left.load(); seen > 0; seen = chain.left.load()) chain.left.wait(seen);
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(HostFunctionTest, ABlockedOneStopsOnlyItsStream) {
  Fence fence;
  Call other_call;
  Stream streams[8];
  Inside inside{context_, nullptr, nullptr, nullptr, device_, {}};
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context_));
  inside.fence = fence;
  std::vector<Inside> blocked(8, inside);
  for (int i = 0; i < 8; ++i) {
    ASSERT_RT_OK(rtStreamCreate(streams[i].out(), nullptr, context_));
    ASSERT_RT_OK(rtLaunchHostFunction(
        [](void* user, rtStatus_t) {
          Inside* in = static_cast<Inside*>(user);
          in->results.push_back(rtFenceWait(1, in->fence));
        },
        &blocked[i], streams[i]));
  }
  ASSERT_RT_OK(rtLaunchHostFunction(note, &other_call, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(other_call.calls.load(), 1);
  for (Stream& stream : streams) EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream));
  ASSERT_RT_OK(rtFenceSignal(1, fence));
  for (int i = 0; i < 8; ++i) {
    ASSERT_RT_OK(rtStreamSynchronize(streams[i]));
    EXPECT_EQ(blocked[i].results, std::vector<rtStatus_t>{RT_SUCCESS});
  }
}

TEST_P(HostFunctionTest, IsCalledAfterTheStreamIsDestroyed) {
  Gate gate(context_);
  Call call;
  Stream stream;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  ASSERT_RT_OK(gate.close(stream));
  ASSERT_RT_OK(rtLaunchHostFunction(note, &call, stream));
  ASSERT_RT_OK(stream.reset());
  ASSERT_RT_OK(gate.open());
  call.calls.wait(0);
  EXPECT_EQ(call.status.load(), RT_SUCCESS);
}

TEST_P(HostFunctionTest, GetsTheFailureIfTheStreamFailed) {
  Call before;
  Call after;
  rtFence_t fence = nullptr;
  ASSERT_RT_OK(rtFenceCreate(&fence, 0, context_));
  ASSERT_RT_OK(rtLaunchHostFunction(note, &before, stream_));
  ASSERT_RT_OK(rtStreamWaitFence(fence, 1, stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(note, &after, stream_));
  ASSERT_RT_OK(rtFenceDestroy(fence));
  ASSERT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
  EXPECT_EQ(before.calls.load(), 1);
  EXPECT_EQ(before.status.load(), RT_SUCCESS);
  EXPECT_EQ(after.calls.load(), 1);
  EXPECT_EQ(after.status.load(), RT_ERROR_INVALID_HANDLE);
}

TEST_P(HostFunctionTest, ARefusedSubmissionIsNeverCalled) {
  Call call;
  poison(stream_);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtLaunchHostFunction(note, &call, stream_));
  ASSERT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtLaunchHostFunction(note, &call, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(call.calls.load(), 1);
}

TEST_P(HostFunctionTest, MayDestroyItsOwnStreamAndContext) {
  Context context;
  rtStream_t stream = nullptr;
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(&stream, nullptr, context));
  Inside inside{context.release(), stream, nullptr, nullptr, device_, {}};
  std::atomic<int> done{0};
  std::pair<Inside*, std::atomic<int>*> user{&inside, &done};
  ASSERT_RT_OK(rtLaunchHostFunction(
      [](void* pointer, rtStatus_t) {
        auto* both = static_cast<std::pair<Inside*, std::atomic<int>*>*>(pointer);
        both->first->results.push_back(rtStreamDestroy(both->first->stream));
        both->first->results.push_back(rtContextDestroy(both->first->context));
        std::atomic<int>* finished = both->second;  // the test may be gone once it is set
        finished->store(1);
        finished->notify_all();
      },
      &user, stream));
  done.wait(0);
  EXPECT_EQ(inside.results, std::vector<rtStatus_t>(2, RT_SUCCESS));
}

}  // namespace
}  // namespace rttest
