// Where drivers differ from the standard, or do less than this backend needs, in one table: which driver, what, and where it
// is written down. The rest of the backend asks for a quirk by its name, never for a driver by its name.
#pragma once

#include <cstdint>
#include <string>

#include "backends/opencl/declarations.h"

namespace manyrt::opencl {

enum class Quirk : uint32_t {
  kOneThread,           // two threads in the driver crash it: calls take turns
  kNoCallbacks,         // clSetEventCallback may never call, or late: the library looks itself
  kStartsWithoutFlush,  // what is enqueued starts without a flush
  kFillsNeedEvents,     // clEnqueueFillBuffer is out of order unless it is asked for an event
  kWrongSizes,          // get_local_size(3) is 0 and not 1
  kTimesAreTicks,       // profiling times are ticks of 125/3 ns
  kReadsHostEarly,      // a copy from the host takes its bytes when it is enqueued, whatever is ahead of it
  kNullStays,           // an argument that was an SVM address cannot become null: a fresh cl_kernel can have it null
  kNoEmptyArgInfo,      // -cl-kernel-arg-info does not compile with a kernel that has no arguments
  kOptimizedCalls,      // -cl-opt-disable does not compile with a kernel that calls another
  kDimensionsCost,      // a launch takes the longer the more dimensions it is said to have
  kCountsIn32Bits,      // work-groups of a launch are numbered in 32 bits, and begin again after the last number
  kCountsByWidth,       // a launch that is wider than those before ends the process while two others of the kernel run
};

struct DeviceNames {
  std::string platform, platform_version, device, vendor, driver;
};

class Quirks {
 public:
  static Quirks of(const DeviceNames& names);
  bool has(Quirk quirk) const { return (bits_ >> static_cast<uint32_t>(quirk) & 1) != 0; }
  const std::string& text() const { return text_; }  // their names, for the log

 private:
  uint32_t bits_ = 0;
  std::string text_;
};

}  // namespace manyrt::opencl
