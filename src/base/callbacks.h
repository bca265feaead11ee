// Calls into the program: host functions, release functions, log lines and the like. None is made inside a guard or with a
// lock held. A call whose occasion may come there is queued on its thread and made when that one is at rest (base/epoch.h);
// where the thread has no such point ahead, a thread of the library makes it.
#pragma once

#include <cstdint>

#include "base/epoch.h"
#include "rt.h"

namespace manyrt::callbacks {

// `call` runs once, at rest, and deletes itself. Never fails.
void later(host_threads::Job* call);

// Around every call into the program. Inside, rt calls of the thread are calls of their own: each is at rest at its end.
class Running {
 public:
  explicit Running(const char* what);  // "host function"
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  uint32_t away_ = 0;
  bool resting_ = false;
  host_threads::Job* calls_ = nullptr;  // of the thread: they do not come inside this one, nor inside each other
  host_threads::Job** last_call_ = nullptr;
};
bool inside();  // the program's function runs on this thread

// How a program's pointer is given back, once. Made beforehand, so that giving it back cannot fail.
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
