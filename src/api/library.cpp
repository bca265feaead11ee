// rt.h, chapter "Library": version, start and end, error texts, the log, and the counts of live handles.
#include <cstdio>
#include <vector>

#include "allocator/allocation_records.h"
#include "allocator/context_resources.h"
#include "allocator/import_release.h"
#include "allocator/live_blocks.h"
#include "api/guard.h"
#include "base/config.h"
#include "base/host_threads.h"
#include "base/log.h"
#include "base/text.h"
#include "manager/context.h"
#include "manager/device.h"
#include "manager/fence.h"
#include "ops/user_data.h"
#include "ops/wait.h"

namespace manyrt::api {
namespace {

uint64_t liveHandles(int32_t kind) {
  uint64_t count = kind == RT_HANDLE_ALLOCATION || kind == RT_HANDLE_ALL ? allocator::liveAllocations() : 0;
  for (int each = RT_HANDLE_CONTEXT; each < manager::kHandleKinds; ++each) {  // RT_HANDLE_ALLOCATION counts 0 here
    if (kind == each || kind == RT_HANDLE_ALL) count += manager::live_handles[each].load(std::memory_order_relaxed);
  }
  return count;
}

// The largest allocations by size and label, where RT_MEMORY_DEBUG knows it by place, and the sum of the rest.
void reportAllocations() {
  constexpr size_t kMost = 16;
  const std::vector<allocator::LiveBlock> live = allocator::liveBlocks();
  unsigned long long rest = 0;
  for (size_t i = 0; i < live.size(); ++i) {
    if (i >= kMost) {
      rest += live[i].size;
      continue;
    }
    const bool labelled = !live[i].label.empty();
    fprintf(stderr, "manyrt: leak:   %llu bytes at %p%s%s%s\n", static_cast<unsigned long long>(live[i].size),
            reinterpret_cast<void*>(live[i].address), labelled ? ", \"" : "", live[i].label.c_str(), labelled ? "\"" : "");
    const std::string place = allocator::records::placeOf(live[i].address);  // empty without RT_MEMORY_DEBUG
    if (!place.empty()) fprintf(stderr, "manyrt: leak:     allocated by %s\n", place.c_str());
  }
  if (live.size() > kMost) fprintf(stderr, "manyrt: leak:   %llu bytes in %zu more\n", rest, live.size() - kMost);
}

void reportLeaks() {
  static constexpr const char* kWords[manager::kHandleKinds] = {
      "", "", "context", "stream", "event", "fence", "pool", "kernel", "allocation", "module", "graph", "", "", "plan", "exec"};
  for (int kind = RT_HANDLE_CONTEXT; kind < manager::kHandleKinds; ++kind) {
    const uint64_t count = liveHandles(kind);
    if (count != 0)
      fprintf(stderr, "manyrt: leak: %llu %s%s not destroyed\n", static_cast<unsigned long long>(count), kWords[kind],
              plural(count));
    if (count != 0 && kind == RT_HANDLE_ALLOCATION) reportAllocations();
  }
}

// Waits for the work of all contexts, when new work is refused already.
void finishWork() {
  (void)epoch::synchronize();  // after it all calls have ended that may still submit work
  std::vector<manager::Device*> known;
  {
    epoch::Guard guard;  // for devices that were used: no driver is loaded in order to end it
    manager::devices.forEach([&](manager::Device& device, HandleBits) { known.push_back(&device); });
  }
  for (manager::Device* device : known) ops::finishWork(*device);  // devices live as long as the process
  allocator::finishImportReleases();
}

// Closes every handle.
Status endLibrary() {
  epoch::Scope scope;  // at its end, after everything, the library calls release functions
  if (config::flag(config::Variable::kLeakReport)) reportLeaks();
  manager::library::markShutDown();
  (void)epoch::synchronize();  // after it no call creates an object any more
  std::vector<Lease<manager::Context>> contexts;
  {
    epoch::Guard guard;
    manager::contexts.forEach([&](manager::Context& context, HandleBits) { contexts.emplace_back(&context); });
    for (const Lease<manager::Context>& context : contexts) manager::closeHandle(context->bits);
  }
  for (const Lease<manager::Context>& context : contexts) ops::setUserData(*context, nullptr);
  contexts.clear();
  epoch::drain();
  trace::finish();
  return Status();
}

}  // namespace
}  // namespace manyrt::api

using namespace manyrt;

rtStatus_t rtGetVersion(uint32_t* version) {
  if (version == nullptr) return api::fail(__func__, Status::error(RT_ERROR_INVALID_VALUE, "The output \"version\" is NULL."));
  *version = MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH;
  return RT_SUCCESS;
}

rtStatus_t rtInit(void) {
  return api::guarded(__func__, [](epoch::Guard&) { return manager::library::retain(); });
}

rtStatus_t rtShutdown(void) {
  using namespace manager::library;
  if (callbacks::inside()) {
    return api::fail(__func__, Status::error(RT_ERROR_BUSY, "A function that the library calls cannot end the library."));
  }
  if (state.load(std::memory_order_acquire) == kForked) return api::fail(__func__, start());
  bool last = false;
  Status released = release(&last);
  if (!released.ok()) return api::fail(__func__, released);
  if (!last) return RT_SUCCESS;
  try {
    api::finishWork();
  } catch (const std::bad_alloc&) {  // outside of api::guarded
    goOn();                          // the library is still whole
    return api::fail(__func__, Status::bare(RT_ERROR_OUT_OF_MEMORY));
  }
  try {
    const Status ended = api::endLibrary();
    host_threads::settle();  // release functions of the program may be due on threads of the library
    return ended.code();
  } catch (const std::bad_alloc&) {  // outside of api::guarded
    return api::fail(__func__, Status::bare(RT_ERROR_OUT_OF_MEMORY));
  }
}

const char* rtGetErrorName(rtStatus_t status) { return errorName(status); }
const char* rtGetErrorString(rtStatus_t status) { return errorString(status); }

rtStatus_t rtGetLastErrorMessage(char* buffer, size_t size, size_t* needed) {
  if (buffer == nullptr && size != 0) {
    if (needed != nullptr) *needed = 0;
    return api::fail(__func__, Status::error(RT_ERROR_INVALID_VALUE, "The buffer is NULL, its size is %zu.", size));
  }
  return api::copyText(buffer, size, needed, api::lastErrorMessage()).code();
}

rtStatus_t rtSetLogCallback(rtLogCallback_t callback, void* user, int32_t level) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_ARG(level >= RT_LOG_NONE && level <= RT_LOG_DEBUG, "%d is no log level: RT_LOG_* goes from %d to %d.", level,
                 RT_LOG_NONE, RT_LOG_DEBUG);
    guard.leave();  // setCallback() may wait for a running callback
    Status status = log::setCallback(callback, user, level);
    guard.enter();
    return status;
  });
}

rtStatus_t rtLogWrite(int32_t level, const char* line) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_ARG(level >= RT_LOG_ERROR && level <= RT_LOG_DEBUG, "%d is no level of a line: RT_LOG_* goes from %d to %d.",
                 level, RT_LOG_ERROR, RT_LOG_DEBUG);
    RT_CHECK_ARG(line != nullptr, "The line for the log is NULL.");
    log::write(level, "%s", line);
    return Status();
  });
}

rtStatus_t rtGetLiveHandleCount(uint64_t* count, int32_t kind) {
  if (count != nullptr) *count = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(count);
    RT_CHECK_ARG(kind >= RT_HANDLE_ALL && kind < manager::kHandleKinds, "%d is no kind of handle: RT_HANDLE_* goes to %d.",
                 kind, manager::kHandleKinds - 1);
    *count = api::liveHandles(kind);
    return Status();
  });
}
