// A map of records under one lock, which only this mode takes. Stacks are return addresses; they are given names when a line is
// written.
#include "allocator/allocation_records.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/fault.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/os/this_thread.h"

namespace manyrt::allocator::records {
namespace {

using Number = unsigned long long;

struct Stack {
  static constexpr int kDepth = 24;
  long thread = 0;  // 0: nothing was noted
  int depth = 0;
  void* frames[kDepth];

  [[gnu::noinline]] void take() {
    thread = static_cast<long>(this_thread::number());
    // Addresses alone: names cost a look into symbol tables, and most records are never reported.
    depth = backtrace(frames, kDepth);
  }
};

struct Record {
  uint64_t size = 0;
  uint64_t guard = 0;
  bool filled = false;
  std::string label;
  Stack allocated, freed;
};

struct Records {
  Ranked<Mutex, LockRank::kAllocationRecords> lock;
  std::map<uintptr_t, Record> by_address;
};
Records& records() {
  static Records* all = new Records;  // never destroyed: memory may be freed until the process ends
  return *all;
}

// Runs the body with the record, under the lock. False: there is none.
template <class Body>
bool with(uintptr_t address, Body body) {
  Records& all = records();
  std::lock_guard lock(all.lock);
  const auto found = all.by_address.find(address);
  if (found == all.by_address.end()) return false;
  // The body must not free or allocate memory of the library: the lock is held.
  body(found->second);
  return true;
}

std::string nameOf(void* frame) {
  Dl_info info;
  if (dladdr(frame, &info) == 0 || info.dli_fname == nullptr) return "?";
  const char* slash = strrchr(info.dli_fname, '/');
  const std::string file = slash != nullptr ? slash + 1 : info.dli_fname;
  char offset[32];
  if (info.dli_sname == nullptr) {
    snprintf(offset, sizeof offset, "+0x%zx",
             static_cast<size_t>(static_cast<char*>(frame) - static_cast<char*>(info.dli_fbase)));
    return file + offset;
  }
  int status = 0;
  char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string name = status == 0 && readable != nullptr ? readable : info.dli_sname;
  free(readable);
  snprintf(offset, sizeof offset, "+0x%zx",
           static_cast<size_t>(static_cast<char*>(frame) - static_cast<char*>(info.dli_saddr)));
  return name + offset;
}

// The library's own frames below the function that the program has called say nothing to it.
int firstFrame(const Stack& stack) {
  for (int i = 0; i < stack.depth; ++i) {
    Dl_info info;
    const bool named = dladdr(stack.frames[i], &info) != 0 && info.dli_sname != nullptr;
    if (named && strncmp(info.dli_sname, "rt", 2) == 0 && info.dli_sname[2] >= 'A' && info.dli_sname[2] <= 'Z') return i;
  }
  return stack.depth > 2 ? 2 : 0;  // called by a thread of the library, or in a program without names
}

std::string describe(const Stack& stack) {
  std::string text = "thread " + std::to_string(stack.thread) + " in ";
  constexpr int kFrames = 8;
  const int first = firstFrame(stack);
  for (int i = first; i < stack.depth && i < first + kFrames; ++i) text += (i == first ? "" : " < ") + nameOf(stack.frames[i]);
  return text;
}

void report(const char* what, uintptr_t address, uint64_t offset, unsigned value, const char* place) {
  // A copy: names are looked up and lines are written without the lock.
  Record record;
  if (!with(address, [&](const Record& known) { record = known; })) return;
  const bool labelled = !record.label.empty();
  log::write(RT_LOG_ERROR, "%s: byte %llu %s the allocation %s%s%sof %llu bytes at %p was written, it is 0x%02x.", what,
             static_cast<Number>(offset), place, labelled ? "\"" : "", record.label.c_str(), labelled ? "\" " : "",
             static_cast<Number>(record.size), reinterpret_cast<void*>(address), value);
  log::write(RT_LOG_ERROR, "  allocated by %s", describe(record.allocated).c_str());
  if (record.freed.thread != 0) log::write(RT_LOG_ERROR, "  freed by %s", describe(record.freed).c_str());
}

}  // namespace

void allocated(uintptr_t address, uint64_t size, const char* label) noexcept {
  Record record;
  record.size = size;
  // Before the lock: unwinding is slow, and the first call of backtrace() loads a library.
  record.allocated.take();
  Records& all = records();
  std::lock_guard lock(all.lock);
  try {
    if (fault::fails("allocation record")) throw std::bad_alloc();
    record.label = label;
    // An earlier block's record goes: a message can be about the newest alone.
    all.by_address[address] = std::move(record);
  } catch (const std::bad_alloc&) {  // the record of an earlier block there would be wrong
    all.by_address.erase(address);
  }
}

void freed(uintptr_t address) noexcept {
  Stack stack;
  stack.take();
  (void)with(address, [&](Record& record) { record.freed = stack; });
}

void forget(uintptr_t begin, uintptr_t end) {
  Records& all = records();
  std::lock_guard lock(all.lock);
  // All records of a range of addresses, for a region that goes back to the driver.
  all.by_address.erase(all.by_address.lower_bound(begin), all.by_address.lower_bound(end));
}

void setGuard(uintptr_t address, uint64_t bytes) {
  (void)with(address, [&](Record& record) { record.guard = bytes; });
}

uint64_t takeGuard(uintptr_t address) {
  uint64_t bytes = 0;
  (void)with(address, [&](Record& record) { bytes = std::exchange(record.guard, 0); });
  return bytes;
}

void setFilled(uintptr_t address) {
  (void)with(address, [](Record& record) { record.filled = true; });
}

bool takeFilled(uintptr_t address) {
  bool filled = false;
  (void)with(address, [&](Record& record) { filled = std::exchange(record.filled, false); });
  return filled;
}

void reportOverrun(uintptr_t address, uint64_t offset, unsigned value) { report("Overrun", address, offset, value, "after"); }

void reportWriteAfterFree(uintptr_t address, uint64_t offset, unsigned value) {
  report("Written after free", address, offset, value, "of");
}

std::string history(uintptr_t address) {
  Record record;
  if (!with(address, [&](const Record& known) { record = known; })) return "";
  std::string text = " The allocation ";
  if (!record.label.empty()) text += "\"" + record.label + "\" ";
  text += "of " + std::to_string(record.size) + " bytes was allocated by " + describe(record.allocated);
  if (record.freed.thread != 0) text += ", and freed by " + describe(record.freed);
  return text + ".";
}

std::string placeOf(uintptr_t address) {
  Record record;
  return with(address, [&](const Record& known) { record = known; }) ? describe(record.allocated) : "";
}

}  // namespace manyrt::allocator::records
