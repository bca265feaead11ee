// Events, and what they are made of: a record is one point in one stream, passed once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "device.h"
#include "objects.h"

namespace manyrt::simulated {

class Record {
 public:
  void pass();
  void wait();
  bool passed();
  int64_t nanoseconds();  // when it was passed; 0 before

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool passed_ = false;
  int64_t nanoseconds_ = 0;
};

struct Event {
  Event(Context& its_context, unsigned its_flags) : context(its_context), flags(its_flags) {}
  std::shared_ptr<Record> latest();  // null: never recorded
  void set(std::shared_ptr<Record> made);

  Context& context;
  const unsigned flags;

 private:
  std::mutex mutex_;
  std::shared_ptr<Record> latest_;
};

Table<Event, NativeEvent>& events();

}  // namespace manyrt::simulated
