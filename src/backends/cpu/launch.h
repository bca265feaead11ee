// One launch of a kernel on an engine: by the calling thread while it is short, shared with the team where it is long. Streams
// call this for their commands, replays for their nodes.
#pragma once

#include "backends/cpu/kernel.h"

namespace manyrt::cpu {

// Everything is borrowed for the call.
struct HostLaunch {
  HostKernel* kernel;
  const uint32_t* grid;
  const uint32_t* group;
  const uint32_t* offset;
  uint32_t local_bytes;
  bool cooperative;  // the caller has the right to it
  const unsigned char* values;
  void** args;
};

// `foreign`: the caller is not a worker of the engine. Failures latch.
void runLaunch(Engine& engine, StatusLatch& latch, const HostLaunch& launch, bool foreign);

}  // namespace manyrt::cpu
