// A table of entries of one cache line. Writers take a lock and count each change twice. Readers look whether the count was the
// same before and after. The address alone would not do, since a label may be changed in place.
#include "allocator/labels.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>

#include "base/lock_order.h"
#include "base/text.h"

namespace manyrt::allocator::labels {
namespace {

constexpr size_t kEntries = 4096, kProbes = 8;
constexpr size_t kWords = kMost / sizeof(uint64_t);

struct alignas(64) Entry {
  std::atomic<uint64_t> changes{0};  // odd: one is going on
  std::atomic<uintptr_t> address{0};
  std::atomic<uint64_t> words[kWords] = {};
};

std::atomic<Entry*> table{nullptr};  // never freed: a handler may read it at any time
Ranked<std::mutex, LockRank::kAllocationLabels> writers;
size_t next_victim = 0;

size_t placeOf(uintptr_t address) { return (address >> 8) * 0x9e3779b97f4a7c15u >> 52; }
static_assert(kEntries == size_t{1} << (64 - 52));

Entry& entryFor(Entry* all, uintptr_t address) {
  const size_t first = placeOf(address);
  Entry* free = nullptr;
  for (size_t i = 0; i < kProbes; ++i) {
    Entry& entry = all[(first + i) % kEntries];
    // Relaxed: writers alone change it, and the caller has their lock.
    const uintptr_t known = entry.address.load(std::memory_order_relaxed);
    if (known == address) return entry;
    if (known == 0 && free == nullptr) free = &entry;
  }
  // One of the probed places is overwritten else: a label that is lost costs a word in a report.
  return free != nullptr ? *free : all[(first + next_victim++ % kProbes) % kEntries];
}

}  // namespace

void note(uintptr_t address, const char* label) {
  char text[kMost] = {};
  copyLetters(text, sizeof text, label);
  uint64_t words[kWords];
  memcpy(words, text, sizeof text);
  std::lock_guard lock(writers);
  Entry* all = table.load(std::memory_order_relaxed);
  if (all == nullptr) {
    // Made by the first label: most programs have none.
    all = new (std::nothrow) Entry[kEntries];
    if (all == nullptr) return;
    table.store(all, std::memory_order_release);
  }
  Entry& entry = entryFor(all, address);
  // A reader that meets the change sees another count afterwards. Each word is released after the first store and before the
  // last, and a reader acquires each.
  const uint64_t changes = entry.changes.load(std::memory_order_relaxed);
  // Odd from here on: a reader that comes now gives up.
  entry.changes.store(changes + 1, std::memory_order_release);
  entry.address.store(address, std::memory_order_release);
  for (size_t i = 0; i < kWords; ++i) entry.words[i].store(words[i], std::memory_order_release);
  entry.changes.store(changes + 2, std::memory_order_release);
}

bool read(uintptr_t address, char (&label)[kMost]) {
  const Entry* all = table.load(std::memory_order_acquire);
  if (all == nullptr) return false;
  for (size_t i = 0; i < kProbes; ++i) {
    const Entry& entry = all[(placeOf(address) + i) % kEntries];
    const uint64_t changes = entry.changes.load(std::memory_order_acquire);
    if (entry.address.load(std::memory_order_acquire) != address) continue;
    uint64_t words[kWords];
    for (size_t word = 0; word < kWords; ++word) words[word] = entry.words[word].load(std::memory_order_acquire);
    // No second try: a handler must end, and a label that changes right now is no great loss.
    if (changes % 2 != 0 || entry.changes.load(std::memory_order_acquire) != changes) return false;
    memcpy(label, words, sizeof words);
    label[kMost - 1] = '\0';
    return label[0] != '\0';
  }
  return false;
}

}  // namespace manyrt::allocator::labels
