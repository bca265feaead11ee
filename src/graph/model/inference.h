// Dependencies that follow from what nodes read and write. A node conflicts with the earlier ones whose memory meets its own
// where either of the two writes; what nobody can see into (host functions, native functions, graphs, events, fences) conflicts
// with everything. It waits for those that it conflicts with, less those that come before a later one of them. A graph has one
// Inference, asks it for nodes that are added, and tells it what it changes otherwise; a graph that is given all its
// dependencies pays nothing.
//
// An access is kept until a later node has one that stands for it: what conflicts with the first conflicts with the second, and
// the second node comes behind the first. So a new node looks at what it conflicts with, not at the whole graph. Reads that
// overlap partly and do not come one behind the other cost the most: n of them keep up to n * n / 2 entries.
#pragma once

#include <map>

#include "graph/model/node.h"
#include "graph/model/node_sets.h"

namespace manyrt::graph {

class Inference {
 public:
  // Of a node that comes behind all of `nodes`. Throws bad_alloc.
  std::vector<uint32_t> dependenciesOf(const Work& work, const std::vector<Node>& nodes, const std::vector<Buffer>& buffers);
  void changed(uint32_t node) {  // its work or what it waits for is another one
    if (node < ancestors_.size()) forget();
  }
  void forget() { *this = Inference(); }

 private:
  struct Comer {  // a node that is looked at, and what comes before it
    uint32_t node;
    const NodeSets::Set* before;
    const NodeSets* sets;
    bool behind(uint32_t other) const { return sets->contains(*before, other); }
  };

  // Who uses one piece of memory, or one of memories that all meet each other.
  class Users {
   public:
    void find(bool write, std::vector<uint32_t>* conflicts) const;
    void add(bool write, const Comer& comer);
    void replace(bool write, const Comer& comer);  // lets go of those that an access of the comer stands for
    bool empty() const { return writers_.empty() && readers_.empty(); }

   private:
    std::vector<uint32_t> writers_, readers_;
    size_t limit_ = 16;  // of users; with more it is looked who can go
  };

  // The users of a buffer, or of all addresses, by pieces that do not overlap.
  class Pieces {
   public:
    void find(uint64_t begin, uint64_t end, bool write, std::vector<uint32_t>* conflicts) const;
    void add(uint64_t begin, uint64_t end, bool write, const Comer& comer);

   private:
    struct Piece {
      uint64_t end;
      Users users;
    };
    void cut(uint64_t at);
    std::map<uint64_t, Piece> pieces_;  // by where they begin
  };

  // Where an access is kept and looked for. A buffer may be bound to any address, but a temporary: any address meets any
  // buffer.
  struct Lookup {
    uint64_t begin, end;
    bool write;
    Pieces* pieces;
    Users *same, *other;  // all accesses of its kind, and all that it may meet besides; null: of a temporary
  };
  Lookup lookupOf(const Access& access, const std::vector<Buffer>& buffers);
  void learn(const std::vector<Node>& nodes, const std::vector<Buffer>& buffers);
  void enter(const Work& work, const Comer& comer, const std::vector<Buffer>& buffers);
  std::vector<uint32_t> conflictsOf(const Work& work, const std::vector<Buffer>& buffers);

  NodeSets sets_;
  std::vector<NodeSets::Set> ancestors_;  // of the nodes that are known
  Users world_;                           // a node that may use anything writes to it, any other one reads it
  Users any_address_, any_buffer_;
  Pieces addresses_;
  std::vector<Pieces> buffers_;
};

struct Span {
  uint64_t begin, end;
};
// In its buffer, or of addresses. Where the end of an address is not known it is that of the allocation, else none.
Span spanOf(const Access& access, const std::vector<Buffer>& buffers);

}  // namespace manyrt::graph
