// Loads and stores with a pointer for each lane that as a rule are not reached: for indices that wrap between two lanes. They are
// functions of their own, so that the code around them stays short, and so does the time of a build.
#pragma once

#include "lanes.h"

#define MRT_RARE static __attribute__((noinline, cold))

template <int N>
struct mrt_rare {
  using lanes = mrt_lanes<N>;
  using m = typename lanes::m;
  template <class T, class X>
  MRT_RARE auto at(const T* p, X index, long size, m on) {
    return lanes::at(p, index, size, on);
  }
  template <int C, class T, class X>
  MRT_RARE auto at_parts(const T* p, X index, long size, m on) {
    return lanes::template at_parts<C>(p, index, size, on);
  }
  template <class T, class X, class V>
  MRT_RARE void put_at(T* p, X index, long size, V x, m on) {
    lanes::put_at(p, index, size, x, on);
  }
  template <class T, int C, class X, class W>
  MRT_RARE void put_at_parts(T* p, X index, long size, W x, m on) {
    lanes::template put_at_parts<T, C>(p, index, size, x, on);
  }
};
