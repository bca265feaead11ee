// The tables, and closing a handle of any kind with all that follows at once.
#include "manager/tables.h"

#include "manager/context.h"
#include "manager/device.h"
#include "manager/event.h"
#include "manager/fence.h"
#include "manager/graph.h"
#include "manager/kernel.h"
#include "manager/module.h"
#include "manager/pool.h"
#include "manager/stream.h"

namespace manyrt::manager {

#define X(kind, Type, Handle, table, word) constinit SlotTable<Type> table(kind);
RT_HANDLE_TABLE(X)
#undef X

std::atomic<uint64_t> live_handles[kHandleKinds];

const char* kindWord(uint8_t kind) {
  switch (kind) {
#define X(handle_kind, Type, Handle, table, word) \
  case handle_kind:                               \
    return word;
    RT_HANDLE_TABLE(X)
#undef X
    default:
      return nullptr;
  }
}

namespace {

// The fences of a context are closed with it, although other work in flight goes on. A stream may wait for a signal of the host
// that can come no more. A fence that stayed open for the stream's own signal after that wait would let both wait for ever.
void onClosed(Fence& fence) { fence.close(); }
void onClosed(Context& context) { context.closeChildren(); }
void onClosed(Module& module) {
  module.closeKernels();
  module.closeGlobals();
}
void onClosed(Stream& stream) {
  if (Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) recorder->streamClosed(stream);
  stream.native->claims.fetch_sub(1, std::memory_order_acq_rel);  // pairs with the acquire loads that ask for failures
  stream.import.end();  // now, since the program may destroy the native stream after this call
}
void onClosed(Graph& graph) { graph.content->handleClosed(); }
template <class T>
void onClosed(T&) {}

template <class T>
bool close(SlotTable<T>& table, HandleBits bits) {
  T* object = table.find(bits);
  if (object == nullptr) return false;
  bool counted = object->counted;
  if (!table.destroy(bits)) return false;
  if (counted) live_handles[handleKind(bits)].fetch_sub(1, std::memory_order_relaxed);
  onClosed(*object);
  return true;
}

}  // namespace

bool closeHandle(HandleBits bits) {
  switch (handleKind(bits)) {
    case RT_HANDLE_CONTEXT:
      return close(contexts, bits);
    case RT_HANDLE_STREAM:
      return close(streams, bits);
    case RT_HANDLE_EVENT:
      return close(events, bits);
    case RT_HANDLE_FENCE:
      return close(fences, bits);
    case RT_HANDLE_MEM_POOL:
      return close(pools, bits);
    case RT_HANDLE_KERNEL:
      return close(kernels, bits);
    case RT_HANDLE_MODULE:
      return close(modules, bits);
    case RT_HANDLE_GRAPH:
      return close(graphs, bits);
    case RT_HANDLE_CAPTURE_PLAN:
      return close(capture_plans, bits);
    case RT_HANDLE_GRAPH_EXEC:
      return close(graph_execs, bits);
    case RT_HANDLE_GRAPH_NODE:
      return close(graph_nodes, bits);
    case RT_HANDLE_GRAPH_BUFFER:
      return close(graph_buffers, bits);
    case RT_HANDLE_GRAPH_VALUE:
      return close(graph_values, bits);
    default:
      return false;
  }
}

}  // namespace manyrt::manager
