// Copies and fills as commands of a native queue, for every pairing of a root, an address of the driver and memory of the host.
// What no command does, because both sides are the host's, is work for the host itself.
#pragma once

#include "backends/backend.h"
#include "backends/opencl/declarations.h"

namespace manyrt::opencl {

class Device;

// Whether the host does this itself, in the stream's order: then run...OnHost, on a thread that may block.
bool belongsToHost(const Device& device, const backend::Copy& copy);
bool belongsToHost(const Device& device, const backend::Fill& fill);
// Memory of the host, pinned or not, that no kernel reaches by its address.
bool isOfHost(const Device& device, const void* address);
void copyOnHost(const backend::Copy& copy);
void fillOnHost(const backend::Fill& fill);

// Enqueue, without blocking. On failure `call` names what failed. A copy whose destination is the host's gives its event, which
// the caller releases, where `event` is not null.
Error enqueueCopy(Device& device, cl_command_queue queue, const backend::Copy& copy, cl_event* event, const char** call);
Error enqueueFill(Device& device, cl_command_queue queue, const backend::Fill& fill, const char** call);
Error enqueuePrefetch(Device& device, cl_command_queue queue, const void* address, uint64_t size, bool to_host);

}  // namespace manyrt::opencl
