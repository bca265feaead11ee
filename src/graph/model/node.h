// The parts of a graph: operands, the parameters of each kind of node, buffers. Values and leases only: no backend, no type of
// a driver, no way of execution. The graph fills them, the plan reads them.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "allocator/block_lease.h"
#include "base/callbacks.h"
#include "base/handles/slot_table.h"
#include "base/ref.h"
#include "manager/event.h"
#include "manager/fence.h"
#include "manager/kernel.h"

namespace manyrt::graph {

class Graph;

constexpr uint32_t kNone = UINT32_MAX;

// Memory of a node: an offset in a buffer of the graph, or an address with a lease on its allocation.
struct Operand {
  uint32_t buffer = kNone;
  uint64_t offset = 0;
  void* pointer = nullptr;  // without a buffer
  allocator::BlockLease lease;
};

struct KernelArgument {
  int32_t kind = RT_ARG_VALUE;
  uint32_t access = RT_GRAPH_READ | RT_GRAPH_WRITE;  // of RT_ARG_POINTER
  uint32_t size = 0;                                 // bytes of the value
  uint32_t offset = 0;                               // in KernelNode::values, a multiple of 16
  uint64_t bytes = 0;                                // of RT_ARG_POINTER: the bytes that are used; 0: up to the end
  uint32_t value = kNone;                            // of RT_ARG_VALUE: the graph's named value; kNone: the node has its bytes
  Operand memory;                                    // of RT_ARG_POINTER
};

struct KernelNode {
  Lease<manager::Kernel> kernel;  // null: found by name when a plan is made
  std::string name;
  std::shared_ptr<const manager::KernelSource> source;  // of a name: a plan builds it; null: the plan's modules have it
  uint32_t grid[3] = {1, 1, 1};
  uint32_t group[3] = {1, 1, 1};
  uint32_t local_bytes = 0;
  bool cooperative = false;
  uint64_t offset[3] = {0, 0, 0};  // of the global ids
  std::vector<KernelArgument> arguments;
  std::vector<unsigned char> values;  // RT_ARG_LOCAL: the bytes to reserve, as a size_t
};

struct CopyNode {  // one row: a plain copy
  Operand dst, src;
  uint64_t width = 0, height = 1, dst_pitch = 0, src_pitch = 0;
  int32_t kind = RT_MEMCPY_DEFAULT;
  bool rectangle = false;
};

struct FillNode {
  Operand dst;
  unsigned char pattern[16] = {};
  uint32_t pattern_size = 1;
  uint64_t count = 0, height = 1, pitch = 0;
};

// A pointer of the program with its release function, which is called once, after the last graph, plan and exec that name it.
class UserData {
 public:
  UserData(void* pointer, rtReleaseFunction_t release) : release_(new callbacks::Release(pointer, release)) {}
  UserData(const UserData&) = delete;
  UserData& operator=(const UserData&) = delete;
  ~UserData() { callbacks::Release::giveBack(release_); }
  void* pointer() const { return release_->user(); }
  void takeOver(rtReleaseFunction_t release) { release_->setRelease(release); }  // when a node has it

 private:
  callbacks::Release* const release_;
};

struct HostNode {
  rtHostFunction_t function = nullptr;
  std::shared_ptr<UserData> user;
};

struct NativeNode {
  rtNativeFunction_t function = nullptr;
  std::shared_ptr<UserData> user;
};

struct EmptyNode {};

struct Binding {  // of a buffer of the child
  uint32_t buffer;
  Operand memory;
};

struct ValueBinding {  // of a named value of the child
  uint32_t value;
  uint32_t outer = kNone;            // a value of the graph that has the node; kNone: `bytes`
  std::vector<unsigned char> bytes;  // as many as the child's value has
};

struct ChildNode {
  Ref<Graph> graph;  // as it was when the node was added
  std::vector<Binding> bindings;
  std::vector<ValueBinding> values;
};

struct EventNode {
  Lease<manager::Event> event;
  bool wait = false;
};

struct FenceNode {
  Lease<manager::Fence> fence;
  uint64_t value = 0;
  bool wait = false;
};

struct PrefetchNode {  // a hint; only captures make it
  Operand memory;
  uint64_t size = 0;
  bool to_host = false;
};

struct MemoryNode {  // an allocation or a free of the graph's own memory; only captures make it
  Operand memory;
  uint64_t size = 0;
  bool free = false;
};

using Work = std::variant<EmptyNode, KernelNode, CopyNode, FillNode, HostNode, NativeNode, ChildNode, EventNode, FenceNode,
                          PrefetchNode, MemoryNode>;

int32_t typeOf(const Work& work);                  // RT_GRAPH_NODE_*
const char* typeName(int32_t type);                // "kernel"
std::string describe(const Work& work);            // "kernel \"add\"", for messages and pictures
bool namesContext(const Work& work, HandleBits*);  // whether the work is bound to a context, and to which

// The memory that a node reads and writes, for inferred dependencies and for the memory plan. `opaque`: it may use any memory.
struct Access {
  const Operand* memory;
  uint64_t bytes;  // from the operand on; 0: up to its end
  uint32_t access;
};
struct Accesses {
  std::vector<Access> memory;
  bool opaque = false;
};
Accesses accessesOf(const Work& work);  // throws bad_alloc
// Visits the same without a list, which takes memory: what changes a kernel's arguments does so between two launches.
template <class Visitor>
void forEachAccess(const Work& work, Visitor visit) {
  if (const KernelNode* kernel = std::get_if<KernelNode>(&work)) {
    for (const KernelArgument& argument : kernel->arguments) {
      if (argument.kind == RT_ARG_POINTER) visit(Access{&argument.memory, argument.bytes, argument.access});
    }
    return;
  }
  for (const Access& access : accessesOf(work).memory) visit(access);
}

// Visits every operand of a node, which the visitor may change.
template <class Visitor>
void forEachOperand(Work& work, Visitor visit) {
  if (KernelNode* kernel = std::get_if<KernelNode>(&work)) {
    for (KernelArgument& argument : kernel->arguments) {
      if (argument.kind == RT_ARG_POINTER) visit(argument.memory);
    }
  } else if (CopyNode* copy = std::get_if<CopyNode>(&work)) {
    visit(copy->dst);
    visit(copy->src);
  } else if (FillNode* fill = std::get_if<FillNode>(&work)) {
    visit(fill->dst);
  } else if (ChildNode* child = std::get_if<ChildNode>(&work)) {
    for (Binding& binding : child->bindings) visit(binding.memory);
  } else if (PrefetchNode* prefetch = std::get_if<PrefetchNode>(&work)) {
    visit(prefetch->memory);
  } else if (MemoryNode* memory = std::get_if<MemoryNode>(&work)) {
    visit(memory->memory);
  }
}

struct Node {
  Work work;
  std::vector<uint32_t> before;  // the nodes that it waits for, ascending, each once
  HandleBits handle = 0;
};

constexpr uint64_t kMaxBuffer = uint64_t{1} << 57;  // no address space is larger

struct Buffer {
  uint64_t size = 0;
  int32_t role = RT_GRAPH_BUFFER_INPUT;
  std::string name;
  std::string type;  // of a graph file: "f32" and the like, with the shape; "": not given
  std::vector<uint64_t> shape;
  void* recorded = nullptr;  // the range that a capture has recorded, which is the first binding
  allocator::BlockLease lease;
  HandleBits handle = 0;
};

// A number, or another value of a few bytes, that is named before it is known.
struct Value {
  uint32_t size = 0;  // bytes
  std::string name;
  std::vector<unsigned char> initial;  // what it is until it is bound; empty: it has to be bound
  HandleBits handle = 0;
};

}  // namespace manyrt::graph
