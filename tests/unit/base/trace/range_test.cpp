// Ranges of threads: balance with and without a trace, nesting, names.
#include "base/trace/range.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/trace.h"

namespace manyrt {
namespace {

struct Told {
  int32_t type;
  std::string name;
  int64_t begin, end;
};
using All = std::vector<Told>;

void receive(const rtTraceRecord_t* record, void* user) {
  static_cast<All*>(user)->push_back({record->type, record->name, record->begin_ns, record->end_ns});
}

void listen(All& all) { ASSERT_TRUE(trace::setCallback(receive, &all, RT_TRACE_RANGES).ok()); }
void stop() { ASSERT_TRUE(trace::setCallback(nullptr, nullptr, 0).ok()); }

std::string words(const All& all) {
  static constexpr const char* kWords[] = {"+", "-", "!"};
  std::string text;
  for (const Told& each : all) text += kWords[each.type - RT_TRACE_RECORD_RANGE_PUSH] + each.name + " ";
  return text;
}

TEST(RangeTest, ARangeIsEndedOnceAndByItsOwnThread) {
  EXPECT_FALSE(trace::range::pop());
  trace::range::push("one");
  std::thread([] { EXPECT_FALSE(trace::range::pop()); }).join();
  EXPECT_TRUE(trace::range::pop());
  EXPECT_FALSE(trace::range::pop());
}

TEST(RangeTest, RangesNest) {
  All all;
  listen(all);
  char name[] = "outer";
  trace::range::push(name);
  memset(name, 'x', sizeof name - 1);  // the name was copied
  trace::range::push("inner");
  trace::range::mark("here");
  EXPECT_TRUE(trace::range::pop());
  EXPECT_TRUE(trace::range::pop());
  stop();
  ASSERT_EQ(words(all), "+outer +inner !here -inner -outer ");
  EXPECT_LE(all[4].begin, all[3].begin);
  EXPECT_LE(all[3].end, all[4].end);
  EXPECT_EQ(all[0].begin, all[4].begin);
}

// A range that began while nothing listened is no range of the trace, and its end ends nothing else.
TEST(RangeTest, ATraceMayBeginAndEndInTheMiddle) {
  All all;
  trace::range::push("before");
  listen(all);
  trace::range::push("in");
  EXPECT_TRUE(trace::range::pop());
  EXPECT_TRUE(trace::range::pop());
  EXPECT_FALSE(trace::range::pop());
  trace::range::push("over the end");
  stop();
  trace::range::push("after");
  trace::range::mark("after");
  listen(all);
  EXPECT_TRUE(trace::range::pop());
  EXPECT_TRUE(trace::range::pop());
  EXPECT_FALSE(trace::range::pop());
  stop();
  EXPECT_EQ(words(all), "+in -in +over the end -over the end ");
}

// A destructor of the thread may end ranges later than the list of them.
TEST(RangeTest, DestructorsOfThreadsMayUseThem) {
  All all;
  listen(all);
  struct AtTheEnd {
    ~AtTheEnd() {
      trace::range::push("late");
      EXPECT_TRUE(trace::range::pop());
      EXPECT_TRUE(trace::range::pop());
      EXPECT_FALSE(trace::range::pop());
    }
  };
  std::thread([] {
    thread_local AtTheEnd at_the_end;
    (void)&at_the_end;
    trace::range::push("early");
  }).join();
  stop();
  EXPECT_EQ(words(all).substr(0, 7), "+early ");
}

}  // namespace
}  // namespace manyrt
