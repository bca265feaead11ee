// Running the items of a work-group in turn. The fibers that have not ended form a circle, and each switches to the next one
// itself: a barrier costs every item one switch.
#include "backends/cpu/fiber.h"

#include <exception>
#include <new>
#include <utility>

#include "backends/cpu/fiber_stack.h"
#include "backends/cpu/fiber_switch.h"

namespace manyrt::cpu::fibers {
namespace {

struct Group {
  void (*item)(void* user, uint32_t index);
  void* user;
  Fiber* running;
  Continuation home;  // the flow that called run()
  std::exception_ptr failure;
  bool abandoned = false;
};

// Fibers stay on their thread, so what is read here before a switch is right behind it.
thread_local Group* current __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local Stacks* thread_stacks __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local bool thread_ending = false;

// A run later still, from a destructor of the thread's own, makes stacks for itself alone.
struct Release {
  bool used = false;
  ~Release() {
    thread_ending = true;
    delete std::exchange(thread_stacks, nullptr);
  }
};
thread_local Release release_at_exit;

Stacks& stacksOfThread() {
  if (thread_stacks == nullptr) {
    thread_stacks = new Stacks;
    if (!thread_ending) release_at_exit.used = true;
  }
  return *thread_stacks;
}

void giveBack(uint32_t count) {
  Stacks* stacks = thread_stacks;
  stacks->give(count, thread_ending ? 0 : kMaxKept);
  if (thread_ending && stacks->kept() == 0) delete std::exchange(thread_stacks, nullptr);
}

#if defined(MANYRT_FIBERS_ASAN) || defined(MANYRT_FIBERS_TSAN)

constexpr bool kWatched = true;

// The sanitizers keep something for each frame of the items that wait and are never continued. Each is entered once more, to
// leave for good from inside wait().
void forget(Group& group, Stacks& stacks, uint32_t first, uint32_t count) {
  group.abandoned = true;
  for (uint32_t i = first; i < first + count; ++i) {
    Fiber& fiber = stacks[i];
    if (!fiber.started || fiber.next == nullptr) continue;
    group.running = &fiber;
    switchTo(group.home, fiber);
    destroyFor(fiber, fiber.stack, kStackBytes);
    createFor(fiber);
  }
}

#else

constexpr bool kWatched = false;
void forget(Group&, Stacks&, uint32_t, uint32_t) {}

#endif

// The item's frames are gone, and the exception is caught and kept, before the fiber is left.
void callItem(Group& group, uint32_t index) {
  try {
    group.item(group.user, index);
  } catch (...) {
    group.failure = std::current_exception();
  }
}

void run(void (*item)(void* user, uint32_t index), void* user, uint32_t count) {
  if (count == 0) return;
  Stacks& stacks = stacksOfThread();
  const uint32_t first = stacks.take(count);
  Group group{item, user, &stacks[first], {}, nullptr};
  beHere(group.home);
  Fiber* before = &stacks[first + count - 1];
  for (uint32_t i = 0; i < count; ++i) {
    Fiber* fiber = &stacks[first + i];
    fiber->index = i;
    fiber->started = false;
    fiber->previous = before;
    before->next = fiber;
    before = fiber;
    makeOn(*fiber, fiber->stack, usableBytes(first + i));
  }
  Group* const outer = std::exchange(current, &group);
  switchTo(group.home, *group.running);
  if (kWatched && group.failure) forget(group, stacks, first, count);
  current = outer;
  giveBack(count);
  if (group.failure) std::rethrow_exception(std::move(group.failure));
}

void wait() {
  Group* const group = current;
  if (group == nullptr) return;
  Fiber* const self = group->running;
  Fiber* const next = self->next;
  if (next == self) return;  // all others have ended
  group->running = next;
  switchTo(*self, *next);
  if (kWatched && group->abandoned) leave(*self, group->home);
}

}  // namespace

MANYRT_NOT_COUNTED void begin(Continuation& from) {
  Group& group = *current;
  Fiber& self = *group.running;
  self.started = true;
  arrive(self, from);
  callItem(group, self.index);
  Fiber* const next = self.next;
  self.previous->next = next;
  next->previous = self.previous;
  self.next = nullptr;
  if (next == &self || group.failure) leave(self, group.home);
  group.running = next;
  leave(self, *next);
}

const compiler::FiberCalls kCalls = {run, wait};

uint32_t keptStacks() { return thread_stacks == nullptr ? 0 : thread_stacks->kept(); }

const char* kind() {
#if defined(MANYRT_FIBERS_BOOST)
  return "boost";
#else
  return "ucontext";
#endif
}

}  // namespace manyrt::cpu::fibers
