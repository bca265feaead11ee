// The pointer that a program keeps with a context, and its release: the program's function, outside every guard and lock.
#pragma once

#include <utility>

#include "manager/context.h"
#include "manager/library.h"

namespace manyrt::ops {

inline void setUserData(manager::Context& context, void* user, rtReleaseFunction_t release) {
  void* old_user;
  rtReleaseFunction_t old_release;
  {
    std::lock_guard lock(context.user_mutex);
    old_user = std::exchange(context.user, user);
    old_release = std::exchange(context.user_release, release);
  }
  if (old_release == nullptr) return;
  manager::library::InCallback inside;
  old_release(old_user);
}

}  // namespace manyrt::ops
