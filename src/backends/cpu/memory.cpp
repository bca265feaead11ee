// Mapping, allocating and locking of host memory. A failure names the size that was asked for and what the machine has. With
// AddressSanitizer all but pinned memory comes from its malloc, which watches exactly the bytes that were asked for.
#include "backends/cpu/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "backends/cpu/topology.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/os/sanitizer.h"

namespace manyrt::cpu {
namespace {

constexpr uint64_t kMinAlignment = 256;
constexpr uint64_t kMapped = 1 << 20;  // from this size on
constexpr uint64_t kHugePage = 2 << 20;
constexpr uint64_t kMostAlignment = uint64_t{1} << 47;  // the addresses that a program has on x86-64; on Arm twice as many
constexpr uint64_t kMostAddresses = uint64_t{4} << 30;  // of a range, where the machine has less than half as much memory
enum Tag : uint64_t { kFromMalloc = 1, kFromMmap = 2, kLocked = 4 };

Status outOfMemory(uint64_t size) {
  return Status::error(RT_ERROR_OUT_OF_MEMORY,
                       "An allocation of %llu bytes failed; the machine has %llu bytes of memory, %llu available.",
                       static_cast<unsigned long long>(size), static_cast<unsigned long long>(physicalMemory()),
                       static_cast<unsigned long long>(availableMemory()));
}

// Reserves more than asked and gives back what lies before and after the aligned range.
void* mapAligned(uint64_t size, uint64_t alignment) {
  uint64_t reserved;
  if (addOverflows(size, alignment, &reserved) || fault::fails("cpu.mmap")) return nullptr;
  void* base = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  uintptr_t begin = reinterpret_cast<uintptr_t>(base);
  uintptr_t at = (begin + alignment - 1) & ~(alignment - 1);
  // mmap() aligns to a page only.
  if (at > begin) munmap(base, at - begin);
  uint64_t after = begin + reserved - (at + size);
  if (after > 0) munmap(reinterpret_cast<void*>(at + size), after);
  return reinterpret_cast<void*>(at);
}

}  // namespace

Status allocateMemory(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) {
  if (alignment < kMinAlignment) alignment = kMinAlignment;
  // The kernel would promise more than it has, and end the process when the pages are touched.
  if (size > physicalMemory()) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "An allocation of %llu bytes exceeds the %llu bytes of memory of the machine.",
                         static_cast<unsigned long long>(size), static_cast<unsigned long long>(physicalMemory()));
  }
  // Pinned memory is mapped whatever its size: locking acts on whole pages, and two blocks may not share one. For a large
  // alignment, malloc would keep what lies before the block. The length is kept in native[1] for the release.
  memory->kind = kind;
  const bool large = size >= kMapped || alignment >= kMapped;
  if ((large && !sanitizer::hasAddress()) || kind == RT_MEMORY_HOST) {
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t unit = size >= kMapped ? kHugePage : page;
    uint64_t mapped;
    if (roundUpOverflows(size, page, &mapped)) return outOfMemory(size);
    void* address = mapAligned(mapped, alignment > unit ? alignment : unit);
    if (address == nullptr) return outOfMemory(size);
    if (size >= kHugePage) (void)madvise(address, mapped, MADV_HUGEPAGE);  // a hint
    memory->address = address;
    memory->size = size;
    memory->native[1] = mapped;
    memory->tag = kFromMmap;
    if (kind == RT_MEMORY_HOST) {
      lockMemory(address, mapped);
      memory->tag |= kLocked;
    }
  } else {
    uint64_t rounded;
    // No address but 0 is a multiple of more; the allocator of AddressSanitizer ends the process instead of saying so.
    if (alignment > kMostAlignment || roundUpOverflows(size, alignment, &rounded) || fault::fails("cpu.malloc")) {
      return outOfMemory(size);
    }
    const uint64_t taken = sanitizer::hasAddress() ? size : rounded;
    if (posix_memalign(&memory->address, alignment, taken) != 0) return outOfMemory(size);
    memory->size = size;
    memory->native[1] = rounded;
    memory->tag = kFromMalloc;
  }
  memory->native[0] = reinterpret_cast<uintptr_t>(memory->address);
  memory->host_visible = true;
  return Status();
}

Status reserveAddresses(backend::Memory* memory, uint64_t size) {
  if (size > kMostAddresses && size / 2 > physicalMemory()) return outOfMemory(size);  // whose bookkeeping alone would be large
  void* address = mapAligned(size, kHugePage);
  if (address == nullptr) return outOfMemory(size);
  // A huge page would take memory for more than was committed.
  (void)madvise(address, size, MADV_NOHUGEPAGE);
  memory->kind = RT_MEMORY_DEVICE;
  memory->address = address;
  memory->size = size;
  memory->native[0] = reinterpret_cast<uintptr_t>(address);
  memory->native[1] = size;
  memory->tag = kFromMmap;
  memory->host_visible = true;
  return Status();
}

namespace {

// The whole huge pages of a part.
template <class Body>
void forHugePages(const backend::Memory& memory, uint64_t offset, uint64_t size, Body body) {
  const uint64_t first = (offset + kHugePage - 1) & ~(kHugePage - 1), end = (offset + size) & ~(kHugePage - 1);
  if (first < end) body(static_cast<unsigned char*>(memory.address) + first, end - first);
}

}  // namespace

Status commitPages(const backend::Memory& memory, uint64_t offset, uint64_t size) {
  if (size > physicalMemory()) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "An allocation of %llu bytes exceeds the %llu bytes of memory of the machine.",
                         static_cast<unsigned long long>(size), static_cast<unsigned long long>(physicalMemory()));
  }
  if (fault::fails("cpu.commit")) return outOfMemory(size);
  // The pages come when they are touched. A commit only allows huge ones where all of a huge page belongs to the part.
  forHugePages(memory, offset, size, [](void* pages, uint64_t bytes) { (void)madvise(pages, bytes, MADV_HUGEPAGE); });
  return Status();
}

void decommitPages(const backend::Memory& memory, uint64_t offset, uint64_t size) {
  // The addresses stay reserved, and read as zeros from now on.
  (void)madvise(static_cast<unsigned char*>(memory.address) + offset, size, MADV_DONTNEED);
  forHugePages(memory, offset, size, [](void* pages, uint64_t bytes) { (void)madvise(pages, bytes, MADV_NOHUGEPAGE); });
}

void releaseMemory(const backend::Memory& memory) {
  if (memory.tag & kFromMmap) munmap(memory.address, memory.native[1]);  // unlocks it too
  if (memory.tag & kFromMalloc) free(memory.address);
}

void lockMemory(void* pointer, uint64_t size) {
  // A limit of locked memory is common for users. The memory works all the same, so it is a warning and said once.
  static std::atomic<bool> told{false};
  if (!fault::fails("cpu.mlock") && mlock(pointer, size) == 0) return;
  // Relaxed: it only lets one thread write the line.
  if (!told.exchange(true, std::memory_order_relaxed)) {
    log::write(RT_LOG_WARNING, "Pinned memory is ordinary memory here: locking %llu bytes failed (%s).",
               static_cast<unsigned long long>(size), strerror(errno));
  }
}

void unlockMemory(void* pointer, uint64_t size) { (void)munlock(pointer, size); }

}  // namespace manyrt::cpu
