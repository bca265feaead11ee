// Copies that the given stream cannot do itself. A stream of another context does them, or two streams do, through pinned
// memory of the host. Called by ops/copy after all checks. The copy keeps its position in the order of the given stream,
// nothing blocks, and failures go both ways.
#pragma once

#include "backends/backend.h"
#include "base/status.h"
#include "manager/stream.h"
#include "ops/range.h"

namespace manyrt::ops {

// Which streams can do a copy: the given one, a lent one, two with pinned memory between them, none.
struct Route {
  enum Kind { kOwn, kLent, kStaged, kNone } kind;
  allocator::ContextResources* lender = nullptr;  // kLent: the context that lends a stream
};
Route findRoute(const Range& dst, const Range& src, allocator::ContextResources& own);

// By a route other than kOwn and kNone. After a failure nothing has been copied, and the stream goes on. Only if a driver
// refuses the last of several submissions are the destination's bytes unspecified.
Status copyAcross(const backend::Copy& copy, const Range& dst, const Range& src, Route route, manager::Stream& stream);

}  // namespace manyrt::ops
