// Kernels of CUDA modules: the native function, how its arguments lie, and where its local arguments go.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/declarations.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

class Device;
class NativeModuleOwner;

// One argument as a module tells it. Kinds are known for kernels from OpenCL C alone; others have values.
struct KernelArgument {
  uint32_t size;
  int32_t kind;  // RT_ARG_*
  std::string name;
  std::string type_name;
  uint32_t alignment = 16;  // RT_ARG_LOCAL: of its offset
  ArgumentUse use = {};
};

class Kernel final : public backend::Kernel {
 public:
  // `symbol`: the function's name in the module, where it is looked up when the kernel is first used. Loading a function's
  // code takes the driver as long as all else that a module from the cache needs.
  static Status create(Ref<backend::Kernel>* kernel, Ref<NativeModuleOwner> module, std::string symbol, const char* name,
                       std::vector<KernelArgument> arguments, const uint32_t required_group[3], bool opencl_c,
                       bool takes_offset = false);

  Status prepare() override;

  uint32_t maxActiveGroups(uint32_t group_items, uint64_t local_bytes) const override;
  uint32_t preferredGroupMultiple() const override { return warp_; }
  const trace::KernelForm* form(const backend::Launch& launch) const override;
  void describeCode(rtKernelInfo_t* info) const override;
  const trace::Row* lateRow(const backend::Launch& launch) const;  // for trace::countsLate(); kept, null: without memory

  NativeFunction function() const { return function_; }
  uint64_t number() const { return number_; }  // no two kernels of a process have the same
  const NativeModuleOwner& module() const { return *module_; }
  const char* keptName() const { return kept_name_; }  // until the process ends
  const std::string& symbol() const { return symbol_; }

  void setBuilt() { built_ = true; }                  // from source; before a second thread sees the kernel
  bool takesOffset() const { return takes_offset_; }  // the last parameter is the launch's offset

 private:
  friend class Parameters;
  Kernel(Ref<NativeModuleOwner> module, std::string symbol);
  uint32_t placeLocals(const void* const* arguments, uint32_t local_bytes, uint32_t* offsets, void** parameters) const;
  Status findFunction();

  const Ref<NativeModuleOwner> module_;
  const std::string symbol_;
  const uint64_t number_;
  Ranked<std::mutex, LockRank::kCudaKernel> mutex_;  // of preparing
  NativeFunction function_ = nullptr;
  const char* kept_name_ = "";
  std::vector<uint32_t> alignments_;  // of local arguments
  bool takes_offset_ = false;
  bool built_ = false;
  mutable std::atomic<const trace::KernelForm*> form_{nullptr};  // of the last group that a profile asked for
  mutable std::atomic<const trace::Row*> row_{nullptr};          // the same

  uint32_t warp_ = 32;
};

// The parameters of a launch of the native function. Local arguments are offsets into dynamic shared memory instead of sizes.
// They follow the launch's local bytes, each aligned as the kernel wants it. The global offset comes last where the kernel
// takes one. Refers to the launch and to itself.
class Parameters {
 public:
  Parameters(const Kernel& kernel, const backend::Launch& launch);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;
  void** native() { return native_; }
  uint32_t dynamicBytes() const { return dynamic_bytes_; }  // of a group

 private:
  void** native_;
  uint32_t dynamic_bytes_;
  uint32_t offset_[3];  // of the global ids
  uint32_t local_offsets_[backend::kMaxArguments];
  void* placed_[backend::kMaxArguments + 1];
};

}  // namespace manyrt::cuda
