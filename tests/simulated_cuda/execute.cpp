// The turns of the threads of a block, and what they wait for.
#include "execute.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>

#include "fault.h"
#include "report.h"
#include "settings.h"

namespace manyrt::cpu::fibers {

MANYRT_NOT_COUNTED void begin(Continuation& from) { manyrt::simulated::currentRunner()->enterThread(from); }

}  // namespace manyrt::cpu::fibers

namespace manyrt::simulated {
namespace {

namespace fibers = cpu::fibers;
using simulated_cuda::Index;
using simulated_cuda::Lane;

constexpr size_t kStackBytes = size_t{128} << 10, kGuardBytes = size_t{64} << 10;
constexpr int kSharedPattern = 0xA5, kGuardPattern = 0xC3;

size_t volume(const Index& size) { return size_t{size.x} * size.y * size.z; }

Index indexOf(size_t number, const Index& size) {
  return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
          static_cast<unsigned>(number / size.x / size.y)};
}

}  // namespace

simulated_cuda::Hooks kernelHooks() {
  simulated_cuda::Hooks hooks{};
  hooks.barrier = [](int predicate) { return currentRunner()->barrier(predicate); };
  hooks.exchange = [](Lane* lane) { currentRunner()->exchange(lane); };
  hooks.pause = [] { currentRunner()->pause(); };
  hooks.touch = [](unsigned long address, unsigned long size, int writes) {
    currentRunner()->touch(address, size, writes != 0);
  };
  hooks.fail = [](int code, const char* why) { currentRunner()->fail(code, why); };
  return hooks;
}

Runner::~Runner() {
  running_ = nullptr;
  for (auto& fiber : fibers_) {
    if (fiber->entered) fibers::switchTo(home_, *fiber);  // leaves
    fibers::destroyFor(*fiber, fiber->stack, kStackBytes);
    munmap(fiber->stack - kGuardBytes, kStackBytes + kGuardBytes);
  }
}

void Runner::run(Launch& launch) {
  if (launch.cooperative && volume(launch.grid) > 1) {
    runTogether(launch);
    return;
  }
  begin(launch);
  const size_t blocks = volume(launch.grid);
  for (size_t i = 0; i < blocks && context_.broken == kSuccess; ++i) runBlock(indexOf(i, launch.grid));
  setCurrentRunner(nullptr);
}

void Runner::begin(Launch& launch) {
  catchFaults();
  setCurrentRunner(this);
  fibers::beHere(home_);
  launch_ = &launch;
  memory_ = launch.unit->threadMemory();
  known_epoch_ = 0;
}

void Runner::runTogether(Launch& launch) {
  std::vector<std::thread> blocks;
  for (size_t i = 0; i < volume(launch.grid); ++i) {
    blocks.emplace_back([this, &launch, i] {
      Runner runner(context_);
      runner.begin(launch);
      runner.runBlock(indexOf(i, launch.grid));
      setCurrentRunner(nullptr);
    });
  }
  for (std::thread& block : blocks) block.join();
}

void Runner::runBlock(Index block) {
  poison();
  simulated_cuda::Item& item = *memory_.item;
  item.block = block;
  item.block_size = launch_->block;
  item.grid_size = launch_->grid;
  early_end_told_ = false;
  failure_ = kSuccess;
  startAll();
  while (live_ != 0 && failure_ == kSuccess) {
    if (pass() || release()) continue;
    violation("kernel %s: the threads of block (%u, %u, %u) wait for each other for ever", launch_->kernel->name.c_str(),
              block.x, block.y, block.z);
    failure_ = kLaunchFailure;
  }
  if (failure_ != kSuccess) {
    abandon();
    context_.breakWith(failure_);
  } else {
    lookAfterShared();
  }
}

// A thread that ends without having waited leaves its stack to the next one.
void Runner::startAll() {
  const size_t count = volume(launch_->block);
  threads_.assign(count, Thread{});
  live_ = count;
  for (size_t i = 0; i < count && failure_ == kSuccess; ++i) {
    Thread& thread = threads_[i];
    thread.index = indexOf(i, launch_->block);
    thread.fiber = takeFiber();
    if (!thread.fiber->entered) fibers::makeOn(*thread.fiber, thread.fiber->stack, kStackBytes);
    thread.fiber->entered = true;
    resume(thread);
  }
}

void Runner::resume(Thread& thread) {
  memory_.item->thread = thread.index;
  running_ = &thread;
  fibers::switchTo(home_, *thread.fiber);
  running_ = nullptr;
  if (thread.state != State::kEnded) return;
  --live_;
  free_fibers_.push_back(thread.fiber);
  thread.fiber = nullptr;
}

// Runs thread after thread: a fiber that ended with each would cost AddressSanitizer a stack of its own each time. Not counted
// by ThreadSanitizer: it never returns.
MANYRT_NOT_COUNTED void Runner::enterThread(fibers::Continuation& from) {
  Fiber& self = *running_->fiber;
  fibers::arrive(self, from);
  while (running_ != nullptr) {
    launch_->kernel->code->invoke(launch_->parameters.data());
    running_->state = State::kEnded;
    fibers::switchTo(self, home_);
  }
  self.entered = false;
  fibers::leave(self, home_);
}

void Runner::switchAway() { fibers::switchTo(*running_->fiber, home_); }

bool Runner::pass() {
  bool any = false;
  for (Thread& thread : threads_) {
    if (thread.state != State::kReady) continue;
    any = true;
    resume(thread);
    if (failure_ != kSuccess) return true;
  }
  return any;
}

bool Runner::release() { return live_ == 0 || releaseExchanges() || releaseBarrier(); }

bool Runner::releaseBarrier() {
  size_t waiting = 0;
  counted_ = 0;
  for (const Thread& thread : threads_) {
    if (thread.state != State::kBarrier) continue;
    ++waiting;
    counted_ += thread.predicate != 0;
  }
  if (waiting != live_) return false;
  if (waiting != threads_.size() && !early_end_told_) {
    violation("kernel %s: %zu threads of a block wait at a barrier that %zu ended without", launch_->kernel->name.c_str(),
              waiting, threads_.size() - waiting);
    early_end_told_ = true;
  }
  for (Thread& thread : threads_) {
    if (thread.state == State::kBarrier) thread.state = State::kReady;
  }
  return true;
}

bool Runner::releaseExchanges() {
  bool any = false;
  for (size_t warp = 0; warp < threads_.size(); warp += kWarpThreads) any = releaseExchange(warp) || any;
  return any;
}

// Lanes that name the same mask, once all live ones of it have come.
bool Runner::releaseExchange(size_t warp) {
  const size_t lanes = std::min<size_t>(kWarpThreads, threads_.size() - warp);
  bool any = false;
  for (size_t first = 0; first < lanes; ++first) {
    if (threads_[warp + first].state != State::kExchange) continue;
    const unsigned mask = threads_[warp + first].lane->mask;
    unsigned came = 0, ended = 0;
    for (size_t i = 0; i < lanes; ++i) {
      const Thread& thread = threads_[warp + i];
      if (thread.state == State::kEnded) ended |= 1u << i;
      if (thread.state == State::kExchange && thread.lane->mask == mask) came |= 1u << i;
    }
    const unsigned there = lanes == 32 ? ~0u : (1u << lanes) - 1;
    if ((mask & there & ~ended & ~came) != 0) continue;
    if ((came & ~mask) != 0 || (mask & ended) != 0) {
      violation("kernel %s: lanes 0x%x of a warp exchange with mask 0x%x, of which 0x%x have ended",
                launch_->kernel->name.c_str(), came, mask, ended & mask);
    }
    Lane result{};
    for (size_t i = 0; i < lanes; ++i) {
      if ((came >> i & 1) != 0) result.all[i] = threads_[warp + i].lane->value;
    }
    for (size_t i = 0; i < lanes; ++i) {
      if ((came >> i & 1) == 0) continue;
      memcpy(threads_[warp + i].lane->all, result.all, sizeof result.all);
      threads_[warp + i].lane->took_part = came;
      threads_[warp + i].state = State::kReady;
    }
    any = true;
  }
  return any;
}

int Runner::barrier(int predicate) {
  running_->predicate = predicate;
  running_->state = State::kBarrier;
  switchAway();
  return counted_;
}

void Runner::exchange(Lane* lane) {
  running_->lane = lane;
  running_->state = State::kExchange;
  switchAway();
}

void Runner::pause() { switchAway(); }

void Runner::fail(Error code, const char* why) {
  const Index& block = memory_.item->block;
  const Index& thread = running_->index;
  note("kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s", launch_->kernel->name.c_str(), block.x, block.y, block.z,
       thread.x, thread.y, thread.z, why);
  failure_ = code;
  switchAway();
  __builtin_unreachable();  // nothing resumes a thread of a block that has failed
}

uintptr_t Runner::topOfStack() const { return addressOf(running_->fiber->stack) + kStackBytes; }

// Every access of a kernel comes by, so the usual answers are first.
void Runner::touch(uintptr_t address, size_t size, bool writes) {
  const uintptr_t stack = addressOf(running_->fiber->stack);
  if (address - stack < kStackBytes) return;
  if (known_epoch_ != memoryEpoch()) {
    known_epoch_ = memoryEpoch();
    std::fill(std::begin(known_), std::end(known_), Known{});
  }
  for (const Known& known : known_) {
    if (address >= known.begin && address + size <= known.end) return;
  }
  if (address >= addressOf(memory_.begin) && address + size <= addressOf(memory_.end)) {
    const uintptr_t dynamic = addressOf(memory_.dynamic);
    if (memory_.dynamic == nullptr || address < dynamic || address + size <= dynamic + launch_->shared_bytes) return;
    if (address >= dynamic + kSharedOptinBytes) return;  // a variable after it
    fail(kIllegalAddress, "an access after the dynamic shared memory of the launch");
  }
  if (address >= launch_->unit->begin && address + size <= launch_->unit->end) return;
  const uintptr_t parameters = addressOf(launch_->parameters.data());
  if (address >= parameters && address + size <= parameters + launch_->parameters.size()) return;
  char why[120];
  {
    const std::shared_ptr<Allocation> allocation = allocationAt(address);
    if (allocation != nullptr && allocation->contains(address, size) && mayAccess(context_, *allocation)) {
      known_[next_known_++ % kKnown] = {allocation->base, allocation->base + allocation->size};
      return;
    }
    const char* where = allocation == nullptr                  ? "which is no memory of a device"
                        : !allocation->contains(address, size) ? "which ends after its allocation"
                                                               : "which belongs to another device";
    snprintf(why, sizeof why, "%s of %zu bytes at 0x%zx, %s", writes ? "a write" : "a read", size, static_cast<size_t>(address),
             where);
  }
  fail(kIllegalAddress, why);  // nothing on this stack is destructed any more
}

// Waiting threads are never continued; the sanitizers are told that their stacks are empty.
void Runner::abandon() {
  for (Thread& thread : threads_) {
    if (thread.fiber == nullptr) continue;
    fibers::destroyFor(*thread.fiber, thread.fiber->stack, kStackBytes);
    fibers::createFor(*thread.fiber);
    thread.fiber->entered = false;
    free_fibers_.push_back(thread.fiber);
    thread.fiber = nullptr;
  }
}

// Shared memory holds nothing when a block begins, and a device need not have zeros there.
void Runner::poison() {
  unsigned char* const dynamic = memory_.dynamic;
  for (unsigned char* at = memory_.poisoned; at < memory_.end;) {
    unsigned char* until = memory_.end;
    if (dynamic != nullptr && at < dynamic) until = std::min(until, dynamic);
    if (dynamic != nullptr && at == dynamic) {
      memset(dynamic, kSharedPattern, launch_->shared_bytes);
      memset(dynamic + launch_->shared_bytes, kGuardPattern, kGuardedSharedBytes);
      at = dynamic + kSharedOptinBytes + kGuardedSharedBytes;
      continue;
    }
    memset(at, kSharedPattern, static_cast<size_t>(until - at));
    at = until;
  }
}

// For units that were compiled without checks of accesses, and for what functions of libc write.
void Runner::lookAfterShared() {
  if (memory_.dynamic == nullptr) return;
  for (size_t i = 0; i < kGuardedSharedBytes; ++i) {
    if (memory_.dynamic[launch_->shared_bytes + i] == kGuardPattern) continue;
    violation("kernel %s wrote after its %zu bytes of dynamic shared memory", launch_->kernel->name.c_str(),
              launch_->shared_bytes);
    return;
  }
}

Runner::Fiber* Runner::takeFiber() {
  if (free_fibers_.empty()) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    void* mapped = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    mprotect(mapped, kGuardBytes, PROT_NONE);
    fibers_.push_back(std::make_unique<Fiber>());
    fibers_.back()->stack = static_cast<unsigned char*>(mapped) + kGuardBytes;
    fibers::createFor(*fibers_.back());
    free_fibers_.push_back(fibers_.back().get());
  }
  Fiber* fiber = free_fibers_.back();
  free_fibers_.pop_back();
  return fiber;
}

}  // namespace manyrt::simulated
