// rt.h, chapter "Capture": begins and ends a capture, and answers questions about it. The recorded work comes from ops.
#include "api/guard.h"
#include "graph/capture/session.h"

using namespace manyrt;

rtStatus_t rtStreamBeginCapture(rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return graph::Session::begin(*object);
  });
}

rtStatus_t rtStreamEndCapture(rtGraph_t* graph, rtStream_t stream) {
  if (graph != nullptr) *graph = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // the session has leased the streams
    RT_RESOLVE_STREAM(object, stream);
    HandleBits bits = 0;
    RT_TRY(graph::Session::end(&bits, *object));  // ends the capture also without an output
    if (graph == nullptr) manager::closeHandle(bits);
    RT_CHECK_OUTPUT(graph);
    *graph = reinterpret_cast<rtGraph_t>(bits);
    return Status();
  });
}

rtStatus_t rtStreamIsCapturing(int32_t* state, rtStream_t stream) {
  if (state != nullptr) *state = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(state);
    RT_RESOLVE_STREAM(object, stream);
    *state = graph::Session::stateOf(*object);
    return Status();
  });
}

rtStatus_t rtStreamGetCapturedNode(rtGraphNode_t* last, rtStream_t stream) {
  if (last != nullptr) *last = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(last);
    RT_RESOLVE_STREAM(object, stream);
    HandleBits bits = 0;
    RT_TRY(graph::Session::lastNode(&bits, *object));
    *last = reinterpret_cast<rtGraphNode_t>(bits);
    return Status();
  });
}
