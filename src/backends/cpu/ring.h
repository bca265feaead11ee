// The commands of a stream, and the ring of 64-byte slots that carries them: linked segments with argument values inline.
// Spare segments are kept, so submitting allocates nothing in the steady state. There is one producer at a time (the stream's
// producing_) and one consumer at a time (the stream's state_); the ring itself has no lock. It knows nothing of running
// commands.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "backends/backend.h"
#include "backends/cpu/cache.h"
#include "base/fault.h"

namespace manyrt::cpu {

class HostKernel;
class ReplayArray;
class SlotValues;
struct Segment;

enum class Kind : uint8_t { kLaunch, kCopy, kFill, kHint, kReplay, kRecord, kWait, kInternal, kUser, kJump };

struct Header {
  Kind kind;
  bool cooperative = false;
  uint16_t slots = 1;
  uint32_t local_bytes = 0;
};

constexpr uint32_t kSlotBytes = 64;

struct LaunchCommand {
  Header header;
  HostKernel* kernel;   // kept by the stream until a later launch names another one
  HostKernel* dropped;  // the kernel that this launch replaced: released once the launch is reached
  uint32_t grid[3];
  uint32_t group[3];
  uint32_t offset[3];

  // The values follow in the next slots.
  unsigned char* values() { return reinterpret_cast<unsigned char*>(this) + kSlotBytes; }
};
struct CopyCommand {
  Header header;
  backend::Copy copy;
};
struct FillCommand {
  Header header;
  backend::Fill fill;
};
struct ReplayCommand {
  Header header;
  ReplayArray* array;   // owned
  SlotValues* values;   // owned; null: the array has no slots
  backend::Point* end;  // owned; passed after it
};
struct PointCommand {  // kRecord, kWait
  Header header;
  backend::Point* point;                           // owned
  backend::Skip skip = backend::Skip::kOnFailure;  // of a wait
};
struct TaskCommand {  // kInternal, kUser
  Header header;
  Task* task;                 // owned
  bool may_run_here = false;  // of kUser: on a thread that waits for the stream
};
struct JumpCommand {
  Header header;
  Segment* next;
};
static_assert(sizeof(LaunchCommand) <= kSlotBytes && sizeof(CopyCommand) <= kSlotBytes && sizeof(FillCommand) <= kSlotBytes);

struct alignas(kSlotBytes) Segment {
  static constexpr uint32_t kSlots = 256;  // the last one in use is a jump
  unsigned char slots[kSlots][kSlotBytes];
  Segment* next;  // among the spare ones

  static Segment* create() {
    if (fault::fails("cpu.segment")) return nullptr;
    return static_cast<Segment*>(aligned_alloc(kSlotBytes, sizeof(Segment)));
  }
};

class Ring {
 public:
  // The largest command: values of a launch and its header fit a segment beside the jump.
  static constexpr uint32_t kMaxSlots = Segment::kSlots / 2;

  Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    // The stream is idle and has no other user. Acquire pairs with recycle(), whose link to the next segment is followed.
    freeList(spare_.load(std::memory_order_acquire));
    freeList(ready_);
    if (read_ != write_) free(read_);  // a jump without a command after it
    free(write_);
  }

  bool prepare() {
    write_ = read_ = Segment::create();
    return write_ != nullptr;
  }

  // Producer: contiguous slots for one command, or null without memory; nothing has changed then.
  void* reserve(uint32_t slots) {
    if (write_at_ + slots + 1 > Segment::kSlots && !extend()) [[unlikely]]
      return nullptr;
    return write_->slots[write_at_];
  }
  // Does not publish: the stream's store to submitted_ (release) does, which the executor reads with acquire.
  void commit(uint32_t slots) {
    write_at_ += slots;
    // The consumer read these lines the last time round: they are asked for before they are written.
    fetchForWriting(write_->slots[(write_at_ + kAhead) % Segment::kSlots]);
  }

  // Consumer: the oldest command; there must be one. read_ and read_at_ need no order of their own: the stream's state hands
  // them from one executor to the next.
  Header* front() {
    Header* header = reinterpret_cast<Header*>(read_->slots[read_at_]);
    if (header->kind == Kind::kJump) [[unlikely]] {
      Segment* old = read_;
      read_ = reinterpret_cast<JumpCommand*>(header)->next;
      read_at_ = 0;
      recycle(old);
      header = reinterpret_cast<Header*>(read_->slots[0]);
    }
    return header;
  }
  void pop(uint32_t slots) { read_at_ += slots; }

 private:
  static constexpr int kMaxSpare = 8;
  static constexpr uint32_t kAhead = 8;  // slots

  static void freeList(Segment* segment) {
    while (segment != nullptr) {
      Segment* next = segment->next;
      free(segment);
      segment = next;
    }
  }

  bool extend() {
    // The whole list is taken at once, so the pushes of recycle() cannot suffer from ABA. Acquire pairs with their release: the
    // links are visible, and the consumer has read the old slots before they are written again.
    if (ready_ == nullptr) ready_ = spare_.exchange(nullptr, std::memory_order_acquire);
    Segment* fresh = ready_;
    if (fresh != nullptr) {
      ready_ = fresh->next;
      spares_.fetch_sub(1, std::memory_order_relaxed);
    } else {
      fresh = Segment::create();
      if (fresh == nullptr) return false;
    }
    // reserve() always leaves a slot free for the jump. The command after it publishes both, by submitted_.
    new (write_->slots[write_at_]) JumpCommand{{.kind = Kind::kJump}, fresh};
    write_ = fresh;
    write_at_ = 0;
    return true;
  }

  void recycle(Segment* segment) {
    // The count is approximate, and orders nothing: relaxed. The head that is read is linked to and never followed here. The
    // release publishes the link, and that this consumer is through with the slots, to extend().
    if (spares_.load(std::memory_order_relaxed) >= kMaxSpare) {
      free(segment);
      return;
    }
    spares_.fetch_add(1, std::memory_order_relaxed);
    segment->next = spare_.load(std::memory_order_relaxed);
    // A push: if another one came first, the exchange has put the new head into `next`, and is tried again.
    while (!spare_.compare_exchange_weak(segment->next, segment, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  Segment* write_ = nullptr;  // producer's
  Segment* ready_ = nullptr;
  uint32_t write_at_ = 0;
  alignas(kSlotBytes) Segment* read_ = nullptr;  // consumer's
  uint32_t read_at_ = 0;
  alignas(kSlotBytes) std::atomic<Segment*> spare_{nullptr};
  std::atomic<int> spares_{0};
};

}  // namespace manyrt::cpu
