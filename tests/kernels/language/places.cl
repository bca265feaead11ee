// Elements anywhere in memory, by an index of each integer type: read, written, under a condition, and as part of a record. The
// arithmetic is what makes lanes worth while.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef struct {
  int first, second, third;
} three;

#define MIX(x) x = x * 3 + 1, x = x * 5 - 7, x = x * 3 + 2, x = x * 7 - 5, x = x * 3 + 4, x = x * 2 - 1, x = x * 3 - 2, x = x * 2 + 3

#define PLACES(name, E, X)                                                                                              \
  __kernel void name(__global const E* from, __global const X* index, __global E* to, __global E* some, int origin,     \
                     uint count) {                                                                                      \
    const size_t i = get_global_id(0);                                                                                  \
    if (i >= count) return;                                                                                             \
    const X at = index[i];                                                                                              \
    E x = (from + origin)[at];                                                                                          \
    MIX(x);                                                                                                             \
    (to + origin)[at] = x;                                                                                              \
    if (i % 3 != 1) {                                                                                                   \
      E y = (from + origin)[index[count - 1 - i]];                                                                      \
      MIX(y);                                                                                                           \
      (some + origin)[at] = y - x;                                                                                      \
    }                                                                                                                   \
  }

#define PLACES_OF(E)              \
  PLACES(E##_by_char, E, char)    \
  PLACES(E##_by_uchar, E, uchar)  \
  PLACES(E##_by_short, E, short)  \
  PLACES(E##_by_ushort, E, ushort) \
  PLACES(E##_by_int, E, int)      \
  PLACES(E##_by_uint, E, uint)    \
  PLACES(E##_by_long, E, long)    \
  PLACES(E##_by_ulong, E, ulong)
PLACES_OF(int)
PLACES_OF(long)
PLACES_OF(short)

// Elements of 12 bytes.
#define RECORDS(X)                                                                                                       \
  __kernel void records_by_##X(__global const three* from, __global const X* index, __global three* to, int origin,      \
                               uint count) {                                                                             \
    const size_t i = get_global_id(0);                                                                                   \
    if (i >= count) return;                                                                                              \
    const X at = index[i];                                                                                               \
    int x = (from + origin)[at].second;                                                                                  \
    MIX(x);                                                                                                              \
    (to + origin)[at].third = x;                                                                                         \
    if (i % 3 != 1) (to + origin)[at].first = x * 3 - (from + origin)[at].third;                                         \
  }
RECORDS(char)
RECORDS(ushort)
RECORDS(int)
RECORDS(uint)
RECORDS(long)

// An index from 2^31 on: `far` lies so many elements before the array.
__kernel void beyond(__global const int* from, __global const uint* index, __global int* to, ulong before, uint count) {
  const size_t i = get_global_id(0);
  if (i >= count) return;
  const uint at = index[i];
  int x = (from - before)[at];
  MIX(x);
  (to - before)[at] = x;
}
