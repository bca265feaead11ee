// Every operation with every type and reduction, in place and not, with 1 to 4 ranks, on every layout of devices found: each
// rank has exactly what the table of operations.h says, and memory around it is untouched.
#include <tuple>

#include "comm/operations.h"
#include "comm/ranks.h"

namespace commtest {
namespace {

constexpr unsigned char kUntouched = 0xA5;

// What one rank has for one case: the range that it sends, the range that it receives, and a margin behind that.
struct RankMemory {
  rttest::Memory send, receive;
  void* to = nullptr;
  const void* from = nullptr;
  uint64_t receives = 0;  // elements

  void make(const OperationRow& row, const Case& of, int rank, bool in_place, rtContext_t context) {
    const size_t element = sizeOf(of.type);
    const uint64_t sends = row.sends(of, rank) * of.count;
    receives = row.receives(of, rank) * of.count;
    Bytes source(sends * element);
    for (uint64_t i = 0; i < sends; ++i) write(&source[i * element], of.type, row.sent(of, rank, i));
    Bytes target(receives * element + 64, kUntouched);
    const uint64_t offset = row.in_place(of, rank) * of.count * element;
    if (!in_place || sends == 0 || receives == 0) {
      upload(&send, source, context);
      upload(&receive, target, context);
      to = receive.get();
      from = send.get();
    } else if (sends <= receives) {
      if (sends == receives) std::copy(source.begin(), source.end(), target.begin());
      if (sends < receives) std::copy(source.begin(), source.end(), target.begin() + static_cast<ptrdiff_t>(offset));
      upload(&receive, target, context);
      to = receive.get();
      from = receive.as(sends == receives ? 0 : offset);
    } else {
      upload(&send, source, context);
      from = send.get();
      to = send.as(offset);
    }
  }

  void expect(const OperationRow& row, const Case& of, int rank) {
    const size_t element = sizeOf(of.type);
    const Bytes got = download(to, receives * element);
    for (uint64_t i = 0; i < receives; ++i) {
      unsigned char wanted[8];
      write(wanted, of.type, row.expected(of, rank, i));
      if (std::memcmp(wanted, &got[i * element], element) == 0) continue;
      // A zero may have either sign, as the order of the operands of a product has it.
      if (read(wanted, of.type) == 0 && read(&got[i * element], of.type) == 0) continue;
      ADD_FAILURE() << "rank " << rank << ", element " << i << ": " << read(&got[i * element], of.type) << ", not "
                    << read(wanted, of.type);
      return;
    }
    if (receive.get() == nullptr) return;
    const Bytes margin = download(receive.as(receives * element), 64);
    EXPECT_EQ(margin, Bytes(64, kUntouched)) << "rank " << rank << " wrote behind its range";
  }
};

class ConformanceTest : public testing::TestWithParam<std::tuple<std::string, int, size_t>> {
 protected:
  void run(const OperationRow& row, const Case& of, bool in_place) {
    SCOPED_TRACE(describe(row, of, in_place));
    std::vector<RankMemory> memory(static_cast<size_t>(of.ranks));
    for (int rank = 0; rank < of.ranks; ++rank) {
      ASSERT_NO_FATAL_FAILURE(memory[rank].make(row, of, rank, in_place, ranks_.contexts[rank]));
    }
    for (int rank = 0; rank < of.ranks; ++rank) {
      ASSERT_COMM_OK(row.call(of, {memory[rank].to, memory[rank].from, ranks_.streams[rank], ranks_.comms[rank]}));
    }
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    for (int rank = 0; rank < of.ranks; ++rank) memory[rank].expect(row, of, rank);
  }

  Ranks ranks_;
};

// 20011 elements make segments of several owners and several pieces; roots take turns.
TEST_P(ConformanceTest, GivesEveryRankWhatItShould) {
  const auto& [layout, ranks, index] = GetParam();
  const OperationRow& row = operationRows()[index];
  ASSERT_NO_FATAL_FAILURE(ranks_.make(layout, ranks));
  int root = 0;
  for (const int32_t type : kTypes) {
    for (const int32_t reduction : kReductions) {
      if (!row.reduces && reduction != RT_COMM_SUM) continue;
      for (const bool in_place : {false, true}) {
        for (const uint64_t count : {uint64_t{37}, uint64_t{20011}}) {
          if (row.rooted) root = (root + 1) % ranks;
          run(row, {type, reduction, count, root, ranks}, in_place);
          if (HasFatalFailure() || HasNonfatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(ConformanceTest, TakesNoElements) {
  const auto& [layout, ranks, index] = GetParam();
  ASSERT_NO_FATAL_FAILURE(ranks_.make(layout, ranks));
  const Case none = {RT_COMM_F32, RT_COMM_SUM, 0, ranks - 1, ranks};
  for (int rank = 0; rank < ranks; ++rank) {
    ASSERT_COMM_OK(operationRows()[index].call(none, {nullptr, nullptr, ranks_.streams[rank], ranks_.comms[rank]}));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
}

std::string caseName(const testing::TestParamInfo<ConformanceTest::ParamType>& given) {
  const auto& [layout, ranks, index] = given.param;
  return layoutName(layout) + "_" + std::to_string(ranks) + "_" + operationRows()[index].name;
}
INSTANTIATE_TEST_SUITE_P(Comm, ConformanceTest,
                         testing::Combine(testing::ValuesIn(layouts()), testing::Values(1, 2, 3, 4),
                                          testing::Range(size_t{0}, operationRows().size())),
                         caseName);

}  // namespace
}  // namespace commtest
