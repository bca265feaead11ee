// The model of the driver's objects: what each buffer holds at the end of all work given so far, and which work uses it.
//
// Every buffer belongs to one actor. Each op on it is ordered after the earlier ones that it conflicts with, by the stream or
// by a wait that the actor inserts. So the order of submission is the order of effects, and contents are known when work is
// given.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "random/kernels.h"
#include "random/op.h"
#include "rt.h"

namespace rtrandom {

struct Stream;

struct Context {
  rtContext_t handle = nullptr;
  rtDevice_t device = nullptr;
  int32_t backend = 0;
  bool primary = false;
  bool alive = true;
  bool shared_memory = false;
  bool registers = false;
  Kernels kernels;
  std::shared_ptr<Stream> default_stream;
  rtMemPool_t pool = nullptr;  // of the driver's own, may be nullptr
};

struct Stream {
  rtStream_t handle = nullptr;
  std::shared_ptr<Context> context;
  uint64_t submitted = 0;       // counts the work given
  uint64_t completed = 0;       // of which so much is known to be complete
  rtStream_t origin = nullptr;  // the stream whose native one was imported as this one; the driver's, too
  bool is_default = false;
  bool alive = true;
};
using StreamRef = std::shared_ptr<Stream>;

// A buffer's use by a stream's work.
struct Use {
  StreamRef stream;
  uint64_t serial = 0;
  bool write = false;
  bool graph = false;  // by a graph, which may read pageable memory when it runs
  bool complete() const { return serial <= stream->completed; }
};

enum class MemoryType { kDevice, kPinned, kShared, kRegistered, kPageable, kImported };

struct Buffer {
  MemoryType type = MemoryType::kDevice;
  uint8_t* address = nullptr;
  uint8_t* program_memory = nullptr;  // what the driver itself has allocated
  std::shared_ptr<Context> context;   // the owner; nullptr for pageable memory
  std::vector<uint8_t> contents;      // as they will be
  std::vector<Use> uses;
  std::deque<std::string> history;  // of the last ops, for a failure's text
  unsigned graphs = 0;              // that name its address
  bool freed = false;               // the program has given it back; graphs may still use it

  ~Buffer();
  size_t size() const { return contents.size(); }
  bool kernels = false;  // of the owner reach it
  bool hostReaches() const { return type != MemoryType::kDevice; }
  bool ofProgram() const { return type == MemoryType::kRegistered || type == MemoryType::kImported; }
  bool readByGraph() const;  // by a launch that may not be complete
  bool isDevice() const { return type == MemoryType::kDevice || type == MemoryType::kShared || type == MemoryType::kImported; }
  void note(const char* what, uint64_t step, const Op* op, const char* where);
  // The accesses that an op on a stream of `stream_context` may make to it.
  Operand operandFor(const Context& stream_context) const;
};
using BufferRef = std::shared_ptr<Buffer>;

// Ops with the memory that they name: a graph that was captured, or what is bound to an exec.
struct Recording {
  std::vector<Op> ops;
  std::vector<BufferRef> buffers;                     // ops name them by index
  std::vector<std::vector<uint8_t>> temporaries;      // after the buffers; contents do not outlive a launch
  std::vector<std::unique_ptr<HostCall>> host_calls;  // of host functions and native calls
  uint64_t hostFunctions() const;
  bool writes(size_t buffer) const;
  bool names(size_t buffer) const;
  void applyAll();
};

}  // namespace rtrandom
