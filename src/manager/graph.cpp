// The handle of a graph: it belongs to no context, so it is counted here.
#include "manager/graph.h"

namespace manyrt::manager {

Status createGraph(HandleBits* bits, Ref<GraphContent> content) {
  if (graphs.create(bits, std::move(content)) == nullptr) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no more handles for a graph.");
  }
  live_handles[RT_HANDLE_GRAPH].fetch_add(1, std::memory_order_relaxed);
  return Status();
}

}  // namespace manyrt::manager
