// Choosing, making and launching the graphs of one kernel, and the measurement that decides whether they are used.
#include "backends/cuda/launch_graphs.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "backends/cuda/error.h"
#include "backends/cuda/kernel.h"
#include "backends/cuda/table.h"
#include "base/config.h"
#include "base/log.h"

namespace manyrt::cuda {

LaunchSpeed::LaunchSpeed() : state_(kMeasuring) {
  const char* value = config::get(config::Variable::kCudaLaunch);
  if (value == nullptr) return;
  if (strcmp(value, "graph") == 0) {
    state_.store(kOn, std::memory_order_relaxed);
    plain_at_first_ = 1;
  } else if (strcmp(value, "plain") == 0) {
    state_.store(kOff, std::memory_order_relaxed);
  } else {
    log::write(RT_LOG_WARNING, "RT_CUDA_LAUNCH=%s is not used: the values are graph and plain.", value);
  }
}

void LaunchSpeed::note(Samples& samples, uint64_t nanoseconds) {
  uint64_t least = samples.least.load(std::memory_order_relaxed);
  while (nanoseconds < least && !samples.least.compare_exchange_weak(least, nanoseconds, std::memory_order_relaxed)) {
  }
  // After the least: a thread that counts enough samples sees what they were.
  samples.count.fetch_add(1, std::memory_order_relaxed);
  if (plain_.count.load(std::memory_order_relaxed) < kSamples || graph_.count.load(std::memory_order_relaxed) < kSamples)
    return;
  // The least time of each way: other figures have waits for a full queue in them. Graphs have to win by a tenth.
  const bool pays = graph_.least.load(std::memory_order_relaxed) * 10 < plain_.least.load(std::memory_order_relaxed) * 9;
  // One thread decides, and tells it. Later samples change nothing.
  uint32_t measuring = kMeasuring;
  if (!state_.compare_exchange_strong(measuring, pays ? kOn : kOff, std::memory_order_relaxed)) return;
  log::write(RT_LOG_DEBUG, "Kernels that are launched again go %s: a launch took %llu ns by a graph and %llu ns without one.",
             pays ? "through graphs" : "the plain way", static_cast<unsigned long long>(graph_.least),
             static_cast<unsigned long long>(plain_.least));
}

namespace {

// The arguments as a node has them: sizes of local memory are offsets of four bytes by now.
uint32_t bytesOf(const backend::Argument& argument) { return argument.kind == RT_ARG_LOCAL ? 4 : argument.size; }

}  // namespace

LaunchGraphs::Launched LaunchGraphs::launch(const Kernel& kernel, const backend::Launch& launch, uint32_t dynamic_bytes,
                                            void** parameters, NativeStream stream, uint32_t plain_at_first) {
  Entry* found = nullptr;
  for (Entry& entry : entries_) {
    if (entry.kernel == kernel.number() && entry.dynamic_bytes == dynamic_bytes &&
        memcmp(entry.grid, launch.grid, sizeof entry.grid) == 0 && memcmp(entry.group, launch.group, sizeof entry.group) == 0 &&
        memcmp(entry.offset, launch.offset, sizeof entry.offset) == 0) {
      found = &entry;
      break;
    }
  }
  if (found == nullptr) {
    try {
      // For all entries at once: later launches allocate nothing.
      entries_.reserve(kEntries);
    } catch (const std::bad_alloc&) {  // a launch needs no graph
      return Launched::kNo;
    }
    if (entries_.size() < kEntries) {
      found = &entries_.emplace_back();
    } else {
      // The one that was used longest ago. A program that launches more kernels in turn than there are entries goes the plain
      // way.
      found = &*std::min_element(entries_.begin(), entries_.end(),
                                 [](const Entry& one, const Entry& other) { return one.used < other.used; });
      end(*found);
      *found = Entry();
    }
    found->kernel = kernel.number();
    // Compared and never followed: forget() takes the entry out before the module goes.
    found->module = &kernel.module();
    memcpy(found->grid, launch.grid, sizeof found->grid);
    memcpy(found->group, launch.group, sizeof found->group);
    memcpy(found->offset, launch.offset, sizeof found->offset);
    found->dynamic_bytes = dynamic_bytes;
  }
  found->used = ++turn_;
  // Refused once: the driver would refuse again, at the same cost.
  if (found->refused || ++found->launches <= plain_at_first) return Launched::kNo;
  const bool fresh = found->exec == nullptr;
  if (fresh ? !make(*found, kernel, parameters) : !setArguments(*found, kernel, parameters)) {
    end(*found);
    found->refused = true;
    log::write(RT_LOG_DEBUG, "The kernel \"%s\" is launched the plain way: the driver made no graph of it.", kernel.name());
    return Launched::kNo;
  }
  // A failure is told by the plain launch that follows.
  if (table().cuGraphLaunch(found->exec, stream) != kSuccess) return Launched::kNo;
  return fresh ? Launched::kMade : Launched::kYes;
}

KernelNodeParameters LaunchGraphs::nodeOf(const Entry& entry, const Kernel& kernel, void** parameters) {
  KernelNodeParameters native{};
  native.function = kernel.function();
  memcpy(native.grid, entry.grid, sizeof native.grid);
  memcpy(native.block, entry.group, sizeof native.block);
  native.shared_bytes = entry.dynamic_bytes;
  // The driver copies the values during the call.
  native.parameters = parameters;
  return native;
}

bool LaunchGraphs::make(Entry& entry, const Kernel& kernel, void** parameters) {
  const KernelNodeParameters native = nodeOf(entry, kernel, parameters);
  try {
    size_t bytes = 0;
    for (const backend::Argument& argument : kernel.arguments()) bytes += bytesOf(argument);
    // Before the graph is made, so that nothing has to be undone.
    entry.values.resize(bytes);
  } catch (const std::bad_alloc&) {  // a launch needs no graph
    return false;
  }
  unsigned char* value = entry.values.data();
  for (size_t i = 0; i < kernel.arguments().size(); ++i) {
    const uint32_t bytes = bytesOf(kernel.arguments()[i]);
    memcpy(value, parameters[i], bytes);
    value += bytes;
  }
  return table().cuGraphCreate(&entry.graph, 0) == kSuccess &&
         table().cuGraphAddKernelNode(&entry.node, entry.graph, nullptr, 0, &native) == kSuccess &&
         table().cuGraphInstantiateWithFlags(&entry.exec, entry.graph, 0) == kSuccess;
}

// Launches in flight have the arguments of their time.
bool LaunchGraphs::setArguments(Entry& entry, const Kernel& kernel, void** parameters) {
  bool changed = false;
  unsigned char* value = entry.values.data();
  for (size_t i = 0; i < kernel.arguments().size(); ++i) {
    const uint32_t bytes = bytesOf(kernel.arguments()[i]);
    // Setting parameters is a call of the driver, so the values of the last launch are kept and compared.
    if (memcmp(value, parameters[i], bytes) != 0) {
      memcpy(value, parameters[i], bytes);
      changed = true;
    }
    value += bytes;
  }
  // The values are noted before the driver has them. If it refuses, the entry ends, and its values with it.
  if (!changed) return true;
  const KernelNodeParameters native = nodeOf(entry, kernel, parameters);
  return table().cuGraphExecKernelNodeSetParams(entry.exec, entry.node, &native) == kSuccess;
}

void LaunchGraphs::end(Entry& entry) {  // launches in flight keep what they need
  if (entry.exec != nullptr) (void)table().cuGraphExecDestroy(entry.exec);
  if (entry.graph != nullptr) (void)table().cuGraphDestroy(entry.graph);
  entry.exec = nullptr;
  entry.graph = nullptr;
}

void LaunchGraphs::clear() {
  for (Entry& entry : entries_) end(entry);
  entries_.clear();
}

void LaunchGraphs::forget(const NativeModuleOwner& module) {
  for (size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].module != &module) continue;
    end(entries_[i]);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace manyrt::cuda
