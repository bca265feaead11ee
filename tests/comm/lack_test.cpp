// Memory of the host that is missing anywhere in the library: the call or the streams say so, nothing hangs, and the next
// communicator works.
#include "comm/lack.h"

#include <vector>

#include "comm/ranks.h"
#include "support/simulated_cuda.h"

namespace commtest {
namespace {

constexpr uint64_t kCount = 300;

// Two ranks, from their creation to their end. Each call stands for itself; the first one that fails ends the rest.
class Story {
 public:
  Story(const std::vector<rttest::Context>& contexts, bool by_id) : contexts_(contexts), by_id_(by_id) {
    for (const rttest::Context& context : contexts_) {
      EXPECT_RT_OK(rtStreamCreate(streams_.emplace_back().out(), nullptr, context));
      Bytes bytes(4 * kCount * sizeof(int32_t));
      for (size_t i = 0; i < bytes.size(); i += sizeof(int32_t)) bytes[i] = static_cast<unsigned char>(streams_.size());
      upload(&memory_.emplace_back(), bytes, context);
    }
  }

  // The first failure, of a call or a stream.
  rtStatus_t tell() {
    rtStatus_t status = run();
    if (status != RT_SUCCESS) {  // a rank that has no partner any more
      for (const Comm& comm : comms_) {
        if (comm.get() != nullptr) (void)rtCommAbort(comm);
      }
    }
    for (const rttest::Stream& stream : streams_) {
      const rtStatus_t synchronized = rtStreamSynchronize(stream);
      if (status == RT_SUCCESS) status = synchronized;
    }
    return status;
  }

  // The allocations of a story without a failure.
  void expectResults() {
    for (const rttest::Memory& memory : memory_) {
      const Bytes bytes = download(memory.get(), kCount * sizeof(int32_t));
      for (size_t i = 0; i < bytes.size(); i += sizeof(int32_t)) ASSERT_EQ(bytes[i], 3) << i;
    }
  }

 private:
  int32_t* at(size_t rank, uint64_t part) const { return static_cast<int32_t*>(memory_[rank].get()) + part * kCount; }

  // For both ranks, in a group: neither waits for one that could not be submitted.
  template <class Call>
  rtStatus_t both(Call call) {
    rtStatus_t status = rtCommGroupBegin();
    for (size_t rank = 0; rank < 2 && status == RT_SUCCESS; ++rank) status = call(rank);
    const rtStatus_t ended = rtCommGroupEnd();
    return status == RT_SUCCESS ? ended : status;
  }

  rtStatus_t create() {
    const rtCommOptions_t given = options(kLong);
    const std::vector<rtContext_t> handles = {contexts_[0], contexts_[1]};
    rtComm_t made[2] = {};
    rtCommUniqueId_t id = {};
    rtStatus_t status;
    if (!by_id_) {
      status = rtCommCreateAll(made, &given, handles.data(), 2);
    } else if (status = rtCommGetUniqueId(&id); status == RT_SUCCESS) {
      status = both(
          [&](size_t rank) { return rtCommCreate(&made[rank], &given, &id, static_cast<int32_t>(rank), 2, contexts_[rank]); });
    }
    for (const rtComm_t comm : made) comms_.emplace_back(comm);
    return status;
  }

  rtStatus_t run() {
    if (const rtStatus_t status = create(); status != RT_SUCCESS) return status;
    const auto reduce = [&](size_t rank) {
      return rtCommAllReduce(at(rank, 0), at(rank, 0), kCount, RT_COMM_I32, RT_COMM_SUM, streams_[rank], comms_[rank]);
    };
    if (const rtStatus_t status = both(reduce); status != RT_SUCCESS) return status;
    const auto exchange = [&](size_t rank) {
      return rtCommAllToAll(at(rank, 2), at(rank, 2), kCount, RT_COMM_I32, streams_[rank], comms_[rank]);
    };
    if (const rtStatus_t status = both(exchange); status != RT_SUCCESS) return status;
    const auto send = [&](size_t rank) {
      const auto peer = static_cast<int32_t>(1 - rank);
      const rtStatus_t sent = rtCommSend(at(rank, 1), kCount, RT_COMM_I32, peer, streams_[rank], comms_[rank]);
      if (sent != RT_SUCCESS) return sent;
      return rtCommReceive(at(rank, 2), kCount, RT_COMM_I32, peer, streams_[rank], comms_[rank]);
    };
    if (const rtStatus_t status = both(send); status != RT_SUCCESS) return status;
    rtComm_t parts[2] = {};
    const rtStatus_t split =
        both([&](size_t rank) { return rtCommSplit(&parts[rank], 0, static_cast<int32_t>(rank), comms_[rank]); });
    for (const rtComm_t part : parts) {
      if (part != nullptr) {
        EXPECT_COMM_OK(rtCommDestroy(part));
      }
    }
    return split;
  }

  const std::vector<rttest::Context>& contexts_;
  const bool by_id_;
  std::vector<rttest::Stream> streams_;
  std::vector<rttest::Memory> memory_;
  std::vector<Comm> comms_;
};

class LackTest : public testing::TestWithParam<bool> {};

TEST_P(LackTest, EveryAllocationMayFail) {
  std::vector<rttest::Context> contexts(2);
  for (int i = 0; i < 2; ++i) {
    const bool on_cuda = rttest::cudaDeviceCount() >= 2;
    rtDevice_t device = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&device, on_cuda ? ("cuda:" + std::to_string(i)).c_str() : "cpu"));
    ASSERT_RT_OK(rtContextCreate(contexts[static_cast<size_t>(i)].out(), nullptr, device));
  }
  {
    Story plain(contexts, GetParam());
    ASSERT_EQ(plain.tell(), RT_SUCCESS) << lastMessage();
    plain.expectResults();
  }
  int told = 0;
  for (uint64_t k = 1;; ++k) {
    SCOPED_TRACE(k);
    rtStatus_t status;
    Story story(contexts, GetParam());
    {
      const Lack lack(k);
      status = story.tell();
    }
    if (!Lack::happened()) {
      EXPECT_EQ(status, RT_SUCCESS);
      break;
    }
    if (status == RT_SUCCESS) {
      story.expectResults();
    } else {
      EXPECT_EQ(status, RT_ERROR_OUT_OF_MEMORY) << rtGetErrorName(status);
      ++told;
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(told, 20);
  Story last(contexts, GetParam());
  EXPECT_EQ(last.tell(), RT_SUCCESS) << lastMessage();
  last.expectResults();
}

INSTANTIATE_TEST_SUITE_P(Creation, LackTest, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "by_id" : "together"; });

}  // namespace
}  // namespace commtest
