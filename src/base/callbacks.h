// Calls into the program: host functions, release functions, log lines and the like. None is made inside a guard or with a
// lock held. A call that falls due there is queued on its thread and made when that thread is at rest (base/handles/epoch.h).
// If the thread will not be at rest, a thread of the library makes the call.
#pragma once

#include <cstdint>

#include "base/handles/epoch.h"
#include "rt.h"

namespace manyrt::callbacks {

// `call` runs once, at rest, and deletes itself. Never fails.
void later(host_threads::Job* call);

// Stands around every call into the program. rt calls that the thread makes meanwhile are outermost calls: each is at rest at
// its end.
class Running {
 public:
  explicit Running(const char* what);  // "host function"
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  uint32_t away_ = 0;
  bool resting_ = false;
  host_threads::Job* calls_ = nullptr;  // the thread's queue, set aside: no queued call runs inside this one
  host_threads::Job** last_call_ = nullptr;
};
bool inside();  // whether a function of the program runs on this thread

// Gives a pointer of the program back, once. Made beforehand, so that giving it back cannot fail.
class Release final : public host_threads::Job {
 public:
  Release(void* user, rtReleaseFunction_t release) : user_(user), release_(release) {}
  void* user() const { return user_; }
  void setRelease(rtReleaseFunction_t release) { release_ = release; }
  // The last use is over. `release` may be null.
  static void giveBack(Release* release);
  void run() override;

 private:
  void* const user_;
  rtReleaseFunction_t release_;
};

}  // namespace manyrt::callbacks
