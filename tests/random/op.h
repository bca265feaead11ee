// One piece of work with a known effect: a copy, a fill, a kernel, a host function. It names its memory by index. So the same
// piece can go to a stream, be recorded by a capture or become a node of a graph. It can also be applied to the model of the
// contents.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "random/kernels.h"
#include "random/random_numbers.h"
#include "rt.h"

namespace rtrandom {

enum class OpType {
  kCopy,
  kCopy2D,
  kMemset,
  kMemset2D,
  kFill,
  kAddConstant,
  kXorCopy,
  kSum,
  kReverseGroups,
  kHostKernel,
  kHostFunction,
  kNative,
};
inline constexpr size_t kOpTypes = static_cast<size_t>(OpType::kNative) + 1;

// A memory that an op may name, and what it allows.
struct Operand {
  size_t size = 0;
  bool device = false;    // of a device, so that a copy needs a stream of its context or of the other side's
  bool home = false;      // its context is that of the stream
  bool kernel = false;    // kernels of the stream's context reach it
  bool host = false;      // the host reaches it
  bool constant = false;  // no op may write it
};

struct Op {
  OpType type = OpType::kCopy;
  unsigned dst = 0, src = 0, other = 0;  // indices of memory; dst is written
  size_t dst_offset = 0, src_offset = 0, other_offset = 0;
  size_t size = 0;  // bytes
  size_t width = 0, height = 0, dst_pitch = 0, src_pitch = 0;
  int32_t kind = RT_MEMCPY_DEFAULT;
  uint32_t value = 0;
  uint8_t pattern[16] = {};
  uint32_t pattern_size = 1;
  uint32_t groups = 1, group = 1;
  bool cooperative = false;

  bool reads() const { return type == OpType::kCopy || type == OpType::kCopy2D || readsKernel(); }
  bool readsKernel() const { return type == OpType::kXorCopy || type == OpType::kSum || type == OpType::kHostKernel; }
  bool writes() const { return type != OpType::kNative; }
  // Bytes from the first to the last that the op may write.
  size_t extent() const { return height != 0 ? dst_pitch * (height - 1) + width : size; }
};

// The data of a host function or native call: kept until the driver ends, since a graph may call it many times.
struct HostCall {
  Op op;
  uint8_t* address = nullptr;  // of dst
  uint64_t seed = 0;
  rtStream_t stream = nullptr;
  std::atomic<uint64_t>* calls = nullptr;
};

const char* nameOf(OpType type);
// Chooses an op that these memories and abilities allow; false where none of a few tries was possible.
bool generate(Rng& rng, std::span<const Operand> operands, const Kernels& kernels, Op* op);
// Gives an op of the same type, memories and number of work-groups other places, sizes and values; for exec parameters.
bool vary(Rng& rng, std::span<const Operand> operands, Op* op);
// The effect on contents.
void applyOp(const Op& op, std::span<std::vector<uint8_t>* const> contents);
// Gives the op to a stream. `call` stays valid until the stream has passed it, in a capture until the graph is gone.
rtStatus_t submit(const Op& op, std::span<uint8_t* const> addresses, const Kernels& kernels, HostCall* call, rtStream_t stream);
// Adds the op to a graph. Kernels are given or, where `by_name`, named.
rtStatus_t addNode(rtGraphNode_t* node, const Op& op, std::span<const rtGraphOperand_t> memory, const Kernels& kernels,
                   bool by_name, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph);
// Exchanges the parameters of the op's node in an exec.
rtStatus_t setParams(rtGraphNode_t node, const Op& op, std::span<const rtGraphOperand_t> memory, const Kernels& kernels,
                     bool by_name, rtGraphExec_t exec);

}  // namespace rtrandom
