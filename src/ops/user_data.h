// The user pointer of a context and its release function, which is called after guards and locks.
#pragma once

#include <mutex>
#include <utility>

#include "manager/context.h"

namespace manyrt::ops {

// `user` may be null: the context has no pointer then.
inline void setUserData(manager::Context& context, callbacks::Release* user) {
  std::unique_lock lock(context.user_mutex);
  callbacks::Release* const before = std::exchange(context.user, user);
  lock.unlock();
  callbacks::Release::giveBack(before);
}

}  // namespace manyrt::ops
