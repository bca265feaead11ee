// The effects of ops on contents, and how ops are given to streams and graphs.
#include "random/op.h"

#include <algorithm>
#include <cstring>

#include "random/call_log.h"
#include "random/callbacks.h"

namespace rtrandom {
namespace {

// Kernels address 32-bit words at any multiple of 4.
uint32_t wordAt(const std::vector<uint8_t>& bytes, size_t offset) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + offset, 4);
  return word;
}
void setWord(std::vector<uint8_t>* bytes, size_t offset, uint32_t word) { std::memcpy(bytes->data() + offset, &word, 4); }

rtKernel_t kernelOf(const Op& op, const Kernels& kernels) {
  switch (op.type) {
    case OpType::kAddConstant:
      return kernels.add_constant;
    case OpType::kXorCopy:
      return kernels.xor_copy;
    case OpType::kSum:
      return kernels.sum;
    case OpType::kReverseGroups:
      return kernels.reverse_groups;
    case OpType::kHostKernel:
      return kernels.host_kernel;
    default:
      return nullptr;
  }
}

const char* kernelName(const Op& op) {
  switch (op.type) {
    case OpType::kAddConstant:
      return "add_constant";
    case OpType::kXorCopy:
      return "xor_copy";
    case OpType::kSum:
      return "sum";
    case OpType::kReverseGroups:
      return "reverse_groups";
    default:
      return nullptr;
  }
}

rtStatus_t launch(const Op& op, std::span<uint8_t* const> addresses, const Kernels& kernels, rtStream_t stream) {
  uint8_t* dst = addresses[op.dst] + op.dst_offset;
  uint8_t* src = addresses[op.src] + op.src_offset;
  uint8_t* other = addresses[op.other] + op.other_offset;
  uint32_t value = op.value, count = static_cast<uint32_t>(op.size / 4);
  size_t local = size_t{4} * op.group;
  void* args[4] = {&dst, &src, &value, &count};
  uint32_t arg_count = 4;
  if (op.type == OpType::kAddConstant) {
    args[1] = &value;
    args[2] = &count;
    arg_count = 3;
  } else if (op.type == OpType::kSum) {
    args[2] = &other;
  } else if (op.type == OpType::kReverseGroups) {
    args[1] = &local;
    arg_count = 2;
  }
  if (op.value % 4 == 0) arg_count = RT_ARGS_ALL;
  const rtKernel_t kernel = kernelOf(op, kernels);
  if (!op.cooperative) {
    return CALL(rtLaunchKernel, kernel, op.groups, 1u, 1u, op.group, 1u, 1u, 0u, stream, args, arg_count);
  }
  const uint32_t grid[3] = {op.groups, 1, 1}, group[3] = {op.group, 1, 1};
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.flags = RT_LAUNCH_COOPERATIVE;
  return CALL(rtLaunchKernelWithOptions, kernel, grid, group, 0u, &options, args, arg_count, stream);
}

// The parameters of a kernel node; the arrays and values belong to the caller's frame.
struct KernelNode {
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  rtGraphArg_t args[4] = {};
  uint32_t value = 0, count = 0;

  KernelNode(const Op& op, std::span<const rtGraphOperand_t> memory, const Kernels& kernels, bool by_name) {
    value = op.value;
    count = static_cast<uint32_t>(op.size / 4);
    const bool named = by_name && kernelName(op) != nullptr;
    params.kernel = named ? nullptr : kernelOf(op, kernels);
    params.name = named ? kernelName(op) : nullptr;
    params.grid[0] = op.groups;
    params.group[0] = op.group;
    params.flags = op.cooperative ? RT_LAUNCH_COOPERATIVE : 0;
    params.args = args;
    uint32_t index = 0;
    const uint32_t dst_access =
        op.type == OpType::kAddConstant || op.type == OpType::kReverseGroups ? RT_GRAPH_READ | RT_GRAPH_WRITE : RT_GRAPH_WRITE;
    pointer(&args[index++], memory[op.dst], op.dst_offset, op.size, dst_access);
    if (op.readsKernel()) pointer(&args[index++], memory[op.src], op.src_offset, op.size, RT_GRAPH_READ);
    if (op.type == OpType::kSum) pointer(&args[index++], memory[op.other], op.other_offset, op.size, RT_GRAPH_READ);
    if (op.type == OpType::kReverseGroups) {
      args[index].kind = RT_ARG_LOCAL;
      args[index++].size = uint64_t{4} * op.group;
    } else {
      if (op.type != OpType::kSum) number(&args[index++], &value);
      number(&args[index++], &count);
    }
    params.arg_count = index;
  }

 private:
  static void pointer(rtGraphArg_t* arg, const rtGraphOperand_t& memory, size_t offset, size_t size, uint32_t access) {
    arg->kind = RT_ARG_POINTER;
    arg->access = access;
    arg->size = size;
    arg->memory = memory;
    if (memory.buffer != nullptr) {
      arg->memory.offset += offset;
    } else {
      arg->memory.pointer = static_cast<uint8_t*>(memory.pointer) + offset;
    }
  }
  static void number(rtGraphArg_t* arg, const uint32_t* value) {
    arg->kind = RT_ARG_VALUE;
    arg->size = 4;
    arg->value = value;
  }
};

rtGraphOperand_t at(const rtGraphOperand_t& memory, size_t offset) {
  rtGraphOperand_t moved = memory;
  if (memory.buffer != nullptr) {
    moved.offset += offset;
  } else {
    moved.pointer = static_cast<uint8_t*>(memory.pointer) + offset;
  }
  return moved;
}

rtGraphFillParams_t fillParams(const Op& op, std::span<const rtGraphOperand_t> memory) {
  rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
  params.dst = at(memory[op.dst], op.dst_offset);
  params.pattern_size = 1;
  params.pattern[0] = static_cast<uint8_t>(op.value);
  params.count = op.size;
  if (op.type == OpType::kFill) {
    params.pattern_size = op.pattern_size;
    std::memcpy(params.pattern, op.pattern, sizeof op.pattern);
    params.count = op.size / op.pattern_size;
  } else if (op.type == OpType::kMemset2D) {
    params.count = op.width;
    params.pitch = op.dst_pitch;
    params.height = op.height;
  }
  return params;
}

rtGraphMemcpyParams_t copyParams(const Op& op, std::span<const rtGraphOperand_t> memory) {
  rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
  params.kind = op.kind;
  params.dst = at(memory[op.dst], op.dst_offset);
  params.src = at(memory[op.src], op.src_offset);
  params.size = op.size;
  return params;
}

}  // namespace

const char* nameOf(OpType type) {
  static constexpr const char* kNames[kOpTypes] = {"copy",           "copy2d",       "memset",        "memset2d",
                                                   "fill",           "add_constant", "xor_copy",      "sum",
                                                   "reverse_groups", "host kernel",  "host function", "native"};
  return kNames[static_cast<size_t>(type)];
}

void applyOp(const Op& op, std::span<std::vector<uint8_t>* const> contents) {
  std::vector<uint8_t>& dst = *contents[op.dst];
  const std::vector<uint8_t>& src = *contents[op.src];
  switch (op.type) {
    case OpType::kCopy:
      std::memcpy(dst.data() + op.dst_offset, src.data() + op.src_offset, op.size);
      break;
    case OpType::kCopy2D:
      for (size_t row = 0; row < op.height; ++row) {
        std::memcpy(dst.data() + op.dst_offset + row * op.dst_pitch, src.data() + op.src_offset + row * op.src_pitch, op.width);
      }
      break;
    case OpType::kMemset:
      std::memset(dst.data() + op.dst_offset, static_cast<uint8_t>(op.value), op.size);
      break;
    case OpType::kMemset2D:
      for (size_t row = 0; row < op.height; ++row) {
        std::memset(dst.data() + op.dst_offset + row * op.dst_pitch, static_cast<uint8_t>(op.value), op.width);
      }
      break;
    case OpType::kFill:
      for (size_t i = 0; i < op.size; ++i) dst[op.dst_offset + i] = op.pattern[i % op.pattern_size];
      break;
    case OpType::kAddConstant:
      for (size_t i = 0; i < op.size; i += 4) setWord(&dst, op.dst_offset + i, wordAt(dst, op.dst_offset + i) + op.value);
      break;
    case OpType::kXorCopy:
    case OpType::kHostKernel:
      for (size_t i = 0; i < op.size; i += 4) setWord(&dst, op.dst_offset + i, wordAt(src, op.src_offset + i) ^ op.value);
      break;
    case OpType::kSum:
      for (size_t i = 0; i < op.size; i += 4) {
        setWord(&dst, op.dst_offset + i, wordAt(src, op.src_offset + i) + wordAt(*contents[op.other], op.other_offset + i));
      }
      break;
    case OpType::kReverseGroups:
      for (uint32_t group = 0; group < op.groups; ++group) {
        const size_t first = op.dst_offset + size_t{4} * group * op.group;
        for (uint32_t i = 0; i < op.group / 2; ++i) {
          const uint32_t low = wordAt(dst, first + 4 * i), high = wordAt(dst, first + 4 * (op.group - 1 - i));
          setWord(&dst, first + 4 * i, high);
          setWord(&dst, first + 4 * (op.group - 1 - i), low);
        }
      }
      break;
    case OpType::kHostFunction:
      applyHostFunction(op, dst.data());
      break;
    case OpType::kNative:
      break;
  }
}

rtStatus_t submit(const Op& op, std::span<uint8_t* const> addresses, const Kernels& kernels, HostCall* call,
                  rtStream_t stream) {
  uint8_t* dst = addresses[op.dst] + op.dst_offset;
  uint8_t* src = addresses[op.src] + op.src_offset;
  const auto value = static_cast<int32_t>(op.value);
  switch (op.type) {
    case OpType::kCopy:
      return CALL(rtMemcpyAsync, dst, src, op.size, op.kind, stream);
    case OpType::kCopy2D:
      return CALL(rtMemcpy2DAsync, dst, op.dst_pitch, src, op.src_pitch, op.width, op.height, op.kind, stream);
    case OpType::kMemset:
      return CALL(rtMemsetAsync, dst, value, op.size, stream);
    case OpType::kMemset2D:
      return CALL(rtMemset2DAsync, dst, op.dst_pitch, value, op.width, op.height, stream);
    case OpType::kFill:
      return CALL(rtMemFillAsync, dst, op.pattern, size_t{op.pattern_size}, op.size / op.pattern_size, stream);
    case OpType::kHostFunction:
      return CALL(rtLaunchHostFunction, runHostFunction, call, stream);
    case OpType::kNative:
      return CALL(rtStreamLaunchNative, runNative, call, stream);
    default:
      return launch(op, addresses, kernels, stream);
  }
}

rtStatus_t addNode(rtGraphNode_t* node, const Op& op, std::span<const rtGraphOperand_t> memory, const Kernels& kernels,
                   bool by_name, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  if (op.type == OpType::kCopy) {
    const rtGraphMemcpyParams_t params = copyParams(op, memory);
    return CALL(rtGraphAddMemcpyNode, node, &params, dependencies, count, graph);
  }
  if (op.type == OpType::kCopy2D) {
    rtGraphMemcpy2DParams_t params = RT_GRAPH_MEMCPY_2D_PARAMS_INIT;
    params.kind = op.kind;
    params.dst = at(memory[op.dst], op.dst_offset);
    params.src = at(memory[op.src], op.src_offset);
    params.dst_pitch = op.dst_pitch;
    params.src_pitch = op.src_pitch;
    params.width = op.width;
    params.height = op.height;
    return CALL(rtGraphAddMemcpy2DNode, node, &params, dependencies, count, graph);
  }
  if (op.type == OpType::kMemset || op.type == OpType::kMemset2D || op.type == OpType::kFill) {
    const rtGraphFillParams_t params = fillParams(op, memory);
    return CALL(rtGraphAddFillNode, node, &params, dependencies, count, graph);
  }
  const KernelNode kernel(op, memory, kernels, by_name);
  return CALL(rtGraphAddKernelNode, node, &kernel.params, dependencies, count, graph);
}

rtStatus_t setParams(rtGraphNode_t node, const Op& op, std::span<const rtGraphOperand_t> memory, const Kernels& kernels,
                     bool by_name, rtGraphExec_t exec) {
  if (op.type == OpType::kCopy) {
    const rtGraphMemcpyParams_t params = copyParams(op, memory);
    return CALL(rtGraphExecSetMemcpyParams, node, &params, exec);
  }
  if (op.type == OpType::kMemset || op.type == OpType::kMemset2D || op.type == OpType::kFill) {
    const rtGraphFillParams_t params = fillParams(op, memory);
    return CALL(rtGraphExecSetFillParams, node, &params, exec);
  }
  const KernelNode kernel(op, memory, kernels, by_name);
  return CALL(rtGraphExecSetKernelParams, node, &kernel.params, exec);
}

}  // namespace rtrandom
