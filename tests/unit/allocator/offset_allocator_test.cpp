// Offsets alone: what a range hands out, and which units get memory. tests/fuzz/offsets.cpp checks it against a model.
#include "allocator/offset_allocator.h"

#include <gtest/gtest.h>

namespace manyrt::allocator {
namespace {

using Span = OffsetAllocator::Span;

TEST(OffsetAllocatorTest, TheFirstUnitsAreFresh) {
  OffsetAllocator offsets(100);
  EXPECT_TRUE(offsets.isEmpty());
  EXPECT_FALSE(offsets.take(1, 1)) << "no unit has memory";
  const auto [span, commit] = offsets.takeFresh(10, 1);
  EXPECT_EQ(span.count, 10u);
  EXPECT_EQ(commit.first, span.first);
  EXPECT_EQ(commit.count, 10u);
  EXPECT_EQ(offsets.used(), 10u);
  EXPECT_EQ(offsets.spare(), 0u);
}

TEST(OffsetAllocatorTest, NeighboursThatAreFreeServeALargerBlock) {
  OffsetAllocator offsets(100);
  const Span one = offsets.takeFresh(10, 1).span;
  const Span two = offsets.takeFresh(20, 1).span;
  const Span three = offsets.takeFresh(30, 1).span;
  offsets.give(one);
  offsets.give(three);
  EXPECT_FALSE(offsets.take(31, 1));
  offsets.give(two);
  const Span all = offsets.take(60, 1);
  EXPECT_EQ(all.first, one.first);
  EXPECT_EQ(all.count, 60u);
}

TEST(OffsetAllocatorTest, ALargerBlockExtendsWhatHasMemory) {
  OffsetAllocator offsets(100);
  offsets.give(offsets.takeFresh(10, 1).span);
  const auto [span, commit] = offsets.takeFresh(16, 1);
  EXPECT_EQ(span.count, 16u);
  EXPECT_EQ(commit.count, 6u) << "ten of them have memory";
  EXPECT_EQ(offsets.spare(), 0u);
}

TEST(OffsetAllocatorTest, ASpareThatLosesItsMemoryIsFreeWithoutIt) {
  OffsetAllocator offsets(100);
  const Span span = offsets.takeFresh(40, 1).span;
  const Span after = offsets.takeFresh(10, 1).span;
  offsets.give(span);
  const Span spare = offsets.takeSpare(15);
  EXPECT_EQ(spare.count, 15u);
  EXPECT_EQ(spare.first, 25u) << "the end of the largest";
  offsets.giveUncommitted(spare);
  EXPECT_EQ(offsets.spare(), 25u);
  EXPECT_FALSE(offsets.take(26, 1));
  EXPECT_TRUE(offsets.take(25, 1));
  offsets.give(after);
}

TEST(OffsetAllocatorTest, BeginningsAreAligned) {
  OffsetAllocator offsets(256);
  (void)offsets.takeFresh(3, 1);
  const auto [fresh, commit] = offsets.takeFresh(10, 32);
  EXPECT_EQ(fresh.first, 32u);
  EXPECT_EQ(commit.count, 10u) << "what lies before stays without memory";
  offsets.give(fresh);
  EXPECT_EQ(offsets.take(8, 32).first, 32u);
}

TEST(OffsetAllocatorTest, BadSizesAreNone) {
  OffsetAllocator offsets(100);
  EXPECT_FALSE(offsets.take(0, 1));
  EXPECT_FALSE(offsets.takeFresh(0, 1).span);
  EXPECT_FALSE(offsets.takeFresh(101, 1).span);
  EXPECT_FALSE(offsets.takeFresh(UINT32_MAX, 1u << 31).span);
  EXPECT_FALSE(offsets.takeFresh(2, 128).span) << "no room for any beginning";
  EXPECT_FALSE(offsets.takeSpare(10));
  EXPECT_TRUE(offsets.takeFresh(100, 1).span);
  EXPECT_FALSE(offsets.takeFresh(1, 1).span);
}

// ---- Granules of more than a unit ----

TEST(OffsetAllocatorTest, WholeGranulesAreCommittedAndTheRestIsFree) {
  OffsetAllocator offsets(256, 32);
  const OffsetAllocator::Fresh fresh = offsets.takeFresh(10, 1);
  EXPECT_EQ(fresh.span.count, 10u);
  EXPECT_EQ(fresh.commit.first, 0u);
  EXPECT_EQ(fresh.commit.count, 32u);
  EXPECT_EQ(offsets.used(), 32u) << "no other block may have the rest before it has memory";
  EXPECT_FALSE(offsets.take(1, 1));
  offsets.finish(fresh);
  EXPECT_EQ(offsets.used(), 10u);
  EXPECT_EQ(offsets.spare(), 22u);
  EXPECT_EQ(offsets.take(22, 1).first, 10u);
  EXPECT_FALSE(offsets.take(1, 1));
}

TEST(OffsetAllocatorTest, ACommitThatFailsLeavesAllAsBefore) {
  OffsetAllocator offsets(256, 32);
  offsets.finish(offsets.takeFresh(10, 1));
  const uint32_t spare = offsets.spare();
  const OffsetAllocator::Fresh fresh = offsets.takeFresh(40, 1);
  EXPECT_EQ(fresh.span.first, 10u) << "what is left of the first granule begins the block";
  EXPECT_EQ(fresh.commit.first, 32u);
  EXPECT_EQ(fresh.commit.count, 32u);
  offsets.cancel(fresh);
  EXPECT_EQ(offsets.spare(), spare);
  EXPECT_EQ(offsets.used(), 10u);
  EXPECT_EQ(offsets.take(22, 1).first, 10u);
  EXPECT_EQ(offsets.takeFresh(224, 1).commit.count, 224u) << "one hole again";
}

TEST(OffsetAllocatorTest, AGranuleLosesItsMemoryOnlyWhenAllOfItIsFree) {
  OffsetAllocator offsets(256, 32);
  const OffsetAllocator::Fresh fresh = offsets.takeFresh(128, 1);
  offsets.finish(fresh);
  offsets.give({16, 47});  // the ends of two granules, and nothing whole between them
  EXPECT_EQ(offsets.spareGranules(), 0u);
  EXPECT_FALSE(offsets.takeSpare(47));
  offsets.give({63, 65});
  EXPECT_EQ(offsets.spareGranules(), 3u);
  const Span one = offsets.takeSpare(5);
  EXPECT_EQ(one.first, 96u) << "the last one";
  EXPECT_EQ(one.count, 32u) << "as many as five units need";
  offsets.giveUncommitted(one);
  const Span two = offsets.takeSpare(1000);
  EXPECT_EQ(two.first, 32u);
  EXPECT_EQ(two.count, 64u);
  offsets.giveUncommitted(two);
  EXPECT_EQ(offsets.spare(), 16u);
  EXPECT_FALSE(offsets.takeSpare(1));
  EXPECT_EQ(offsets.take(16, 1).first, 16u);
}

TEST(OffsetAllocatorTest, AGranuleInTheMiddleOfALargeFreeSpanIsFound) {
  OffsetAllocator offsets(256, 32);
  offsets.finish(offsets.takeFresh(256, 1));
  offsets.give({20, 60});  // has 32 to 63
  EXPECT_EQ(offsets.takeSpare(1).first, 32u);
  EXPECT_EQ(offsets.spare(), 28u) << "its neighbours keep their memory";
  EXPECT_EQ(offsets.take(16, 1).first, 64u);
  EXPECT_EQ(offsets.take(12, 1).first, 20u);
}

TEST(OffsetAllocatorTest, AnAlignmentBeyondTheGranuleCommitsNothingBefore) {
  OffsetAllocator offsets(256, 4);
  offsets.finish(offsets.takeFresh(3, 1));
  const OffsetAllocator::Fresh fresh = offsets.takeFresh(10, 32);
  EXPECT_EQ(fresh.span.first, 32u);
  EXPECT_EQ(fresh.commit.first, 32u);
  EXPECT_EQ(fresh.commit.count, 12u);
  offsets.finish(fresh);
  EXPECT_EQ(offsets.used() + offsets.spare(), 16u);
}

}  // namespace
}  // namespace manyrt::allocator
