// Begins and ends a capture, lets streams join it, and has one function for each kind of work that becomes a node.
#include "graph/capture/session.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/fault.h"

namespace manyrt::graph {
namespace {

Status ended() {
  return Status::error(RT_ERROR_CAPTURE_INVALIDATED, "The capture of the stream was ended by another thread during the call.");
}

// Attaches a stream: its work becomes nodes from here on. `recorder` is stored before `default_stream`, both seq_cst. The
// stores and reads of Stream::offerToCopies come in the other order, so that one of the two threads clears the pointer.
bool attach(manager::Stream& stream, manager::Recorder& recorder) {
  manager::Recorder* none = nullptr;
  if (!stream.recorder.compare_exchange_strong(none, &recorder, std::memory_order_seq_cst)) return false;
  // Short synchronous copies use the default stream without asking for its recorder: they must not find it.
  if (stream.is_default) stream.resources->default_stream.store(nullptr, std::memory_order_seq_cst);
  return true;
}

// acq_rel: the next capture of the stream, or its next work, is ordered after all nodes of this one.
void detach(manager::Stream& stream, manager::Recorder& recorder) {
  manager::Recorder* mine = &recorder;
  if (!stream.recorder.compare_exchange_strong(mine, nullptr, std::memory_order_acq_rel)) return;
  if (stream.is_default) stream.offerToCopies();
}

Status operandOf(Operand* operand, const void* pointer) {
  operand->pointer = const_cast<void*>(pointer);
  if (allocator::BlockLease::take(&operand->lease, pointer)) return Status();
  return Status::error(RT_ERROR_INVALID_VALUE, "The memory at %p is being freed.", pointer);
}

// Acquire pairs with attach(): the session is complete.
Session* sessionOf(manager::Stream& stream) { return static_cast<Session*>(stream.recorder.load(std::memory_order_acquire)); }

}  // namespace

Status Session::begin(manager::Stream& stream) {
  if (fault::fails("capture")) throw std::bad_alloc();
  std::unique_ptr<Session> session(new Session);
  session->streams_.push_back({Lease<manager::Stream>(&stream)});
  session->graph_->bindTo(stream.context->bits, "capture");
  session->graph_->captureBegins(*stream.resources);
  if (!attach(stream, *session)) {
    return Status::error(RT_ERROR_BUSY, "The stream is capturing already: rtStreamEndCapture comes first.");
  }
  // Closing a stream's handle closes the generation first and reads `recorder` then. So it calls streamClosed() for the
  // attached session, or the closed handle is seen here, and this thread makes the call. A second call finds the session over.
  Session* begun = session.release();
  if (manager::streams.find(stream.bits) == nullptr) {
    begun->streamClosed(stream);
    return Status::error(RT_ERROR_INVALID_HANDLE, "The stream was destroyed by another thread during the call.");
  }
  return Status();
}

// The capture ends in any case but the first three refusals. The session is retired, and not deleted: other threads may be
// inside one of its calls under their guards; these find it over.
Status Session::end(HandleBits* graph, manager::Stream& stream) {
  Session* session = sessionOf(stream);
  RT_CHECK_ARG(session != nullptr, "The stream is not capturing: there is nothing to end.");
  Status status;
  {
    std::lock_guard lock(session->mutex_);
    RT_CHECK_ARG(!session->over_, "The capture was ended by another thread.");
    RT_CHECK_ARG(session->streams_[0].stream.get() == &stream,
                 "The stream joined a capture that began on another stream, %s: it is ended there.",
                 session->streams_[0].stream->name().c_str());
    try {
      session->graph_->captureEnds();
      status = session->broken_.ok() ? session->joined() : session->broken_;
    } catch (const std::bad_alloc&) {  // the capture has to end
      status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    session->finish();
  }
  try {
    if (status.ok()) status = manager::createGraph(graph, Ref<manager::GraphContent>(session->graph_.get()));
  } catch (const std::bad_alloc&) {  // the handles of the nodes have to be closed
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  if (!status.ok()) session->graph_->handleClosed();
  epoch::retire(session);
  return status;
}

Status Session::lastNode(HandleBits* node, manager::Stream& stream) {
  Session* session = sessionOf(stream);
  RT_CHECK_ARG(session != nullptr, "The stream is not capturing: it has no last node.");
  std::lock_guard lock(session->mutex_);
  RT_TRY(session->open());
  CapturedStream* in = session->find(stream);
  if (in == nullptr) return ended();
  *node = 0;
  if (in->dependencies.empty()) return Status();
  if (in->dependencies.size() > 1) RT_TRY(session->add(*in, EmptyNode()));  // one node after all of them
  std::lock_guard graph_lock(session->graph_->mutex());
  *node = session->graph_->nodes()[in->dependencies[0]].handle;
  return Status();
}

Status Session::addGraph(manager::Stream& stream, ChildNode child) {
  Session* session = sessionOf(stream);
  return session != nullptr ? session->addTo(stream, std::move(child)) : ended();
}

int32_t Session::stateOf(manager::Stream& stream) {
  Session* session = sessionOf(stream);
  if (session == nullptr) return RT_CAPTURE_NONE;
  std::lock_guard lock(session->mutex_);
  if (session->over_) return RT_CAPTURE_NONE;
  return session->broken_.ok() ? RT_CAPTURE_ACTIVE : RT_CAPTURE_INVALIDATED;
}

Status Session::open() const { return over_ ? ended() : broken_; }

Session::CapturedStream* Session::find(const manager::Stream& stream) {
  for (CapturedStream& in : streams_) {
    if (in.stream.get() == &stream) return &in;
  }
  return nullptr;
}

Status Session::participant(CapturedStream** out, manager::Stream& stream) {
  RT_TRY(open());
  *out = find(stream);
  return *out != nullptr ? Status() : ended();
}

Status Session::add(CapturedStream& in, Work work) {
  Graph::Dependencies before;
  before.nodes = in.dependencies;
  in.dependencies.reserve(1);  // nothing may fail once the graph has the node
  HandleBits handle = 0;
  uint32_t index = kNone;
  RT_TRY(graph_->add(&handle, &index, std::move(work), before));
  in.dependencies.assign(1, index);
  return Status();
}

Status Session::addTo(manager::Stream& stream, Work work) {
  std::lock_guard lock(mutex_);
  CapturedStream* in = nullptr;
  RT_TRY(participant(&in, stream));
  return add(*in, std::move(work));
}

// Makes the stream's next node depend on nodes of this capture. A stream that is not part of it joins. A wait adds no node.
Status Session::join(manager::Stream& stream, const std::vector<uint32_t>& nodes) {
  RT_TRY(open());
  CapturedStream* waiting = find(stream);
  if (waiting == nullptr && stream.context.get() != streams_[0].stream->context.get()) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The capture belongs to the %s; a stream of the %s cannot join it.",
                         streams_[0].stream->context->name().c_str(), stream.context->name().c_str());
  }
  if (waiting != nullptr) {
    std::vector<uint32_t> all = waiting->dependencies;
    for (uint32_t node : nodes) {
      if (std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
    }
    waiting->dependencies = std::move(all);
    return Status();
  }
  streams_.push_back({Lease<manager::Stream>(&stream), nodes});
  if (attach(stream, *this)) return Status();
  streams_.pop_back();
  return Status::error(RT_ERROR_CAPTURE_UNSAFE, "The stream takes part in another capture, which cannot wait for this one.");
}

// Walks back over nodes that are no work: records of events and empty nodes. A way ends at a node that the first stream waits
// for. The answer is false at work that it does not wait for.
bool Session::isJoined(uint32_t node) {
  std::vector<uint32_t> open{node};
  std::vector<bool> seen;  // many ways may lead to one node
  while (!open.empty()) {
    const uint32_t each = open.back();
    open.pop_back();
    if (seen.size() <= each) seen.resize(each + 1);
    if (seen[each]) continue;
    seen[each] = true;
    const std::vector<uint32_t>& ends = streams_[0].dependencies;
    if (std::any_of(ends.begin(), ends.end(), [&](uint32_t end) { return end == each || graph_->waitsFor(end, each); }))
      continue;
    std::lock_guard lock(graph_->mutex());
    const Node& at = graph_->nodes()[each];
    const EventNode* event = std::get_if<EventNode>(&at.work);
    const bool is_work = (event == nullptr || event->wait) && !std::holds_alternative<EmptyNode>(at.work);
    if (is_work) return false;
    open.insert(open.end(), at.before.begin(), at.before.end());
  }
  return true;
}

Status Session::joined() {
  for (size_t i = 1; i < streams_.size(); ++i) {
    const std::vector<uint32_t>& ends = streams_[i].dependencies;
    if (std::all_of(ends.begin(), ends.end(), [&](uint32_t node) { return isJoined(node); })) continue;
    return Status::error(RT_ERROR_CAPTURE_INVALIDATED,
                         "The stream %s has joined the capture and the first stream does not wait for its last work.",
                         streams_[i].stream->name().c_str());
  }
  return Status();
}

// The exchanges fail where the event or fence belongs to a later capture, which keeps it.
void Session::finish() {
  over_ = true;
  graph_->captureFails();  // if it has not ended well
  for (CapturedStream& each : streams_) detach(*each.stream, *this);
  for (auto& [event, mark] : events_) {
    manager::Recorder* mine = this;
    // acq_rel: a later capture that takes the event over is ordered after this one's nodes; the same for the fences below.
    event->recorder.compare_exchange_strong(mine, nullptr, std::memory_order_acq_rel);
  }
  for (Lease<manager::Fence>& each : fences_) {
    manager::Recorder* mine = this;
    each->recorder.compare_exchange_strong(mine, nullptr, std::memory_order_acq_rel);
  }
}

void Session::streamClosed(manager::Stream& stream) {
  {
    std::lock_guard lock(mutex_);
    if (over_) return;
    if (streams_[0].stream.get() != &stream) {
      if (broken_.ok()) {
        broken_ =
            Status::error(RT_ERROR_CAPTURE_INVALIDATED, "A stream of the capture, %s, was destroyed.", stream.name().c_str());
      }
      return;
    }
    finish();  // without its first stream no call can end the capture
  }
  graph_->handleClosed();
  epoch::retire(this);
}

Status Session::launch(manager::Stream& stream, manager::Kernel& kernel, const backend::Launch& launch) {
  KernelNode node;
  node.kernel = Lease<manager::Kernel>(&kernel);
  std::copy_n(launch.grid, 3, node.grid);
  std::copy_n(launch.group, 3, node.group);
  node.local_bytes = launch.local_bytes;
  node.cooperative = launch.cooperative;
  std::copy_n(launch.offset, 3, node.offset);
  const std::vector<backend::Argument>& arguments = kernel.native->arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    KernelArgument argument;
    argument.kind = arguments[i].kind;
    argument.size = arguments[i].size;
    argument.offset = static_cast<uint32_t>(node.values.size());
    node.values.resize(node.values.size() + (argument.size + 15) / 16 * 16);
    memcpy(node.values.data() + argument.offset, launch.arguments[i], argument.size);
    if (argument.kind == RT_ARG_POINTER) RT_TRY(operandOf(&argument.memory, *static_cast<void* const*>(launch.arguments[i])));
    node.arguments.push_back(std::move(argument));
  }
  return addTo(stream, std::move(node));
}

Status Session::copy(manager::Stream& stream, const backend::Copy& copy, int32_t kind) {
  CopyNode node;
  RT_TRY(operandOf(&node.dst, copy.dst));
  RT_TRY(operandOf(&node.src, copy.src));
  node.width = copy.width;
  node.height = copy.height;
  node.dst_pitch = copy.dst_pitch;
  node.src_pitch = copy.src_pitch;
  node.kind = kind;
  node.rectangle = copy.height != 1;
  return addTo(stream, std::move(node));
}

Status Session::fill(manager::Stream& stream, const backend::Fill& fill) {
  FillNode node;
  RT_TRY(operandOf(&node.dst, fill.dst));
  node.pattern_size = fill.pattern_size;
  memcpy(node.pattern, fill.pattern, fill.pattern_size);
  node.count = fill.width / fill.pattern_size;
  node.height = fill.height;
  node.pitch = fill.pitch;
  return addTo(stream, std::move(node));
}

Status Session::prefetch(manager::Stream& stream, const void* pointer, uint64_t size, bool to_host) {
  PrefetchNode node;
  RT_TRY(operandOf(&node.memory, pointer));
  node.size = size;
  node.to_host = to_host;
  return addTo(stream, std::move(node));
}

Status Session::hostFunction(manager::Stream& stream, rtHostFunction_t function, void* user, rtReleaseFunction_t release) {
  const auto data = std::make_shared<UserData>(user, nullptr);
  RT_TRY(addTo(stream, HostNode{function, data}));
  data->takeOver(release);
  return Status();
}

Status Session::nativeFunction(manager::Stream& stream, rtNativeFunction_t function, void* user, rtReleaseFunction_t release) {
  const auto data = std::make_shared<UserData>(user, nullptr);
  RT_TRY(addTo(stream, NativeNode{function, data}));
  data->takeOver(release);
  return Status();
}

Status Session::allocated(manager::Stream& stream, void* pointer, uint64_t size) {
  MemoryNode node;
  RT_TRY(operandOf(&node.memory, pointer));
  node.size = size;
  const allocator::BlockLease lease = node.memory.lease;
  std::lock_guard lock(mutex_);
  CapturedStream* in = nullptr;
  RT_TRY(participant(&in, stream));
  memory_.insert_or_assign(pointer, false);
  Status status = add(*in, std::move(node));
  if (status.ok()) lease.giveToLeases();
  return status;
}

Status Session::free(manager::Stream& stream, void* pointer) {
  std::lock_guard lock(mutex_);
  CapturedStream* in = nullptr;
  RT_TRY(participant(&in, stream));
  const auto found = memory_.find(pointer);
  if (found == memory_.end()) {
    return Status::error(RT_ERROR_CAPTURE_UNSAFE,
                         "The memory at %p was not allocated in the capture: freeing it cannot be part of a graph.", pointer);
  }
  RT_CHECK_ARG(!found->second, "The memory at %p was freed in the capture already.", pointer);
  MemoryNode node;
  RT_TRY(operandOf(&node.memory, pointer));
  node.free = true;
  RT_TRY(add(*in, std::move(node)));
  found->second = true;
  return Status();
}

// `recorder` is stored before `captured`, both with release: a wait that reads `captured` with acquire finds the session.
Status Session::record(manager::Stream& stream, manager::Event& event) {
  std::lock_guard lock(mutex_);
  CapturedStream* in = nullptr;
  RT_TRY(participant(&in, stream));
  events_.try_emplace(&event, Mark{Lease<manager::Event>(&event), kNone});
  RT_TRY(add(*in, EventNode{Lease<manager::Event>(&event), false}));
  events_.at(&event).node = in->dependencies[0];
  event.recorder.store(this, std::memory_order_release);
  event.captured.store(true, std::memory_order_release);
  return Status();
}

// Reserves room for the fence first: nothing may fail once the graph has the node.
Status Session::addFence(manager::Stream& stream, manager::Fence& fence, uint64_t value, bool wait) {
  std::lock_guard lock(mutex_);
  CapturedStream* in = nullptr;
  RT_TRY(participant(&in, stream));
  fences_.reserve(fences_.size() + 1);
  RT_TRY(add(*in, FenceNode{Lease<manager::Fence>(&fence), value, wait}));
  fences_.push_back(Lease<manager::Fence>(&fence));
  manager::Recorder* none = nullptr;
  fence.recorder.compare_exchange_strong(none, this, std::memory_order_acq_rel);  // the host is refused from here on
  return Status();
}

Status Session::signalFence(manager::Stream& stream, manager::Fence& fence, uint64_t value) {
  return addFence(stream, fence, value, false);
}

Status Session::waitFence(manager::Stream& stream, manager::Fence& fence, uint64_t value) {
  return addFence(stream, fence, value, true);
}

Status Session::waitEvent(manager::Stream& stream, manager::Event& event) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(&event);
  const bool here =
      found != events_.end() && found->second.node != kNone && event.recorder.load(std::memory_order_acquire) == this;
  if (!here) {
    RT_TRY(open());
    return Status::error(RT_ERROR_CAPTURE_UNSAFE, "The event was recorded outside the capture, which cannot wait for it.");
  }
  return join(stream, {found->second.node});
}

Status Session::waitStream(manager::Stream& stream, manager::Stream& other) {
  std::lock_guard lock(mutex_);
  CapturedStream* from = nullptr;
  RT_TRY(participant(&from, other));
  return join(stream, from->dependencies);
}

}  // namespace manyrt::graph
