// Reserving the window, and cutting ranges of whole pages from it: the first that fits.
#include "backends/opencl/memory/address_window.h"

#include <sys/mman.h>

#include <new>

#include "base/checked.h"
#include "base/fault.h"
#include "base/log.h"

namespace manyrt::opencl {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{16} << 40;
constexpr uint64_t kMinBytes = uint64_t{1} << 30;

void* reserveClosed(uint64_t bytes, int protection) {
  // Without memory behind it: an address of a buffer that the host follows by mistake faults at once.
  void* mapped = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

AddressWindow& AddressWindow::instance() {
  static auto* window = new AddressWindow;  // never destroyed
  return *window;
}

// Limits on a process's address space may leave less than is asked for.
AddressWindow::AddressWindow() {
  for (uint64_t bytes = kMaxBytes; bytes >= kMinBytes; bytes /= 2) {
    void* range = reserveClosed(bytes + kPage, PROT_NONE);
    // The table takes no memory until its pages are written, which happens where ranges are handed out.
    void* table = range == nullptr ? nullptr : reserveClosed(bytes / kPage * sizeof *pages_, PROT_READ | PROT_WRITE);
    if (table == nullptr) {
      if (range != nullptr) munmap(range, bytes + kPage);
      continue;
    }
    base_ = (reinterpret_cast<uintptr_t>(range) + kPage - 1) & ~(kPage - 1);
    bytes_ = bytes;
    pages_ = static_cast<std::atomic<Root*>*>(table);  // zeros are null pointers
    // One page more is reserved than used, so that the base can be aligned to pages.
    free_[base_] = bytes;
    return;
  }
  log::write(RT_LOG_WARNING, "No range of addresses could be reserved for OpenCL: its buffers cannot be used.");
}

uintptr_t AddressWindow::reserve(Root* root, uint64_t size, uint64_t alignment) {
  uint64_t wanted;
  if (fault::fails("opencl.window") || roundUpOverflows(size, kPage, &wanted)) return 0;
  if (alignment < kPage) alignment = kPage;
  std::lock_guard lock(mutex_);
  // The first that fits: low addresses are used again, so that the table's pages stay few.
  for (auto each = free_.begin(); each != free_.end(); ++each) {
    const auto [first, bytes] = *each;
    uint64_t end;
    const uintptr_t address = (first + alignment - 1) & ~(alignment - 1);
    if (address < first || addOverflows(address, wanted, &end) || end > first + bytes) continue;
    try {
      taken_[address] = wanted;
      if (end < first + bytes) free_[end] = first + bytes - end;
    } catch (const std::bad_alloc&) {  // one of the two maps may have its entry already
      taken_.erase(address);
      return 0;
    }
    if (address > first) {
      each->second = address - first;
    } else {
      // Only after both insertions, which may throw: the free range must not be lost.
      free_.erase(each);
    }
    for (uint64_t page = (address - base_) / kPage; page < (end - base_) / kPage; ++page) {
      // Each page of the range: a look-up of an inner address is one load.
      pages_[page].store(root, std::memory_order_release);  // pairs with find(); the caller has yet to set its address
    }
    noteChange();
    return address;
  }
  return 0;
}

void AddressWindow::release(uintptr_t address) {
  std::lock_guard lock(mutex_);
  const auto taken = taken_.find(address);
  uintptr_t first = address;
  uint64_t bytes = taken->second;
  for (uint64_t page = (first - base_) / kPage; page < (first + bytes - base_) / kPage; ++page) {
    // No call looks an address up while it is released, as find() demands; noteChange() below tells cached look-ups.
    pages_[page].store(nullptr, std::memory_order_release);
  }
  noteChange();
  // The node of the range that was taken becomes that of the free one: nothing is allocated.
  auto node = taken_.extract(taken);
  if (const auto next = free_.find(first + bytes); next != free_.end()) {
    bytes += next->second;
    free_.erase(next);
  }
  if (auto before = free_.lower_bound(first); before != free_.begin()) {
    --before;
    if (before->first + before->second == first) {
      before->second += bytes;
      return;
    }
  }
  node.key() = first;
  node.mapped() = bytes;
  free_.insert(std::move(node));
}

}  // namespace manyrt::opencl
