// What a held stream keeps of a submission until it can be enqueued.
#pragma once

#include <vector>

#include "backends/opencl/replay_manager.h"
#include "backends/opencl/stream_manager.h"

namespace manyrt::opencl {

struct Stream::Command {
  enum class Kind { kLaunch, kCopy, kFill, kPrefetch, kReplay, kRecord, kWait, kHostCopy, kHostFill, kTask, kNative };

  explicit Command(Kind what) : kind(what) {}
  ~Command() { delete task; }

  const Kind kind;
  backend::Copy copy{};
  backend::Fill fill{};
  const void* address = nullptr;  // of a prefetch
  uint64_t size = 0;
  bool to_host = false;
  Ref<backend::Kernel> kernel;
  backend::Launch launch{};
  std::vector<unsigned char> values;
  std::vector<const void*> arguments;
  Ref<Replay> replay;
  Ref<Replay::List> replayed;
  Ref<backend::Point> point;
  backend::Skip skip = backend::Skip::kOnFailure;  // of a wait
  Task* task = nullptr;                            // owned
  uint64_t serial = 0;
  Command* next = nullptr;
};

}  // namespace manyrt::opencl
