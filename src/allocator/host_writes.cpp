// The list of one context. Completed writes are removed when the list has doubled since the last removal. So noting a write
// costs the same for any number of writes.
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
  // Outside the lock, since it asks streams. `looking_` keeps a second thread out.
  if (look) forgetOver();
}

void HostWrites::find(uintptr_t begin, uintptr_t end, std::vector<Stamp>* stamps) {
  std::lock_guard lock(lock_);
  for (const Write* write = first_; write != nullptr; write = write->next_) {
    // Completed ones too: asking streams under this lock would hold up every copy to the host.
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

// Asks streams without the lock, since that may call a driver. Only this function removes writes, and one thread is in it at a
// time. So a write that it has read stays valid; new ones go to the front of the list.
void HostWrites::forgetOver() {
  Write* write;
  {
    std::lock_guard lock(lock_);
    write = first_;
  }
  while (write != nullptr) {
    // The thread that adds has the lock for two pointers at most, whatever the driver does here.
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
