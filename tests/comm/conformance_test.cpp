// Every operation with every type and reduction, in place and not, with 1 to 4 ranks, on every layout of devices found. Each
// rank has exactly the elements of the table of operations.h, and memory around them is untouched.
#include <tuple>

#include "comm/memory.h"

namespace commtest {
namespace {

class ConformanceTest : public testing::TestWithParam<std::tuple<std::string, int, size_t>> {
 protected:
  enum class Place { kApart, kInPlace, kEverySecondInPlace };

  void run(const OperationRow& row, const Case& of, Place place) {
    SCOPED_TRACE(describe(row, of, place != Place::kApart));
    std::vector<RankMemory> memory(static_cast<size_t>(of.ranks));
    for (int rank = 0; rank < of.ranks; ++rank) {
      const bool in_place = place == Place::kInPlace || (place == Place::kEverySecondInPlace && rank % 2 == 1);
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
      for (const Place place : {Place::kApart, Place::kInPlace, Place::kEverySecondInPlace}) {
        for (const uint64_t count : {uint64_t{37}, uint64_t{20011}}) {
          if (row.rooted) root = (root + 1) % ranks;
          run(row, {type, reduction, count, root, ranks}, place);
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
