// Infers dependencies from what nodes read and write. Two nodes conflict if their memory overlaps and one of them writes it. An
// opaque node (host or native function, graph, event, fence) conflicts with every other one. A node waits for the earlier ones
// that it conflicts with, except those that come before another one of these. A graph has one Inference, asks it for each added
// node, and reports other changes. A graph with given dependencies alone pays nothing.
//
// An access is kept until an access of a later node covers it. All conflicts of the first are conflicts of the second then, and
// the second node comes after the first. So a new node is compared with its conflicts, not with the whole graph. The worst case
// are reads that overlap partly and have no order: n of them keep up to n * n / 2 entries.
#pragma once

#include <map>

#include "graph/model/node.h"
#include "graph/model/node_sets.h"

namespace manyrt::graph {

class Inference {
 public:
  // The dependencies of a node that is added after `nodes`. Throws bad_alloc.
  std::vector<uint32_t> dependenciesOf(const Work& work, const std::vector<Node>& nodes, const std::vector<Buffer>& buffers);
  void changed(uint32_t node) {  // its work or its dependencies
    if (node < ancestors_.size()) forget();
  }
  void forget() { *this = Inference(); }

 private:
  struct NewNode {  // and the nodes that come before it
    uint32_t node;
    const NodeSets::Set* before;
    const NodeSets* sets;
    bool comesAfter(uint32_t other) const { return sets->contains(*before, other); }
  };

  // The nodes that use one piece of memory, or pieces that may all overlap each other.
  class Users {
   public:
    void find(bool write, std::vector<uint32_t>* conflicts) const;
    void add(bool write, const NewNode& added);
    void replace(bool write, const NewNode& added);  // removes those that the access of the new node covers
    bool empty() const { return writers_.empty() && readers_.empty(); }

   private:
    std::vector<uint32_t> writers_, readers_;
    size_t limit_ = 16;  // with more users, add() first removes covered ones
  };

  // The users of a buffer, or of all addresses, by pieces that do not overlap.
  class Pieces {
   public:
    void find(uint64_t begin, uint64_t end, bool write, std::vector<uint32_t>* conflicts) const;
    void add(uint64_t begin, uint64_t end, bool write, const NewNode& added);

   private:
    struct Piece {
      uint64_t end;
      Users users;
    };
    void cut(uint64_t at);
    std::map<uint64_t, Piece> pieces_;  // by where they begin
  };

  // The lists in which an access is kept and looked up. Any buffer but a temporary may be bound to any address, so that every
  // address may overlap every buffer.
  struct Lookup {
    uint64_t begin, end;
    bool write;
    Pieces* pieces;
    Users *same, *other;  // all accesses of its kind, and all others that it may overlap; null for a temporary
  };
  Lookup lookupOf(const Access& access, const std::vector<Buffer>& buffers);
  void learn(const std::vector<Node>& nodes, const std::vector<Buffer>& buffers);
  void enter(const Work& work, const NewNode& added, const std::vector<Buffer>& buffers);
  std::vector<uint32_t> conflictsOf(const Work& work, const std::vector<Buffer>& buffers);

  NodeSets sets_;
  std::vector<NodeSets::Set> ancestors_;  // of the nodes that were learned
  Users everything_;                      // opaque nodes write it, all others read it
  Users any_address_, any_buffer_;
  Pieces addresses_;
  std::vector<Pieces> buffers_;
};

struct Span {
  uint64_t begin, end;
};
// The bytes of an access, in its buffer or as addresses. An address without a size reaches to the end of its allocation, or
// without a limit.
Span spanOf(const Access& access, const std::vector<Buffer>& buffers);

}  // namespace manyrt::graph
