// Binds memory to the buffers of an exec, and values to its named values. If every use of a buffer is an argument of a kernel,
// a new address is a write to its slots. The checks of the old memory hold for the new one then. Other steps are placed anew.
#include <algorithm>
#include <cstring>
#include <new>

#include "base/text.h"
#include "graph/exec/exec.h"
#include "ops/range.h"

namespace manyrt::graph {
namespace {
using Number = unsigned long long;
}

Status Exec::findMemory(Bound* bound, uint32_t index, void* pointer, uint64_t size) const {
  const auto name = [&] { return plan_->graph().bufferName(index); };
  ops::Range range;
  if (!ops::findRange(&range, pointer, size, "memory").ok()) {  // once more, for the sentence
    return ops::findRange(&range, pointer, size, ("memory for the " + name()).c_str());
  }
  // A lease fails for memory whose free has begun.
  *bound = {static_cast<char*>(pointer), size, {}};
  RT_CHECK_ARG(allocator::BlockLease::take(&bound->lease, pointer), "The memory at %p for the %s is being freed.", pointer,
               name().c_str());
  return Status();
}

// All checks come before the lock. If a step cannot run with the new memory, the old binding and the old steps come back. If
// even that fails, for want of memory, the next launch places all steps again (stale_).
Status Exec::bind(uint32_t index, void* pointer, uint64_t size) {
  const Buffer& buffer = plan_->buffers()[index];
  const auto name = [&] { return plan_->graph().bufferName(index); };
  RT_CHECK_ARG(buffer.role != RT_GRAPH_BUFFER_TEMPORARY, "The %s is a temporary, whose memory the exec has itself.",
               name().c_str());
  if (size == kWhole) size = buffer.size;
  RT_CHECK_ARG(size <= buffer.size, "The %s takes %llu bytes at most: %llu are more.", name().c_str(),
               static_cast<Number>(buffer.size), static_cast<Number>(size));
  // Declared before the lock, so that the old binding's lease ends after it: the last lease frees memory.
  Bound bound;
  RT_TRY(findMemory(&bound, index, pointer, size));
  std::lock_guard lock(mutex_);
  const Status status = replace(index, &bound);
  if (status.ok()) return Status();
  // The first call has put the old binding into `bound`.
  if (!replace(index, &bound).ok()) stale_ = true;  // as it was
  return Status::error(status.code(), "The %s cannot be bound to %p: %s", name().c_str(), pointer, status.message());
}

// Whether steps that reach a buffer through slots need no check of its new memory. Old and new memory are the context's own,
// and no step uses more of it. Every step is placed with the present bindings.
bool Exec::isPlain(uint32_t buffer, const Bound& bound) const {
  const auto own = [&](const Bound& each) { return each.lease && &each.lease.region()->resources() == resources_.get(); };
  return unbound_ == 0 && unfit_ == 0 && !stale_ && bound.size >= users_[buffer].most && own(bound) && own(bound_[buffer]);
}

// Exchanges the memory of a buffer, and gives the steps that use it the new addresses. While buffers are missing no pieces
// exist; the last binding makes them.
Status Exec::replace(uint32_t buffer, Bound* bound) try {
  const bool complete = unbound_ == 0;
  const Users& users = users_[buffer];
  const bool plain = isPlain(buffer, *bound);
  unbound_ -= bound_[buffer].pointer == nullptr ? 1 : 0;
  std::swap(bound_[buffer], *bound);
  unbound_ += bound_[buffer].pointer == nullptr ? 1 : 0;
  slots_.point(buffer, bound_[buffer].pointer);
  Status first;
  for (uint32_t user : plain ? users.apart : users.steps) {
    // All steps are placed, also after one has failed: the addresses of all have to be those of one binding.
    if (!steps_[user].uses(buffer)) continue;
    Status status = placeStep(user);
    if (first.ok()) first = std::move(status);
  }
  // Nothing of the pieces has changed so far: after a failure the caller puts the old memory back.
  if (!first.ok() || !complete) return first.ok() ? makePieces() : first;
  // The pieces get the new addresses in any case. Where a piece keeps arguments in its steps, each step that uses the buffer is
  // changed; else only those that were placed.
  bool in_slots = plain && !replayable_.empty();
  slots_.forEachAddress(buffer, [&](uint32_t slot, uint64_t) {
    bool changed = false;
    if (first.ok()) first = refreshSlot(&changed, slot);
    in_slots = in_slots && changed;
  });
  for (uint32_t user : in_slots ? users.apart : users.steps) {
    // A second loop: refresh() may make all pieces anew, and reads the addresses of every step then.
    if (first.ok() && steps_[user].uses(buffer)) first = refresh(user, 1);
  }
  return first;
} catch (const std::bad_alloc&) {  // the caller has to undo the change
  return Status::bare(RT_ERROR_OUT_OF_MEMORY);
}

// As bind(): after a failure the value is the old one.
Status Exec::bindValue(uint32_t value, const void* data, uint64_t size) {
  const auto name = [&] { return plan_->graph().valueName(value); };
  const uint32_t slot = Slots::ofValue(value), wanted = slots_.sizeOf(slot);
  RT_CHECK_ARG(size == wanted, "The %s has %u byte%s; %llu %s given.", name().c_str(), wanted, plural(wanted),
               static_cast<Number>(size), were(size));
  std::lock_guard lock(mutex_);
  const bool had = has_value_[value];
  // The old bytes are kept aside for the way back. Most values are short, and then a bind needs no memory.
  unsigned char* const bytes = static_cast<unsigned char*>(slots_.at(slot));
  unsigned char short_value[16];
  std::vector<unsigned char> long_value(wanted > sizeof short_value ? wanted : 0);
  unsigned char* const old = long_value.empty() ? short_value : long_value.data();
  memcpy(old, bytes, wanted);
  memcpy(bytes, data, wanted);
  Status status = replaceValue(value, true);
  if (status.ok()) return status;
  memcpy(bytes, old, wanted);
  if (!replaceValue(value, had).ok()) stale_ = true;
  return Status::error(status.code(), "The %s cannot be bound: %s", name().c_str(), status.message());
}

// Tells the steps that use a value what its slot has now.
Status Exec::replaceValue(uint32_t value, bool is_bound) try {
  // The slot has the new bytes already, which steps that are submitted one by one read by themselves.
  const bool complete = unbound_ == 0;
  const Users& users = value_users_[value];
  unbound_ -= has_value_[value] ? 0 : 1;
  has_value_[value] = is_bound;
  unbound_ += is_bound ? 0 : 1;
  for (uint32_t user : users.apart) {
    if (steps_[user].usesValue(value)) RT_TRY(placeStep(user));
  }
  if (!complete) return makePieces();
  // Stale pieces, or none, are made by refresh(), which reads the slot.
  bool in_slots = false;
  if (!replayable_.empty() && !stale_) RT_TRY(refreshSlot(&in_slots, Slots::ofValue(value)));
  for (uint32_t user : in_slots ? users.apart : users.steps) {
    if (steps_[user].usesValue(value)) RT_TRY(refresh(user, 1));
  }
  return Status();
} catch (const std::bad_alloc&) {  // the caller has to undo the change
  return Status::bare(RT_ERROR_OUT_OF_MEMORY);
}

}  // namespace manyrt::graph
