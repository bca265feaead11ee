// Graphs of CUDA: steps are nodes of a native graph that is instantiated once, and a launch is one cuGraphLaunch. CUDA orders
// the launches of one native graph, on whatever streams. Only a launch that its stream holds back has a point after it.
#pragma once

#include "backends/cuda/stream.h"
#include "backends/cuda/timeline.h"
#include "backends/driver/replay.h"

namespace manyrt::cuda {

class Context;

class Replay final : public driver::Replay<Stream, true> {
 public:
  static Status create(Ref<backend::Replay>* replay, Context& context, std::span<const backend::ReplayStep> steps);
  ~Replay() override;

  Status change(bool* changed, uint32_t step, const backend::ReplayStep::Work& work) override;

  // For the streams.
  NativeGraphExec native() const { return exec_; }
  const char* keptName() const { return kept_name_; }  // of its last kernel, until the process ends
  bool hasTimes() const { return has_times_; }         // it was made while a trace was on
  // Exchanges the events of all nodes for fresh ones, which the next launch records. Null: the driver refuses, or no memory.
  std::unique_ptr<TimedWork> giveEvents(uint64_t serial);
  // Describes to `span` the nodes that CUPTI's records of the next launch belong to.
  void describeNodes(RecordedWork* span) const;

 private:
  struct MemoryKind {  // a node is bound to the kind of memory that it was made with
    int type = 0;
    int device = 0;
    bool operator==(const MemoryKind&) const = default;
  };
  struct Node {
    NativeNode native = nullptr;
    size_t kind = 0;  // of its work; 0: it does nothing
    bool flat = true;
    bool is_fill = false;
    bool enabled = true;  // false: it does nothing at present, such as a launch without work-groups
    Ref<backend::Kernel> kernel;
    Ref<backend::NativeWork> recorded;
    MemoryKind dst, src;
    // If the graph was made while a trace was on: the node's work, and, with times by events, the nodes around it that record
    // them. `last`: the node that later ones wait for.
    trace::Work traced;
    bool described = false;
    uint16_t branch = 0;
    NativeNode begin = nullptr, end = nullptr;
    NativeNode last() const { return end != nullptr ? end : native; }
  };

  explicit Replay(Context& context);
  Status build(std::span<const backend::ReplayStep> steps);
  Status add(Node* node, const backend::ReplayStep::Work& work, const std::vector<NativeNode>& before);
  Status set(bool* changed, Node& node, const backend::ReplayStep::Work& work);
  Status addTimed(Node* node, const backend::ReplayStep& step, const std::vector<NativeNode>& before);
  static void describe(Node& node, const backend::ReplayStep::Work& work);
  Status enable(Node& node, bool enabled);
  static MemoryKind memoryKindOf(const void* pointer);

  const Ref<Context> context_;
  NativeGraph graph_ = nullptr;
  NativeGraphExec exec_ = nullptr;
  std::vector<Node> nodes_;
  const char* kept_name_ = "";
  bool has_times_ = false;
  std::vector<NativeEvent> timeline_events_;  // that the nodes were made with
};

class ReplayMaker final : public backend::ReplayMaker {
 public:
  explicit ReplayMaker(Context& context) : context_(context) {}
  bool takes(const backend::ReplayStep::Work& work) override;
  Status make(Ref<backend::Replay>* replay, std::span<const backend::ReplayStep> steps,
              std::span<const backend::Slot>) override {
    return Replay::create(replay, context_, steps);
  }
  Status record(Ref<backend::NativeWork>* work, const backend::NativeCall& submit) override;

 private:
  Context& context_;
};

}  // namespace manyrt::cuda
