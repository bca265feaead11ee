// Each thread has a short list of the ranks that it holds, in the order in which it took them.
#include "base/lock_order.h"

#ifdef MANYRT_CHECK_LOCKS

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/handles/epoch.h"

namespace manyrt::lock_order {
namespace {

constexpr const char* kNames[] = {
#define MANYRT_LOCK_NAME(name, text) text,
    MANYRT_LOCK_RANKS(MANYRT_LOCK_NAME)
#undef MANYRT_LOCK_NAME
};

constexpr int kMaxHeld = 16;
struct Held {
  int count;
  LockRank ranks[kMaxHeld];
};
constinit thread_local Held held{};

const char* nameOf(LockRank rank) { return kNames[static_cast<int>(rank)]; }

[[noreturn]] void fail(const char* what, const char* verb, const char* other) {
  std::fprintf(stderr, "manyrt: order of locks: \"%s\" %s \"%s\".\n", what, verb, other);
  std::abort();
}

bool inGuard() {
  const epoch::Record* record = epoch::internal::record;
  // Relaxed: the record of this thread, which it alone writes.
  return record != nullptr && record->active.load(std::memory_order_relaxed) != 0;
}

}  // namespace

void taking(LockRank rank) {
  for (int i = 0; i < held.count; ++i) {
    if (held.ranks[i] >= rank) fail(nameOf(rank), "is taken by a thread that holds", nameOf(held.ranks[i]));
  }
}

void took(LockRank rank) {
  if (held.count == kMaxHeld)
    fail(nameOf(rank), "is one lock too many for a thread that holds", nameOf(held.ranks[kMaxHeld - 1]));
  held.ranks[held.count++] = rank;
}

void gave(LockRank rank) {
  int at = held.count;
  while (at > 0 && held.ranks[at - 1] != rank) --at;
  if (at == 0) fail(nameOf(rank), "is given back by a thread that holds", held.count == 0 ? "nothing" : nameOf(held.ranks[0]));
  for (; at < held.count; ++at) held.ranks[at - 1] = held.ranks[at];
  --held.count;
}

void noneHeld(const char* what) {
  if (held.count != 0) fail(what, "comes on a thread that holds", nameOf(held.ranks[held.count - 1]));
  if (inGuard()) fail(what, "comes inside", "a guard");
}

void mayWait(const char* what) {
  if (inGuard()) fail(what, "comes inside", "a guard");
  for (int i = 0; i < held.count; ++i) {
    if (held.ranks[i] >= kFirstSpinLock) fail(what, "comes on a thread that holds", nameOf(held.ranks[i]));
  }
}

}  // namespace manyrt::lock_order

#endif
