// Every operation with every type and reduction, in place and not, among processes that share memory, on the CPU, on other
// devices and mixed; groups, splits and graphs among them. RT_COMM_ENGINE=shared_memory runs the suites of one process by it,
// too.
#include "comm/memory.h"
#include "comm/shared_memory/shared_ranks.h"

namespace commtest {
namespace {

class OneRank {
 public:
  OneRank(const rtCommUniqueId_t& id, int rank, int size) : rank_(rank), size_(size) { make(id); }
  void all() {
    if (testing::Test::HasFatalFailure()) return;
    everyOperation();
    shortAndLong();
    oneInPlace();
    ordered();
    ring();
    manyMessages();
    split();
    graph();
    barrier();
  }

 private:
  void make(const rtCommUniqueId_t& id) {
    ASSERT_NO_FATAL_FAILURE(own_.open(std::getenv(kLayout), rank_));
    ASSERT_COMM_OK(own_.create(id, rank_, size_, kLong));
    const rtCommInfo_t info = infoOf(own_.comm);
    const bool alone = size_ == 1;  // all ranks are in the process that made the id
    EXPECT_EQ(info.engine, alone ? RT_COMM_ENGINE_IN_PROCESS : RT_COMM_ENGINE_SHARED_MEMORY);
    EXPECT_EQ(info.transport == RT_COMM_TRANSPORT_SHARED_MEMORY, !alone);
    EXPECT_EQ(info.rank, rank_);
    EXPECT_EQ(info.size, size_);
    EXPECT_EQ(info.local_size, 1);
  }
  static bool failed() { return testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure(); }

  void run(const OperationRow& row, const Case& of, bool in_place) {
    SCOPED_TRACE(describe(row, of, in_place));
    if (failed()) return;
    RankMemory memory;
    ASSERT_NO_FATAL_FAILURE(memory.make(row, of, rank_, in_place, own_.context));
    ASSERT_COMM_OK(row.call(of, {memory.to, memory.from, own_.stream, own_.comm}));
    ASSERT_RT_OK(rtStreamSynchronize(own_.stream));
    memory.expect(row, of, rank_);
  }

  void everyOperation() {
    int root = 0;
    for (const OperationRow& row : operationRows()) {
      for (const int32_t type : kTypes) {
        for (const int32_t reduction : kReductions) {
          if (!row.reduces && reduction != RT_COMM_SUM) continue;
          for (const bool in_place : {false, true}) {
            for (const uint64_t count : {uint64_t{0}, uint64_t{37}, uint64_t{20011}}) {
              if (row.rooted) root = (root + 1) % size_;
              run(row, {type, reduction, count, root, size_}, in_place);
            }
          }
        }
      }
    }
  }

  // Around the most that a slot and a window hold, and several rounds of these.
  void shortAndLong() {
    for (const OperationRow& row : operationRows()) {
      for (const uint64_t bytes : {1024, 64 * 1024 / size_, 32 * 1024, 64 * 1024, 128 * 1024, 256 * 1024, 2'500'000}) {
        for (const uint64_t more : {bytes - 64, bytes - 25, bytes - 24, bytes - 23, bytes, bytes + 1}) {
          if (more > 300'000 && more != bytes) continue;
          run(row, {RT_COMM_U8, RT_COMM_SUM, more, 0, size_}, false);
          run(row, {RT_COMM_F64, RT_COMM_SUM, more / 8 / static_cast<uint64_t>(size_), size_ - 1, size_}, true);
        }
      }
    }
  }

  void oneInPlace() {
    for (const OperationRow& row : operationRows()) {
      for (const uint64_t count : {1000, 100'000}) {
        run(row, {RT_COMM_F32, RT_COMM_SUM, count, 0, size_}, rank_ % 2 == 1);
      }
    }
  }

  // Floats of which each order has another sum.
  void ordered() {
    const auto value = [](int rank, uint64_t i) {
      constexpr float kValues[] = {1.0f, 3e7f, -3e7f, 0.1f, 1e-3f, 7e5f};
      return kValues[(static_cast<uint64_t>(rank) * 7 + i) % 6] * static_cast<float>(i % 100 + 1);
    };
    for (const uint64_t count : {4, 1500, 33333, 250'001}) {
      std::vector<float> numbers(count), sum(count);
      for (uint64_t i = 0; i < count; ++i) {
        numbers[i] = value(rank_, i);
        for (int rank = 0; rank < size_; ++rank) sum[i] = rank == 0 ? value(0, i) : sum[i] + value(rank, i);
      }
      Bytes given(count * sizeof(float));
      std::memcpy(given.data(), numbers.data(), given.size());
      rttest::Memory memory;
      ASSERT_NO_FATAL_FAILURE(upload(&memory, given, own_.context));
      ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), count, RT_COMM_F32, RT_COMM_SUM, own_.stream, own_.comm));
      ASSERT_RT_OK(rtStreamSynchronize(own_.stream));
      EXPECT_EQ(std::memcmp(download(memory.get(), given.size()).data(), sum.data(), given.size()), 0) << count;
    }
  }

  // Longer than what a channel holds, so that all have to go on at once; with a collective in the same group.
  void ring() {
    constexpr uint64_t kBytes = 1'000'000;
    const int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
    rttest::Memory source, target, sum;
    ASSERT_NO_FATAL_FAILURE(upload(&source, Bytes(kBytes, static_cast<unsigned char>(rank_ + 1)), own_.context));
    ASSERT_NO_FATAL_FAILURE(upload(&target, Bytes(kBytes), own_.context));
    ASSERT_NO_FATAL_FAILURE(upload(&sum, Bytes(64, 1), own_.context));
    ASSERT_COMM_OK(rtCommGroupBegin());
    ASSERT_COMM_OK(rtCommSend(source.get(), kBytes, RT_COMM_U8, next, own_.stream, own_.comm));
    ASSERT_COMM_OK(rtCommAllReduce(sum.get(), sum.get(), 64, RT_COMM_U8, RT_COMM_SUM, own_.stream, own_.comm));
    ASSERT_COMM_OK(rtCommReceive(target.get(), kBytes, RT_COMM_U8, before, own_.stream, own_.comm));
    ASSERT_COMM_OK(rtCommGroupEnd());
    ASSERT_RT_OK(rtStreamSynchronize(own_.stream));
    EXPECT_EQ(download(target.get(), kBytes), Bytes(kBytes, static_cast<unsigned char>(before + 1)));
    EXPECT_EQ(download(sum.get(), 64), Bytes(64, static_cast<unsigned char>(size_)));
  }

  // Messages of several lengths from each to each, also to oneself, arrive in their order.
  void manyMessages() {
    const std::vector<uint64_t> lengths = {1, 100'000, 0, 5000, 40'000};
    std::vector<rttest::Memory> sources, targets;
    ASSERT_COMM_OK(rtCommGroupBegin());
    for (int peer = 0; peer < size_; ++peer) {
      for (size_t i = 0; i < lengths.size(); ++i) {
        const auto mark = [&](int from, int to) {
          return static_cast<unsigned char>(from * 31 + to * 7 + static_cast<int>(i));
        };
        ASSERT_NO_FATAL_FAILURE(upload(&sources.emplace_back(), Bytes(lengths[i] + 1, mark(rank_, peer)), own_.context));
        ASSERT_NO_FATAL_FAILURE(upload(&targets.emplace_back(), Bytes(lengths[i] + 1), own_.context));
        ASSERT_COMM_OK(rtCommReceive(targets.back().get(), lengths[i], RT_COMM_U8, peer, own_.stream, own_.comm));
        ASSERT_COMM_OK(rtCommSend(sources.back().get(), lengths[i], RT_COMM_U8, peer, own_.stream, own_.comm));
      }
    }
    ASSERT_COMM_OK(rtCommGroupEnd());
    ASSERT_RT_OK(rtStreamSynchronize(own_.stream));
    for (size_t at = 0; at < targets.size(); ++at) {
      const auto peer = static_cast<int>(at / lengths.size()), i = static_cast<int>(at % lengths.size());
      Bytes wanted(lengths[static_cast<size_t>(i)], static_cast<unsigned char>(peer * 31 + rank_ * 7 + i));
      wanted.push_back(0);
      EXPECT_EQ(download(targets[at].get(), wanted.size()), wanted) << "message " << i << " of rank " << peer;
    }
  }

  // Every rank but the first, in the order from the last; then by twos; each part works while the whole goes on.
  void split() {
    rtComm_t part = nullptr, pair = nullptr;
    ASSERT_COMM_OK(rtCommSplit(&part, rank_ == 0 ? RT_COMM_NO_COLOR : 7, -rank_, own_.comm));
    const Comm owned(part);
    ASSERT_COMM_OK(rtCommGroupBegin());
    ASSERT_COMM_OK(rtCommSplit(&pair, rank_ / 2, 0, own_.comm));
    ASSERT_COMM_OK(rtCommGroupEnd());
    const Comm second(pair);
    ASSERT_EQ(part == nullptr, rank_ == 0);
    const auto expect = [&](rtComm_t comm, int wanted_rank, int wanted_size) {
      int32_t rank = -1, size = -1;
      rttest::Memory memory;
      ASSERT_COMM_OK(rtCommGetRank(&rank, comm));
      ASSERT_COMM_OK(rtCommGetSize(&size, comm));
      EXPECT_EQ(rank, wanted_rank);
      EXPECT_EQ(size, wanted_size);
      ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(100'000, 1), own_.context));
      ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 100'000, RT_COMM_U8, RT_COMM_SUM, own_.stream, comm));
      ASSERT_RT_OK(rtStreamSynchronize(own_.stream));
      EXPECT_EQ(download(memory.get(), 100'000), Bytes(100'000, static_cast<unsigned char>(wanted_size)));
    };
    if (part != nullptr) {
      ASSERT_NO_FATAL_FAILURE(expect(part, size_ - 1 - rank_, size_ - 1));
    }
    ASSERT_NO_FATAL_FAILURE(expect(pair, rank_ % 2, rank_ / 2 * 2 + 1 < size_ ? 2 : 1));
    ASSERT_NO_FATAL_FAILURE(expect(own_.comm, rank_, size_));
  }

  void graph() {
    if (std::string(std::getenv(kLayout)).find("cuda") != std::string::npos) return;  // no graph of CUDA holds it
    rttest::Memory source, target;
    rttest::Graph graph;
    rttest::GraphExec exec;
    ASSERT_NO_FATAL_FAILURE(upload(&source, Bytes(300, 1), own_.context));
    ASSERT_NO_FATAL_FAILURE(upload(&target, Bytes(300), own_.context));
    ASSERT_RT_OK(rtStreamBeginCapture(own_.stream));
    ASSERT_COMM_OK(rtCommAllReduce(target.get(), source.get(), 300, RT_COMM_U8, RT_COMM_SUM, own_.stream, own_.comm));
    ASSERT_RT_OK(rtMemcpyAsync(source.get(), target.get(), 300, RT_MEMCPY_DEFAULT, own_.stream));
    ASSERT_RT_OK(rtStreamEndCapture(graph.out(), own_.stream));
    ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, nullptr));
    for (int launch = 0; launch < 3; ++launch) ASSERT_RT_OK(rtGraphLaunch(exec, own_.stream));
    ASSERT_RT_OK(rtStreamSynchronize(own_.stream));
    EXPECT_EQ(download(target.get(), 300), Bytes(300, static_cast<unsigned char>(size_ * size_ * size_)));
  }

  void barrier() {
    for (int i = 0; i < 100; ++i) ASSERT_COMM_OK(rtCommBarrier(own_.stream, own_.comm));
    ASSERT_RT_OK(rtStreamSynchronize(own_.stream));
  }

  const int rank_, size_;
  OwnRank own_;
};

void runAll(const rtCommUniqueId_t& id, int rank, int size) { OneRank(id, rank, size).all(); }

class SharedMemoryConformanceTest : public SharedMemoryTest,
                                    public testing::WithParamInterface<std::tuple<std::string, int>> {};

TEST_P(SharedMemoryConformanceTest, EveryOperationRunsAmongProcesses) {
  const auto& [layout, size] = GetParam();
  ASSERT_EQ(setenv(kLayout, layout.c_str(), 1), 0);
  for (int rank = 1; rank < size; ++rank) start(rank, size, "All");
  runAll(id_, 0, size);
}

// Sixteen ranks of each of four processes, which are all that a communicator may have, and far more than there are cores. Each
// process has a thread, which submits for one rank after the other.
constexpr int kHere = 16;

void runMany(const rtCommUniqueId_t& id, int process, int processes) {
  const int size = kHere * processes, first = kHere * process;
  std::vector<OwnRank> own(kHere);
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int i = 0; i < kHere; ++i) ASSERT_COMM_OK(own[i].create(id, first + i, size, kLong));
  ASSERT_COMM_OK(rtCommGroupEnd());
  for (const uint64_t count : {10, 100'000}) {
    std::vector<std::vector<int32_t>> numbers;
    for (int i = 0; i < kHere; ++i) numbers.emplace_back(count, first + i);
    for (int i = 0; i < kHere; ++i) {
      ASSERT_COMM_OK(
          rtCommAllReduce(numbers[i].data(), numbers[i].data(), count, RT_COMM_I32, RT_COMM_SUM, own[i].stream, own[i].comm));
    }
    for (int i = 0; i < kHere; ++i) {
      ASSERT_RT_OK(rtStreamSynchronize(own[i].stream));
      EXPECT_EQ(numbers[i], std::vector<int32_t>(count, size * (size - 1) / 2)) << "rank " << first + i;
    }
  }
}

TEST_F(SharedMemoryTest, SixtyFourRanksMakeACommunicator) {
  for (int process = 1; process < 4; ++process) start(process, 4, "Many");
  runMany(id_, 0, 4);
}

INSTANTIATE_TEST_SUITE_P(Comm, SharedMemoryConformanceTest,
                         testing::Combine(testing::ValuesIn(layouts()), testing::Values(1, 2, 3, 4)), [](const auto& given) {
                           return layoutName(std::get<0>(given.param)) + "_" + std::to_string(std::get<1>(given.param));
                         });

[[maybe_unused]] const bool registered = (addPart(kPart, "All", runAll), addPart(kPart, "Many", runMany), true);

}  // namespace
}  // namespace commtest
