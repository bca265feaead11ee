// Launching kernels: limits, parameters, and the command that runs it.
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "activity.h"
#include "call.h"
#include "execute.h"
#include "graph.h"
#include "module.h"
#include "settings.h"
#include "stream.h"

namespace manyrt::simulated {
namespace {

using simulated_cuda::Index;

void* const kExtraEnd = nullptr;
void* const kExtraPointer = reinterpret_cast<void*>(1);  // CU_LAUNCH_PARAM_BUFFER_POINTER
void* const kExtraSize = reinterpret_cast<void*>(2);     // CU_LAUNCH_PARAM_BUFFER_SIZE

size_t parameterBytes(const simulated_cuda::Kernel& code) {
  const unsigned count = code.parameter_count;
  return count == 0 ? 0 : code.offsets[count - 1] + code.sizes[count - 1];
}

// One buffer, as `extra` names it.
Error takeExtra(void** extra, size_t bytes, std::vector<unsigned char>* parameters) {
  const void* buffer = nullptr;
  size_t size = 0;
  for (; *extra != kExtraEnd; extra += 2) {
    if (*extra == kExtraPointer) {
      buffer = extra[1];
    } else if (*extra == kExtraSize) {
      size = *static_cast<size_t*>(extra[1]);
    } else {
      return kInvalidValue;
    }
  }
  if (size < bytes || (buffer == nullptr && bytes != 0)) return kInvalidValue;
  if (bytes != 0) memcpy(parameters->data(), buffer, bytes);
  return kSuccess;
}

void takeParameters(const simulated_cuda::Kernel& code, void** values, std::vector<unsigned char>* parameters) {
  for (unsigned i = 0; i < code.parameter_count; ++i) memcpy(parameters->data() + code.offsets[i], values[i], code.sizes[i]);
}

// For the defect argument_lifetime: later, when the memory may be gone. Parameters that cannot be read any more stay zero.
void takeParametersLate(const simulated_cuda::Kernel& code, void** values, std::vector<unsigned char>* parameters) {
  const auto read = [](void* to, const void* from, size_t size) {
    iovec local{to, size}, remote{const_cast<void*>(from), size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
  };
  for (unsigned i = 0; i < code.parameter_count; ++i) {
    void* value = nullptr;
    if (read(&value, values + i, sizeof value)) read(parameters->data() + code.offsets[i], value, code.sizes[i]);
  }
}

Error checkLimits(const KernelFunction& function, const Index& grid, const Index& block, size_t shared_bytes) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return kInvalidValue;
  if (grid.x > 0x7FFFFFFFu || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ) return kInvalidValue;
  if (block.x > kMaxBlockThreads || block.y > kMaxBlockThreads || block.z > kMaxBlockDepth) return kInvalidValue;
  const size_t threads = size_t{block.x} * block.y * block.z;
  if (threads > static_cast<size_t>(kMaxBlockThreads)) return kInvalidValue;
  if (threads > static_cast<size_t>(function.mostThreads())) return kOutOfResources;
  if (shared_bytes > static_cast<size_t>(function.most_dynamic_bytes.load())) return kInvalidValue;
  if (shared_bytes + function.kernel->shared_bytes > kSharedOptinBytes) return kInvalidValue;
  return kSuccess;
}

// Whatever a launch of this context needs, but for parameters that are read later.
Error prepare(Context& context, NativeFunction handle, const Index& grid, const Index& block, size_t shared_bytes,
              void** values, void** extra, bool late, std::shared_ptr<Launch>* out) {
  std::shared_ptr<KernelFunction> function = functions().find(handle);
  if (function == nullptr || &function->context != &context) return kInvalidHandle;
  SIMULATED_TRY(checkLimits(*function, grid, block, shared_bytes));
  const simulated_cuda::Kernel& code = *function->kernel->code;
  const size_t bytes = parameterBytes(code);
  if (values != nullptr && extra != nullptr) return kInvalidValue;
  if (values == nullptr && extra == nullptr && bytes != 0) return kInvalidValue;

  auto launch = std::make_shared<Launch>();
  launch->unit = function->unit;
  launch->kernel = function->kernel;
  launch->grid = grid;
  launch->block = block;
  launch->shared_bytes = shared_bytes;
  launch->parameters.resize(bytes + 16);
  if (extra != nullptr) {
    SIMULATED_TRY(takeExtra(extra, bytes, &launch->parameters));
  } else if (!late && values != nullptr) {
    takeParameters(code, values, &launch->parameters);
  }
  *out = std::move(launch);
  return kSuccess;
}

Error launchKernel(NativeFunction handle, Index grid, Index block, size_t shared_bytes, NativeStream stream_handle,
                   void** values, void** extra, bool cooperative) {
  std::shared_ptr<Stream> stream;
  Context* current;
  SIMULATED_TRY(currentForDriver(&current));
  SIMULATED_TRY(streamForDriver(stream_handle, &stream));
  if (current != &stream->context) return kInvalidHandle;
  const bool late = defect(Defect::argument_lifetime) && values != nullptr;
  std::shared_ptr<Launch> launch;
  SIMULATED_TRY(prepare(stream->context, handle, grid, block, shared_bytes, values, extra, late, &launch));
  if (cooperative) {
    int blocks = 0;
    const auto threads = static_cast<int>(block.x * block.y * block.z);
    SIMULATED_TRY(driver::OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle, threads, shared_bytes));
    if (uint64_t{grid.x} * grid.y * grid.z > static_cast<uint64_t>(blocks) * kMultiprocessors) return kCooperativeTooLarge;
  }
  launch->cooperative = cooperative;
  if (stream->capture != nullptr) return captureKernel(*stream, handle, std::move(launch));
  auto pending = std::make_shared<PendingLaunch>(std::move(launch));
  Command command;
  const activity::Call call(cooperative ? 477 : 307);
  command.work = call.kernel(*pending->launch, [pending, late, values](Runner& runner) {
    if (late) takeParametersLate(*pending->launch->kernel->code, values, &pending->launch->parameters);
    runner.run(*pending->launch);
  });
  stream->submit(std::move(command));
  return kSuccess;
}

}  // namespace

Error prepareKernelNode(Context& context, const KernelNodeParameters& node, std::shared_ptr<Launch>* launch) {
  return prepare(context, node.function, {node.grid[0], node.grid[1], node.grid[2]},
                 {node.block[0], node.block[1], node.block[2]}, node.shared_bytes, node.parameters, node.extra, false, launch);
}

namespace driver {

Error LaunchKernel(NativeFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, NativeStream stream, void** parameters,
                   void** extra) {
  return DRIVER_CALL(LaunchKernel, {
    return launchKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, parameters,
                        extra, false);
  });
}

Error LaunchCooperativeKernel(NativeFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared_bytes, NativeStream stream,
                              void** parameters) {
  return DRIVER_CALL(LaunchCooperativeKernel, {
    return launchKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, parameters,
                        nullptr, true);
  });
}

}  // namespace driver

}  // namespace manyrt::simulated
