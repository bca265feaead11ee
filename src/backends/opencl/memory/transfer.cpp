// A copy by the sides that it has: root to root, root and host, address to address. Rows that one command cannot take go one by
// one.
#include "backends/opencl/memory/transfer.h"

#include <cstring>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"

namespace manyrt::opencl {
namespace {

bool hasAddresses(const Device& device) { return device.tier() != RT_MEMORY_TIER_BUFFER; }

backend::Copy rowOf(const backend::Copy& copy, uint64_t row) {
  return {static_cast<char*>(copy.dst) + row * copy.dst_pitch, static_cast<const char*>(copy.src) + row * copy.src_pitch,
          copy.width};
}

// Where the command that follows puts its event.
cl_event* eventOf(CommandEvents* events) { return events != nullptr ? events->next() : nullptr; }

Error rootToRoot(cl_command_queue queue, const backend::Copy& copy, Location dst, Location src, CommandEvents* events,
                 const char** call) {
  if (copy.height == 1) {
    *call = "clEnqueueCopyBuffer";
    return RT_CL_CALL(clEnqueueCopyBuffer, queue, src.root->memory, dst.root->memory, src.offset, dst.offset, copy.width, 0,
                      nullptr, eventOf(events));
  }
  // Inside one root both sides must have one pitch, and what drivers take for an overlap of rows differs.
  if (src.root != dst.root) {
    const size_t from[3] = {src.offset, 0, 0}, to[3] = {dst.offset, 0, 0}, region[3] = {copy.width, copy.height, 1};
    *call = "clEnqueueCopyBufferRect";
    return RT_CL_CALL(clEnqueueCopyBufferRect, queue, src.root->memory, dst.root->memory, from, to, region, copy.src_pitch, 0,
                      copy.dst_pitch, 0, 0, nullptr, eventOf(events));
  }
  // One command for each row, where one for all could be refused.
  for (uint64_t row = 0; row < copy.height; ++row) {
    const Location to{dst.root, dst.offset + row * copy.dst_pitch}, from{src.root, src.offset + row * copy.src_pitch};
    if (const Error error = rootToRoot(queue, rowOf(copy, row), to, from, events, call); error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

Error toHost(cl_command_queue queue, const backend::Copy& copy, Location src, cl_event* event, const char** call) {
  if (copy.height == 1) {
    *call = "clEnqueueReadBuffer";
    // Never blocking: the stream waits where the program asks for it.
    return RT_CL_CALL(clEnqueueReadBuffer, queue, src.root->memory, CL_FALSE, src.offset, copy.width, copy.dst, 0, nullptr,
                      event);
  }
  const size_t from[3] = {src.offset, 0, 0}, to[3] = {0, 0, 0}, region[3] = {copy.width, copy.height, 1};
  *call = "clEnqueueReadBufferRect";
  return RT_CL_CALL(clEnqueueReadBufferRect, queue, src.root->memory, CL_FALSE, from, to, region, copy.src_pitch, 0,
                    copy.dst_pitch, 0, copy.dst, 0, nullptr, event);
}

Error fromHost(cl_command_queue queue, const backend::Copy& copy, Location dst, bool blocks, CommandEvents* events,
               const char** call) {
  const cl_bool blocking = blocks ? CL_TRUE : CL_FALSE;
  if (copy.height == 1) {
    *call = "clEnqueueWriteBuffer";
    return RT_CL_CALL(clEnqueueWriteBuffer, queue, dst.root->memory, blocking, dst.offset, copy.width, copy.src, 0, nullptr,
                      eventOf(events));
  }
  const size_t to[3] = {dst.offset, 0, 0}, from[3] = {0, 0, 0}, region[3] = {copy.width, copy.height, 1};
  *call = "clEnqueueWriteBufferRect";
  return RT_CL_CALL(clEnqueueWriteBufferRect, queue, dst.root->memory, blocking, to, from, region, copy.dst_pitch, 0,
                    copy.src_pitch, 0, copy.src, 0, nullptr, eventOf(events));
}

Error fillRow(Device& device, cl_command_queue queue, const PlacedFill& placed, uint64_t row, CommandEvents* events,
              const char** call) {
  const backend::Fill& fill = placed.fill;
  const Location& dst = placed.dst;
  const uint64_t at = row * fill.pitch;
  if (dst.root == nullptr) {
    *call = "clEnqueueSVMMemFill";
    return RT_CL_VIA(device.extensions(), enqueueFill, queue, static_cast<char*>(fill.dst) + at, fill.pattern,
                     fill.pattern_size, fill.width, 0, nullptr, eventOf(events));
  }
  *call = "clEnqueueFillBuffer";
  cl_event event = nullptr;
  // A quirk: without an event, a driver may run the fill out of order.
  const bool ask = device.quirks().has(Quirk::kFillsNeedEvents) || events != nullptr;
  const Error error = RT_CL_CALL(clEnqueueFillBuffer, queue, dst.root->memory, fill.pattern, fill.pattern_size, dst.offset + at,
                                 fill.width, 0, nullptr, ask ? &event : nullptr);
  // note() takes a reference of its own.
  if (event != nullptr && events != nullptr) events->note(event);
  if (event != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, event);
  return error;
}

}  // namespace

// ---- On the host ----

bool isOfHost(const Device& device, const void* address) {
  return locationOf(address).root == nullptr && (!hasAddresses(device) || !device.knowsAddress(address));
}

// With addresses a driver may take both sides of the host; not one that would take the bytes before the copy's turn.
bool belongsToHost(const Device& device, const backend::Copy& copy) {
  if (locationOf(copy.dst).root != nullptr || locationOf(copy.src).root != nullptr) return false;
  if (!hasAddresses(device)) return true;
  return device.quirks().has(Quirk::kReadsHostEarly) && isOfHost(device, copy.dst) && isOfHost(device, copy.src);
}

// Memory that is not in the window is pinned memory. It is the driver's own only where kernels reach it by its address.
bool belongsToHost(const Device& device, const backend::Fill& fill) { return isOfHost(device, fill.dst); }

void copyOnHost(const backend::Copy& copy) {
  for (uint64_t row = 0; row < copy.height; ++row) {
    const backend::Copy one = rowOf(copy, row);
    memcpy(one.dst, one.src, one.width);
  }
}

void fillOnHost(const backend::Fill& fill) {
  for (uint64_t row = 0; row < fill.height; ++row) {
    char* at = static_cast<char*>(fill.dst) + row * fill.pitch;
    // The width is a multiple of the pattern.
    for (uint64_t i = 0; i < fill.width; i += fill.pattern_size) memcpy(at + i, fill.pattern, fill.pattern_size);
  }
}

// ---- On the device ----

namespace {

// `event` is the caller's, and then `events` get it from there.
Error enqueueCopyAsking(Device& device, cl_command_queue queue, const PlacedCopy& placed, bool blocks, cl_event* event,
                        CommandEvents* events, const char** call) {
  const auto& [copy, dst, src] = placed;
  if (dst.root != nullptr && src.root != nullptr) return rootToRoot(queue, copy, dst, src, events, call);
  if (src.root != nullptr) return toHost(queue, copy, src, event != nullptr ? event : eventOf(events), call);
  if (dst.root != nullptr) return fromHost(queue, copy, dst, blocks, events, call);
  *call = "clEnqueueSVMMemcpy";
  for (uint64_t row = 0; row < copy.height; ++row) {
    const backend::Copy one = rowOf(copy, row);
    // Only the last command blocks or has the caller's event: the queue is in order.
    const bool last = row + 1 == copy.height;  // after the others
    cl_event* asked = last && event != nullptr ? event : eventOf(events);
    const Error error = RT_CL_VIA(device.extensions(), enqueueCopy, queue, last && blocks ? CL_TRUE : CL_FALSE, one.dst,
                                  one.src, one.width, 0, nullptr, asked);
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

}  // namespace

Error enqueueCopy(Device& device, cl_command_queue queue, const PlacedCopy& placed, bool blocks, cl_event* event,
                  CommandEvents* events, const char** call) {
  const Error error = enqueueCopyAsking(device, queue, placed, blocks, event, events, call);
  if (error == CL_SUCCESS && events != nullptr && event != nullptr && *event != nullptr) events->note(*event);
  return error;
}

Error enqueueFill(Device& device, cl_command_queue queue, const PlacedFill& placed, CommandEvents* events, const char** call) {
  for (uint64_t row = 0; row < placed.fill.height; ++row) {
    const Error error = fillRow(device, queue, placed, row, events, call);
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

// A hint, about whole roots: moving one to the host would take its other blocks along.
Error enqueuePrefetch(Device&, cl_command_queue queue, const void* address, uint64_t, bool to_host, CommandEvents* events) {
  const Location location = locationOf(address);
  // No failure: a hint may be left out.
  if (location.root == nullptr || to_host) return CL_SUCCESS;
  return RT_CL_CALL(clEnqueueMigrateMemObjects, queue, 1, &location.root->memory, 0, 0, nullptr, eventOf(events));
}

}  // namespace manyrt::opencl
