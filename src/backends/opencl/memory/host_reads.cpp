// The list of pending reads. Those that are over leave it when it has doubled since the last look, or when one is in the way.
#include "backends/opencl/memory/host_reads.h"

#include <algorithm>
#include <new>

#include "backends/opencl/error.h"
#include "backends/opencl/stream/callbacks.h"

namespace manyrt::opencl {
namespace {

struct Span {
  uintptr_t begin, end;
};

Span spanOf(const void* first, uint64_t pitch, const backend::Copy& copy) {
  const auto begin = reinterpret_cast<uintptr_t>(first);
  return {begin, begin + (copy.height - 1) * pitch + copy.width};
}

}  // namespace

void HostReads::forgetOver() {
  std::erase_if(reads_, [](const Read& read) {
    Error status = CL_SUCCESS;
    if (!isOver(read.event, &status)) return false;
    (void)RT_CL_PLAIN(clReleaseEvent, read.event);
    return true;
  });
  look_at_ = std::max<size_t>(16, 2 * reads_.size());
}

void HostReads::add(const backend::Copy& copy, cl_event event) {
  const Span span = spanOf(copy.dst, copy.dst_pitch, copy);
  add(span.begin, span.end, event);
}

void HostReads::add(uintptr_t begin, uintptr_t end, cl_event event) {
  std::lock_guard lock(mutex_);
  if (event == nullptr) {
    unnoted_ = true;
    return;
  }
  // At twice the size of the last look, so that asking the driver costs each read about the same.
  if (reads_.size() >= look_at_) forgetOver();
  try {
    reads_.push_back({begin, end, event});
  } catch (const std::bad_alloc&) {  // the work is enqueued and cannot be refused any more
    unnoted_ = true;
    return;
  }
  // The list keeps the event for as long as the read may matter.
  (void)RT_CL_PLAIN(clRetainEvent, event);
}

bool HostReads::writeSourceOf(const backend::Copy& copy) {
  const Span span = spanOf(copy.src, copy.src_pitch, copy);
  const auto meets = [&](const Read& read) { return read.begin < span.end && span.begin < read.end; };
  std::lock_guard lock(mutex_);
  if (unnoted_) return true;  // from now on every such copy waits
  if (std::none_of(reads_.begin(), reads_.end(), meets)) return false;
  forgetOver();
  // Asked again after the driver: most reads that meet are over by now.
  return std::any_of(reads_.begin(), reads_.end(), meets);
}

}  // namespace manyrt::opencl
