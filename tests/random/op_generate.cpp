// Chooses ops: which work, on which bytes of which memory. Ranges that are read and written by one op never overlap.
#include <algorithm>

#include "random/op.h"

namespace rtrandom {
namespace {

// A place of at most `size` bytes in [first, last).
struct Range {
  size_t first = 0, last = 0;
  size_t size() const { return last - first; }
};

Range whole(const Operand& operand) { return {0, operand.size}; }

size_t align(size_t offset, size_t alignment) { return offset / alignment * alignment; }

// Chooses size bytes inside, at a multiple of the alignment from the start of the memory.
bool place(Rng& rng, Range range, size_t alignment, size_t size, size_t* offset) {
  const size_t first = (range.first + alignment - 1) / alignment * alignment;
  if (first + size > range.last) return false;
  *offset = align(first + rng.below(range.last - size - first + 1), alignment);
  return *offset >= first && *offset + size <= range.last;
}

// Ranges for reading and writing: two memories, or two parts of one.
void split(Rng& rng, const Op& op, std::span<const Operand> operands, Range* dst, Range* src) {
  *dst = whole(operands[op.dst]);
  *src = whole(operands[op.src]);
  if (op.dst != op.src) return;
  const size_t middle = dst->last / 2;
  *dst = {0, middle};
  *src = {middle, src->last};
  if (rng.chance(50)) std::swap(*dst, *src);
}

int32_t kindOf(Rng& rng, const Operand& dst, const Operand& src) {
  if (rng.chance(50)) return RT_MEMCPY_DEFAULT;
  if (dst.device) return src.device ? RT_MEMCPY_DEVICE_TO_DEVICE : RT_MEMCPY_HOST_TO_DEVICE;
  return src.device ? RT_MEMCPY_DEVICE_TO_HOST : RT_MEMCPY_HOST_TO_HOST;
}

bool placeKernel(Rng& rng, std::span<const Operand> operands, Op* op) {
  Range dst = whole(operands[op->dst]), src{}, other{};
  if (op->type == OpType::kAddConstant || op->type == OpType::kReverseGroups) {
    size_t words = dst.size() / 4;
    if (words == 0) return false;
    if (op->type == OpType::kReverseGroups) {
      if (words < size_t{op->groups} * op->group) return false;
      op->size = size_t{4} * op->groups * op->group;
    } else {
      op->size = 4 * rng.size(words);
    }
    return place(rng, dst, 4, op->size, &op->dst_offset);
  }
  split(rng, *op, operands, &dst, &src);
  size_t words = std::min(dst.size(), src.size()) / 4;
  if (op->type == OpType::kSum) {
    if (op->other == op->dst) return false;
    other = whole(operands[op->other]);
    words = std::min(words, other.size() / 4);
  }
  if (words == 0) return false;
  op->size = 4 * rng.size(words);
  if (op->type == OpType::kSum && !place(rng, other, 4, op->size, &op->other_offset)) return false;
  return place(rng, dst, 4, op->size, &op->dst_offset) && place(rng, src, 4, op->size, &op->src_offset);
}

bool placeRows(Rng& rng, Range dst, Range src, Op* op) {
  const size_t most = std::min(dst.size(), src.size());
  if (most == 0) return false;
  op->height = rng.range(1, std::min<size_t>(most, 8));
  op->width = rng.range(1, most / op->height);
  const auto pitch = [&](Range range) {
    return op->height == 1 ? op->width + rng.below(8) : rng.range(op->width, (range.size() - op->width) / (op->height - 1));
  };
  op->dst_pitch = pitch(dst);
  op->src_pitch = pitch(src);
  return place(rng, dst, 1, op->dst_pitch * (op->height - 1) + op->width, &op->dst_offset) &&
         place(rng, src, 1, op->src_pitch * (op->height - 1) + op->width, &op->src_offset);
}

bool placeOp(Rng& rng, std::span<const Operand> operands, Op* op) {
  op->value = rng.word();
  Range dst = whole(operands[op->dst]), src = dst;
  switch (op->type) {
    case OpType::kCopy: {
      split(rng, *op, operands, &dst, &src);
      const size_t most = std::min(dst.size(), src.size());
      if (most == 0) return false;
      op->size = rng.chance(20) ? most : rng.size(most);
      op->kind = kindOf(rng, operands[op->dst], operands[op->src]);
      return place(rng, dst, 1, op->size, &op->dst_offset) && place(rng, src, 1, op->size, &op->src_offset);
    }
    case OpType::kCopy2D:
      split(rng, *op, operands, &dst, &src);
      op->kind = kindOf(rng, operands[op->dst], operands[op->src]);
      return placeRows(rng, dst, src, op);
    case OpType::kMemset2D:
      return placeRows(rng, dst, dst, op);
    case OpType::kMemset:
    case OpType::kHostFunction:
      op->size = rng.size(dst.size());
      return place(rng, dst, 1, op->size, &op->dst_offset);
    case OpType::kFill: {
      op->pattern_size = 1u << rng.below(5);
      for (uint8_t& byte : op->pattern) byte = static_cast<uint8_t>(rng.next());
      const size_t count = dst.size() / op->pattern_size;
      if (count == 0) return false;
      op->size = op->pattern_size * rng.size(count);
      return place(rng, dst, op->pattern_size, op->size, &op->dst_offset);
    }
    case OpType::kNative:
      return true;
    default:
      return placeKernel(rng, operands, op);
  }
}

bool allowed(const Op& op, std::span<const Operand> operands, const Kernels& kernels) {
  const Operand& dst = operands[op.dst];
  const Operand& src = operands[op.src];
  if (op.writes() && dst.constant) return false;
  switch (op.type) {
    case OpType::kCopy:
    case OpType::kCopy2D:  // needs a stream of the context of one side; host to host: any
      return (dst.device && dst.home) || (src.device && src.home) || (!dst.device && !src.device);
    case OpType::kMemset:
    case OpType::kMemset2D:
    case OpType::kFill:
      return dst.home;
    case OpType::kAddConstant:
      return kernels.add_constant != nullptr && dst.kernel;
    case OpType::kReverseGroups:
      return kernels.reverse_groups != nullptr && dst.kernel;
    case OpType::kXorCopy:
      return kernels.xor_copy != nullptr && dst.kernel && src.kernel;
    case OpType::kHostKernel:
      return kernels.host_kernel != nullptr && dst.kernel && src.kernel;
    case OpType::kSum:
      return kernels.sum != nullptr && dst.kernel && src.kernel && operands[op.other].kernel;
    case OpType::kHostFunction:
      return dst.host;
    case OpType::kNative:
      return kernels.native;
  }
  return false;
}

}  // namespace

bool generate(Rng& rng, std::span<const Operand> operands, const Kernels& kernels, Op* op) {
  for (int tries = 0; tries < 8 && !operands.empty(); ++tries) {
    *op = Op{};
    op->type = static_cast<OpType>(rng.below(kOpTypes));
    op->dst = static_cast<unsigned>(rng.below(operands.size()));
    op->src = static_cast<unsigned>(rng.below(operands.size()));
    op->other = static_cast<unsigned>(rng.below(operands.size()));
    op->groups = static_cast<uint32_t>(rng.range(1, kMaxGroups));
    op->group = static_cast<uint32_t>(rng.range(1, kMaxGroupItems));
    op->cooperative = kernels.cooperative && rng.chance(10);
    if (op->cooperative) op->groups = static_cast<uint32_t>(rng.range(1, 2));
    if (allowed(*op, operands, kernels) && placeOp(rng, operands, op)) return true;
  }
  return false;
}

bool vary(Rng& rng, std::span<const Operand> operands, Op* op) {
  Op other = *op;
  if (!placeOp(rng, operands, &other)) return false;
  *op = other;
  return true;
}

}  // namespace rtrandom
