// The time between two events is asked of the later one: a driver may measure between two of its own, and only so.
#include "manager/event.h"

#include <gtest/gtest.h>

namespace manyrt::manager {
namespace {

class MeasuredPoint final : public backend::Point {
 public:
  int64_t nanosecondsSince(const backend::Point& start) const override {
    since = &start;
    return 1234;
  }
  mutable const backend::Point* since = nullptr;
};

TEST(EventTest, TheLaterPointMeasuresTheTimeSinceTheEarlierOne) {
  rtEvent_t handles[2] = {};
  Ref<MeasuredPoint> points[2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(rtEventCreate(&handles[i], nullptr, nullptr), RT_SUCCESS);
    points[i] = Ref<MeasuredPoint>::adopt(new MeasuredPoint);
    points[i]->complete(Status(), 0);
    epoch::Guard guard;
    Event* event = events.find(toBits(handles[i]));
    ASSERT_NE(event, nullptr);
    event->setPoint(points[i]);
  }
  int64_t nanoseconds = 0;
  EXPECT_EQ(rtEventElapsedNanoseconds(&nanoseconds, handles[0], handles[1]), RT_SUCCESS);
  EXPECT_EQ(nanoseconds, 1234);
  EXPECT_EQ(points[1]->since, points[0].get());
  for (rtEvent_t handle : handles) EXPECT_EQ(rtEventDestroy(handle), RT_SUCCESS);
}

}  // namespace
}  // namespace manyrt::manager
