/* The words of OpenCL C in plain C, for one work-item after the other: plain_c.py compiles a kernel after this text. */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
typedef _Bool bool;
#define PLAIN_C 1
#define __kernel
#define __global
#define __private
#define __local /* of one item */
#define CLK_LOCAL_MEM_FENCE 1
#define barrier(flags) /* each item has its own part of local memory */
#define __constant static const
#define restrict
#define __attribute__(x)
#define true 1
#define false 0
#define NULL ((void*)0)
struct sizes {
  size_t global_id[3], local_id[3], global_size[3], local_size[3];
};
extern struct sizes item;
struct sizes item;
static size_t get_global_id(uint d) { return d < 3 ? item.global_id[d] : 0; }
static size_t get_local_id(uint d) { return d < 3 ? item.local_id[d] : 0; }
static size_t get_global_size(uint d) { return d < 3 ? item.global_size[d] : 1; }
static size_t get_local_size(uint d) { return d < 3 ? item.local_size[d] : 1; }
static size_t get_group_id(uint d) { return d < 3 ? item.global_id[d] / item.local_size[d] : 0; }
static size_t get_num_groups(uint d) { return d < 3 ? item.global_size[d] / item.local_size[d] : 1; }
static uint as_uint(float x) {
  union {
    float from;
    uint to;
  } both = {x};
  return both.to;
}
static float as_float(uint x) {
  union {
    uint from;
    float to;
  } both = {x};
  return both.to;
}
static ulong as_ulong(double x) {
  union {
    double from;
    ulong to;
  } both = {x};
  return both.to;
}
/* Each item of a launch, and the words that it reads and writes. */
void t(uint* out, const uint* in, uint n, ulong big);
void run_all(uint* out, const uint* in, uint n, ulong big, const uint* size, const uint* group) {
  for (uint y = 0; y < size[1]; ++y) {
    for (uint x = 0; x < size[0]; ++x) {
      const struct sizes here = {{x, y, 0}, {x % group[0], y % group[1], 0}, {size[0], size[1], 1}, {group[0], group[1], 1}};
      item = here;
      t(out, in, n, big);
    }
  }
}
