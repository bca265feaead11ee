// The peers of the benchmarks: PoCL through OpenCL, oneTBB, and OpenMP of gcc and of clang. Each can be missing, at build time
// or at run time; then find() gives null and says why.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "interleave.h"

namespace bench {

// Sets the variables that the peers read when they start. Both drivers of PoCL are side by side, and OpenMP threads stay awake
// for some milliseconds. For ever, as "active" alone has it, they would take the cores of the next candidate.
void prepareEnvironment();

// One device of PoCL with an in-order queue and an empty kernel without arguments.
class OpenClPeer {
 public:
  static std::unique_ptr<OpenClPeer> find(const char* driver, std::string* why);  // "basic", "pthread"
  static std::string version();
  virtual ~OpenClPeer() = default;
  virtual void launch(uint64_t groups) = 0;
  virtual void flush() = 0;
  virtual void finish() = 0;
};

// A kernel that one of PoCL's drivers built from source, with buffers of its own.
class OpenClKernel {
 public:
  static std::unique_ptr<OpenClKernel> build(const char* driver, const std::string& source, const char* options,
                                             const char* name, std::string* why);
  virtual ~OpenClKernel() = default;
  virtual void buffer(uint32_t argument, size_t size, const void* contents) = 0;  // contents may be null
  virtual void value(uint32_t argument, size_t size, const void* value) = 0;      // local memory: value null
  virtual void run(const size_t global[2], const size_t local[2]) = 0;            // and waits
  virtual void read(uint32_t argument, size_t size, void* contents) = 0;
};

// The first use of OpenCL in a process: platforms, the CPU's context and a queue. False without OpenCL.
bool startOpenCl(std::string* why);

class TbbPeer {
 public:
  static std::unique_ptr<TbbPeer> find(std::string* why);
  static std::string version();
  virtual ~TbbPeer() = default;
  virtual void group(int tasks) = 0;    // task_group: run each, wait
  virtual void graph(int tasks) = 0;    // a serial function_node, which keeps order as a stream does
  virtual void enqueue(int tasks) = 0;  // task_arena without a place for the caller: only a worker runs them
  virtual void parallelFor(int tasks) = 0;
  // Flow graphs of continue_nodes, made once; each call runs one and waits. `wide`: between one node and another one.
  virtual std::function<void()> line(int nodes, void (*body)()) = 0;
  virtual std::function<void()> wide(int nodes, void (*body)()) = 0;
};

class OpenMpPeer {
 public:
  static std::unique_ptr<OpenMpPeer> find(const char* runtime, std::string* why);  // "libgomp", "libomp"
  void parallel() { parallel_(); }
  void tasks(int count) { tasks_(count); }
  int threads() { return threads_(); }
  std::string compiler() { return compiler_(); }
  void* symbol(const char* name);  // of the module: null where it has none

 private:
  void* module_ = nullptr;
  void (*parallel_)() = nullptr;
  void (*tasks_)(int) = nullptr;
  int (*threads_)() = nullptr;
  const char* (*compiler_)() = nullptr;
};

}  // namespace bench
