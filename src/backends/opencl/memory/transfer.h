// Copies and fills as commands of a native queue, for every pairing of a root, an address of the driver and memory of the host.
// If both sides are the host's, no command does it: it is work for the host itself.
#pragma once

#include "backends/backend.h"
#include "backends/opencl/declarations.h"
#include "backends/opencl/memory/heap.h"
#include "backends/opencl/stream/timeline.h"

namespace manyrt::opencl {

class Device;

// Whether the host does this itself, in the stream's order: then run...OnHost, on a thread that may block.
bool belongsToHost(const Device& device, const backend::Copy& copy);
bool belongsToHost(const Device& device, const backend::Fill& fill);
// Memory of the host, pinned or not, that no kernel reaches by its address.
bool isOfHost(const Device& device, const void* address);
void copyOnHost(const backend::Copy& copy);
void fillOnHost(const backend::Fill& fill);

// Copies and fills with their sides looked up, good for as long as the memory is not freed. Made implicitly: looking up is all
// that they do.
struct PlacedCopy {
  PlacedCopy(const backend::Copy& given) : copy(given), dst(locationOf(given.dst)), src(locationOf(given.src)) {}
  backend::Copy copy;
  Location dst, src;
};
struct PlacedFill {
  PlacedFill(const backend::Fill& given) : fill(given), dst(locationOf(given.dst)) {}
  backend::Fill fill;
  Location dst;
};

// Enqueue; only a copy that `blocks` is over when this returns, or at least has read its source, where that is the host's. On
// failure `call` names what failed. A copy whose destination is the host's gives its event, which the caller releases, where
// `event` is not null. `events`, for the trace: of all commands; may be null.
Error enqueueCopy(Device& device, cl_command_queue queue, const PlacedCopy& placed, bool blocks, cl_event* event,
                  CommandEvents* events, const char** call);
Error enqueueFill(Device& device, cl_command_queue queue, const PlacedFill& placed, CommandEvents* events, const char** call);
Error enqueuePrefetch(Device& device, cl_command_queue queue, const void* address, uint64_t size, bool to_host,
                      CommandEvents* events);

}  // namespace manyrt::opencl
