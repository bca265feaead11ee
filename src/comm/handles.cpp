// A map behind one lock: an operation among ranks takes microseconds, beside which a look-up is nothing. The map is never
// destroyed, since destructors of a program may come later than any destructor here.
#include "comm/handles.h"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "comm/guard.h"

namespace manyrt::comm {
namespace {

struct Table {
  std::mutex mutex;
  uint64_t next = 1;
  std::unordered_map<uint64_t, std::shared_ptr<Communicator>> entries;
};
Table* const table = new Table;

// No handle of the core library and no address looks like it.
constexpr uint64_t kMark = 0xc033u;

uint64_t bitsOf(rtComm_t handle) { return reinterpret_cast<uintptr_t>(handle); }

Status unknown(rtComm_t handle) {
  if (handle == nullptr) return Status::error(RT_ERROR_INVALID_HANDLE, "The communicator \"comm\" is NULL.");
  const uint64_t bits = bitsOf(handle);
  bool was = false;
  if (started()) {  // no handle is older, and the lock is none that a child of fork could find held
    const std::lock_guard lock(table->mutex);
    // A number below the next one has been given out, and is in no entry: so it was destroyed.
    was = bits >> 48 == kMark && (bits & 0xffffffffffffu) < table->next;
  }
  return Status::error(RT_ERROR_INVALID_HANDLE, "The communicator \"comm\" (0x%llx) %s.", static_cast<unsigned long long>(bits),
                       was ? "has been destroyed" : "is none of this library");
}

}  // namespace

rtComm_t publish(std::shared_ptr<Communicator> communicator) {
  const std::lock_guard lock(table->mutex);
  const uint64_t bits = kMark << 48 | table->next;
  // Numbers are never given out again, so a stale handle is told from a random one.
  table->entries.emplace(bits, std::move(communicator));
  // Only after the entry is there, which may throw.
  ++table->next;
  return reinterpret_cast<rtComm_t>(static_cast<uintptr_t>(bits));
}

Status find(std::shared_ptr<Communicator>* communicator, rtComm_t handle) {
  if (started()) {
    const std::lock_guard lock(table->mutex);
    const auto entry = table->entries.find(bitsOf(handle));
    if (entry != table->entries.end()) {
      // A reference: another thread may destroy the communicator while this call uses it.
      *communicator = entry->second;
      return Status();
    }
  }
  return unknown(handle);
}

Status retire(std::shared_ptr<Communicator>* communicator, rtComm_t handle) {
  if (started()) {
    const std::lock_guard lock(table->mutex);
    const auto entry = table->entries.find(bitsOf(handle));
    if (entry != table->entries.end()) {
      // The last reference goes to the caller: a rank's end takes other locks, and waits.
      *communicator = std::move(entry->second);
      table->entries.erase(entry);
      return Status();
    }
  }
  return unknown(handle);
}

}  // namespace manyrt::comm
