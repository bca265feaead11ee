// A graph: nodes of work, their order, and the buffers that come in and go out. Pure semantics: it knows no backend and no way
// of execution. It checks each node completely when the node is added. src/api and captures make graphs; a plan reads a copy
// that never changes.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "allocator/pin_scope.h"
#include "base/lock_order.h"
#include "base/status.h"
#include "graph/model/inference.h"
#include "graph/model/node.h"
#include "manager/graph.h"

namespace manyrt::graph {

class Graph final : public manager::GraphContent {
 public:
  static Graph& of(const manager::Graph& graph) { return static_cast<Graph&>(*graph.content); }
  static Graph& of(const manager::GraphPart& part) { return static_cast<Graph&>(*part.content); }

  // Each of these checks its arguments, then changes the graph completely or not at all. May throw bad_alloc. `handle` may be
  // null: no handle is made.
  Status addBuffer(HandleBits* handle, Buffer buffer);
  Status addValue(HandleBits* handle, Value value);
  // Turns the addresses of a range that nodes name into offsets in a new buffer.
  Status makeBuffer(HandleBits* handle, Buffer buffer);
  struct Dependencies {
    std::vector<uint32_t> nodes;
    bool inferred = false;  // the graph finds them in what the nodes read and write
  };
  Status add(HandleBits* handle, uint32_t* index, Work work, const Dependencies& dependencies);
  Status addDependencies(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to);
  // For a graph that no other thread can reach: pairs of a node and an earlier one that waits for it. A failure leaves the
  // graph incomplete.
  Status addLater(const std::vector<std::pair<uint32_t, uint32_t>>& later);
  Status removeDependencies(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to);

  Ref<Graph> snapshot(bool with_handles) const;  // a copy, with handles of its own or none. Throws bad_alloc
  // Other work of the same kind for a node: first the check, then the exchange.
  Status checkReplacement(uint32_t node, const Work& work) const;
  void replace(uint32_t node, Work&& work);
  void resizeBuffer(uint32_t buffer, uint64_t size);                  // of a copy without a node that uses more
  void setInitial(uint32_t value, std::vector<unsigned char> bytes);  // of a copy; as many as the value has
  void bindTo(HandleBits context, std::string because);               // for a capture, to the context of its stream
  const std::string& boundBy() const { return context_from_; }
  // Keeps memory reserved that nodes may name as a value (pin mode); each copy keeps it too. Throws bad_alloc.
  void keep(std::vector<Ref<allocator::PinScope>> pins);
  // For a capture: keeps what is pinned between these two. The first and the second throw bad_alloc.
  void captureBegins(allocator::ContextResources& resources);
  void captureEnds();
  void captureFails() { capture_pins_ = nullptr; }
  HandleBits context() const;                            // that nodes are bound to; 0: none
  HandleBits contextOfCopy() const { return context_; }  // of a copy that no other thread can reach
  bool waitsFor(uint32_t second, uint32_t first) const;  // by dependencies. Throws bad_alloc
  std::string dot() const;                               // throws bad_alloc
  void handleClosed() override;

  // Read under the lock, if other threads may change the graph.
  Ranked<std::mutex, LockRank::kGraph>& mutex() const { return mutex_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  const std::vector<Value>& values() const { return values_; }
  // Whether a node is a kernel with arguments as `work` has them, and takes over what setKernel() gives it.
  bool hasKernelLike(uint32_t node, const Work& work) const;
  void setKernel(uint32_t node, const KernelNode& from);  // sizes, values and addresses; kernel and kinds stay
  std::string nameOf(uint32_t node) const;  // "node 3 (kernel "add")"
  std::string bufferName(uint32_t buffer) const;
  std::string valueName(uint32_t value) const;

 private:
  // Under the lock.
  Status insertBuffer(HandleBits* handle, Buffer&& buffer);
  Status checkWork(const Work& work) const;
  Status checkCopy(const CopyNode& node) const;
  Status checkValue(uint32_t value, uint32_t size, const std::string& what) const;
  Status checkValues(const Work& work) const;
  // `what` gives the words for the operand, which a failure alone needs.
  template <class What>
  Status checkOperand(const Operand& operand, uint64_t bytes, bool written, const What& what) const;
  bool comesBefore(uint32_t first, uint32_t second) const;  // by dependencies

  mutable Ranked<std::mutex, LockRank::kGraph> mutex_;
  std::vector<Node> nodes_;
  std::vector<Buffer> buffers_;
  std::vector<Value> values_;
  Inference inference_;
  std::vector<Ref<allocator::PinScope>> pins_;
  std::unique_ptr<allocator::CapturePins> capture_pins_;  // of the capture alone, while it is at work
  HandleBits context_ = 0;
  std::string context_from_;  // the node that has bound it, for messages
};

}  // namespace manyrt::graph
