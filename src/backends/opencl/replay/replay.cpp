// Making the list of a replay, enqueueing it, keeping launches on several streams in order, and giving a step other parameters.
#include "backends/opencl/replay/replay.h"

#include <new>
#include <optional>
#include <utility>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "backends/opencl/stream/stream.h"
#include "backends/traced.h"

namespace manyrt::opencl {

// The one place where steps are left to single submissions. A step that the host does is not taken: a stream is held for it.
// Where a driver reads the host early, copies from the host may have to wait for copies to the host, so neither is taken.
bool ReplayMaker::takes(const backend::ReplayStep::Work& work) {
  if (const auto* copy = std::get_if<backend::Copy>(&work)) {
    const bool one_side = isOfHost(device_, copy->src) != isOfHost(device_, copy->dst);
    return !belongsToHost(device_, *copy) && !(one_side && device_.quirks().has(Quirk::kReadsHostEarly));
  }
  if (const auto* fill = std::get_if<backend::Fill>(&work)) return !belongsToHost(device_, *fill);
  return true;
}

// ---- Making ----

Replay::Replay(Device& device) : device_(device) {}

Replay::~Replay() = default;  // what is enqueued keeps its kernels and memory

Status Replay::create(Ref<backend::Replay>* out, Device& device, std::span<const backend::ReplayStep> steps) {
  if (fault::fails("opencl.replay")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for a graph of OpenCL.");
  RT_TRY(device.lost());
  Ref<Replay> replay = Ref<Replay>::adopt(new Replay(device));
  // The list is what launches share with those that are held back. It has a reference of its own for each of them.
  replay->list_ = Ref<List>::adopt(new List(steps.size()));
  for (size_t i = 0; i < steps.size(); ++i) {
    Ref<Node> node;
    RT_TRY(replay->makeNode(&node, steps[i].work));
    replay->list_->put(i, std::move(node));
  }
  RT_TRY(ReplayQueues::create(&replay->queues_, device, steps));
  *out = std::move(replay);
  return Status();
}

Status Replay::makeNode(Ref<Node>* out, const Work& work) const {
  Ref<Node> node = Ref<Node>::adopt(new Node);
  if (const auto* step = std::get_if<backend::KernelStep>(&work)) {
    Node::Launch launch{Ref<backend::Kernel>(step->kernel), nullptr, Pipeline::Range(step->launch)};
    // A clone of its own, so that launches of a replay set no argument.
    RT_TRY(launch.pipeline().newClone(&launch.clone));
    RT_TRY(launch.pipeline().bind(*launch.clone, step->launch.arguments));
    node->command = std::move(launch);
  } else if (const auto* copy = std::get_if<backend::Copy>(&work)) {
    // Root and offset are looked up here once. The exec's leases keep the memory, so they stay right.
    node->command = PlacedCopy(*copy);
  } else if (const auto* fill = std::get_if<backend::Fill>(&work)) {
    // As for copies.
    node->command = PlacedFill(*fill);
  } else if (const auto* prefetch = std::get_if<backend::PrefetchStep>(&work)) {
    node->command = *prefetch;
  }
  *out = std::move(node);
  return Status();
}

void Replay::List::put(size_t step, Ref<Node> node) {
  const auto* launch = std::get_if<Node::Launch>(&node->command);
  // Never cleared: a list that followed addresses once asks for more than it needs, which does no harm.
  follows_addresses_ |= launch != nullptr && launch->pipeline().followsAddresses();
  nodes_[step] = std::move(node);
}

// ---- Launching ----

// A node's piece of what is timed. Null: it is not timed, or it does nothing.
CommandEvents* Replay::eventsOf(const Node& node, size_t step, TimedCommands* times) const {
  if (times == nullptr) [[likely]]
    return nullptr;
  trace::Work work;
  if (const auto* launch = std::get_if<Node::Launch>(&node.command)) {
    backend::Launch shape{};
    for (int d = 0; d < 3; ++d) {
      shape.group[d] = static_cast<uint32_t>(launch->range.group[d]);
      shape.grid[d] = static_cast<uint32_t>(launch->range.items[d] / launch->range.group[d]);
    }
    work = backend::describe(*launch->kernel, shape);
  } else if (const auto* copy = std::get_if<PlacedCopy>(&node.command)) {
    work = backend::describe(copy->copy);
  } else if (const auto* fill = std::get_if<PlacedFill>(&node.command)) {
    work = backend::describe(fill->fill);
  } else {
    return nullptr;
  }
  work.in_graph = true;
  work.lane = queues_ != nullptr ? queues_->branchOf(step) : uint16_t{0};
  return times->add(work);
}

Status Replay::enqueueNode(cl_command_queue queue, Node& node, size_t step, TimedCommands* times) {
  CommandEvents* const events = eventsOf(node, step, times);
  const char* call = "";
  Error error = CL_SUCCESS;
  if (auto* launch = std::get_if<Node::Launch>(&node.command)) {
    return launch->pipeline().enqueueBound(queue, *launch->clone, launch->range, events);
  } else if (const auto* copy = std::get_if<PlacedCopy>(&node.command)) {
    error = enqueueCopy(device_, queue, *copy, false, nullptr, events, &call);
  } else if (const auto* fill = std::get_if<PlacedFill>(&node.command)) {
    error = enqueueFill(device_, queue, *fill, events, &call);
  } else if (const auto* prefetch = std::get_if<backend::PrefetchStep>(&node.command)) {
    call = "clEnqueueMigrateMemObjects";
    error = enqueuePrefetch(device_, queue, prefetch->address, prefetch->size, prefetch->to_host, nullptr);
  }
  return error == CL_SUCCESS ? Status() : device_.failed(call, error);
}

[[gnu::hot]] Status Replay::enqueue(cl_command_queue queue, List& list, TimedCommands* times) {
  std::lock_guard lock(mutex_);
  Device::KeptAddresses told;
  // Under the mutex, which keeps two launches of one replay from mixing their nodes.
  if (list.follows_addresses_) told = device_.keepAddresses();  // once for all of its kernels
  // Null: one queue keeps all steps in order.
  if (queues_ != nullptr) return enqueueBranches(queue, list, times);
  for (size_t i = 0; i < list.nodes_.size(); ++i) RT_TRY(enqueueNode(queue, *list.nodes_[i], i, times));
  return Status();
}

// Whatever fails, the stream goes on after all that has been enqueued.
Status Replay::enqueueBranches(cl_command_queue queue, List& list, TimedCommands* times) {
  Status status = queues_->begin(queue);
  for (size_t i = 0; i < list.nodes_.size() && status.ok(); ++i) {
    cl_command_queue mine = nullptr;
    status = queues_->enter(&mine, i);
    if (status.ok()) status = enqueueNode(mine, *list.nodes_[i], i, times);
    if (status.ok()) status = queues_->leave(i);
  }
  return queues_->end(std::move(status));
}

// ---- Changing ----

// A node that no launch is held back with takes the arguments that differ; else another one comes into its place.
Status Replay::change(bool* changed, uint32_t step, const Work& work) try {
  *changed = true;
  Node& node = *list_->nodes_[step];
  // Only this replay has it then: no launch is held back, and none can begin during a change.
  const bool alone = list_->references() == 1;
  auto* launch = std::get_if<Node::Launch>(&node.command);
  const auto* other = std::get_if<backend::KernelStep>(&work);
  if (alone && node.references() == 1 && launch != nullptr && other != nullptr && launch->kernel == other->kernel) {
    RT_TRY(launch->pipeline().bind(*launch->clone, other->launch.arguments));
    launch->range = Pipeline::Range(other->launch);
    return Status();
  }
  Ref<Node> fresh;
  RT_TRY(makeNode(&fresh, work));
  // A launch that is held back still has the old list, with its nodes.
  if (!alone) list_ = Ref<List>::adopt(new List(*list_));
  list_->put(step, std::move(fresh));
  return Status();
} catch (const std::bad_alloc&) {  // the caller puts back what was before
  return Status::bare(RT_ERROR_OUT_OF_MEMORY);
}

}  // namespace manyrt::opencl
