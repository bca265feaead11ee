// Replays of OpenCL: steps as a list of commands that are ready to be enqueued. Each kernel node has a clone of its pipeline
// with its arguments set; copies and fills have their sides looked up. A launch enqueues one after another and sets nothing.
// The driver keeps what is enqueued as it was, so a node changes in place. A launch that a stream holds back keeps its list.
// A change meanwhile makes another list with a new node, which shares the others. Where steps can run side by side, they are
// spread over queues (replay_queues.h).
#pragma once

#include <mutex>
#include <variant>
#include <vector>

#include "backends/driver/replay.h"
#include "backends/opencl/memory/transfer.h"
#include "backends/opencl/program/pipeline.h"
#include "backends/opencl/replay/replay_queues.h"
#include "backends/opencl/stream/stream.h"
#include "backends/opencl/stream/timeline.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class Device;

class Replay final : public driver::Replay<Stream, false> {
 public:
  static Status create(Ref<backend::Replay>* replay, Device& device, std::span<const backend::ReplayStep> steps);
  ~Replay() override;

  Status change(bool* changed, uint32_t step, const backend::ReplayStep::Work& work) override;

  // For the streams: what launches from now on enqueue, and enqueueing it, up to the first step that fails. Nothing is flushed.
  class List;
  const Ref<List>& list() const { return list_; }
  // `times` get a piece for each node, for the trace; may be null.
  Status enqueue(cl_command_queue queue, List& list, TimedCommands* times);

 private:
  using Work = backend::ReplayStep::Work;
  struct Node;

  explicit Replay(Device& device);
  Status makeNode(Ref<Node>* node, const Work& work) const;
  Status enqueueNode(cl_command_queue queue, Node& node, size_t step, TimedCommands* times);
  Status enqueueBranches(cl_command_queue queue, List& list, TimedCommands* times);
  CommandEvents* eventsOf(const Node& node, size_t step, TimedCommands* times) const;

  Device& device_;
  Ref<List> list_;
  std::unique_ptr<ReplayQueues> queues_;  // null: all in one queue
  Ranked<std::mutex, LockRank::kClReplay>
      mutex_;  // of enqueueing: a launch that was held back is enqueued by a thread of the library
};

struct Replay::Node final : RefCounted {
  struct Launch {
    Ref<backend::Kernel> kernel;  // a pipeline
    std::unique_ptr<Pipeline::Clone> clone;
    Pipeline::Range range;
    Pipeline& pipeline() const { return static_cast<Pipeline&>(*kernel); }
  };
  // std::monostate: nothing is to be done.
  std::variant<std::monostate, Launch, PlacedCopy, PlacedFill, backend::PrefetchStep> command;
};

class Replay::List final : public RefCounted {
 public:
  explicit List(size_t count) : nodes_(count) {}
  List(const List& other) : nodes_(other.nodes_), follows_addresses_(other.follows_addresses_) {}  // with the same nodes
  void put(size_t step, Ref<Node> node);

 private:
  friend class Replay;
  std::vector<Ref<Node>> nodes_;    // in the plan's order, which keeps every dependency in a queue that is in order
  bool follows_addresses_ = false;  // a kernel of it does, or did
};

class ReplayMaker final : public backend::ReplayMaker {
 public:
  explicit ReplayMaker(Device& device) : device_(device) {}
  bool takes(const backend::ReplayStep::Work& work) override;
  Status make(Ref<backend::Replay>* replay, std::span<const backend::ReplayStep> steps,
              std::span<const backend::Slot>) override {
    return Replay::create(replay, device_, steps);
  }

 private:
  Device& device_;
};

}  // namespace manyrt::opencl
