// Threads that run host functions and teardown: as many as there are jobs that block at one time, kept for reuse. So a host
// function that blocks stops its own stream alone.
#pragma once

#include "base/status.h"

namespace manyrt::host_threads {

class Job {  // intrusive: queueing one cannot fail
 public:
  virtual ~Job() = default;
  virtual void run() = 0;  // may delete this
  Job* next = nullptr;
};

// After success at least two threads exist. Then a job that waits for another job does not block it, even if no further thread
// can be started. Called before the library accepts work that will need a thread.
Status reserve();
// Runs the job on a thread of the library as soon as one is free. Starts a further thread where none is free; if that fails, it
// tries again with each job that is submitted or taken.
void submit(Job* job);
// The same for jobs that help their submitter. Returns how many were queued, the first ones: the others find no free thread,
// and none can be started.
size_t trySubmit(Job* const* jobs, size_t count);
// Waits, a second at most, until every job is over with all that the program is called for after it. For the shutdown: then no
// thread of the library calls the program any more, which may end.
void settle();

}  // namespace manyrt::host_threads
