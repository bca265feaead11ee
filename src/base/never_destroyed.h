// The one object of a type, made at its first use and never destroyed, because threads may use it until the process ends. It
// needs no memory of the heap, so that a destructor may be its first user.
#pragma once

#include <new>

namespace manyrt {

template <class T>
T& neverDestroyed() {
  alignas(T) static unsigned char place[sizeof(T)];
  static T* const instance = new (place) T;
  return *instance;
}

}  // namespace manyrt
