// A graph: what is to be done, in which order, with which buffers coming in and going out. Pure semantics: it knows no backend
// and no way of execution. Everything that can be wrong with one node is found when it is added. Made by src/api and by the
// recorder of a capture; read by the plan, from a copy that nobody changes any more.
#pragma once

#include <mutex>
#include <string>
#include <vector>

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

  // Each of these checks, changes the graph as a whole or not at all, and may throw bad_alloc. `handle` may be null: no handle
  // is made.
  Status addBuffer(HandleBits* handle, Buffer buffer);
  // Turns the addresses inside a range that nodes name into places in a new buffer.
  Status makeBuffer(HandleBits* handle, Buffer buffer);
  struct Dependencies {
    std::vector<uint32_t> nodes;
    bool inferred = false;  // from what the nodes read and write
  };
  Status add(HandleBits* handle, uint32_t* index, Work work, const Dependencies& dependencies);
  Status addDependencies(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to);
  // Of a graph that nobody else has: pairs of a node and an earlier one that waits for it. On failure the graph is not whole.
  Status addLater(const std::vector<std::pair<uint32_t, uint32_t>>& later);
  Status removeDependencies(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to);

  Ref<Graph> snapshot(bool with_handles) const;  // a copy, with handles of its own or none. Throws bad_alloc
  // Other parameters for a node, of the same kind; checked first, then exchanged.
  Status checkReplacement(uint32_t node, const Work& work) const;
  void replace(uint32_t node, Work&& work);
  void resizeBuffer(uint32_t buffer, uint64_t size);     // of a copy: nothing in it uses more
  void bindTo(HandleBits context, std::string because);  // a capture: to that of its stream
  const std::string& boundBy() const { return context_from_; }
  HandleBits context() const;                            // that nodes are bound to; 0: none
  HandleBits contextOfCopy() const { return context_; }  // of a copy that nobody else has
  bool waitsFor(uint32_t second, uint32_t first) const;  // by dependencies. Throws bad_alloc
  std::string dot() const;                               // throws bad_alloc
  void handleClosed() override;

  // Of a graph that is being changed by others these are read under the lock.
  Ranked<std::mutex, LockRank::kGraph>& mutex() const { return mutex_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  std::string nameOf(uint32_t node) const;  // "node 3 (kernel "add")"
  std::string bufferName(uint32_t buffer) const;

 private:
  // Under the lock.
  Status insertBuffer(HandleBits* handle, Buffer&& buffer);
  Status checkWork(const Work& work) const;
  Status checkCopy(const CopyNode& node) const;
  Status checkOperand(const Operand& operand, uint64_t bytes, bool written, const std::string& what) const;
  bool comesBefore(uint32_t first, uint32_t second) const;  // by dependencies

  mutable Ranked<std::mutex, LockRank::kGraph> mutex_;
  std::vector<Node> nodes_;
  std::vector<Buffer> buffers_;
  Inference inference_;
  HandleBits context_ = 0;
  std::string context_from_;  // the node that has bound it
};

}  // namespace manyrt::graph
