// One thread of the driver with its objects. Steps (steps.h) choose what it does; the functions here are what steps consist of.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "random/call_log.h"
#include "random/model.h"
#include "random/random_numbers.h"
#include "rt.h"

namespace rtrandom {

// A fence of an actor. Its values only grow: the next thread to signal waits for the last value first.
struct Fence {
  rtFence_t handle = nullptr;
  std::shared_ptr<Context> context;
  uint64_t value = 0;     // the last that was signalled or will be
  StreamRef last_signal;  // the stream that signals `value`; nullptr: the host has
};

struct Event {
  rtEvent_t handle = nullptr;
  std::shared_ptr<Context> context;
  bool timed = true;
  StreamRef stream;     // of the last record, or nullptr
  uint64_t serial = 0;  // what the stream had been given then
};

// A graph that can run: captured, or built by hand and bound.
struct Executable {
  rtGraph_t graph = nullptr;  // nullptr: destroyed
  rtGraphExec_t exec = nullptr;
  std::shared_ptr<Context> context;
  Recording recording;
  std::vector<Op> graph_ops;             // of the graph by hand, whatever the exec was changed to
  std::vector<rtGraphNode_t> nodes;      // of the ops, by hand only
  std::vector<rtGraphNode_t> children;   // those of them that hold a child graph
  std::vector<rtGraphOperand_t> memory;  // of buffers and temporaries, by hand only
  std::vector<Operand> operands;         // by hand only
  std::vector<int32_t> roles;            // of the graph's buffers
  // Nodes at the two ends of a graph by hand, which other streams and the host meet. The event is recorded by every launch; the
  // values of the fences are reached in the first one.
  rtEvent_t event = nullptr;
  rtFence_t wanted = nullptr, told = nullptr;
  uint64_t launches = 0;
  StreamRef last_stream;  // of the last launch
  uint64_t last_serial = 0;
  bool captured = false;
  bool by_name = false;
  bool inferred = false;
};

class Actor {
 public:
  Actor(unsigned index, std::vector<rtDevice_t> devices);
  void run();

  // --- objects
  std::shared_ptr<Context> addContext(rtDevice_t device, bool primary);
  std::shared_ptr<Context> anyContext();
  StreamRef addStream(const std::shared_ptr<Context>& context);
  StreamRef anyStream();
  StreamRef streamOf(const std::shared_ptr<Context>& context);
  Event& eventOf(const std::shared_ptr<Context>& context);
  Fence& anyFence();
  BufferRef addBuffer();
  void removeBuffer(size_t index);
  void removeContext(size_t index);
  void removeStream(size_t index);
  void removeExecutable(size_t index);

  // --- order (ordering.cpp)
  void orderAfter(const StreamRef& later, const StreamRef& earlier);
  void order(const StreamRef& stream, const BufferRef& buffer, bool write);
  void used(const StreamRef& stream, const BufferRef& buffer, bool write);
  void holdBack(const StreamRef& stream);
  void payDebts();
  bool orderByGraph(const StreamRef& later, const StreamRef& earlier);
  void waitFor(const StreamRef& stream);
  void waitForUses(const BufferRef& buffer, bool writes_alone);
  void settle();

  // --- contents (contents.cpp)
  void fillNew(const BufferRef& buffer);
  void compare(const BufferRef& buffer);
  void checkBytes(const BufferRef& buffer, const uint8_t* found);

  void giveOp(const StreamRef& stream);

  Rng rng{0};
  unsigned index = 0;
  uint64_t step = 0;
  std::vector<rtDevice_t> devices;
  std::vector<std::shared_ptr<Context>> contexts;
  std::vector<StreamRef> streams;  // default streams too
  std::vector<Event> events;
  std::vector<Fence> fences;
  std::vector<Fence> gates;                        // the host signals them; `value` is the last that a stream waits for
  std::vector<std::pair<size_t, uint64_t>> debts;  // gate and value that this actor has to signal
  std::vector<rtFence_t> owed;                     // fences of graphs whose launch waits for 1
  std::vector<BufferRef> buffers;
  std::vector<std::unique_ptr<Executable>> executables;
  std::vector<std::unique_ptr<HostCall>> host_calls;  // kept to the end
  std::vector<uint64_t> stale;                        // handles that are no more
  uint64_t comparisons = 0;

  void setUp();
  void tearDown();
};

}  // namespace rtrandom
