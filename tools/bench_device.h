// The measurements of `manyrt bench`, each on a device that is opened once, and what is to be expected of it.
#pragma once

#include <rt.h>

#include <functional>
#include <string>
#include <vector>

#include "bench.h"

namespace bench {

// The time of a call: the median, or the least for what is expected, of stretches of at least a millisecond, for about `budget`
// seconds.
enum class Of : uint8_t { kMedian, kLeast };
double secondsOf(Of of, double budget, const std::function<void()>& call);

// A device with memory, a stream and, where they can be built, kernels.
class Device {
 public:
  Device(rtDevice_t device, uint64_t bytes);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const rtDeviceProperties_t& properties() const { return properties_; }
  // Why there are no kernels from source, a sentence; empty: there are.
  const std::string& noKernels() const { return no_kernels_; }

  void copy(void* target, const void* source, uint64_t bytes, int32_t kind) const;  // and waits
  void launchNothing() const;
  void launchTriad() const;         // a = b + s * c over the three blocks
  void launchMultiplyAdds() const;  // kMultiplyAdds for each of its items
  void wait() const;
  void* block(size_t number) const { return blocks_[number]; }  // of three, on the device
  void* pinned() const { return pinned_; }                      // as large, on the host
  uint64_t bytes() const { return bytes_; }
  double operations() const;  // of one launchMultiplyAdds

 private:
  void buildKernels();
  void makeHostKernel();
  void release();

  rtDeviceProperties_t properties_ = RT_DEVICE_PROPERTIES_INIT;
  const uint64_t bytes_;
  rtContext_t context_ = nullptr;
  rtStream_t stream_ = nullptr;
  void* blocks_[3] = {};
  void* pinned_ = nullptr;
  rtKernel_t nothing_ = nullptr, triad_ = nullptr, multiply_adds_ = nullptr;
  std::string no_kernels_;
};

// ---- What is to be expected (bench_expected.cpp): 0 where that is not known. ----

struct Expected {
  double value = 0;
  std::string from;
};
// The copy of a processor, measured without the library on as many threads as it has units.
Expected hostCopy(uint32_t threads, uint64_t bytes, double budget);
Expected hostTriad(uint32_t threads, uint64_t bytes, double budget);
Expected hostCall(double budget);  // a function of the library that does nothing
// By the data sheet: vectors of a processor or lanes of a multiprocessor, two operations for each, at the clock.
Expected peakOperations(const rtDeviceProperties_t& properties);
// The link of a device on the PCI bus, one direction. `root`: where sysfs is mounted.
Expected pciLink(const std::string& bus_id, const std::string& root = "/sys");

}  // namespace bench
