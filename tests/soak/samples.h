// Samples of what a process holds, taken again and again, and whether it grows.
#pragma once

#include <rt.h>

#include <cstdint>
#include <string>
#include <vector>

namespace soak {

struct Sample {
  double seconds = 0;
  double iterations = 0;
  double resident_bytes = 0, heap_bytes = 0, descriptors = 0, threads = 0, pool_bytes = 0, device_bytes = 0, handles = 0;
};

// A sample of this process. The pool of the context has bytes of its own; those of the device are without them, and 0 for the
// CPU, whose memory is that of the process.
Sample sampleNow(rtContext_t context, double seconds, double iterations);

// A figure, and by how much it may grow from the first sample to the last: what allocators and drivers go up and down by.
struct Figure {
  const char* name;
  double Sample::*value;
  double noise;
};
std::vector<Figure> figures(rtDevice_t device);

struct Slope {
  double per_second = 0;  // least squares
  double growth = 0;      // that over the time of the samples
};
Slope slopeOf(const std::vector<Sample>& samples, double Sample::*value);

}  // namespace soak
