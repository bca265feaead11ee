// Work that a stream carries and that runs on the host: a user's function, the signal of a fence, a teardown.
#pragma once

#include "base/status.h"

namespace manyrt {

class Task {
 public:
  virtual ~Task() = default;
  // Exactly once, with the failure of the stream that carried it. Then the caller deletes the task. Does not throw.
  // The result latches on the stream.
  virtual Status run(const Status& status) = 0;
  // Whether run() tells other threads that the stream has come to it, as the signal of a fence does.
  virtual bool tells() const { return false; }
};

}  // namespace manyrt
