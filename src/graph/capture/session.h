// One capture: the streams that take part, the nodes that the next work of each depends on, and the events and fences that it
// names. It implements the recorder that ops call for a capturing stream; src/api begins and ends it. A session is freed a
// grace period after its end, since calls on other threads may still hold it.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "graph/model/graph.h"
#include "manager/recorder.h"
#include "manager/stream.h"

namespace manyrt::graph {

class Session final : public manager::Recorder, public epoch::Retired {
 public:
  // All under a guard. May throw bad_alloc.
  static Status begin(manager::Stream& stream);
  static Status end(HandleBits* graph, manager::Stream& stream);
  static Status lastNode(HandleBits* node, manager::Stream& stream);
  static Status addGraph(manager::Stream& stream, ChildNode child);  // a launch of an exec
  static int32_t stateOf(manager::Stream& stream);                   // RT_CAPTURE_*

  Status launch(manager::Stream& stream, manager::Kernel& kernel, const backend::Launch& launch) override;
  Status copy(manager::Stream& stream, const backend::Copy& copy, int32_t kind) override;
  Status fill(manager::Stream& stream, const backend::Fill& fill) override;
  Status prefetch(manager::Stream& stream, const void* pointer, uint64_t size, bool to_host) override;
  Status hostFunction(manager::Stream& stream, rtHostFunction_t function, void* user, rtReleaseFunction_t release) override;
  Status nativeFunction(manager::Stream& stream, rtNativeFunction_t function, void* user, rtReleaseFunction_t release) override;
  Status allocated(manager::Stream& stream, void* pointer, uint64_t size) override;
  Status free(manager::Stream& stream, void* pointer) override;
  Status record(manager::Stream& stream, manager::Event& event) override;
  Status signalFence(manager::Stream& stream, manager::Fence& fence, uint64_t value) override;
  Status waitFence(manager::Stream& stream, manager::Fence& fence, uint64_t value) override;
  Status waitEvent(manager::Stream& stream, manager::Event& event) override;
  Status waitStream(manager::Stream& stream, manager::Stream& other) override;
  void streamClosed(manager::Stream& stream) override;
  void reclaim() override { delete this; }

 private:
  struct CapturedStream {
    Lease<manager::Stream> stream;
    std::vector<uint32_t> dependencies = {};  // the nodes that the next one waits for; empty: none yet
  };
  struct Mark {  // the node that records an event
    Lease<manager::Event> event;
    uint32_t node;
  };

  // Under the lock.
  Status open() const;  // success: the capture takes more work
  CapturedStream* find(const manager::Stream& stream);
  Status participant(CapturedStream** out, manager::Stream& stream);
  Status add(CapturedStream& in, Work work);
  Status join(manager::Stream& stream, const std::vector<uint32_t>& nodes);
  Status joined();               // success: the first stream waits for the work of every other one
  bool isJoined(uint32_t node);  // whether the first stream waits for the node, or for all work before it
  Status addFence(manager::Stream& stream, manager::Fence& fence, uint64_t value, bool wait);
  void finish();  // detaches every stream, event and fence

  Status addTo(manager::Stream& stream, Work work);

  Ranked<std::mutex, LockRank::kCapture> mutex_;
  Ref<Graph> graph_ = Ref<Graph>::adopt(new Graph);
  std::vector<CapturedStream> streams_;  // the first one is the one that the capture began on
  std::unordered_map<manager::Event*, Mark> events_;
  std::vector<Lease<manager::Fence>> fences_;
  std::unordered_map<void*, bool> memory_;  // allocated in the capture; true: and freed
  Status broken_;                           // why the capture is invalid
  bool over_ = false;
};

}  // namespace manyrt::graph
