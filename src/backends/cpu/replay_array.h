// A graph as it is run: nodes with launch geometry, argument pointers and values in one piece of memory, and counters for
// dependencies. One launch at a time runs it: the waits between launches see to that, also where a stream has failed. Queued
// launches hold it, so parameters change in place only where none does. Streams run it, a Replay makes it.
//
// Where nodes are short, the thread that executes the stream runs them in the layout's order and measures the time. Where tasks
// are long enough to pay for waking another thread, the next launch spreads them over the team. Nodes that depend on each other
// run in the same order either way.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/replay_layout.h"
#include "compiler/unit.h"

namespace manyrt::cpu {

class Engine;
class HostKernel;

// The values of a replay's slots, in one launch or in several. They change while no launch has them, and get another version.
class SlotValues final : public RefCounted {
 public:
  explicit SlotValues(uint32_t bytes) : bytes_(bytes), memory_(new unsigned char[bytes]()) {}
  void set(uint32_t offset, const void* value, uint32_t size) {
    memcpy(memory_.get() + offset, value, size);
    version_ = nextVersion();
  }
  void copy(const SlotValues& other) { memcpy(memory_.get(), other.memory_.get(), bytes_); }  // set() comes next
  const unsigned char* memory() const { return memory_.get(); }
  uint64_t version() const { return version_; }

 private:
  static uint64_t nextVersion();  // that no other values have or had; not 0

  const uint32_t bytes_;
  uint64_t version_ = nextVersion();
  const std::unique_ptr<unsigned char[]> memory_;
};

class ReplayArray final : public RefCounted {
 public:
  using Work = backend::ReplayStep::Work;
  // `works` in the order of steps.
  static Status create(Ref<ReplayArray>* array, std::shared_ptr<const ReplayLayout> layout, std::span<const Work> works);
  ~ReplayArray() override;

  static Status check(const Work& work);  // before it is given to `change`
  // No stream has it queued. False: the arguments lie differently, nothing was changed.
  bool change(uint32_t step, const Work& work);
  // The work of all steps, in their order. Arguments are borrowed from the array. Those with a slot must not be read: the launch
  // that runs may be writing them.
  std::vector<Work> works() const;

  // Called by the executor that has the stream. Runs on from where the last call stopped; false: there is more. `told`: of the
  // stream and the launch, for the trace, which is told of the nodes and, at the end, of the whole; null: there is none.
  struct Told {
    const trace::Track& track;
    uint64_t serial;
  };
  // Before the first call for a launch, and again before any other: takes over the values that its slots have.
  void use(const SlotValues& values) {
    if (values_version_ != values.version()) takeOver(values);
  }
  bool advance(Engine& engine, StatusLatch& latch, bool foreign, const Told* told = nullptr);

 private:
  enum class Kind : uint8_t { kNothing, kGroup, kLaunch, kCopy, kFill };
  struct Node {
    Node() : group{} {}

    Kind kind;
    uint32_t local_bytes;
    HostKernel* kernel;  // owned, of kGroup and kLaunch
    void** args;         // values and slots follow
    union {
      compiler::UnitGroup group;  // kGroup: the only one; kLaunch: its counts and sizes
      backend::Copy copy;
      backend::Fill fill;
    };
  };
  struct Parallel;  // a launch that is spread
  class RunningNode;

  explicit ReplayArray(std::shared_ptr<const ReplayLayout> layout) : layout_(std::move(layout)) {}
  static uint64_t bytesOf(const Work& work);
  void place(Node& node, const Work& work, unsigned char* memory);
  Work workOf(const Node& node) const;
  void takeOver(const SlotValues& values);
  static unsigned char* valuesOf(const Node& node);
  static uint32_t* slotsOf(const Node& node);  // for each argument the slot to which it points; kNoSlot: to its value

  // `lane`: of the trace, for the nodes of one thread where several run the launch.
  struct Runner {
    Engine& engine;
    StatusLatch& latch;
    bool foreign;
    const Told* told;
    uint16_t lane;
  };
  void runNodes(uint32_t begin, uint32_t end, const Runner& runner);
  void runNodesTold(uint32_t begin, uint32_t end, const Runner& runner);
  trace::Work describe(const Node& node) const;
  static void runOther(Node& node, Engine& engine, StatusLatch& latch, bool foreign);
  bool walk(const Runner& runner);
  void spread(const Runner& runner);
  void takePart(Parallel& parallel, uint32_t participant);
  uint32_t finishTask(uint32_t task);
  void push(uint32_t task);
  bool pop(uint32_t* task);
  void judge(int64_t work, uint32_t threads);

  const std::shared_ptr<const ReplayLayout> layout_;
  std::unique_ptr<unsigned char[]> memory_;
  Node* nodes_ = nullptr;
  unsigned char* slots_ = nullptr;
  uint64_t values_version_ = 0;  // of the values in the slots
  uint32_t count_ = 0;
  uint32_t position_ = 0;             // of the launch that runs
  uint32_t stride_ = 1;               // nodes between two looks whether other work wants the thread
  std::atomic<uint32_t> sampled_{0};  // which node of a run is timed next, for compiler::Object::spend()
  int64_t spent_ = 0;                 // by the launch that runs, nanoseconds
  int64_t told_since_ = 0;            // when the launch that runs has begun, while a trace is on; else 0
  int64_t work_ = 0;                  // of the last launch that was measured, by all threads together
  bool spread_ = false;               // the next launch

  // While a launch is spread. The thread that brings a counter to zero sets it for the next launch.
  std::unique_ptr<std::atomic<uint32_t>[]> waits_;
  std::unique_ptr<std::atomic<uint32_t>[]> ready_;  // tasks + 1, in the order in which they became ready
  std::unique_ptr<uint8_t[]> left_;                 // by participant: gone before the end
  alignas(64) std::atomic<uint32_t> head_{0};
  std::atomic<uint32_t> tail_{0};
  alignas(64) std::atomic<uint32_t> finished_{0};
};

}  // namespace manyrt::cpu
