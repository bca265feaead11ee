// Running the items of a work-group in turn. The fibers that have not ended form a circle, and each switches to the next one
// itself: a barrier costs every item one switch.
#include "backends/cpu/fiber.h"

#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "backends/cpu/fiber_stack.h"
#include "backends/cpu/fiber_switch.h"

namespace manyrt::cpu::fibers {
namespace {

// How many have come to the point where all of them wait, and how often that was the case.
struct Meeting {
  uint32_t alive = 0, arrived = 0, generation = 0;
};

// Two exchanges have values of their own, so that a fast item does not write what a slow one still reads.
struct SubGroup {
  Meeting meeting;
  compiler::SubGroupValues values[2] = {};
};

struct Group {
  void (*item)(void* user, uint32_t index) = nullptr;
  void* user = nullptr;
  Fiber* running = nullptr;
  Continuation home = {};  // the flow that called run()
  std::exception_ptr failure;
  bool failed = false;  // looked at by each item, in begin()
  bool abandoned = false;
  bool apart = false;  // see runApart; the addresses of the two below order its items after the caller and before it
  char begins = 0, ends = 0;
  // Items in sub-groups come to the group's barriers at different times: here they are counted.
  std::vector<SubGroup> sub_groups;
  Meeting meeting;
  uint32_t idle_turns = 0;  // since something went on
};

// Fibers stay on their thread, so what is read here before a switch is right after it.
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
bool callItem(Group& group, uint32_t index) {
  try {
    group.item(group.user, index);
    return true;
  } catch (...) {
    group.failure = std::current_exception();
    return false;
  }
}

#if defined(MANYRT_FIBERS_TSAN)

// State of this file that the fibers of a thread share: items that ThreadSanitizer takes for threads use it one after the
// other.
class Turn {
 public:
  Turn() { __tsan_acquire(&current); }
  ~Turn() { __tsan_release(&current); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

void publish(const char& point) { __tsan_release(const_cast<char*>(&point)); }
void follow(const char& point) { __tsan_acquire(const_cast<char*>(&point)); }

#else

struct Turn {
  ~Turn() {}
};
void publish(const char&) {}
void follow(const char&) {}

#endif

void runGroup(Group& group, uint32_t count) {
  // Held over the whole group, so that the sanitizer orders groups that follow each other on this thread.
  const Turn turn;
  Stacks& stacks = stacksOfThread();
  const uint32_t first = stacks.take(count);
  group.running = &stacks[first];
  beHere(group.home);
  Fiber* before = &stacks[first + count - 1];
  for (uint32_t i = 0; i < count; ++i) {
    Fiber* fiber = &stacks[first + i];
    fiber->index = i;
    fiber->started = false;
    fiber->previous = before;
    before->next = fiber;
    before = fiber;
    // Only prepared: the item begins when the one before it in the circle first waits or ends.
    makeOn(*fiber, fiber->stack, usableBytes(first + i));
  }
  // Restored below: runs may nest on a thread.
  Group* const outer = std::exchange(current, &group);
  publish(group.begins);
  switchTo(group.home, *group.running, group.apart);
  follow(group.ends);
  if (kWatched && group.failure) forget(group, stacks, first, count);
  current = outer;
  giveBack(count);
  if (group.failure) std::rethrow_exception(std::move(group.failure));
}

void run(void (*item)(void* user, uint32_t index), void* user, uint32_t count) {
  Group group;
  group.item = item;
  group.user = user;
  if (count != 0) runGroup(group, count);
}

void runSubGroups(void (*item)(void* user, uint32_t index), void* user, uint32_t count) {
  Group group;
  group.item = item;
  group.user = user;
  group.sub_groups.resize((count + compiler::kSubGroupItems - 1) / compiler::kSubGroupItems);
  group.meeting.alive = count;
  for (uint32_t i = 0; i < count; ++i) ++group.sub_groups[i / compiler::kSubGroupItems].meeting.alive;
  if (count != 0) runGroup(group, count);
}

void turn(Group* group) {
  Fiber* const self = group->running;
  Fiber* const next = self->next;
  if (next == self) return;  // all others have ended
  group->running = next;
  switchTo(*self, *next);
  if (kWatched && group->abandoned) leave(*self, group->home);
}

SubGroup& subGroupOf(Group& group) { return group.sub_groups[group.running->index / compiler::kSubGroupItems]; }

void close(Group& group, Meeting& meeting) {
  meeting.arrived = 0;
  ++meeting.generation;
  group.idle_turns = 0;
}

void closeExchange(Group& group, SubGroup& sub_group) {
  close(group, sub_group.meeting);
  sub_group.values[sub_group.meeting.generation & 1].members = 0;
}

// If no item can go on, because each waits for others that wait elsewhere, all meetings end. The results of such a kernel have
// no meaning, but it ends.
void endMeetings(Group& group) {
  if (group.meeting.arrived > 0) close(group, group.meeting);
  for (SubGroup& each : group.sub_groups) {
    if (each.meeting.arrived > 0) closeExchange(group, each);
  }
}

void waitFor(Group& group, const Meeting& meeting, uint32_t generation) {
  while (meeting.generation == generation) {
    // Two whole rounds without progress: every item has had its turn and found nothing to go on with.
    if (++group.idle_turns > 2 * group.meeting.alive + 2) endMeetings(group);
    turn(&group);
  }
}

void wait() {
  Group* const group = current;
  if (group == nullptr) return;
  if (group->sub_groups.empty()) return turn(group);
  const uint32_t generation = group->meeting.generation;
  if (++group->meeting.arrived >= group->meeting.alive) close(*group, group->meeting);
  waitFor(*group, group->meeting, generation);
}

const compiler::SubGroupValues* exchange(uint64_t value) {
  Group& group = *current;
  SubGroup& own = subGroupOf(group);
  const uint32_t generation = own.meeting.generation, item = group.running->index % compiler::kSubGroupItems;
  compiler::SubGroupValues& values = own.values[generation & 1];
  values.values[item] = value;
  values.members |= 1u << item;
  if (++own.meeting.arrived >= own.meeting.alive) closeExchange(group, own);
  waitFor(group, own.meeting, generation);
  return &values;
}

uint32_t subGroupItem() { return current->running->index % compiler::kSubGroupItems; }

// The others wait for this item no longer.
void leaveMeetings(Group& group) {
  SubGroup& own = subGroupOf(group);
  --own.meeting.alive;
  --group.meeting.alive;
  group.idle_turns = 0;
  if (own.meeting.arrived > 0 && own.meeting.arrived >= own.meeting.alive) closeExchange(group, own);
  if (group.meeting.arrived > 0 && group.meeting.arrived >= group.meeting.alive) close(group, group.meeting);
}

}  // namespace

MANYRT_NOT_COUNTED void begin(Continuation& from) {
  Group& group = *current;
  Fiber& self = *group.running;
  self.started = true;
  arrive(self, from);
  follow(group.begins);
  if (!callItem(group, self.index)) group.failed = true;
  if (!group.sub_groups.empty()) leaveMeetings(group);
  publish(group.ends);  // the caller ends the group: nothing of it is read by what the sanitizer sees after this
  Fiber* const next = self.next;
  // Out of the circle before the switch: no other item may come back to a stack that has been left for good.
  self.previous->next = next;
  next->previous = self.previous;
  self.next = nullptr;
  if (next == &self || group.failed) leave(self, group.home, group.apart);
  group.running = next;
  leave(self, *next, group.apart);
}

#if defined(MANYRT_FIBERS_TSAN)
void runApart(void (*item)(void* user, uint32_t index), void* user, uint32_t count) {
  Group group;
  group.item = item;
  group.user = user;
  group.apart = true;
  runGroup(group, count);
}
#endif

const compiler::FiberCalls kCalls = {run, wait, runSubGroups, exchange, subGroupItem};

uint32_t keptStacks() { return thread_stacks == nullptr ? 0 : thread_stacks->kept(); }

uint32_t currentItem() {
  const Group* const group = current;
  return group == nullptr || group->apart || group->running == nullptr ? kNone : group->running->index;
}

const char* kind() {
#if defined(MANYRT_FIBERS_BOOST)
  return "boost";
#else
  return "ucontext";
#endif
}

}  // namespace manyrt::cpu::fibers
