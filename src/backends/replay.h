// Replays: steps of a graph that a driver runs as one submission, again and again. A backend that runs no graphs has none; then
// each step is submitted by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <variant>

#include "backends/stream.h"

namespace manyrt::backend {

// A value that arguments of several kernel steps share, such as the address of a buffer. Replays number them from 0.
struct Slot {
  const void* value;  // present one; borrowed for the call
  uint32_t size;      // bytes
};
constexpr uint32_t kNoSlot = UINT32_MAX;

// One step of a graph that a driver may run by itself: what one call of a stream would do, with its addresses in place.
struct KernelStep {
  Kernel* kernel;  // a replay keeps a Ref
  Launch launch;   // not cooperative; arguments are borrowed for the call
  // For each argument the slot that has its value, or kNoSlot; null: no argument has one. Borrowed for the call. The arguments
  // of the launch are complete in any case.
  const uint32_t* slots = nullptr;
};
struct PrefetchStep {
  const void* address;
  uint64_t size;
  bool to_host;
};
// Work that a native function of the program gave to a stream, recorded once. It runs with each launch of a replay that has it.
class NativeWork : public RefCounted {};
struct NativeStep {
  NativeWork* work;  // a replay keeps a Ref
};
// Calls the program's function with a native stream.
using NativeCall = std::function<Status(const uint64_t native[2])>;
struct ReplayStep {
  using Work =
      std::variant<std::monostate, KernelStep, Copy, Fill, PrefetchStep, NativeStep>;  // the first: where dependencies meet
  Work work;
  std::span<const uint32_t>
      before;           // earlier steps that it waits for; borrowed for the call. Those that follow from others are left out
  uint32_t branch = 0;  // of the plan; steps of one branch may run one after another
};

// Steps that a driver runs as one submission, again and again. Launches of one replay run one after another, on whatever
// streams of its context; a failure latches as that of a single step does. Launching and changing are serialised by the
// caller; both are legal while launches are in flight, which keep what they need beyond the replay itself.
class Replay : public RefCounted {
 public:
  // cuGraphLaunch · clEnqueueNDRangeKernel and its like, one after the other. One submission of the stream.
  virtual Status launch(Stream& stream) = 0;
  // Orders what `stream` gets from now on, of another replay say, after the last launch, which went to `last`, another stream.
  // Not after what `last` was given since: that may wait for what is to come.
  virtual Status comeAfter(Stream& stream, Stream& last) = 0;
  // Launches from now on do other work of the same kind in a step; earlier ones what they were launched with.
  // cuGraphExecKernelNodeSetParams and its like · clSetKernelArg. False: the driver cannot, nothing was changed, a
  // new replay is needed.
  virtual Status change(bool* changed, uint32_t step, const ReplayStep::Work& work) = 0;
  // Launches from now on have another value in a slot; earlier ones that which they were launched with. False: the driver keeps
  // the values in the steps, nothing was changed, and `change` is needed for each step that uses the slot.
  virtual Status setSlot(bool* changed, uint32_t slot, const void* value) = 0;
};

// Turns steps into replays, for drivers that run graphs.
class ReplayMaker {
 public:
  virtual ~ReplayMaker() = default;
  // Whether a replay may have such a step; one that may not is submitted by itself.
  virtual bool takes(const ReplayStep::Work& work) = 0;
  // cuGraphCreate, cuGraphAddKernelNode and its like, cuGraphInstantiate · clCreateKernel, clSetKernelArg. There is a step, and
  // each is taken. `slots`: those that steps name. Memory that is missing may be std::bad_alloc.
  virtual Status make(Ref<Replay>* replay, std::span<const ReplayStep> steps, std::span<const Slot> slots) = 0;
  // cuStreamBeginCapture, cuStreamEndCapture · nothing in OpenCL. Calls the program, so that no guard and no lock is held.
  // Null: this driver records nothing, and the function is called at each launch.
  virtual Status record(Ref<NativeWork>*, const NativeCall&) { return Status(); }
};

}  // namespace manyrt::backend
