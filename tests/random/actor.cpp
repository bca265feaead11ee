// An actor's objects: how they are made and destroyed, mostly with work in flight.
#include "random/actor.h"

#include <algorithm>
#include <cstdlib>

#include "random/callbacks.h"
#include "random/settings.h"
#include "random/steps.h"

namespace rtrandom {
namespace {

constexpr size_t kMaxStale = 64;

template <typename Handle>
void bury(Actor& actor, Handle handle) {
  if (actor.stale.size() == kMaxStale) actor.stale.erase(actor.stale.begin());
  actor.stale.push_back(reinterpret_cast<uint64_t>(handle));
}

}  // namespace

Actor::Actor(unsigned number, std::vector<rtDevice_t> all_devices) : index(number), devices(std::move(all_devices)) {}

std::shared_ptr<Context> Actor::addContext(rtDevice_t device, bool primary) {
  auto context = std::make_shared<Context>();
  context->device = device;
  context->primary = primary;
  if (primary) {
    OK(rtContextGetPrimary, &context->handle, device);
  } else {
    rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
    options.wait_policy = static_cast<int32_t>(rng.chance(70) ? 0 : rng.below(4));
    OK(rtContextCreate, &context->handle, &options, device);
    if (rng.chance(50)) {
      counts().releases_due.fetch_add(1);
      OK(rtContextSetUserData, nullptr, countRelease, context->handle);
    }
  }
  OK(rtDeviceGetBackend, &context->backend, nullptr, device);
  context->shared_memory = hasCapability(device, RT_CAPABILITY_SHARED_MEMORY);
  context->registers = hasCapability(device, RT_CAPABILITY_HOST_REGISTER);
  context->kernels = makeKernels(context->handle, device);
  auto stream = std::make_shared<Stream>();
  OK(rtContextGetDefaultStream, &stream->handle, context->handle);
  stream->context = context;
  stream->is_default = true;
  context->default_stream = stream;
  streams.push_back(stream);
  contexts.push_back(context);
  return context;
}

std::shared_ptr<Context> Actor::anyContext() { return contexts[rng.below(contexts.size())]; }

StreamRef Actor::addStream(const std::shared_ptr<Context>& context) {
  auto stream = std::make_shared<Stream>();
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  options.priority = -static_cast<int32_t>(rng.below(3));
  OK(rtStreamCreate, &stream->handle, rng.chance(50) ? &options : nullptr, context->handle);
  if (context->kernels.native && rng.chance(20)) {
    uint64_t native[2] = {};
    stream->origin = stream->handle;
    OK(rtStreamGetNative, native, stream->origin);
    OK(rtStreamImport, &stream->handle, native, context->handle);
  }
  stream->context = context;
  streams.push_back(stream);
  return stream;
}

StreamRef Actor::anyStream() { return streams[rng.below(streams.size())]; }

StreamRef Actor::streamOf(const std::shared_ptr<Context>& context) {
  std::vector<StreamRef> found;
  for (const StreamRef& stream : streams) {
    if (stream->context == context) found.push_back(stream);
  }
  return found[rng.below(found.size())];
}

Event& Actor::eventOf(const std::shared_ptr<Context>& context) {
  std::vector<Event*> found;
  for (Event& event : events) {
    if (event.context == context) found.push_back(&event);
  }
  if (!found.empty() && rng.chance(90)) return *found[rng.below(found.size())];
  Event event;
  event.context = context;
  event.timed = rng.chance(50);
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = event.timed ? 0 : RT_EVENT_DISABLE_TIMING;
  OK(rtEventCreate, &event.handle, &options, context->handle);
  events.push_back(event);
  return events.back();
}

Fence& Actor::anyFence() { return fences[rng.below(fences.size())]; }

void Actor::removeStream(size_t position) {
  const StreamRef stream = streams[position];
  for (const auto& each : executables) {  // fences of a graph live as long as its launches
    if (each->last_stream == stream && (each->wanted != nullptr || each->told != nullptr)) waitFor(stream);
  }
  const StreamRef heir = stream->context->default_stream;
  if (stream->completed != stream->submitted) orderAfter(heir, stream);
  const auto inherit = [&](const BufferRef& buffer) {
    for (Use& use : buffer->uses) {
      if (use.stream != stream || use.complete()) continue;
      use.stream = heir;
      use.serial = heir->submitted;
    }
  };
  for (const BufferRef& buffer : buffers) inherit(buffer);
  for (const auto& executable : executables) {  // which also name memory that was freed
    for (const BufferRef& buffer : executable->recording.buffers) inherit(buffer);
  }
  for (Fence& fence : fences) {
    if (fence.last_signal == stream) fence.last_signal = heir;  // which is after the signal
  }
  OK(rtStreamDestroy, stream->handle);
  OK(rtStreamDestroy, stream->origin);  // the import's work may still be in flight
  bury(*this, stream->handle);
  stream->alive = false;
  streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(position));
}

void Actor::removeExecutable(size_t position) {
  Executable& executable = *executables[position];
  for (const BufferRef& buffer : executable.recording.buffers) --buffer->graphs;
  if (executable.wanted != nullptr || executable.told != nullptr) {  // launches in flight need them
    payDebts();
    if (executable.last_stream != nullptr && executable.last_stream->alive) waitFor(executable.last_stream);
  }
  const bool graph_first = rng.chance(50);
  if (graph_first && executable.graph != nullptr) {
    OK(rtGraphDestroy, executable.graph);
    bury(*this, executable.graph);
  }
  OK(rtGraphExecDestroy, executable.exec);
  bury(*this, executable.exec);
  if (!graph_first && executable.graph != nullptr) OK(rtGraphDestroy, executable.graph);
  OK(rtEventDestroy, executable.event);
  OK(rtFenceDestroy, executable.wanted);
  OK(rtFenceDestroy, executable.told);
  // Work in flight may still call its host functions.
  for (auto& call : executable.recording.host_calls) host_calls.push_back(std::move(call));
  executables.erase(executables.begin() + static_cast<std::ptrdiff_t>(position));
}

// Destroys a context with its streams and events still there. Work and memory that outlive it are first ordered after its
// streams.
void Actor::removeContext(size_t position) {
  const std::shared_ptr<Context> context = contexts[position];
  for (size_t i = executables.size(); i-- > 0;) {
    bool names = executables[i]->context == context;
    for (const BufferRef& buffer : executables[i]->recording.buffers) names = names || buffer->context == context;
    if (names) removeExecutable(i);
  }
  settle();  // waits for fences of the context would fail with it
  for (size_t i = buffers.size(); i-- > 0;) {
    if (buffers[i]->context == context && buffers[i]->ofProgram()) removeBuffer(i);
  }
  std::vector<BufferRef> orphans;
  for (size_t i = buffers.size(); i-- > 0;) {
    if (buffers[i]->context != context) continue;
    if (rng.chance(50)) {
      removeBuffer(i);
    } else {
      orphans.push_back(buffers[i]);
      buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::vector<BufferRef> targets = orphans;
  for (const StreamRef& stream : streams) {  // work that is still in flight when the context goes; no two write the same memory
    if (stream->context != context || targets.empty() || rng.chance(50)) continue;
    const auto target = targets.begin() + static_cast<std::ptrdiff_t>(rng.below(targets.size()));
    OK(rtMemsetAsync, (*target)->address, 3, (*target)->size(), stream->handle);
    targets.erase(target);
  }
  std::erase_if(fences, [&](const Fence& fence) { return fence.context == context; });
  std::erase_if(events, [&](const Event& event) { return event.context == context; });
  for (size_t i = streams.size(); i-- > 0;) {
    if (streams[i]->context != context) continue;
    bury(*this, streams[i]->handle);
    streams[i]->alive = false;
    streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (Fence& fence : fences) {
    if (fence.last_signal != nullptr && !fence.last_signal->alive) fence.last_signal = nullptr;
  }
  destroyKernels(&context->kernels);
  if (context->pool != nullptr && rng.chance(50)) {
    OK(rtMemPoolDestroy, context->pool);
    bury(*this, context->pool);
  }
  OK(rtContextDestroy, context->handle);
  bury(*this, context->handle);
  context->alive = false;
  context->default_stream = nullptr;  // which has the context
  contexts.erase(contexts.begin() + static_cast<std::ptrdiff_t>(position));
  for (const BufferRef& orphan : orphans) OK(rtFree, orphan->address);
}

void Actor::setUp() {
  rng = Rng(settings().seed, index, 0);
  for (rtDevice_t device : devices) addContext(device, true);
  addContext(devices[0], false);
  for (int i = 0; i < 3; ++i) addStream(anyContext());
  for (int i = 0; i < 3; ++i) {
    const auto context = contexts[0];  // primary: it outlives all that waits
    Fence fence;
    fence.context = context;
    OK(rtFenceCreate, &fence.handle, uint64_t{0}, context->handle);
    fences.push_back(fence);
    OK(rtFenceCreate, &fence.handle, uint64_t{0}, context->handle);
    gates.push_back(fence);
  }
}

void Actor::tearDown() {
  rng = Rng(settings().seed, index, ~uint64_t{0});
  payDebts();
  for (const BufferRef& buffer : buffers) compare(buffer);
  while (!executables.empty()) removeExecutable(executables.size() - 1);
  settle();
  while (!buffers.empty()) removeBuffer(buffers.size() - 1);
  for (const Event& event : events) OK(rtEventDestroy, event.handle);
  for (const Fence& fence : fences) OK(rtFenceDestroy, fence.handle);
  for (const Fence& gate : gates) OK(rtFenceDestroy, gate.handle);
  events.clear();
  for (size_t i = streams.size(); i-- > 0;) {
    if (!streams[i]->is_default) OK(rtStreamDestroy, streams[i]->handle);
    OK(rtStreamDestroy, streams[i]->origin);
  }
  for (const auto& context : contexts) {
    destroyKernels(&context->kernels);
    if (context->pool != nullptr) OK(rtMemPoolDestroy, context->pool);
    if (!context->primary) OK(rtContextDestroy, context->handle);
    context->default_stream = nullptr;
  }
}

void Actor::run() {
  nameThread("thread " + std::to_string(index));
  CallLog& log = logOfThread();
  log.setActive(true);
  log.setStep(0, "set up");
  setUp();
  const int64_t end = nowNanoseconds() + static_cast<int64_t>(settings().seconds) * 1000000000;
  for (step = 1; settings().steps != 0 ? step <= settings().steps : nowNanoseconds() < end; ++step) {
    rng = Rng(settings().seed, index, step);
    const Step& chosen = chooseStep(rng);
    log.setStep(step, chosen.name);
    chosen.function(*this);
    if (debts.size() > 4) payDebts();
    if (host_calls.size() > 1000) settle();
  }
  log.setStep(step, "tear down");
  tearDown();
  log.setActive(false);
}

}  // namespace rtrandom
