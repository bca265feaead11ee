// Kernels on the CPU: a function of the program or of a loaded object. A kernel knows how its arguments lie, the memory that
// its work-groups need, and what they cost so far. Streams launch them; contexts and modules make them.
#pragma once

#include <atomic>

#include "backends/backend.h"
#include "backends/cpu/ring.h"
#include "backends/cpu/sharing_trial.h"
#include "base/clock.h"
#include "base/os/sanitizer.h"
#include "compiler/image.h"
#include "compiler/unit.h"

namespace manyrt::cpu {

constexpr uint32_t kMaxGroupItems = 4096;
constexpr uint64_t kMaxLocalBytes = 1 << 20;  // of one work-group
constexpr uint64_t kMaxArenaBytes = 1 << 30;  // the same with what compiled code keeps between barriers
constexpr uint32_t kMaxArguments = 1024;

class Engine;
class Solo;

class HostKernel final : public backend::Kernel {
 public:
  static Status create(Ref<backend::Kernel>* kernel, const rtHostKernel_t& host, uint32_t threads);
  // Number `index` of a module's table, whose description was checked. `first_argument`: arguments of the kernels before it.
  // `object` stays loaded as long as the kernel lives.
  static Status create(Ref<backend::Kernel>* kernel, const rtHostModuleKernel_t& described, uint32_t index,
                       uint32_t first_argument, Ref<compiler::Object> object, bool opencl_c, uint32_t threads);

  uint32_t maxActiveGroups(uint32_t, uint64_t) const override { return threads_; }
  uint32_t preferredGroupMultiple() const override { return 16; }

  // The memory of a group, its arena: the launch's local bytes, the kernel's own, its scratch, the local arguments; each
  // rounded up to 64. Local memory is what is counted; false: more than a group may have.
  bool localBytes(const unsigned char* values, uint32_t local_bytes, uint64_t* bytes) const;
  uint64_t argumentLocalBytes(const unsigned char* values, uint32_t local_bytes) const;  // without the kernel's own; checked
  // Local memory and scratch of one code together; UINT64_MAX: more than can be counted.
  static uint64_t ownBytes(const compiler::KernelCode& code, const uint32_t group[3]);
  bool needsArena(const compiler::KernelCode& code) const { return has_locals_ || code.hasMemory(); }  // whatever a launch adds
  bool isCompiled() const { return object_.get() != nullptr; }
  const compiler::Object* object() const { return object_.get(); }  // null: a function of the program
  void point(unsigned char* values, void** args) const {
    for (size_t i = 0; i < arguments_.size(); ++i) args[i] = values + arguments_[i].offset;
  }

  // The best code at the moment. It is chosen for a launch, and again for each range of its groups. So a running launch goes
  // over to better code where it has the memory for it. One group runs through in one of them.
  const compiler::KernelCode& code() const {
    const compiler::KernelCode* better = better_->load(std::memory_order_acquire);
    return better == nullptr ? code_ : better[index_];
  }
  const compiler::KernelCode& firstCode() const { return code_; }
  uint32_t index() const { return index_; }  // in its module
  // Its object while better code for it is being made; null: this is the code that stays.
  const compiler::Object* unsettled() const {
    if (unsettled_ == nullptr) [[likely]]
      return nullptr;
    return unsettled_->improvement() == compiler::Object::Improvement::kPending ? unsettled_ : nullptr;
  }
  const char* tier() const override;
  void describeCode(rtKernelInfo_t* info) const override;
  const trace::Row* row() const override;
  SharingTrial* sharingTrial() { return code_.shares_atomics ? &trial_ : nullptr; }  // null: threads do not hinder each other
  std::atomic<uint32_t> cost{0};  // of a work-group, sixteenths of a nanosecond, a moving average; 0: unknown

 private:
  HostKernel(const compiler::KernelCode& code, uint32_t threads) : code_(code), threads_(threads) {}
  Status finish(Ref<backend::Kernel>* kernel, rtStatus_t refusal);  // checks the arguments' bytes, gives itself out

  static inline constinit const std::atomic<const compiler::KernelCode*> kNothingBetter{nullptr};

  const compiler::KernelCode code_;  // what it came with
  const std::atomic<const compiler::KernelCode*>* better_ = &kNothingBetter;
  mutable std::atomic<const trace::Row*> row_{nullptr}, better_row_{nullptr};  // once a profile has asked
  const compiler::Object* unsettled_ = nullptr;                                // object_, where it came without its better code
  uint32_t index_ = 0;
  const uint32_t threads_;
  SharingTrial trial_;
  Ref<compiler::Object> object_;  // null: a function of the program
};

// The time that a thread spends in quick code counts for the object: what has taken the most is optimised first.
class QuickTime {
 public:
  // `times`: for how many calls this one stands.
  QuickTime(const HostKernel& kernel, const uint32_t group[3], int64_t times = 1) : object_(kernel.unsettled()), times_(times) {
    if (object_ == nullptr) [[likely]]
      return;
    object_->noteGroup(kernel.index(), group);
    began_ = nowNanoseconds();
  }
  ~QuickTime() {
    if (object_ != nullptr) [[unlikely]]
      object_->spend((nowNanoseconds() - began_) * times_);
  }
  QuickTime(const QuickTime&) = delete;
  QuickTime& operator=(const QuickTime&) = delete;

 private:
  const compiler::Object* const object_;
  const int64_t times_;
  int64_t began_ = 0;
};

// One launch while it runs, on as many threads as take part. The fields that each of them needs are on one cache line.
struct alignas(64) GroupRun {
  void** args;  // shared; threads with local arguments make their own
  uint32_t grid[3];
  uint32_t group[3];
  uint32_t offset[3];    // of the global ids
  uint32_t local_bytes;  // of the launch itself
  uint64_t first;        // the group that index 0 stands for
  uint64_t local;        // bytes of the arena; 0: none
  HostKernel* kernel;
  const compiler::KernelCode* code;  // that `local` has room for
  Engine* engine;
  StatusLatch* latch;
};
static_assert(offsetof(GroupRun, kernel) <= 64);

// Whether groups become one call, and along which dimension they are counted then: one order for a launch.
inline bool joins(const GroupRun& run) { return run.code->joins_along >= 0; }
inline uint32_t joinsAlong(const GroupRun& run) {
  const bool wide = run.group[0] >= compiler::kTurnedItems, high = run.group[1] >= compiler::kTurnedItems;
  return run.code->turns_items && (wide || high) ? (high ? 0 : 1) : static_cast<uint32_t>(run.code->joins_along);
}
inline rtHostKernelFunction_t bestFunction(const GroupRun& run) {
  const compiler::KernelCode& best = run.kernel->code();
  return (best.fits(*run.code) ? best : *run.code).function;
}

// The status that latches when a kernel throws, from the exception that is being handled.
Status kernelThrew(const backend::Kernel& kernel);

// ThreadSanitizer finds a race of two groups where it takes them for threads. A range of groups runs as so many (fibers.h),
// whichever thread has it; ranges below kApartGroups are not cut in pieces.
#if defined(MANYRT_BUILT_FOR_THREAD)
inline constexpr bool kGroupsApart = true;
#else
inline constexpr bool kGroupsApart = false;
#endif
inline constexpr uint32_t kApart = 8;
inline constexpr uint64_t kApartGroups = 64;

// A JobBody: groups [begin, end) counted from run->first. An exception of a kernel latches.
void runGroups(void* run, uint64_t begin, uint64_t end, uint32_t participant);
// The same by the owner before there is a job, up to a group that is taken away. `solo` may be null.
void runGroupsAlone(GroupRun& run, uint64_t begin, uint64_t end, Solo* solo);

}  // namespace manyrt::cpu
