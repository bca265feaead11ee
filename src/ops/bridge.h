// Copies that the stream they are given to cannot do: another owner's stream does them, or two of them through pinned memory
// of the host. Called by ops/copy once everything is checked; the copy takes its place in the order of the given stream,
// nothing blocks, and failures go both ways.
#pragma once

#include "backends/backend.h"
#include "base/status.h"
#include "manager/stream.h"
#include "ops/range.h"

namespace manyrt::ops {

// Who can do a copy.
struct Route {
  enum Kind { kOwn, kLent, kStaged, kNone } kind;
  allocator::ContextResources* lender = nullptr;  // kLent: whose streams reach both sides
};
Route findRoute(const Range& dst, const Range& src, allocator::ContextResources& own);

// By another route than kOwn and kNone. On failure nothing has been copied and the stream goes on, but where a driver
// refuses the last of several orders: then the destination's bytes are unspecified.
Status copyAcross(const backend::Copy& copy, const Range& dst, const Range& src, Route route, manager::Stream& stream);

}  // namespace manyrt::ops
