// Replays of OpenCL: steps as a list of commands that are ready to be enqueued. Each kernel node has a clone of its pipeline
// with its arguments set, copies and fills have their sides looked up; a launch enqueues one after another and sets nothing.
// What a launch is given the driver keeps from there on, so that a step changes in place but while a stream holds a launch
// back.
#pragma once

#include <mutex>
#include <variant>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/pipeline.h"
#include "backends/opencl/transfer.h"

namespace manyrt::opencl {

class Device;
class Stream;

class Replay final : public backend::Replay {
 public:
  static Status create(Ref<backend::Replay>* replay, Device& device, std::span<const backend::ReplayStep> steps);
  ~Replay() override;

  Status launch(backend::Stream& stream) override;
  Status change(bool* changed, uint32_t step, const backend::ReplayStep::Work& work) override;

  // For the streams. Enqueues all steps, up to the first that fails; nothing is flushed.
  Status enqueue(cl_command_queue queue);
  // A stream holds a launch back, or has enqueued one that it held: meanwhile nothing may change.
  void noteHeld() { held_.fetch_add(1, std::memory_order_relaxed); }
  void noteSubmitted() { held_.fetch_sub(1, std::memory_order_release); }

 private:
  using Work = backend::ReplayStep::Work;
  struct KernelNode {
    Ref<backend::Kernel> kernel;  // a pipeline
    std::unique_ptr<Pipeline::Clone> clone;
    Pipeline::Range range;
    Pipeline& pipeline() const { return static_cast<Pipeline&>(*kernel); }
  };
  // std::monostate: nothing is to be done.
  using Node = std::variant<std::monostate, KernelNode, PlacedCopy, PlacedFill, backend::PrefetchStep>;

  explicit Replay(Device& device);
  Status makeNode(Node* node, const Work& work) const;
  void noteFollowers();
  Status comeBehindLast(Stream& stream);
  Status enqueueNode(cl_command_queue queue, Node& node);

  Device& device_;
  std::vector<Node> nodes_;
  bool follows_addresses_ = false;  // a kernel of it does
  std::atomic<uint32_t> held_{0};
  std::mutex mutex_;  // of enqueueing: a launch that was held back is enqueued by a thread of the library

  // The last launch: its stream, its submission there, and, where it was held back, the point behind it.
  Ref<Stream> last_;
  uint64_t last_serial_ = 0;
  Ref<backend::Point> end_;
};

class ReplayMaker final : public backend::ReplayMaker {
 public:
  explicit ReplayMaker(Device& device) : device_(device) {}
  bool takes(const backend::ReplayStep::Work& work) override;
  Status make(Ref<backend::Replay>* replay, std::span<const backend::ReplayStep> steps) override {
    return Replay::create(replay, device_, steps);
  }

 private:
  Device& device_;
};

}  // namespace manyrt::opencl
