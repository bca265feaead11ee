// Sharing parts of one region, and releasing them in the order that drivers bear.
#include "backends/opencl/memory/parts.h"

#include <algorithm>
#include <new>

#include "backends/opencl/device.h"
#include "backends/opencl/error.h"

namespace manyrt::opencl {

Status Parts::take(Part** out, Device& device, cl_mem whole, uint64_t offset, uint64_t size) try {
  std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(list_.begin(), list_.end(), [&](const Part& part) { return part.offset == offset && part.size == size; });
  if (known != list_.end()) {
    *out = &*known;
  } else {
    Part& made = list_.emplace_back(Part{nullptr, offset, size, 0, this});
    Error error = CL_SUCCESS;
    // Parts that overlap must not be written at once. bindPart() cuts them so that those of one launch do not.
    const cl_buffer_region region = {offset, size};
    made.memory = RT_CL_MAKE(&error, clCreateSubBuffer, whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
    if (error != CL_SUCCESS) {
      list_.pop_back();
      return device.failed("clCreateSubBuffer", error);
    }
    *out = &made;
  }
  // One part may serve several kernels and several arguments with the same range.
  ++(*out)->users;
  retain();
  return Status();
} catch (const std::bad_alloc&) {  // answered as a driver's refusal would be
  return Status::bare(RT_ERROR_OUT_OF_MEMORY);
}

void Parts::giveBack(Part* part) {
  Parts& parts = *part->parts;
  {
    std::lock_guard lock(parts.mutex_);
    if (--part->users == 0) parts.releaseUnused();
  }
  // After the lock: this may be the last reference, with which the mutex goes.
  parts.drop();
}

// From the newest on: releases a part if no later part that stays overlaps it.
void Parts::releaseUnused() {
  uint64_t begin = UINT64_MAX, end = 0;  // of those that stay
  for (auto next = list_.end(); next != list_.begin();) {
    const auto part = std::prev(next);
    const bool is_covered = part->offset < end && begin < part->offset + part->size;
    if (part->users == 0 && !is_covered) {
      (void)RT_CL_PLAIN(clReleaseMemObject, part->memory);
      next = list_.erase(part);
      continue;
    }
    begin = std::min(begin, part->offset);
    end = std::max(end, part->offset + part->size);
    next = part;
  }
}

}  // namespace manyrt::opencl
