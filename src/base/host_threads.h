// Threads that run host functions and teardown: as many as there are tasks that block at the same time, kept for reuse.
// A host function that blocks therefore stops its own stream alone.
#pragma once

#include "base/status.h"

namespace manyrt::host_threads {

class Job {  // intrusive: queueing one cannot fail
 public:
  virtual ~Job() = default;
  virtual void run() = 0;  // may delete this
  Job* next = nullptr;
};

// At least two threads exist when this returns success: a job that waits for another one does not hold it up, even where no
// further thread can be had. Called before work is accepted that will need one.
Status reserve();
// Runs the job on a thread of the library as soon as one is free; a further thread is started where none is. Where that fails
// it is tried again with each job that is submitted or taken.
void submit(Job* job);
// The same for a job that its submitter will wait for: false, and nothing is queued, where no thread is free and none can be
// had, so that it could wait for the very thread that waits.
bool trySubmit(Job* job);

}  // namespace manyrt::host_threads
