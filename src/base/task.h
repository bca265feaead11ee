// Work of a stream that runs on the host: a function of the program, the signal of a fence, a teardown.
#pragma once

#include "base/status.h"

namespace manyrt {

class Task {
 public:
  virtual ~Task() = default;
  // Called exactly once, with the failure of the stream. The caller then deletes the task, and latches the result on the
  // stream. Does not throw.
  virtual Status run(const Status& status) = 0;
  // Whether run() shows other threads that the stream has reached the task, as the signal of a fence does.
  virtual bool tells() const { return false; }
};

}  // namespace manyrt
