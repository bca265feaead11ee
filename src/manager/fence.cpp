// The timeline. Waits are linked in no order and unlinked by value. Points are completed without the lock, since that may call
// drivers.
#include "manager/fence.h"

#include <mutex>
#include <new>

#include "base/fault.h"
#include "manager/create.h"

namespace manyrt::manager {

Status Fence::waitPoint(Ref<backend::Point>* point, uint64_t until) {
  *point = nullptr;
  if (value.load(std::memory_order_acquire) >= until) return Status();  // pairs with signal()
  if (fault::fails("fence wait")) throw std::bad_alloc();
  Ref<Wait> wait = Ref<Wait>::adopt(new Wait);
  wait->until = until;
  std::lock_guard guard(lock_);
  if (closed_) return Status::error(RT_ERROR_INVALID_HANDLE, "The fence was destroyed.");
  // Again, since signal() may have come in between: it raises the value and takes the waits under this lock.
  if (value.load(std::memory_order_relaxed) >= until) return Status();
  if (until <= failed_to_) {  // the wait gets the cause, as an earlier one did
    wait->complete(failure_, 0);
    *point = Ref<backend::Point>(wait.get());
    return Status();
  }
  wait->next = waits_;
  waits_ = wait.get();
  wait->retain();
  *point = Ref<backend::Point>(wait.get());
  return Status();
}

void Fence::forget(backend::Point& point) {
  Wait* given_up = nullptr;
  {
    std::lock_guard guard(lock_);
    for (Wait** at = &waits_; *at != nullptr; at = &(*at)->next) {
      if (*at != &point) continue;
      given_up = *at;
      *at = given_up->next;
      break;
    }
  }
  if (given_up != nullptr) given_up->drop();
}

Fence::Wait* Fence::take(uint64_t to) {
  Wait* taken = nullptr;
  for (Wait** at = &waits_; *at != nullptr;) {
    Wait* wait = *at;
    if (wait->until > to) {
      at = &wait->next;
      continue;
    }
    *at = wait->next;
    wait->next = taken;
    taken = wait;
  }
  return taken;
}

void Fence::completeAll(Wait* waits, const Status& status) {
  while (waits != nullptr) {
    Wait* next = waits->next;
    waits->complete(status, 0);
    waits->drop();
    waits = next;
  }
}

Status Fence::signal(uint64_t to) {
  Wait* reached;
  {
    std::lock_guard guard(lock_);
    if (closed_) return Status();
    uint64_t present = value.load(std::memory_order_relaxed);
    RT_CHECK_ARG(to >= present, "A fence only grows: it stands at %llu and cannot be signalled to %llu.",
                 static_cast<unsigned long long>(present), static_cast<unsigned long long>(to));
    value.store(to, std::memory_order_release);
    reached = take(to);
  }
  completeAll(reached, Status());
  return Status();
}

void Fence::fail(uint64_t to, const Status& cause) {
  Wait* waits;
  {
    std::lock_guard guard(lock_);
    if (closed_ || to <= value.load(std::memory_order_relaxed)) return;
    if (to > failed_to_) {
      failed_to_ = to;
      failure_ = cause;
    }
    waits = take(to);
  }
  completeAll(waits, cause);
}

size_t Fence::waiting() {
  std::lock_guard guard(lock_);
  size_t count = 0;
  for (const Wait* wait = waits_; wait != nullptr; wait = wait->next) ++count;
  return count;
}

void Fence::close() {
  Wait* waits;
  {
    std::lock_guard guard(lock_);
    closed_ = true;
    waits = take(UINT64_MAX);
  }
  if (waits != nullptr) {
    completeAll(waits, Status::error(RT_ERROR_INVALID_HANDLE, "The fence was destroyed while this was waiting for it."));
  }
}

Status createFence(Fence** fence, Context& context, uint64_t value) { return createChild(fence, fences, context, value); }

}  // namespace manyrt::manager
