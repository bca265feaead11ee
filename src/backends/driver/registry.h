// The objects that another one has to find again, such as the streams of a context. They are plain pointers, since the list
// must not keep them alive. An object adds itself when it is whole and removes itself as it ends.
#pragma once

#include <mutex>
#include <vector>

#include "base/lock_order.h"
#include "base/ref.h"

namespace manyrt::driver {

template <class Object, LockRank kRank>
class Registry {
 public:
  void add(Object& object) {  // throws bad_alloc
    std::lock_guard lock(mutex_);
    objects_.push_back(&object);
  }
  void remove(Object& object) {
    std::lock_guard lock(mutex_);
    std::erase(objects_, &object);
  }
  // Those that are in use. Throws bad_alloc.
  std::vector<Ref<Object>> alive() {
    std::vector<Ref<Object>> found;
    std::lock_guard lock(mutex_);
    found.reserve(objects_.size());
    for (Object* object : objects_) {
      if (object->tryRetain()) found.push_back(Ref<Object>::adopt(object));
    }
    return found;
  }
  // Calls with each, also with those that end at this moment, under the lock. `act` uses what the object has until it has
  // removed itself, and takes no lock.
  template <class Act>
  void each(Act act) {
    std::lock_guard lock(mutex_);
    for (Object* object : objects_) act(*object);
  }

 private:
  Ranked<std::mutex, kRank> mutex_;
  std::vector<Object*> objects_;
};

}  // namespace manyrt::driver
