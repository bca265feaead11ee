// The list of one owner. It is looked through for those that are over when it has doubled since the last look, so that noting a
// write costs the same however many there are.
#include "allocator/host_writes.h"

#include <algorithm>
#include <mutex>

namespace manyrt::allocator {

HostWrites::~HostWrites() {
  count_.fetch_sub(size_, std::memory_order_relaxed);
  while (first_ != nullptr) {
    std::unique_ptr<Write> write(first_);
    first_ = write->next_;
  }
}

void HostWrites::add(std::unique_ptr<Write> write) {
  bool look = false;
  {
    std::lock_guard lock(lock_);
    write->next_ = first_;
    first_ = write.release();
    count_.fetch_add(1, std::memory_order_relaxed);
    look = ++size_ >= look_at_ && !looking_;
    looking_ = looking_ || look;
  }
  if (look) forgetOver();
}

void HostWrites::find(uintptr_t begin, uintptr_t end, std::vector<Stamp>* stamps) {
  std::lock_guard lock(lock_);
  for (const Write* write = first_; write != nullptr; write = write->next_) {
    if (write->begin < end && begin < write->end) stamps->push_back(write->stamp);
  }
}

void HostWrites::unlink(Write* write) {
  Write** at = &first_;
  while (*at != write) at = &(*at)->next_;
  *at = write->next_;
  --size_;
  count_.fetch_sub(1, std::memory_order_relaxed);
}

// Streams are asked without the lock, since that may call a driver. Only this function removes, and one thread is in it at a
// time, so the writes that it has seen stay; new ones come before them.
void HostWrites::forgetOver() {
  Write* write;
  {
    std::lock_guard lock(lock_);
    write = first_;
  }
  while (write != nullptr) {
    const bool over = write->stamp.passed();
    std::unique_ptr<Write> gone;
    {
      std::lock_guard lock(lock_);
      Write* next = write->next_;
      if (over) {
        unlink(write);
        gone.reset(write);
      }
      write = next;
    }
  }
  std::lock_guard lock(lock_);
  look_at_ = std::max(kLookAt, 2 * size_);
  looking_ = false;
}

}  // namespace manyrt::allocator
