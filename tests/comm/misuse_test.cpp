// Bad arguments of every function of rt_comm.h: a status with a sentence, nothing submitted, outputs emptied.
#include "comm/ranks.h"

namespace commtest {
namespace {

class MisuseTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(ranks_.make("cpu", 2));
    ASSERT_NO_FATAL_FAILURE(upload(&memory_, Bytes(256), ranks_.contexts[0]));
  }
  rtStatus_t allReduce(void* receive, const void* send, uint64_t count, int32_t type = RT_COMM_I32,
                       int32_t reduction = RT_COMM_SUM) {
    return rtCommAllReduce(receive, send, count, type, reduction, ranks_.streams[0], ranks_.comms[0]);
  }
  void expectMessage(const char* words) { EXPECT_NE(lastMessage().find(words), std::string::npos) << lastMessage(); }

  Ranks ranks_;
  rttest::Memory memory_;
};

TEST_F(MisuseTest, HandlesThatAreNoneAreRefused) {
  Comm stale(ranks_.comms[1].release());
  const rtComm_t gone = stale.get();
  ASSERT_COMM_OK(stale.reset());
  for (const rtComm_t handle :
       {rtComm_t{}, rttest::garbage<rtComm_t>(), gone, reinterpret_cast<rtComm_t>(ranks_.streams[0].get())}) {
    int32_t number = 7;
    rtStatus_t status = RT_NOT_READY;
    rtContext_t context = ranks_.contexts[0];
    rtComm_t made = rttest::garbage<rtComm_t>();
    char text[8] = "";
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommGetRank(&number, handle));
    EXPECT_EQ(number, 0);
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommGetSize(&number, handle));
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommGetContext(&context, handle));
    EXPECT_EQ(context, nullptr);
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommGetStatus(&status, &number, handle));
    EXPECT_EQ(number, -1);
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommGetStatusMessage(text, sizeof text, nullptr, handle));
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommAbort(handle));
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommSplit(&made, 0, 0, handle));
    EXPECT_EQ(made, nullptr);
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommBarrier(ranks_.streams[0], handle));
    if (handle == nullptr) continue;
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommDestroy(handle));
  }
  EXPECT_COMM_OK(rtCommDestroy(nullptr));
}

TEST_F(MisuseTest, OutputsThatAreNullAreRefused) {
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetRank(nullptr, ranks_.comms[0]));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetSize(nullptr, ranks_.comms[0]));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetContext(nullptr, ranks_.comms[0]));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetStatus(nullptr, nullptr, ranks_.comms[0]));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommSplit(nullptr, 0, 0, ranks_.comms[0]));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetStatusMessage(nullptr, 1, nullptr, ranks_.comms[0]));
  EXPECT_EQ(rtCommGetLastErrorMessage(nullptr, 1, nullptr), RT_ERROR_INVALID_VALUE);
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetInfo(nullptr, ranks_.comms[0]));
  const rtContext_t contexts[] = {ranks_.contexts[0]};
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateAll(nullptr, nullptr, contexts, 1));
}

TEST_F(MisuseTest, CreationChecksWhatItIsGiven) {
  constexpr uint32_t kTooMany = 65537;
  std::vector<rtComm_t> made(kTooMany);
  rtComm_t* const comms = made.data();
  std::vector<rtContext_t> contexts(kTooMany, ranks_.contexts[0]);
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateAll(comms, nullptr, contexts.data(), 0));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateAll(comms, nullptr, contexts.data(), kTooMany));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateAll(comms, nullptr, nullptr, 1));
  contexts[1] = rttest::garbage<rtContext_t>();
  comms[0] = rttest::garbage<rtComm_t>();
  EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommCreateAll(comms, nullptr, contexts.data(), 2));
  EXPECT_EQ(comms[0], nullptr);
  rtCommOptions_t options = RT_COMM_OPTIONS_INIT;
  options.struct_size = 4;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateAll(comms, &options, contexts.data(), 1));
  options = RT_COMM_OPTIONS_INIT;
  options.flags = 1;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateAll(comms, &options, contexts.data(), 1));
  options = RT_COMM_OPTIONS_INIT;
  std::memset(options.label, 'x', sizeof options.label);
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateAll(comms, &options, contexts.data(), 1));
}

TEST_F(MisuseTest, ContextsThatAreNullAreTheCurrentOne) {
  ASSERT_RT_OK(rtContextSetCurrent(ranks_.contexts[1]));
  const rtContext_t contexts[] = {nullptr};
  rtComm_t made = nullptr;
  ASSERT_COMM_OK(rtCommCreateAll(&made, nullptr, contexts, 1));
  ASSERT_RT_OK(rtContextSetCurrent(nullptr));
  const Comm comm(made);
  rtContext_t context = nullptr;
  EXPECT_COMM_OK(rtCommGetContext(&context, comm));
  EXPECT_EQ(context, ranks_.contexts[1].get());
}

TEST_F(MisuseTest, NumbersOutsideTheirListsAreRefused) {
  void* const at = memory_.get();
  for (const int32_t wrong : {-1, 12, 1 << 20}) EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(at, at, 4, wrong));
  for (const int32_t wrong : {-1, 5, 1 << 20}) EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(at, at, 4, RT_COMM_I32, wrong));
  for (const int32_t wrong : {-1, 2, 1 << 20}) {
    EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommBroadcast(at, at, 4, RT_COMM_I32, wrong, ranks_.streams[0], ranks_.comms[0]));
    EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommSend(at, 4, RT_COMM_I32, wrong, ranks_.streams[0], ranks_.comms[0]));
  }
  rtComm_t part = nullptr;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommSplit(&part, -2, 0, ranks_.comms[0]));
}

TEST_F(MisuseTest, RangesAreChecked) {
  void* const at = memory_.get();
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(nullptr, at, 4));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(at, nullptr, 4));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(at, at, 65));
  expectMessage("\"send\" of all-reduce of 65 i32 (sum), 260 bytes at offset 0, leaves the allocation of 256 bytes");
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(memory_.as(1), memory_.as(1), 4));
  expectMessage("not aligned");
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(memory_.as(8), at, 4));
  expectMessage("overlap");
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, allReduce(at, at, UINT64_MAX / 2));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommAllGather(at, at, UINT64_MAX / 4, RT_COMM_I32, ranks_.streams[0], ranks_.comms[0]));
  expectMessage("do not fit into 64 bits");
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommAllGather(at, memory_.as(16), 4, RT_COMM_I32, ranks_.streams[0], ranks_.comms[0]))
      << "rank 0's part is the first one";
}

TEST_F(MisuseTest, StreamsAndMemoryOfOtherContextsAreRefused) {
  void* const at = memory_.get();
  EXPECT_COMM(RT_ERROR_WRONG_CONTEXT, rtCommAllReduce(at, at, 4, RT_COMM_I32, RT_COMM_SUM, ranks_.streams[1], ranks_.comms[0]));
  EXPECT_COMM(RT_ERROR_INVALID_HANDLE,
              rtCommAllReduce(at, at, 4, RT_COMM_I32, RT_COMM_SUM, rttest::garbage<rtStream_t>(), ranks_.comms[0]));
  rtDevice_t null_device = nullptr;
  rttest::Context other;
  rttest::Memory foreign;
  ASSERT_RT_OK(rtDeviceGet(&null_device, RT_BACKEND_NULL, 0));
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, null_device));
  ASSERT_RT_OK(rtMalloc(foreign.out(), 256, other));
  EXPECT_COMM(RT_ERROR_WRONG_CONTEXT, allReduce(foreign.get(), foreign.get(), 4));
}

// On a device that is not the host, host memory is none of its context's; and the null device runs no kernels.
TEST_F(MisuseTest, DevicesTakeTheirOwnMemoryAndCannotAlwaysReduce) {
  Ranks ranks;
  ASSERT_NO_FATAL_FAILURE(ranks.make("null:0", 1));
  int32_t number = 0;
  const auto broadcast = [&](void* at) { return rtCommBroadcast(at, at, 1, RT_COMM_I32, 0, ranks.streams[0], ranks.comms[0]); };
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, broadcast(&number));
  expectMessage("is no memory of the context of rank 0");
  EXPECT_COMM(RT_ERROR_WRONG_CONTEXT, broadcast(memory_.get()));
  rttest::Memory own;
  ASSERT_RT_OK(rtMalloc(own.out(), 4, ranks.contexts[0]));
  EXPECT_COMM_OK(broadcast(own.get()));
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED,
              rtCommAllReduce(own.get(), own.get(), 1, RT_COMM_I32, RT_COMM_SUM, ranks.streams[0], ranks.comms[0]));
  EXPECT_RT_OK(rtStreamSynchronize(ranks.streams[0]));
}

TEST_F(MisuseTest, HostMemoryServesOnTheCpu) {
  int32_t numbers[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_COMM_OK(
        rtCommAllReduce(numbers[rank], numbers[rank], 4, RT_COMM_I32, RT_COMM_SUM, ranks_.streams[rank], ranks_.comms[rank]));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (const auto& of : numbers) EXPECT_EQ(std::vector<int32_t>(of, of + 4), (std::vector<int32_t>{6, 8, 10, 12}));
}

TEST_F(MisuseTest, ACommunicatorLeavesNoHandleBehind) {
  const uint64_t before = rttest::liveHandles();
  {
    Ranks ranks;
    ASSERT_NO_FATAL_FAILURE(ranks.make("cpu", 3));
    for (int rank = 0; rank < 3; ++rank) ASSERT_COMM_OK(rtCommBarrier(ranks.streams[rank], ranks.comms[rank]));
    ASSERT_NO_FATAL_FAILURE(ranks.synchronize());
  }
  // The last reference of a batch goes after the stream's passing it.
  for (int i = 0; i < 1000 && rttest::liveHandles() != before; ++i) (void)rtContextSynchronize(ranks_.contexts[0]);
  EXPECT_EQ(rttest::liveHandles(), before);
}

}  // namespace
}  // namespace commtest
