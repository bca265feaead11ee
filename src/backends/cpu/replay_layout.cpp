// Finding chains, putting them together, and the edges between the tasks that result.
#include "backends/cpu/replay_layout.h"

#include <algorithm>
#include <map>
#include <utility>

namespace manyrt::cpu {
namespace {

constexpr size_t kMaxChains = 32;      // of a task
constexpr size_t kTasksPerThread = 8;  // at least, of chains that could all run at the same time

using Steps = std::vector<uint32_t>;

std::vector<Steps> chainsOf(std::span<const backend::ReplayStep> steps, const std::vector<Steps>& after) {
  std::vector<Steps> chains;
  Steps chain(steps.size());
  for (uint32_t i = 0; i < steps.size(); ++i) {
    // One predecessor that has one successor: nothing can run between the two, so one thread may run both without counting.
    const bool follows = steps[i].before.size() == 1 && after[steps[i].before[0]].size() == 1;
    if (!follows) chains.emplace_back();
    chain[i] = follows ? chain[steps[i].before[0]] : static_cast<uint32_t>(chains.size()) - 1;
    chains[chain[i]].push_back(i);
  }
  return chains;
}

// Chains with the same neighbours run one after another in tasks, of which there remain enough for all threads.
std::vector<Steps> tasksOf(std::span<const backend::ReplayStep> steps, const std::vector<Steps>& after, uint32_t threads) {
  const std::vector<Steps> chains = chainsOf(steps, after);
  // A task waits for all that its chains wait for. Only chains with the same neighbours can share one without waiting for more.
  std::map<std::pair<Steps, Steps>, std::vector<const Steps*>> alike;
  for (const Steps& chain : chains) {
    const std::span<const uint32_t> before = steps[chain.front()].before;
    alike[{Steps(before.begin(), before.end()), after[chain.back()]}].push_back(&chain);
  }
  std::vector<Steps> tasks;
  for (const auto& [neighbours, group] : alike) {
    const size_t together = std::clamp<size_t>(group.size() / (kTasksPerThread * threads), 1, kMaxChains);
    // Where there are several tasks, each thread can have as many as any other, of the same length but for one chain.
    size_t parts = (group.size() + together - 1) / together;
    if (together > 1) parts = (parts + threads - 1) / threads * threads;
    for (size_t i = 0; i < group.size(); ++i) {
      if (i == 0 || i * parts / group.size() != (i - 1) * parts / group.size()) tasks.emplace_back();
      tasks.back().insert(tasks.back().end(), group[i]->begin(), group[i]->end());
    }
  }
  // Whatever a task waits for begins earlier in the plan than the task's first chain.
  std::sort(tasks.begin(), tasks.end(), [](const Steps& a, const Steps& b) { return a.front() < b.front(); });
  return tasks;
}

}  // namespace

ReplayLayout::ReplayLayout(std::span<const backend::ReplayStep> steps, uint32_t most_threads,
                           std::span<const backend::Slot> given)
    : place(steps.size()), threads(most_threads) {
  constexpr uint32_t kAlignment = 16, kLine = 64;  // of every value of a kernel; of what follows the slots
  for (const backend::Slot& slot : given) {
    slots.push_back({slot_bytes, slot.size});
    slot_bytes += (slot.size + kAlignment - 1) / kAlignment * kAlignment;
  }
  slot_bytes = (slot_bytes + kLine - 1) / kLine * kLine;
  std::vector<Steps> after(steps.size());
  for (uint32_t i = 0; i < steps.size(); ++i) {
    for (uint32_t earlier : steps[i].before) after[earlier].push_back(i);
  }
  std::vector<uint32_t> task_of(steps.size());
  for (const Steps& members : tasksOf(steps, after, threads)) {
    const auto first = static_cast<uint32_t>(order.size());
    for (uint32_t step : members) {
      task_of[step] = static_cast<uint32_t>(tasks.size());
      place[step] = static_cast<uint32_t>(order.size());
      order.push_back(step);
    }
    tasks.push_back({first, static_cast<uint32_t>(order.size()), 0, 0, 0});
  }
  uint32_t roots = 0;
  for (uint32_t i = 0; i < tasks.size(); ++i) {
    Task& task = tasks[i];
    Steps next;
    for (uint32_t node = task.first; node < task.end; ++node) {
      for (uint32_t later : after[order[node]]) {
        if (task_of[later] != i) next.push_back(task_of[later]);
      }
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    task.first_successor = static_cast<uint32_t>(successors.size());
    successors.insert(successors.end(), next.begin(), next.end());
    task.end_successor = static_cast<uint32_t>(successors.size());
    // Each pair of tasks counts once, whatever number of edges there is between them.
    for (uint32_t later : next) ++tasks[later].waits;
    forks |= next.size() > 1;
  }
  for (const Task& task : tasks) roots += task.waits == 0 ? 1 : 0;
  forks |= roots > 1;
}

}  // namespace manyrt::cpu
