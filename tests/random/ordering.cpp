// How an actor orders work between its streams and waits for it: by every means that the library has, chosen at random.
#include <algorithm>

#include "random/actor.h"
#include "random/settings.h"

namespace rtrandom {

// Makes later work of one stream wait for the work that the other has been given.
void Actor::orderAfter(const StreamRef& later, const StreamRef& earlier) {
  if (later == earlier || earlier->completed == earlier->submitted) return;
  if (rng.chance(70) && orderByGraph(later, earlier)) return;
  switch (rng.below(earlier->context->primary ? 4 : 5)) {
    case 0: {
      Event& event = eventOf(earlier->context);
      OK(rtEventRecord, event.handle, earlier->handle);
      event.stream = earlier;
      event.serial = earlier->submitted;
      OK(rtStreamWaitEvent, event.handle, later->handle);
      break;
    }
    case 1:
      OK(rtStreamWaitStream, earlier->handle, later->handle);
      break;
    case 2: {
      Fence& fence = anyFence();
      if (fence.last_signal != nullptr && fence.last_signal != earlier) {
        OK(rtStreamWaitFence, fence.handle, fence.value, earlier->handle);
      }
      fence.value += rng.range(1, 3);
      fence.last_signal = earlier;
      OK(rtStreamSignalFence, fence.handle, fence.value, earlier->handle);
      OK(rtStreamWaitFence, fence.handle, fence.value, later->handle);
      ++earlier->submitted;
      break;
    }
    case 3:
      if (rng.chance(20)) {
        waitFor(earlier);
      } else {
        OK(rtStreamWaitStream, earlier->handle, later->handle);
      }
      break;
    default:  // a primary context has streams of other threads, some of which fail
      OK(rtStreamWaitContext, earlier->context->handle, later->handle);
      break;
  }
  ++later->submitted;
}

// By the event or fence at the end of a graph, where the earlier stream's last work is its launch.
bool Actor::orderByGraph(const StreamRef& later, const StreamRef& earlier) {
  for (const auto& each : executables) {
    if (each->last_stream != earlier || each->last_serial != earlier->submitted) continue;
    if (each->event != nullptr) {
      OK(rtStreamWaitEvent, each->event, later->handle);
    } else if (each->told != nullptr && each->launches == 1) {
      OK(rtStreamWaitFence, each->told, uint64_t{1}, later->handle);
    } else {
      continue;
    }
    ++later->submitted;
    return true;
  }
  return false;
}

// Orders the stream's next work after what conflicts with it on the buffer.
void Actor::order(const StreamRef& stream, const BufferRef& buffer, bool write) {
  std::erase_if(buffer->uses, [](const Use& use) { return use.complete(); });
  std::vector<StreamRef> ordered;
  const std::vector<Use> uses = buffer->uses;  // waiting completes some
  for (const Use& use : uses) {
    if (use.stream == stream || use.complete() || (!write && !use.write)) continue;
    if (std::find(ordered.begin(), ordered.end(), use.stream) != ordered.end()) continue;
    ordered.push_back(use.stream);
    orderAfter(stream, use.stream);
  }
}

// Notes that the stream's last work uses the buffer.
void Actor::used(const StreamRef& stream, const BufferRef& buffer, bool write) {
  if (write) buffer->uses.clear();  // all of them are before this one
  buffer->uses.push_back({stream, stream->submitted, write});
}

// The stream waits for a fence that this actor signals later: what is given to the stream meanwhile is held back.
void Actor::holdBack(const StreamRef& stream) {
  if (gates.empty()) return;
  const size_t chosen = rng.below(gates.size());
  Fence& gate = gates[chosen];
  ++gate.value;
  OK(rtStreamWaitFence, gate.handle, gate.value, stream->handle);
  ++stream->submitted;
  debts.emplace_back(chosen, gate.value);
}

// Signals what streams wait for. It comes before every call that may wait for work.
void Actor::payDebts() {
  for (const auto& [gate, value] : debts) OK(rtFenceSignal, value, gates[gate].handle);
  debts.clear();
  for (rtFence_t fence : owed) OK(rtFenceSignal, uint64_t{1}, fence);
  owed.clear();
}

// Waits for all work that the stream has been given.
void Actor::waitFor(const StreamRef& stream) {
  payDebts();
  const uint64_t submitted = stream->submitted;
  switch (rng.below(8)) {
    case 0:
      OK(rtStreamSynchronizeFor, RT_TIMEOUT_INFINITE, stream->handle);
      break;
    case 1: {
      Event& event = eventOf(stream->context);
      OK(rtEventRecord, event.handle, stream->handle);
      event.stream = stream;
      event.serial = stream->submitted;
      OK(rtEventSynchronize, event.handle);
      OK(rtEventQuery, event.handle);
      if (kQueriesFollowEvents && !(stream->is_default && stream->context->primary)) OK(rtStreamQuery, stream->handle);
      break;
    }
    case 2: {
      rtFence_t fence = nullptr;
      OK(rtFenceCreate, &fence, uint64_t{0}, stream->context->handle);
      OK(rtStreamSignalFence, fence, uint64_t{1}, stream->handle);
      OK(rtFenceWait, uint64_t{1}, fence);
      OK(rtFenceDestroy, fence);
      break;
    }
    case 3:
      if (!stream->context->primary) {
        OK(rtContextSynchronize, stream->context->handle);
        for (const StreamRef& each : streams) {
          if (each->context == stream->context) each->completed = each->submitted;
        }
        OK(rtStreamQuery, stream->handle);
        break;
      }
      [[fallthrough]];
    default:
      OK(rtStreamSynchronize, stream->handle);
      if (rng.chance(50) && !(stream->is_default && stream->context->primary)) OK(rtStreamQuery, stream->handle);
      break;
  }
  stream->completed = std::max(stream->completed, submitted);
}

// Waits until nothing in flight uses the buffer, or nothing writes it.
void Actor::waitForUses(const BufferRef& buffer, bool writes_alone) {
  const std::vector<Use> uses = buffer->uses;
  for (const Use& use : uses) {
    if (!use.complete() && (use.write || !writes_alone)) waitFor(use.stream);
  }
  std::erase_if(buffer->uses, [](const Use& use) { return use.complete(); });
}

// Waits for all work of this actor.
void Actor::settle() {
  payDebts();
  for (const StreamRef& stream : streams) {
    if (stream->completed != stream->submitted) waitFor(stream);
  }
  host_calls.clear();  // no work that calls them is left
}

}  // namespace rtrandom
