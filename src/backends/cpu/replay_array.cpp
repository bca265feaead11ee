// Laying a graph's nodes out, and running them by one thread or by several.
#include "backends/cpu/replay_array.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "backends/cpu/crash_report.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/launch.h"
#include "backends/cpu/transfer.h"
#include "backends/traced.h"

namespace manyrt::cpu {
namespace {

constexpr int64_t kLook = 20'000;      // of running, between two looks whether other work wants the thread
constexpr int64_t kWorthTask = 400;    // nanoseconds of a task that is worth handing to another thread
constexpr int64_t kWorthRun = 10'000;  // and of the whole launch
constexpr uint32_t kSpins = 4096;      // without a task, before other threads of the machine get a turn

constexpr uint64_t roundUp(uint64_t bytes) { return (bytes + 63) & ~uint64_t{63}; }
uint64_t argumentPointers(const backend::Kernel& kernel) { return roundUp(kernel.arguments().size() * sizeof(void*)); }

HostKernel& kernelOf(const backend::KernelStep& step) { return static_cast<HostKernel&>(*step.kernel); }

uint32_t slotOf(const backend::KernelStep& step, size_t argument) {
  return step.slots == nullptr ? backend::kNoSlot : step.slots[argument];
}

// Without those of arguments that have a slot.
void copyValues(unsigned char* values, const backend::KernelStep& step) {
  const std::vector<backend::Argument>& arguments = step.kernel->arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (slotOf(step, i) != backend::kNoSlot) continue;
    memcpy(values + arguments[i].offset, step.launch.arguments[i], arguments[i].size);
  }
}

}  // namespace

// The node that a thread is at, for the report of a crash.
class ReplayArray::RunningNode : public crash::Running {
 public:
  explicit RunningNode(Node* first) : Running{describe}, node(first) { crash::say(this); }
  ~RunningNode() { crash::say(nullptr); }
  void again() { crash::say(this); }  // after a launch of several groups, which has had a record of its own
  RunningNode(const RunningNode&) = delete;
  RunningNode& operator=(const RunningNode&) = delete;

  Node* node;

 private:
  static bool describe(const Running& running, const crash::Fault& fault, crash::Text& text) {
    const Node& at = *static_cast<const RunningNode&>(running).node;
    if (at.kind != Kind::kGroup) return false;
    describeKernel(*at.kernel, at.group, fault, text);
    text << ", in a graph";
    return true;
  }
};

struct ReplayArray::Parallel {
  ReplayArray& array;
  const Runner& runner;  // of the owner
};

// ---- Making ----

uint64_t ReplayArray::bytesOf(const Work& work) {
  const auto* step = std::get_if<backend::KernelStep>(&work);
  if (step == nullptr) return 0;
  const backend::Kernel& kernel = *step->kernel;
  return argumentPointers(kernel) + roundUp(kernel.argumentBytes()) + roundUp(kernel.arguments().size() * sizeof(uint32_t));
}

Status ReplayArray::check(const Work& work) {
  const auto* step = std::get_if<backend::KernelStep>(&work);
  if (step == nullptr || !kernelOf(*step).hasLocals()) return Status();
  std::vector<unsigned char> values(step->kernel->argumentBytes());
  copyValues(values.data(), *step);
  uint64_t bytes;
  if (kernelOf(*step).localBytes(values.data(), step->launch.local_bytes, &bytes)) return Status();
  return Status::error(RT_ERROR_INVALID_VALUE, "The kernel \"%s\" asks for more than %llu bytes of local memory.",
                       step->kernel->name(), static_cast<unsigned long long>(kMaxLocalBytes));
}

Status ReplayArray::create(Ref<ReplayArray>* out, std::shared_ptr<const ReplayLayout> layout, std::span<const Work> works) {
  Ref<ReplayArray> array = Ref<ReplayArray>::adopt(new ReplayArray(std::move(layout)));
  const ReplayLayout& plan = *array->layout_;
  uint64_t bytes = roundUp(works.size() * sizeof(Node)) + plan.slot_bytes + 64;
  for (const Work& work : works) {
    RT_TRY(check(work));
    bytes += bytesOf(work);
  }
  array->memory_.reset(new unsigned char[bytes]);
  // One block for nodes and values, in the order in which they are run: the walk reads memory forwards.
  auto* at = reinterpret_cast<unsigned char*>(roundUp(reinterpret_cast<uintptr_t>(array->memory_.get())));
  array->nodes_ = reinterpret_cast<Node*>(at);
  at += roundUp(works.size() * sizeof(Node));
  array->slots_ = at;
  at += plan.slot_bytes;
  for (uint32_t step : plan.order) {
    array->place(*new (&array->nodes_[array->count_++]) Node, works[step], at);
    at += bytesOf(works[step]);
  }
  // Relaxed: the array is published by the submission of its first launch.
  const size_t tasks = plan.tasks.size();
  array->waits_.reset(new std::atomic<uint32_t>[tasks]);
  array->ready_.reset(new std::atomic<uint32_t>[tasks]);
  array->left_.reset(new uint8_t[plan.threads]);
  for (size_t i = 0; i < tasks; ++i) {
    array->waits_[i].store(plan.tasks[i].waits, std::memory_order_relaxed);
    array->ready_[i].store(0, std::memory_order_relaxed);
  }
  *out = std::move(array);
  return Status();
}

ReplayArray::~ReplayArray() {
  for (uint32_t i = 0; i < count_; ++i) {
    if (nodes_[i].kernel != nullptr) nodes_[i].kernel->drop();
  }
}

unsigned char* ReplayArray::valuesOf(const Node& node) {
  return reinterpret_cast<unsigned char*>(node.args) + argumentPointers(*node.kernel);
}

uint32_t* ReplayArray::slotsOf(const Node& node) {
  return reinterpret_cast<uint32_t*>(valuesOf(node) + roundUp(node.kernel->argumentBytes()));
}

// The kernel of the node is taken, not one that it had.
void ReplayArray::place(Node& node, const Work& work, unsigned char* memory) {
  node.kind = Kind::kNothing;
  node.local_bytes = 0;
  node.kernel = nullptr;
  node.args = nullptr;
  if (const auto* copy = std::get_if<backend::Copy>(&work)) {
    node.kind = Kind::kCopy;
    node.copy = *copy;
  } else if (const auto* fill = std::get_if<backend::Fill>(&work)) {
    node.kind = Kind::kFill;
    node.fill = *fill;
  } else if (const auto* step = std::get_if<backend::KernelStep>(&work)) {
    const backend::Launch& launch = step->launch;
    node.kernel = &kernelOf(*step);
    node.kernel->retain();
    node.args = reinterpret_cast<void**>(memory);
    node.local_bytes = launch.local_bytes;
    node.group = {};
    memcpy(node.group.group_count, launch.grid, sizeof launch.grid);
    memcpy(node.group.group_size, launch.group, sizeof launch.group);
    node.group.item[0] = compiler::kNoItem;
    for (int d = 0; d < 3; ++d) node.group.global_offset[d] = static_cast<uint32_t>(launch.offset[d]);
    const bool alone = uint64_t{launch.grid[0]} * launch.grid[1] == 1 && launch.grid[2] == 1;
    node.kind =
        // A single group without local memory is called in place, without the way through a launch.
        alone && !node.kernel->needsArena(node.kernel->firstCode()) && launch.local_bytes == 0 ? Kind::kGroup : Kind::kLaunch;
    copyValues(valuesOf(node), *step);
    node.kernel->point(valuesOf(node), node.args);
    for (size_t i = 0; i < node.kernel->arguments().size(); ++i) {
      const uint32_t slot = slotsOf(node)[i] = slotOf(*step, i);
      if (slot != backend::kNoSlot) node.args[i] = slots_ + layout_->slots[slot].offset;
    }
  }
}

bool ReplayArray::change(uint32_t step, const Work& work) {
  Node& node = nodes_[layout_->place[step]];
  const auto* launch = std::get_if<backend::KernelStep>(&work);
  HostKernel* const kernel = node.kernel;
  // Another kernel has other arguments, which may not fit in the node's place.
  if (launch != nullptr && &kernelOf(*launch) != kernel) return false;
  // Takes the kernel again before the old reference goes, since both may be the same and the last.
  place(node, work, reinterpret_cast<unsigned char*>(node.args));
  if (kernel != nullptr) kernel->drop();
  return true;
}

// Relaxed: the numbers only have to differ. The submission of a launch publishes the values that have them.
uint64_t SlotValues::nextVersion() {
  static constinit std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void ReplayArray::takeOver(const SlotValues& values) {
  memcpy(slots_, values.memory(), layout_->slot_bytes);
  values_version_ = values.version();
}

std::vector<ReplayArray::Work> ReplayArray::works() const {
  std::vector<Work> works;
  works.reserve(count_);
  for (uint32_t place : layout_->place) works.push_back(workOf(nodes_[place]));
  return works;
}

ReplayArray::Work ReplayArray::workOf(const Node& node) const {
  switch (node.kind) {
    case Kind::kNothing:
      return std::monostate();
    case Kind::kCopy:
      return node.copy;
    case Kind::kFill:
      return node.fill;
    case Kind::kGroup:
    case Kind::kLaunch:
      break;
  }
  backend::KernelStep launch{node.kernel, {}, slotsOf(node)};
  memcpy(launch.launch.grid, node.group.group_count, sizeof launch.launch.grid);
  memcpy(launch.launch.group, node.group.group_size, sizeof launch.launch.group);
  std::copy_n(node.group.global_offset, 3, launch.launch.offset);
  launch.launch.local_bytes = node.local_bytes;
  launch.launch.arguments = node.args;
  return launch;
}

// ---- Running ----

bool ReplayArray::advance(Engine& engine, StatusLatch& latch, bool foreign, const Told* told) {
  const Runner runner{engine, latch, foreign, told, 0};
  const int64_t began = nowNanoseconds();
  if (told != nullptr && position_ == 0) [[unlikely]]
    told_since_ = began;
  const bool spread_now = spread_ && position_ == 0 && !latch.failed();
  if (spread_now) {
    spread(runner);
  } else if (!walk(runner)) {
    spent_ += nowNanoseconds() - began;
    return false;
  }
  spent_ += nowNanoseconds() - began;
  if (told_since_ != 0) [[unlikely]] {
    const int64_t end = nowNanoseconds();
    if (told != nullptr && !latch.failed())
      trace::work(told->track, told->serial, backend::describe(trace::Kind::kGraph), told_since_, end);
    trace::ranHere(end - began);
    told_since_ = 0;
  }
  if (!latch.failed()) judge(spread_now ? spent_ * engine.threads() : spent_, engine.threads());
  position_ = 0;
  spent_ = 0;
  return true;
}

// `work`: nanoseconds of all threads; of a launch that was spread, at most.
void ReplayArray::judge(int64_t work, uint32_t threads) {
  stride_ = static_cast<uint32_t>(std::clamp<int64_t>(kLook * count_ / (work + 1), 1, count_ + 1));
  const auto tasks = static_cast<int64_t>(layout_->tasks.size());
  work_ = work;
  spread_ = threads > 1 && layout_->forks && work > kWorthRun && work / tasks > kWorthTask;
}

bool ReplayArray::walk(const Runner& runner) {
  const uint32_t left = count_ - position_;
  const uint32_t end = position_ + (runner.foreign ? left : std::min(left, stride_));
  runNodes(position_, end, runner);
  position_ = runner.latch.failed() ? count_ : end;
  return position_ == count_;
}

[[gnu::hot]] void ReplayArray::runNodes(uint32_t begin, uint32_t end, const Runner& runner) {
  if (runner.told != nullptr) [[unlikely]]
    return runNodesTold(begin, end, runner);
  RunningNode running(nodes_ + begin);
  Node*& node = running.node;
  StatusLatch& latch = runner.latch;
  const auto runUpTo = [&](Node* last) {
    for (; node != last; ++node) {
      if (latch.failed()) [[unlikely]]
        return false;
      if (node->kind == Kind::kGroup) [[likely]] {
        const compiler::KernelCode& code = node->kernel->code();
        if (!code.hasMemory()) [[likely]] {
          code.function(&node->group, node->args);
          continue;
        }
      }
      runOther(*node, runner.engine, latch, runner.foreign);
      running.again();
    }
    return true;
  };
  // The time of one node, another one in each run, stands for those of all. A look at each would cost a node a third of its
  // time. Relaxed: threads that take the same node do no harm.
  const uint32_t turn = sampled_.load(std::memory_order_relaxed), count = end - begin;
  sampled_.store(turn + 1, std::memory_order_relaxed);
  Node* const sampled = nodes_ + begin + (count != 0 ? turn % count : 0);
  try {
    if (!runUpTo(sampled)) return;
    if (count != 0 && node->kind == Kind::kGroup) {
      const QuickTime time(*node->kernel, node->group.group_size, count);
      if (!runUpTo(node + 1)) return;
    }
    runUpTo(nodes_ + end);
  } catch (...) {  // of the program's kernel, on a thread of the library
    latch.set(kernelThrew(*node->kernel));
  }
}

// One by one, each with its times unless the profile only counts it.
void ReplayArray::runNodesTold(uint32_t begin, uint32_t end, const Runner& runner) {
  const Runner untold{runner.engine, runner.latch, runner.foreign, nullptr, runner.lane};
  trace::LaunchCounter counter;
  for (uint32_t i = begin; i < end && !runner.latch.failed(); ++i) {
    if (nodes_[i].kind == Kind::kNothing) continue;
    const bool is_kernel = nodes_[i].kind == Kind::kGroup || nodes_[i].kind == Kind::kLaunch;
    if (is_kernel && trace::counts(counter, *nodes_[i].kernel)) {
      runNodes(i, i + 1, untold);
      continue;
    }
    const int64_t began = nowNanoseconds();
    runNodes(i, i + 1, untold);
    trace::Work work = describe(nodes_[i]);
    work.in_graph = true;
    work.lane = runner.lane;
    trace::work(runner.told->track, runner.told->serial, work, began, nowNanoseconds());
  }
}

trace::Work ReplayArray::describe(const Node& node) const {
  if (node.kind == Kind::kCopy) return backend::describe(node.copy);
  if (node.kind == Kind::kFill) return backend::describe(node.fill);
  backend::Launch launch{};
  std::copy_n(node.group.group_count, 3, launch.grid);
  std::copy_n(node.group.group_size, 3, launch.group);
  return backend::describe(*node.kernel, launch);
}

void ReplayArray::runOther(Node& node, Engine& engine, StatusLatch& latch, bool foreign) {
  switch (node.kind) {
    case Kind::kGroup:  // better code needs memory
    case Kind::kLaunch:
      return runLaunch(engine, latch,
                       {node.kernel, node.group.group_count, node.group.group_size, node.group.global_offset, node.local_bytes,
                        false, valuesOf(node), node.args},
                       foreign);
    case Kind::kCopy:
      return copyRows(engine, node.copy, foreign);
    case Kind::kFill:
      return fillRows(engine, node.fill, foreign);
    case Kind::kNothing:
      return;
  }
}

// ---- Running by several threads ----

void ReplayArray::spread(const Runner& runner) {
  Engine& engine = runner.engine;
  for (uint32_t i = 0; i < layout_->tasks.size(); ++i) {
    if (layout_->tasks[i].waits == 0) push(i);
  }
  std::fill_n(left_.get(), engine.threads(), uint8_t{0});
  Parallel parallel{*this, runner};
  const auto body = [](void* user, uint64_t, uint64_t, uint32_t participant) {
    auto& mine = *static_cast<Parallel*>(user);
    mine.array.takePart(mine, participant);
  };
  engine.share(body, &parallel, engine.threads(), {1, 1}, work_, runner.foreign);
  // share() has returned, so no thread is inside any more. Relaxed order is enough. The state of the stream, or the point
  // between two launches, publishes these stores to the next executor. The gate of its job publishes them to its helpers.
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
  finished_.store(0, std::memory_order_relaxed);
}

// The owner stays to the end; another one goes when there is nothing to do and a stream waits for a thread.
void ReplayArray::takePart(Parallel& parallel, uint32_t participant) {
  const auto all = static_cast<uint32_t>(layout_->tasks.size());
  const bool owner = participant == 0;
  Engine& engine = parallel.runner.engine;
  const Runner runner{engine, parallel.runner.latch, owner && parallel.runner.foreign, parallel.runner.told,
                      static_cast<uint16_t>(participant)};
  uint32_t task = all;
  if (left_[participant] != 0) return;
  for (uint32_t spins = 0;; ++spins) {
    if (task == all && !pop(&task)) {
      // Acquire: the increments of finished_ form one release sequence, so all nodes have run before this thread returns. A
      // thread leaves only without a task, so that none is lost.
      if (finished_.load(std::memory_order_acquire) == all) return;
      // Marked in left_, so that this worker is not sent back into the same launch.
      if (!owner && (engine.urgentWaits() || engine.interrupted())) break;
      if (spins < kSpins) {
        relaxCpu();
      } else {
        sched_yield();
      }
      continue;
    }
    spins = 0;
    const ReplayLayout::Task& current = layout_->tasks[task];
    runNodes(current.first, current.end, runner);
    task = finishTask(task);
  }
  left_[participant] = 1;
}

// A successor that has become ready and that this thread goes on with, or the number of tasks.
uint32_t ReplayArray::finishTask(uint32_t task) {
  const ReplayLayout::Task& done = layout_->tasks[task];
  auto next = static_cast<uint32_t>(layout_->tasks.size());
  for (uint32_t i = done.first_successor; i < done.end_successor; ++i) {
    const uint32_t successor = layout_->successors[i];
    // Release publishes this task's writes; acquire lets the last predecessor see those of all others. It alone resets the
    // counter. Relaxed, since no thread reads it again in this launch, and the end of the job publishes it to the next one.
    if (waits_[successor].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    waits_[successor].store(layout_->tasks[successor].waits, std::memory_order_relaxed);
    if (next == layout_->tasks.size()) {
      next = successor;
    } else {
      push(successor);
    }
  }
  // After push(): a thread that sees all tasks finished leaves nothing in the list. Pairs with the acquire in takePart().
  finished_.fetch_add(1, std::memory_order_acq_rel);
  return next;
}

void ReplayArray::push(uint32_t task) {
  // Each task is pushed once in a launch, so the list has room and never wraps. tail_ only deals out places: relaxed. The
  // release store publishes the place, and with it the writes of all predecessors, to pop().
  ready_[tail_.fetch_add(1, std::memory_order_relaxed)].store(task + 1, std::memory_order_release);
}

bool ReplayArray::pop(uint32_t* task) {
  const auto all = static_cast<uint32_t>(layout_->tasks.size());
  // head_ only deals out places; what a task has to see comes with its entry of ready_.
  uint32_t head = head_.load(std::memory_order_acquire);
  while (head < all) {
    // Zero: not pushed yet, or taken and reset by another thread since head was read. Either way the caller looks again. A
    // stale `found` is harmless: head_ only rises during a launch, so the exchange fails. The reset is for the next launch:
    // relaxed.
    const uint32_t found = ready_[head].load(std::memory_order_acquire);
    if (found == 0) return false;
    if (!head_.compare_exchange_weak(head, head + 1, std::memory_order_acq_rel)) continue;
    ready_[head].store(0, std::memory_order_relaxed);
    *task = found - 1;
    return true;
  }
  return false;
}

}  // namespace manyrt::cpu
