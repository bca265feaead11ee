// Fault scenarios: functions that call the library and return the first status that is not success. exhaust() runs one with the
// k-th fault point failing, k = 1, 2, ... until it passes without meeting a fault. It does so once for single faults and once
// with every point failing from the k-th on. After each it checks what reliability.md asks for.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "support/device_test.h"
#include "support/simulated_cuda.h"

namespace rttest {

// Passes a failure on; what a scenario has made so far is destroyed by its owners while the faults are still armed.
#define TRY(call)                                              \
  do {                                                         \
    if (const rtStatus_t try_ = (call); try_ < 0) return try_; \
  } while (0)

// The older handles: made before any fault, in use by scenarios, and expected to work after each fault. Scenarios must not
// allocate on their own while faults are armed; what they need is here.
struct World {
  rtDevice_t device = nullptr;
  rtDevice_t other_device = nullptr;  // of another backend, or out of reach
  Context context;
  Context second;   // of the same device
  Context foreign;  // of the other device
  Stream stream;
  Stream busy;  // for work that is held back
  Stream second_stream;
  Stream foreign_stream;
  Event event;
  Event end;
  Fence fence;
  Pool pool;
  Module module;  // of the kernels, where they are not functions of the program
  Kernel kernel;  // (pointer, value)
  Kernel local;   // (local, pointer)
  Memory memory;  // 64 KiB of the device
  Memory target;  // the same
  Memory host;    // pinned
  Memory second_memory;
  Memory foreign_memory;
  unsigned char pageable[65536];
  bool imports_pageable = false;

  void make(const std::string& name);
  // Everything above does what it should; clears no failure of its own making.
  rtStatus_t works();
  // Waits for all work and takes the failures that faults have left on the streams; the first of them.
  rtStatus_t settle();
};

struct Scenario {
  const char* name;
  std::function<rtStatus_t(World&)> run;
  int at_least = 3;                            // faults that a run meets on every device
  const char* why = "";                        // why fewer than three are expected
  std::function<void(World&)> tidy = nullptr;  // after a fault, for what has no owner
};

// Each with another device: two that reach each other, copies through the host, copies by streams of the other side, peers.
std::vector<std::string> faultDevices();
std::vector<std::string> hostKernelDevices();  // those of them that take functions of the program as kernels
std::vector<std::string> sourceDevices();      // those that run kernels from source

class FaultTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  void TearDown() override;
  void exhaust(const Scenario& scenario);
  bool can(int32_t capability) const;
  World& world() { return *world_; }

 private:
  // One run with faults armed; false once none was hit.
  bool runOnce(const Scenario& scenario, uint64_t k, bool onwards);
  static constexpr int kNatives = static_cast<int>(std::size(kNativeKinds));
  static void countNatives(int (&counts)[kNatives]);
  std::unique_ptr<World> world_ = std::make_unique<World>();
  int natives_before_[kNatives];
};

}  // namespace rttest
