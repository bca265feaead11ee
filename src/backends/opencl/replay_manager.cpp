// Making the list of a replay, enqueueing it, keeping launches on several streams in order, and giving a step other parameters.
#include "backends/opencl/replay_manager.h"

#include <optional>
#include <utility>

#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"
#include "backends/opencl/stream_manager.h"

namespace manyrt::opencl {

// The one place where steps are left to single submissions: what the host does, for which a stream is held.
bool ReplayMaker::takes(const backend::ReplayStep::Work& work) {
  if (const auto* copy = std::get_if<backend::Copy>(&work)) return !belongsToHost(device_, *copy);
  if (const auto* fill = std::get_if<backend::Fill>(&work)) return !belongsToHost(device_, *fill);
  return true;
}

// ---- Making ----

Status Replay::create(Ref<backend::Replay>* out, Device& device, std::span<const backend::ReplayStep> steps) {
  if (fault::fails("opencl.replay")) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for a graph of OpenCL.");
  RT_TRY(device.lost());
  Ref<Replay> replay = Ref<Replay>::adopt(new Replay(device));
  replay->nodes_.reserve(steps.size());  // in the plan's order, which keeps every dependency in a queue that is in order
  for (const backend::ReplayStep& step : steps) RT_TRY(replay->makeNode(&replay->nodes_.emplace_back(), step.work));
  replay->noteFollowers();
  *out = std::move(replay);
  return Status();
}

Replay::Replay(Device& device) : device_(device) {}

Replay::~Replay() = default;  // what is enqueued keeps its kernels and memory

Status Replay::makeNode(Node* node, const Work& work) const {
  if (const auto* step = std::get_if<backend::KernelStep>(&work)) {
    KernelNode made{Ref<backend::Kernel>(step->kernel), nullptr, Pipeline::Range(step->launch)};
    RT_TRY(made.pipeline().newClone(&made.clone));
    RT_TRY(made.pipeline().bind(*made.clone, step->launch.arguments));
    *node = std::move(made);
  } else if (const auto* copy = std::get_if<backend::Copy>(&work)) {
    *node = PlacedCopy(*copy);
  } else if (const auto* fill = std::get_if<backend::Fill>(&work)) {
    *node = PlacedFill(*fill);
  } else if (const auto* prefetch = std::get_if<backend::PrefetchStep>(&work)) {
    *node = *prefetch;
  }
  return Status();
}

void Replay::noteFollowers() {
  follows_addresses_ = false;
  for (const Node& node : nodes_) {
    const auto* kernel = std::get_if<KernelNode>(&node);
    follows_addresses_ |= kernel != nullptr && kernel->pipeline().followsAddresses();
  }
}

// ---- Launching ----

Status Replay::enqueueNode(cl_command_queue queue, Node& node) {
  const char* call = "";
  Error error = CL_SUCCESS;
  if (auto* kernel = std::get_if<KernelNode>(&node)) {
    return kernel->pipeline().enqueueBound(queue, *kernel->clone, kernel->range);
  } else if (const auto* copy = std::get_if<PlacedCopy>(&node)) {
    error = enqueueCopy(device_, queue, *copy, &call);
  } else if (const auto* fill = std::get_if<PlacedFill>(&node)) {
    error = enqueueFill(device_, queue, *fill, &call);
  } else if (const auto* prefetch = std::get_if<backend::PrefetchStep>(&node)) {
    call = "clEnqueueMigrateMemObjects";
    error = enqueuePrefetch(device_, queue, prefetch->address, prefetch->size, prefetch->to_host);
  }
  return error == CL_SUCCESS ? Status() : device_.failed(call, error);
}

[[gnu::hot]] Status Replay::enqueue(cl_command_queue queue) {
  std::lock_guard lock(mutex_);
  std::shared_lock<std::shared_mutex> told;
  if (follows_addresses_) told = device_.keepAddresses();  // once for all of its kernels
  for (Node& node : nodes_) RT_TRY(enqueueNode(queue, node));
  return Status();
}

// A launch on another stream than the last one waits for that one alone: what its stream holds back behind it may be waiting
// for this launch.
Status Replay::comeBehindLast(Stream& stream) {
  Ref<backend::Point> end = end_;
  if (!end) RT_TRY(last_->recordAhead(&end, last_serial_));
  if (!end || end->poll()) return Status();
  return stream.wait(std::move(end));
}

[[gnu::hot]] Status Replay::launch(backend::Stream& given) {
  auto& stream = static_cast<Stream&>(given);
  if (last_ && !(last_ == &stream)) [[unlikely]]
    RT_TRY(comeBehindLast(stream));
  uint64_t serial = 0;
  Ref<backend::Point> end;
  Status status = stream.replay(*this, &serial, &end);
  if (serial == 0) [[unlikely]]  // nothing was submitted
    return status;
  if (!(last_ == &stream)) last_ = &stream;
  last_serial_ = serial;
  end_ = std::move(end);
  return status;
}

// ---- Changing ----

// A launch that is held back has yet to be enqueued, with what it was launched with.
Status Replay::change(bool* changed, uint32_t step, const Work& work) {
  *changed = held_.load(std::memory_order_acquire) == 0;
  if (!*changed) return Status();
  Node& node = nodes_[step];
  auto* kernel = std::get_if<KernelNode>(&node);
  const auto* other = std::get_if<backend::KernelStep>(&work);
  if (kernel != nullptr && other != nullptr && kernel->kernel == other->kernel) {
    RT_TRY(kernel->pipeline().bind(*kernel->clone, other->launch.arguments));
    kernel->range = Pipeline::Range(other->launch);
    return Status();
  }
  Node made;
  RT_TRY(makeNode(&made, work));
  node = std::move(made);
  noteFollowers();
  return Status();
}

}  // namespace manyrt::opencl
