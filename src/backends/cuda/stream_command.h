// A submission that a held stream keeps until what is ahead of it on the host is over.
#pragma once

#include <typeinfo>

#include "backends/cuda/graph_manager.h"
#include "backends/cuda/stream_manager.h"

namespace manyrt::cuda {

struct Stream::Command {
  enum class Kind { kLaunch, kCopy, kFill, kPrefetch, kReplay, kRecord, kWait, kInternal, kNative, kUser };

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
  Ref<backend::Point> point;
  backend::Skip skip = backend::Skip::kOnFailure;  // of a wait
  Task* task = nullptr;
  uint64_t serial = 0;
  Command* next = nullptr;
};

// The point's place in a native stream of CUDA; null: it has none, or none yet.
inline NativeEvent recordedEvent(const backend::Point& point) {
  return typeid(point) == typeid(Point) ? static_cast<const Point&>(point).recordedEvent() : nullptr;
}

}  // namespace manyrt::cuda
