// The interface between this library and a compiled kernel. Read by both: it includes nothing and uses plain types alone.
#pragma once

namespace simulated_cuda {

struct Index {
  unsigned x, y, z;
};

// The state of the thread that runs: a thread_local variable of each unit, kept by the library.
struct Item {
  Index thread, block, block_size, grid_size;
};

struct Lane {
  unsigned mask;               // lanes that take part
  unsigned long long value;    // in: of this one
  unsigned long long all[32];  // out: of every lane that took part
  unsigned took_part;
};

// Filled by the library when the unit is loaded.
struct Hooks {
  int (*barrier)(int predicate);  // how many predicates of the block were not 0
  void (*exchange)(Lane* lane);   // between lanes of a warp
  void (*pause)();                // lets another thread run, for loops that spin
  void (*touch)(unsigned long address, unsigned long size, int writes);
  void (*fail)(int code, const char* why);  // does not return
};

struct Kernel {
  const void* function;
  void (*invoke)(unsigned char* parameters);
  unsigned parameter_count;
  const unsigned* offsets;
  const unsigned* sizes;
  unsigned most_threads;  // of __launch_bounds__; 0: not given
};

}  // namespace simulated_cuda
