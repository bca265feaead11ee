// Launches of a stream through executable graphs of one kernel each. If a kernel is launched repeatedly with the same
// geometry, setting a node's parameters and launching its graph takes half the time of a launch. Where it does not, on this
// host with this driver, the device measures it and goes on with plain launches.
//
// A stream has a few such graphs, since two launches of one graph run one after another. Not used for cooperative launches, nor
// on a native stream that the program knows. A capture of the program would take the graph as it was made, with old arguments.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/declarations.h"

namespace manyrt::cuda {

class Kernel;
class NativeModuleOwner;

// The times that a device has measured for both ways.
class LaunchSpeed {
 public:
  LaunchSpeed();  // reads RT_CUDA_LAUNCH
  bool usesGraphs() const { return state_.load(std::memory_order_relaxed) != kOff; }
  // Launches of a kernel with one geometry that are plain in any case: a graph takes as long to make as some ten launches.
  uint32_t plainAtFirst() const { return plain_at_first_; }
  bool measures() const { return state_.load(std::memory_order_relaxed) == kMeasuring; }
  void plainTook(uint64_t nanoseconds) { note(plain_, nanoseconds); }
  void graphTook(uint64_t nanoseconds) { note(graph_, nanoseconds); }

 private:
  enum State : uint32_t { kMeasuring, kOn, kOff };
  static constexpr uint32_t kSamples = 64;  // of each way
  struct Samples {
    std::atomic<uint32_t> count{0};
    std::atomic<uint64_t> least{UINT64_MAX};
  };
  void note(Samples& samples, uint64_t nanoseconds);

  // Relaxed: samples may come from several threads, and one more or less does not matter.
  std::atomic<uint32_t> state_;
  uint32_t plain_at_first_ = 16;
  Samples plain_, graph_;
};

// The graphs of one stream, under its mutex, with the context current.
class LaunchGraphs {
 public:
  LaunchGraphs() = default;
  LaunchGraphs(const LaunchGraphs&) = delete;
  LaunchGraphs& operator=(const LaunchGraphs&) = delete;
  ~LaunchGraphs() { clear(); }

  // kNo: nothing was done, and the caller launches as ever. kMade: the graph was made for it.
  enum class Launched { kNo, kMade, kYes };
  Launched launch(const Kernel& kernel, const backend::Launch& launch, uint32_t dynamic_bytes, void** parameters,
                  NativeStream stream, uint32_t plain_at_first);
  void clear();
  void forget(const NativeModuleOwner& module);  // which ends
  bool empty() const { return entries_.empty(); }

 private:
  static constexpr size_t kEntries = 8;
  struct Entry {
    // Kernels are known by a number, so that a graph keeps no module loaded: a module that ends is forgotten first.
    uint64_t kernel = 0;
    const NativeModuleOwner* module = nullptr;
    uint32_t grid[3], group[3], dynamic_bytes;
    uint64_t offset[3];
    uint32_t launches = 0;
    uint64_t used = 0;  // the turn of its last launch
    NativeGraph graph = nullptr;
    NativeNode node = nullptr;
    NativeGraphExec exec = nullptr;
    bool refused = false;
    std::vector<unsigned char> values;  // of the arguments that the node has
  };
  static KernelNodeParameters nodeOf(const Entry& entry, const Kernel& kernel, void** parameters);
  static bool make(Entry& entry, const Kernel& kernel, void** parameters);
  static bool setArguments(Entry& entry, const Kernel& kernel, void** parameters);
  static void end(Entry& entry);

  std::vector<Entry> entries_;
  uint64_t turn_ = 0;
};

}  // namespace manyrt::cuda
