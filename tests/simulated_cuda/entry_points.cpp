// The driver's functions by name, as cudaGetDriverEntryPoint hands them out, and the counts of what is live.
#include <algorithm>
#include <cstring>

#include "call.h"
#include "event.h"
#include "graph.h"
#include "memory.h"
#include "module.h"
#include "objects.h"
#include "report.h"
#include "settings.h"
#include "stream.h"
#include "virtual_memory.h"

namespace manyrt::simulated {
namespace {

struct Entry {
  const char* symbol;
  int version;  // the first one that has this signature
  void* function;
};

const Entry kEntries[] = {
#define SIMULATED_ENTRY(name, version, result, parameters) {"cu" #name, version, reinterpret_cast<void*>(&driver::name)},
    RT_CUDA_DRIVER_TABLE(SIMULATED_ENTRY) RT_CUDA_DRIVER_OPTIONAL_TABLE(SIMULATED_ENTRY)
#undef SIMULATED_ENTRY
};

// Every function of the runtime's table: one that is missing fails the link of this library.
[[gnu::used]] void* const kRuntime[] = {
#define SIMULATED_RUNTIME(name, result, parameters) reinterpret_cast<void*>(&cuda##name),
    RT_CUDA_RUNTIME_TABLE(SIMULATED_RUNTIME)
#undef SIMULATED_RUNTIME
};

enum Status { kFound, kSymbolMissing, kVersionTooLow };

Error entryPoint(const char* symbol, void** function, int version, unsigned long long flags, int* status) {
  if (symbol == nullptr || function == nullptr || flags > 2) return kInvalidValue;
  *function = nullptr;
  int found = kSymbolMissing;
  for (const Entry& entry : kEntries) {
    if (strcmp(entry.symbol, symbol) != 0) continue;
    const int known = std::min(version, settings().version);
    found = entry.version <= known ? kFound : kVersionTooLow;
    if (found == kFound) *function = entry.function;
  }
  if (status != nullptr) *status = found;
  return found == kFound || status != nullptr ? kSuccess : kNotFound;
}

struct LiveKind {
  const char* name;
  int (*count)();
};

const LiveKind kLiveKinds[] = {
    {"stream", [] { return streams().live(); }},
    {"event", [] { return events().live(); }},
    {"device memory", [] { return liveMemory(false); }},
    {"reservation", [] { return liveReservations(); }},
    {"host memory", [] { return liveMemory(true); }},
    {"module", [] { return liveModules(); }},
    {"graph", [] { return liveGraphs(); }},
    {"executable graph", [] { return liveGraphExecs(); }},
    {"context", [] { return liveContexts(); }},
};

}  // namespace

void reportLive() {
  for (const LiveKind& kind : kLiveKinds) {
    if (const int count = kind.count()) note("live at exit: %d of kind '%s'", count, kind.name);
  }
}

extern "C" {

Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags, int* status) {
  return SIMULATED_CALL("cudaGetDriverEntryPoint", true,
                        { return entryPoint(symbol, function, settings().version, flags, status); });
}

Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version, unsigned long long flags,
                                       int* status) {
  return SIMULATED_CALL("cudaGetDriverEntryPointByVersion", true,
                        { return entryPoint(symbol, function, static_cast<int>(version), flags, status); });
}

SIMULATED_CUDA_API int simulatedCudaLive(const char* kind) {
  for (const LiveKind& known : kLiveKinds) {
    if (strcmp(known.name, kind) == 0) return known.count();
  }
  return -1;
}

}  // extern "C"

}  // namespace manyrt::simulated
