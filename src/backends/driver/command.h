// A submission that a held stream keeps until it can be given to the driver. It is a copy of everything that the caller may
// change when the call has returned. The stream owns its commands; nothing else sees them.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "backends/backend.h"
#include "base/task.h"

namespace manyrt::driver {

struct LaunchCommand {
  LaunchCommand(backend::Kernel& given_kernel, const backend::Launch& given)
      : kernel(&given_kernel), launch(given), values(given_kernel.argumentBytes()) {
    arguments.reserve(given_kernel.arguments().size());
    for (size_t i = 0; i < given_kernel.arguments().size(); ++i) {
      const backend::Argument& argument = given_kernel.arguments()[i];
      memcpy(values.data() + argument.offset, given.arguments[i], argument.size);
      arguments.push_back(values.data() + argument.offset);
    }
    launch.arguments = arguments.data();  // stays: a vector that moves keeps its elements where they are
  }
  Ref<backend::Kernel> kernel;
  backend::Launch launch;
  std::vector<unsigned char> values;
  std::vector<const void*> arguments;
};

struct ReplayCommand {
  Ref<backend::Replay> replay;
  Ref<RefCounted> version;  // what the replay was at the launch, where it may be changed meanwhile
  Ref<backend::Point> end;  // passed after the launch
};

struct RecordCommand {
  Ref<backend::Point> point;
};

struct WaitCommand {
  Ref<backend::Point> point;
  backend::Skip skip;
};

struct TaskCommand {
  std::unique_ptr<Task> task;
  backend::TaskKind kind;
};

using Work = std::variant<LaunchCommand, backend::Copy, backend::Fill, backend::PrefetchStep, ReplayCommand, RecordCommand,
                          WaitCommand, TaskCommand>;

struct Command {
  explicit Command(Work what) : work(std::move(what)) {}
  Work work;
  uint64_t serial = 0;
  Command* next = nullptr;
};

// A native function runs where its turn to be submitted comes; everything else of the host waits until the device is there.
inline bool isNativeCall(const Command& command) {
  const auto* call = std::get_if<TaskCommand>(&command.work);
  return call != nullptr && call->kind == backend::TaskKind::kNative;
}

}  // namespace manyrt::driver
