// The resources of a context lend and keep these: streams that work for streams of others, and pinned pieces.
#include "allocator/context_resources.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/allocator/null_context.h"

namespace manyrt::allocator {
namespace {

class ContextResourcesTest : public NullContextTest {
 protected:
  ContextResourcesTest() : NullContextTest(1) {}
  void SetUp() override {
    NullContextTest::SetUp();
    for (Ref<backend::Stream>& borrower : borrowers_) ASSERT_TRUE(owner_->native().createStream(&borrower, {}).ok());
  }
  Ref<backend::Stream> lend(int borrower) {
    Ref<backend::Stream> stream;
    EXPECT_TRUE(owner_->lendStream(&stream, borrowers_[borrower].get(), {}).ok());
    return stream;
  }

  Ref<backend::Stream> borrowers_[3];
};

TEST_F(ContextResourcesTest, OneBorrowerHasOneStreamHoweverMuchItSubmits) {
  Ref<backend::Stream> first = lend(0);
  Ref<backend::Point> gate = block(*first);
  owner_->returnStream(*first);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(lend(0) == first.get());
    owner_->returnStream(*first);
  }
  Ref<backend::Stream> second = lend(1);
  EXPECT_FALSE(second == first.get()) << "another borrower waits for no gate";
  owner_->returnStream(*second);
  EXPECT_EQ(owner_->streams().size(), 2u);
  gate->complete(Status(), 0);
  ASSERT_TRUE(first->wait(first->submitted(), Deadline::never()));
  Ref<backend::Stream> third = lend(2);
  EXPECT_TRUE(third == first.get() || third == second.get()) << "idle streams go to the next borrower";
  EXPECT_EQ(owner_->streams().size(), 2u);
}

TEST_F(ContextResourcesTest, AStreamThatIsBeingSubmittedToIsNotLentAgain) {
  Ref<backend::Stream> first = lend(0);
  EXPECT_FALSE(lend(1) == first.get());
  EXPECT_FALSE(lend(0) == first.get()) << "another thread with the same borrower";
}

TEST_F(ContextResourcesTest, AFailedStreamIsNotLentWithItsFailure) {
  Ref<backend::Stream> first = lend(0);
  Ref<backend::Point> gate = block(*first);
  first->latch.set(Status::error(RT_ERROR_LAUNCH_FAILED, "Told to."));
  owner_->returnStream(*first);
  Ref<backend::Stream> second = lend(0);
  EXPECT_FALSE(second == first.get()) << "its work is not done";
  owner_->returnStream(*second);
  gate->complete(Status(), 0);
  ASSERT_TRUE(first->wait(first->submitted(), Deadline::never()));
  owner_->forgetFailures();
  EXPECT_FALSE(first->latch.failed());
}

TEST_F(ContextResourcesTest, PiecesAreKeptUpToALimitAndGivenBackOnDemand) {
  uint64_t before = 0, now = 0, total = 0;
  ASSERT_TRUE(owner_->device().memInfo(&before, &total).ok());
  std::vector<backend::Memory> pieces(ContextResources::kStagingPieces + 2);
  for (backend::Memory& piece : pieces) {
    ASSERT_TRUE(owner_->takeStaging(&piece).ok());
    EXPECT_TRUE(piece.host_visible);
    EXPECT_EQ(piece.size, ContextResources::kStagingBytes);
  }
  for (const backend::Memory& piece : pieces) owner_->giveBackStaging(piece);
  ASSERT_TRUE(owner_->device().memInfo(&now, &total).ok());
  EXPECT_EQ(before - now, ContextResources::kStagingPieces * ContextResources::kStagingBytes);
  backend::Memory again;
  ASSERT_TRUE(owner_->takeStaging(&again).ok());
  EXPECT_EQ(again.address, pieces[ContextResources::kStagingPieces - 1].address);
  owner_->giveBackStaging(again);
  owner_->releaseStaging();
  ASSERT_TRUE(owner_->device().memInfo(&now, &total).ok());
  EXPECT_EQ(now, before);
}

}  // namespace
}  // namespace manyrt::allocator
