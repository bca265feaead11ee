// A communicator's facts (rtCommGetInfo), and the struct that they are told in: of older and newer programs, too. Engines among
// processes are asked in their own suites.
#include "comm/ranks.h"

namespace commtest {
namespace {

bool usesSharedMemory() {
  const char* const engine = std::getenv("RT_COMM_ENGINE");
  return engine != nullptr && std::string(engine) == "shared_memory";
}

class InfoTest : public testing::TestWithParam<std::string> {};

TEST_P(InfoTest, TellsEngineTransportAndPlace) {
  constexpr int kRanks = 3;
  Ranks ranks;
  ASSERT_NO_FATAL_FAILURE(ranks.make(GetParam(), kRanks));
  uint32_t version = 0;
  ASSERT_RT_OK(rtGetVersion(&version));
  for (int rank = 0; rank < kRanks; ++rank) {
    const rtCommInfo_t info = infoOf(ranks.comms[rank]);
    const bool shared = usesSharedMemory(), on_cpu = GetParam() == "cpu";
    EXPECT_EQ(info.struct_size, sizeof(rtCommInfo_t));
    EXPECT_EQ(info.engine, shared ? RT_COMM_ENGINE_SHARED_MEMORY : RT_COMM_ENGINE_IN_PROCESS);
    EXPECT_EQ(info.transport, shared   ? RT_COMM_TRANSPORT_SHARED_MEMORY
                              : on_cpu ? RT_COMM_TRANSPORT_HOST_MEMORY
                                       : RT_COMM_TRANSPORT_DEVICE_COPIES);
    EXPECT_STREQ(info.engine_name, shared ? "shared_memory" : "in_process");
    EXPECT_STREQ(info.transport_name, shared ? "shared_memory" : on_cpu ? "host_memory" : "device_copies");
    EXPECT_EQ(info.rank, rank);
    EXPECT_EQ(info.size, kRanks);
    EXPECT_EQ(info.local_size, kRanks);
    EXPECT_EQ(std::string(info.engine_version), std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                                                    "." + std::to_string(version % 100));
    // Ranks on CUDA alone would have NCCL; others have no choice to give a reason for.
    const char* const wanted = getenv("RT_COMM_ENGINE");
    const bool asked = GetParam().rfind("cuda", 0) == 0 && wanted != nullptr && std::string(wanted) == "in_process";
    EXPECT_STREQ(info.reason, asked ? "RT_COMM_ENGINE=in_process." : "");
  }
}

TEST_P(InfoTest, APartSaysTheSameOfItself) {
  Ranks ranks;
  ASSERT_NO_FATAL_FAILURE(ranks.make(GetParam(), 3));
  rtComm_t parts[3] = {};
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_COMM_OK(rtCommSplit(&parts[rank], rank == 2 ? RT_COMM_NO_COLOR : 0, -rank, ranks.comms[rank]));
  }
  ASSERT_COMM_OK(rtCommGroupEnd());
  for (int rank = 0; rank < 2; ++rank) {
    const Comm part(parts[rank]);
    const rtCommInfo_t whole = infoOf(ranks.comms[rank]), info = infoOf(part);
    EXPECT_EQ(info.engine, whole.engine);
    EXPECT_EQ(info.rank, 1 - rank);
    EXPECT_EQ(info.size, 2);
    EXPECT_EQ(info.local_size, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Comm, InfoTest, testing::ValuesIn(layouts()),
                         [](const auto& given) { return layoutName(given.param); });

class InfoStructTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(ranks_.make("cpu", 2)); }
  Ranks ranks_;
};

TEST_F(InfoStructTest, OneThatIsTooSmallOrMissingIsRefused) {
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetInfo(nullptr, ranks_.comms[0]));
  for (const uint32_t size : {0u, 4u, static_cast<uint32_t>(sizeof(rtCommInfo_t) - 1)}) {
    rtCommInfo_t info = RT_COMM_INFO_INIT;
    info.struct_size = size;
    info.rank = 7;
    EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetInfo(&info, ranks_.comms[0]));
    EXPECT_NE(lastMessage().find("start from the initialiser macro"), std::string::npos) << lastMessage();
    EXPECT_EQ(info.rank, 7);
  }
}

// A program with a newer header gets zeros where this library knows nothing.
TEST_F(InfoStructTest, OneThatIsLargerIsFilledWithZeros) {
  struct Newer {
    rtCommInfo_t known;
    uint64_t later[2];
  } info = {RT_COMM_INFO_INIT, {1, 2}};
  info.known.struct_size = sizeof info;
  ASSERT_COMM_OK(rtCommGetInfo(&info.known, ranks_.comms[1]));
  EXPECT_EQ(info.known.struct_size, sizeof info);
  EXPECT_EQ(info.known.rank, 1);
  EXPECT_EQ(info.later[0], 0u);
  EXPECT_EQ(info.later[1], 0u);
}

TEST_F(InfoStructTest, AHandleThatIsNoneIsRefusedAndTheStructEmptied) {
  Comm stale(ranks_.comms[1].release());
  const rtComm_t gone = stale.get();
  ASSERT_COMM_OK(stale.reset());
  for (const rtComm_t handle : {rtComm_t{}, rttest::garbage<rtComm_t>(), gone}) {
    rtCommInfo_t info = RT_COMM_INFO_INIT;
    info.size = 7;
    info.engine_name[0] = 'x';
    EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommGetInfo(&info, handle));
    EXPECT_EQ(info.size, 0);
    EXPECT_STREQ(info.engine_name, "");
  }
}

TEST_F(InfoStructTest, ACommunicatorThatHasFailedStillTellsIt) {
  ASSERT_COMM_OK(rtCommAbort(ranks_.comms[0]));
  EXPECT_EQ(infoOf(ranks_.comms[1]).size, 2);
}

}  // namespace
}  // namespace commtest
