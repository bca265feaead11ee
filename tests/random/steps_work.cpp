// Steps that give work to streams, wait for it and look at its results.
#include <cstring>

#include "random/actor.h"
#include "random/settings.h"
#include "random/steps.h"

namespace rtrandom {

void stepWork(Actor& actor) { actor.giveOp(actor.anyStream()); }

// A burst on few streams, so that queues become long.
void stepManyOps(Actor& actor) {
  const StreamRef streams[2] = {actor.anyStream(), actor.anyStream()};
  const size_t count = actor.rng.range(5, 60);
  for (size_t i = 0; i < count; ++i) actor.giveOp(streams[actor.rng.below(2)]);
}

void stepWait(Actor& actor) {
  if (actor.rng.chance(10)) {
    actor.settle();
  } else {
    actor.waitFor(actor.anyStream());
  }
}

void stepHoldBack(Actor& actor) { actor.holdBack(actor.anyStream()); }

// Moves pages and no contents: to the stream it is a read.
void stepPrefetch(Actor& actor) {
  if (actor.buffers.empty()) return;
  const BufferRef buffer = actor.buffers[actor.rng.below(actor.buffers.size())];
  if (buffer->context == nullptr) return;
  const StreamRef stream = actor.streamOf(buffer->context);
  actor.order(stream, buffer, false);
  const size_t offset = actor.rng.below(buffer->size());
  OK(rtMemPrefetchAsync, buffer->address + offset, actor.rng.range(1, buffer->size() - offset), buffer->context->device,
     stream->handle);
  ++stream->submitted;
  actor.used(stream, buffer, false);
}

void stepPay(Actor& actor) { actor.payDebts(); }

void stepCompare(Actor& actor) {
  if (!actor.buffers.empty()) actor.compare(actor.buffers[actor.rng.below(actor.buffers.size())]);
}

// The program itself writes memory that it reaches, once nothing in flight uses it.
void stepHostWrite(Actor& actor) {
  if (actor.buffers.empty()) return;
  const BufferRef buffer = actor.buffers[actor.rng.below(actor.buffers.size())];
  if (!buffer->hostReaches()) return;
  actor.waitForUses(buffer, false);
  actor.checkBytes(buffer, buffer->address);
  const size_t size = actor.rng.size(buffer->size());
  const size_t offset = actor.rng.below(buffer->size() - size + 1);
  for (size_t i = 0; i < size; ++i) buffer->contents[offset + i] = static_cast<uint8_t>(actor.rng.next());
  std::memcpy(buffer->address + offset, buffer->contents.data() + offset, size);
  buffer->note("written by the host", actor.step, nullptr, "");
}

// rtMemcpy, rtMemcpy2D and rtMemset, which have no order towards streams: nothing in flight may use the memory.
void stepSynchronous(Actor& actor) {
  if (actor.buffers.size() < 2) return;
  const BufferRef dst = actor.buffers[actor.rng.below(actor.buffers.size())];
  const BufferRef src = actor.buffers[actor.rng.below(actor.buffers.size())];
  if (dst == src) return;
  actor.waitForUses(dst, false);
  actor.waitForUses(src, true);
  actor.payDebts();
  const size_t size = actor.rng.size(std::min(dst->size(), src->size()));
  switch (actor.rng.below(3)) {
    case 0:
      if (!dst->isDevice() && (dst->type == MemoryType::kPageable || !kMemsetFindsTheOwner)) return;
      OK(rtMemset, dst->address, static_cast<int32_t>(actor.step), size);
      std::memset(dst->contents.data(), static_cast<uint8_t>(actor.step), size);
      dst->note("rtMemset", actor.step, nullptr, "");
      break;
    case 1:
      OK(rtMemcpy, dst->address, src->address, size, RT_MEMCPY_DEFAULT);
      std::memcpy(dst->contents.data(), src->contents.data(), size);
      dst->note("rtMemcpy", actor.step, nullptr, "");
      break;
    default: {
      const size_t width = (size + 2) / 3, height = size / width;
      OK(rtMemcpy2D, dst->address, width, src->address, width, width, height, RT_MEMCPY_DEFAULT);
      std::memcpy(dst->contents.data(), src->contents.data(), width * height);
      dst->note("rtMemcpy2D", actor.step, nullptr, "");
      break;
    }
  }
}

}  // namespace rtrandom
