// Spans of a driver's stream. They are told in the order of the stream once they are over, and counted as lost where no time is
// to be had.
#include "backends/driver/spans.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace manyrt::driver {
namespace {

using Answer = PendingSpan::Answer;

struct Script {
  std::vector<std::string> told;
  int gone = 0;
};

class Scripted final : public PendingSpan {
 public:
  Scripted(Script& script, const char* name, const Answer& answer) : script_(script), name_(name), answer_(answer) {}
  ~Scripted() override { ++script_.gone; }
  Answer tell(const trace::Track&) override {
    if (answer_ == Answer::kTold) script_.told.emplace_back(name_);
    return answer_;
  }

 private:
  Script& script_;
  const char* const name_;
  const Answer& answer_;
};

using Names = std::vector<std::string>;

TEST(SpansTest, TheFirstThatIsNotOverEndsALook) {
  trace::Track track;
  Script script;
  Answer first = Answer::kNotYet, second = Answer::kTold;
  {
    Spans spans(track);
    spans.add(std::make_unique<Scripted>(script, "first", first));
    spans.add(std::make_unique<Scripted>(script, "second", second));
    spans.collect();
    EXPECT_EQ(script.told, Names());
    first = Answer::kTold;
    spans.collect();
    EXPECT_EQ(script.told, Names({"first", "second"}));
    EXPECT_EQ(script.gone, 2);
  }
  EXPECT_EQ(script.gone, 2);
}

TEST(SpansTest, ASubmissionWithoutTimesHoldsUpNothing) {
  trace::Track track;
  Script script;
  const Answer never = Answer::kNever, told = Answer::kTold;
  Spans spans(track);
  spans.add(nullptr);
  spans.add(std::make_unique<Scripted>(script, "lost", never));
  spans.add(std::make_unique<Scripted>(script, "told", told));
  spans.collect();
  EXPECT_EQ(script.told, Names({"told"}));
}

TEST(SpansTest, ManySubmissionsAreCollectedWithoutAWait) {
  trace::Track track;
  Script script;
  const Answer told = Answer::kTold;
  Spans spans(track);
  for (int i = 0; i < 1000; ++i) spans.add(std::make_unique<Scripted>(script, "work", told));
  EXPECT_GT(script.gone, 900);
}

TEST(SpansTest, TheEndTellsWhatIsOverAndDropsTheRest) {
  trace::Track track;
  Script script;
  const Answer told = Answer::kTold, not_yet = Answer::kNotYet;
  Spans spans(track);
  spans.add(std::make_unique<Scripted>(script, "over", told));
  spans.add(std::make_unique<Scripted>(script, "running", not_yet));
  (void)spans.settle(true);
  EXPECT_EQ(script.told, Names({"over"}));
  EXPECT_EQ(script.gone, 2);
}

}  // namespace
}  // namespace manyrt::driver
