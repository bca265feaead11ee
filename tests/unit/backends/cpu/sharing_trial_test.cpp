// Decisions of a trial, and when the next one is due.
#include "backends/cpu/sharing_trial.h"

#include <gtest/gtest.h>

namespace manyrt::cpu {
namespace {

using Run = SharingTrial::Run;

int launchesUntilTrial(SharingTrial& trial, Run expected) {
  for (int launches = 0;; ++launches) {
    const Run run = trial.next();
    if (run == Run::kTry) return launches;
    EXPECT_EQ(run, expected);
  }
}

TEST(SharingTrialTest, TheFasterIsKeptForTwiceAsManyLaunchesEachTime) {
  SharingTrial trial;
  EXPECT_EQ(trial.next(), Run::kTry);
  EXPECT_EQ(trial.tried(100, 400), Run::kAlone);
  EXPECT_EQ(launchesUntilTrial(trial, Run::kAlone), 1);
  for (const int launches : {2, 4, 8, 16, 32, 64, 64}) {
    EXPECT_EQ(trial.tried(100, 200), Run::kAlone);
    EXPECT_EQ(launchesUntilTrial(trial, Run::kAlone), launches);
  }
  EXPECT_EQ(trial.tried(100, 50), Run::kShared);  // the data have changed
  EXPECT_EQ(launchesUntilTrial(trial, Run::kShared), 1);
  EXPECT_EQ(trial.tried(100, 50), Run::kShared);
  EXPECT_EQ(launchesUntilTrial(trial, Run::kShared), 2);
}

TEST(SharingTrialTest, HelpersThatComeLateAreNoReasonToDoWithoutThem) {
  SharingTrial trial;
  EXPECT_EQ(trial.tried(100, 100), Run::kShared);
  EXPECT_EQ(trial.tried(100, 124), Run::kShared);
  EXPECT_EQ(trial.tried(100, 126), Run::kAlone);
}

TEST(SharingTrialTest, ALookIsNoTrial) {
  SharingTrial trial;
  EXPECT_EQ(trial.lastBest(), Run::kShared);
  trial.tried(100, 300);
  EXPECT_EQ(trial.lastBest(), Run::kAlone);
  EXPECT_EQ(trial.lastBest(), Run::kAlone);
  EXPECT_EQ(launchesUntilTrial(trial, Run::kAlone), 1);
}

}  // namespace
}  // namespace manyrt::cpu
