// Steps that make and destroy contexts, streams, events and fences, and read what they say of time.
#include "random/actor.h"
#include "random/steps.h"

namespace rtrandom {
namespace {

constexpr size_t kMaxContexts = 3, kMaxStreams = 10, kMaxEvents = 12;

}  // namespace

void stepContext(Actor& actor) {
  std::vector<size_t> own;
  for (size_t i = 0; i < actor.contexts.size(); ++i) {
    if (!actor.contexts[i]->primary) own.push_back(i);
  }
  if (own.size() >= kMaxContexts || (!own.empty() && actor.rng.chance(50))) {
    actor.removeContext(own[actor.rng.below(own.size())]);
  } else {
    const auto context = actor.addContext(actor.devices[actor.rng.below(actor.devices.size())], false);
    (void)actor.addStream(context);
    if (actor.rng.chance(50)) OK(rtContextSetCurrent, actor.contexts[0]->handle);
  }
}

void stepStream(Actor& actor) {
  size_t own = 0;
  for (const StreamRef& stream : actor.streams) own += stream->is_default ? 0 : 1;
  if (own >= kMaxStreams || (own > 1 && actor.rng.chance(50))) {
    size_t position = actor.rng.below(actor.streams.size());
    if (!actor.streams[position]->is_default) actor.removeStream(position);
  } else {
    (void)actor.addStream(actor.anyContext());
  }
}

// Records, waits, asks and measures. The end of a stream, recorded twice, comes in this order.
void stepEvent(Actor& actor) {
  const StreamRef stream = actor.anyStream();
  Event& event = actor.eventOf(stream->context);
  switch (actor.rng.below(5)) {
    case 0: {
      const rtStatus_t status = CALL(rtEventQuery, event.handle);
      if (status != RT_SUCCESS && status != RT_NOT_READY) fail("rtEventQuery returned %s.", rtGetErrorName(status));
      break;
    }
    case 1: {
      const rtStatus_t status = CALL(rtEventSynchronizeFor, uint64_t{actor.rng.below(100000)}, event.handle);
      if (status != RT_SUCCESS && status != RT_ERROR_TIMEOUT) fail("a wait returned %s.", rtGetErrorName(status));
      break;
    }
    case 2: {
      rtEvent_t start = nullptr, end = nullptr;
      OK(rtEventCreate, &start, nullptr, stream->context->handle);
      OK(rtEventCreate, &end, nullptr, stream->context->handle);
      OK(rtEventRecord, start, stream->handle);
      actor.giveOp(stream);
      OK(rtEventRecord, end, stream->handle);
      if (actor.rng.chance(50)) {
        actor.payDebts();
        OK(rtEventSynchronize, end);
        int64_t nanoseconds = 0;
        float milliseconds = 0;
        OK(rtEventElapsedNanoseconds, &nanoseconds, start, end);
        OK(rtEventElapsedTime, &milliseconds, start, end);
        if (nanoseconds < 0) fail("%lld ns passed between two records of one stream.", static_cast<long long>(nanoseconds));
      }
      OK(rtEventDestroy, start);
      OK(rtEventDestroy, end);
      break;
    }
    default:
      if (actor.events.size() >= kMaxEvents) {  // waits keep what they wait for
        const size_t position = actor.rng.below(actor.events.size());
        OK(rtEventDestroy, actor.events[position].handle);
        actor.stale.push_back(reinterpret_cast<uint64_t>(actor.events[position].handle));
        actor.events.erase(actor.events.begin() + static_cast<std::ptrdiff_t>(position));
      } else {
        OK(rtEventRecord, event.handle, stream->handle);
        event.stream = stream;
        event.serial = stream->submitted;
      }
      break;
  }
}

void stepFence(Actor& actor) {
  Fence& fence = actor.anyFence();
  uint64_t value = 0;
  OK(rtFenceGetValue, &value, fence.handle);
  if (value > fence.value) fail("a fence stands at %llu.", static_cast<unsigned long long>(value));
  if (actor.rng.chance(30)) {
    const rtStatus_t status = CALL(rtFenceWaitFor, uint64_t{actor.rng.below(100000)}, fence.value, fence.handle);
    if (status != RT_SUCCESS && status != RT_ERROR_TIMEOUT) fail("a wait for a fence returned %s.", rtGetErrorName(status));
  } else if (actor.rng.chance(30)) {
    actor.payDebts();
    OK(rtFenceWait, fence.value, fence.handle);
    OK(rtFenceSignal, ++fence.value, fence.handle);
    fence.last_signal = nullptr;
  } else if (actor.rng.chance(20)) {  // nothing waits for it any more
    actor.settle();
    OK(rtFenceDestroy, fence.handle);
    actor.stale.push_back(reinterpret_cast<uint64_t>(fence.handle));
    fence.value = actor.rng.below(10);
    fence.last_signal = nullptr;
    OK(rtFenceCreate, &fence.handle, fence.value, fence.context->handle);
  }
}

}  // namespace rtrandom
