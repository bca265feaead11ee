// Operations in graphs: every launch is an operation of its rank, with what the memory holds then.
#include "comm/ranks.h"

namespace commtest {
namespace {

class CaptureTest : public testing::TestWithParam<std::string> {
 protected:
  // Captures for every rank: send += 1 for each element by a sum with ones, then the all-reduce into target.
  void capture(int count, uint64_t timeout_ns = kLong) {
    ASSERT_NO_FATAL_FAILURE(ranks_.make(GetParam(), count, timeout_ns));
    graphs_.resize(static_cast<size_t>(count));
    source_.resize(static_cast<size_t>(count));
    target_.resize(static_cast<size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
      ASSERT_NO_FATAL_FAILURE(upload(&source_[rank], Bytes(300), ranks_.contexts[rank]));
      ASSERT_NO_FATAL_FAILURE(upload(&target_[rank], Bytes(300), ranks_.contexts[rank]));
      rttest::Graph graph;
      ASSERT_RT_OK(rtStreamBeginCapture(ranks_.streams[rank]));
      ASSERT_COMM_OK(rtCommAllReduce(target_[rank].get(), source_[rank].get(), 300, RT_COMM_U8, RT_COMM_SUM,
                                     ranks_.streams[rank], ranks_.comms[rank]));
      ASSERT_RT_OK(rtMemcpyAsync(source_[rank].get(), target_[rank].get(), 300, RT_MEMCPY_DEFAULT, ranks_.streams[rank]));
      ASSERT_RT_OK(rtStreamEndCapture(graph.out(), ranks_.streams[rank]));
      ASSERT_RT_OK(rtGraphInstantiate(graphs_[rank].out(), graph, nullptr));
    }
  }
  void fill(int value) {
    for (size_t rank = 0; rank < source_.size(); ++rank) ASSERT_RT_OK(rtMemset(source_[rank].get(), value, 300));
  }

  Ranks ranks_;
  std::vector<rttest::GraphExec> graphs_;
  std::vector<rttest::Memory> source_, target_;
};

TEST_P(CaptureTest, EachLaunchIsAnOperation) {
  ASSERT_NO_FATAL_FAILURE(capture(2));
  ASSERT_NO_FATAL_FAILURE(fill(1));
  for (int launch = 1; launch <= 5; ++launch) {
    for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtGraphLaunch(graphs_[rank], ranks_.streams[rank]));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(download(target_[rank].get(), 300), Bytes(300, 32)) << "rank " << rank;
}

TEST_P(CaptureTest, LaunchesAndCallsKeepTheOrderOfTheirStream) {
  ASSERT_NO_FATAL_FAILURE(capture(3));
  ASSERT_NO_FATAL_FAILURE(fill(1));
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_RT_OK(rtGraphLaunch(graphs_[rank], ranks_.streams[rank]));
    ASSERT_COMM_OK(rtCommAllReduce(target_[rank].get(), source_[rank].get(), 300, RT_COMM_U8, RT_COMM_MAXIMUM,
                                   ranks_.streams[rank], ranks_.comms[rank]));
    ASSERT_RT_OK(rtGraphLaunch(graphs_[rank], ranks_.streams[rank]));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(download(target_[rank].get(), 300), Bytes(300, 9)) << "rank " << rank;
}

TEST_P(CaptureTest, AGraphKeepsADestroyedRank) {
  ASSERT_NO_FATAL_FAILURE(capture(2));
  ASSERT_NO_FATAL_FAILURE(fill(3));
  ranks_.comms.clear();
  for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtGraphLaunch(graphs_[rank], ranks_.streams[rank]));
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(download(target_[rank].get(), 300), Bytes(300, 6)) << "rank " << rank;
}

TEST_P(CaptureTest, AFailedStreamOfALaunchNamesItsRank) {
  ASSERT_NO_FATAL_FAILURE(capture(2));
  rttest::Gate gate(ranks_.contexts[1]);
  ASSERT_RT_OK(gate.close(ranks_.streams[1]));
  ASSERT_RT_OK(
      rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, ranks_.streams[1]));
  for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtGraphLaunch(graphs_[rank], ranks_.streams[rank]));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(ranks_.streams[0]));
  EXPECT_RT(RT_ERROR_IO, rtStreamSynchronize(ranks_.streams[1]));
  rtStatus_t status = RT_SUCCESS;
  int32_t rank = -1;
  EXPECT_COMM_OK(rtCommGetStatus(&status, &rank, ranks_.comms[0]));
  EXPECT_EQ(status, RT_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(rank, 1);
}

TEST_P(CaptureTest, ALaunchOfOneRankAloneTimesOut) {
  ASSERT_NO_FATAL_FAILURE(capture(2, kShort));
  ASSERT_RT_OK(rtGraphLaunch(graphs_[1], ranks_.streams[1]));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(ranks_.streams[1]));
}

// A GPU of CUDA has no operation of several devices in its graphs.
std::vector<std::string> capturable() {
  std::vector<std::string> all = layouts();
  std::erase_if(all, [](const std::string& layout) { return layout.find("cuda") != std::string::npos; });
  return all;
}
INSTANTIATE_TEST_SUITE_P(Comm, CaptureTest, testing::ValuesIn(capturable()),
                         [](const auto& given) { return layoutName(given.param); });

}  // namespace
}  // namespace commtest
