// The results of a build, for a backend. For the CPU: machine code as a loaded object of this process. For CUDA: code that
// cuModuleLoadData takes. For OpenCL: the text that a driver compiles, and what the driver made of it. The last two come with
// what the code does not say of itself.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/argument_use.h"
#include "base/blake2b.h"
#include "base/os/descriptor.h"
#include "base/ref.h"
#include "base/status.h"
#include "compiler/toolchain/line_table.h"
#include "rt.h"

namespace manyrt::compiler {

// A kernel of a unit: its code, the memory that a group of it needs, and how neighbouring groups become one call (unit.h).
struct KernelCode {
  rtHostKernelFunction_t function = nullptr;
  uint64_t local_bytes = 0;  // of the kernel's own variables
  uint64_t scratch_bytes = 0, scratch_bytes_per_item = 0;
  int8_t joins_along = -1;   // a dimension; -1: they do not
  bool joins_many = false;   // kJoinsMany
  bool turns_items = false;  // kTurnsItems
  bool shares_atomics = false;

  // `traits`: the table kTraitsSymbol; null: nothing is known.
  static KernelCode of(const rtHostModuleKernel_t& kernel, const unsigned char* traits, uint32_t index);
  bool hasMemory() const { return (local_bytes | scratch_bytes | scratch_bytes_per_item) != 0; }
  // Whether a launch that has memory for the other one can go over to this.
  bool fits(const KernelCode& other) const {
    return local_bytes <= other.local_bytes && scratch_bytes <= other.scratch_bytes &&
           scratch_bytes_per_item <= other.scratch_bytes_per_item && (joins_along >= 0 || other.joins_along < 0);
  }
};

// Loaded while there is a Ref, through a private descriptor (memfd), so that no file can be exchanged between the check
// and the load. Never loads what is no ELF shared object of this machine: INVALID_IMAGE says why.
class Object : public RefCounted {
 public:
  // `path`: a file with these bytes that stays, which debuggers and profilers know the code by; empty: none.
  static Status load(Ref<Object>* object, const void* data, size_t size, const char* name, const std::string& path = "");
  // One of several units that were compiled and linked together. Its symbols are those of `whole` with the ending, and `bytes`
  // is its share of the file. The whole stays loaded as long as any part of it. Throws bad_alloc.
  static Ref<Object> part(const Ref<Object>& whole, std::string ending, uint64_t bytes);
  ~Object() override;
  void* symbol(const char* name) const;  // null: none. Throws bad_alloc
  // Called when the last Ref is gone and before the code is: for a list that finds objects with tryRetain. Set once, before
  // a second thread sees the object.
  void watch(void (*watcher)(const Object*)) { watcher_ = watcher; }

  // Optimised code for the same kernels in the same order, with the same results. Null until it is loaded. Both stay loaded as
  // long as this object.
  const std::atomic<const KernelCode*>& better() const { return better_; }
  void setBetter(Ref<Object> object, std::vector<KernelCode> kernels) {  // once
    better_object_ = std::move(object);
    better_kernels_ = std::move(kernels);
    better_.store(better_kernels_.data(), std::memory_order_release);
    improvement_.store(Improvement::kDone, std::memory_order_release);
  }
  // Null: there is none yet. better_object_ is set before better() is, so whatever sees the one may read the other.
  const Object* betterObject() const {
    return better().load(std::memory_order_acquire) != nullptr ? better_object_.get() : nullptr;
  }
  enum class Improvement : uint8_t { kNone, kPending, kDone, kFailed };
  Improvement improvement() const { return improvement_.load(std::memory_order_acquire); }
  void expectBetter(uint32_t kernels) {  // before it is shared
    launched_ = std::vector<std::atomic<uint64_t>>(kernels);
    improvement_.store(Improvement::kPending, std::memory_order_relaxed);
  }
  void failBetter(std::string reason) {  // once, instead of setBetter
    why_not_better_ = std::move(reason);
    improvement_.store(Improvement::kFailed, std::memory_order_release);
  }
  const std::string& whyNotBetter() const { return why_not_better_; }  // kFailed

  // The urgency of the better code: the nanoseconds that kernels of this object have run so far. It is above all such numbers
  // where a caller waits for that code. Relaxed: it only decides an order.
  void spend(int64_t nanoseconds) const { spent_.fetch_add(static_cast<uint64_t>(nanoseconds), std::memory_order_relaxed); }
  void hurry() const { spent_.fetch_or(kWaitedFor, std::memory_order_relaxed); }
  uint64_t urgency() const { return spent_.load(std::memory_order_relaxed); }

  // The last group that a kernel was launched with while better code is awaited; zeros: none. Relaxed: it only decides for
  // which groups that code is fast.
  void noteGroup(uint32_t kernel, const uint32_t group[3]) const {
    const uint64_t packed = group[0] | uint64_t{group[1]} << 16 | uint64_t{group[2]} << 32;
    if (kernel < launched_.size()) launched_[kernel].store(packed, std::memory_order_relaxed);
  }
  std::array<uint32_t, 3> launchedGroup(uint32_t kernel) const {
    const uint64_t packed = kernel < launched_.size() ? launched_[kernel].load(std::memory_order_relaxed) : 0;
    return {uint32_t(packed & 0xffff), uint32_t(packed >> 16 & 0xffff), uint32_t(packed >> 32)};
  }

  // For the address of an instruction; safe in the handler of a signal. Lines are known where the code has debug information.
  bool contains(uintptr_t instruction) const { return instruction - begin_ < bytes_; }
  LineTable::Place placeOf(uintptr_t instruction) const { return lines_.at(instruction - base_); }

  // How the code was made. Set before a second thread sees the object.
  enum class Tier : uint8_t { kUnknown, kQuick, kOptimized };
  Tier tier() const { return tier_; }
  void setTier(Tier tier) { tier_ = tier; }
  uint64_t fileBytes() const { return file_bytes_; }
  // The processor that a build made it for (toolchain/cpu_target.h); empty: it was not built here. Set as the tier is.
  const std::string& target() const { return target_; }
  void setTarget(std::string target) { target_ = std::move(target); }
  // The file as it was loaded. IO; NOT_SUPPORTED: a part has none of its own. Throws bad_alloc.
  Status readFile(std::string* bytes) const;

 private:
  Object(void* handle, Descriptor file);
  Object(const Ref<Object>& whole, std::string ending, uint64_t bytes);
  void findCode(const void* data, size_t size);
  const Ref<Object> whole_;   // null: this is no part
  const std::string ending_;  // of a part's symbols
  void* const handle_;        // of a part: borrowed from the whole
  const Descriptor file_;     // open where a debugger or a sanitizer may read it
  std::string copy_;          // of the file, where it is not open
  std::string target_;
  std::atomic<const KernelCode*> better_{nullptr};
  std::vector<KernelCode> better_kernels_;
  Ref<Object> better_object_;
  std::atomic<Improvement> improvement_{Improvement::kNone};
  std::string why_not_better_;
  static constexpr uint64_t kWaitedFor = uint64_t{1} << 62;
  mutable std::atomic<uint64_t> spent_{0};
  mutable std::vector<std::atomic<uint64_t>> launched_;  // by kernel, 16 bits for each dimension
  void (*watcher_)(const Object*) = nullptr;
  Tier tier_ = Tier::kUnknown;
  uint64_t file_bytes_ = 0;
  uintptr_t base_ = 0;               // what offsets in the file are counted from
  uintptr_t begin_ = 0, bytes_ = 0;  // of the code
  LineTable lines_;
};

// The dynamic shared memory of each launch begins at a multiple of this. A __local argument is aligned where its offset is a
// multiple of CudaArgument::alignment.
inline constexpr uint32_t kCudaSharedAlignment = 128;

// An argument as rtKernelGetArgInfo has it. RT_ARG_VALUE and RT_ARG_POINTER are passed as they are. RT_ARG_LOCAL has size 8,
// but the kernel gets an unsigned int: the offset, in bytes, of this argument's memory in the launch's dynamic shared memory.
struct CudaArgument {
  uint32_t size = 0;
  int32_t kind = 0;  // RT_ARG_*
  std::string name;
  std::string type_name;
  uint32_t alignment = 1;  // RT_ARG_LOCAL: of the offset, at most kCudaSharedAlignment
  ArgumentUse use = {};
};

struct CudaKernel {
  std::string name;    // as the source has it
  std::string symbol;  // for cuModuleGetFunction: CUDA's own functions keep some names for themselves
  std::vector<CudaArgument> arguments;
  uint32_t required_group[3] = {0, 0, 0};  // zeros: any
  uint64_t local_bytes = 0;                // of its __local variables, without those of kernels that it calls
  bool takes_offset = false;               // one more parameter, the last: the global offset, three unsigned ints

  std::vector<uint32_t> localArguments() const {  // which arguments are RT_ARG_LOCAL
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind == 2) found.push_back(i);
    }
    return found;
  }
};

struct CudaGlobal {  // a __constant variable of program scope
  std::string name;
  std::string symbol;  // for cuModuleGetGlobal
  uint64_t size = 0;
};

struct CudaTarget {
  // kBest: machine code for the device, or PTX for one before it where the compiler does not know the device.
  enum class Code : uint8_t { kBest, kMachineCode, kPtx };
  uint32_t major = 0, minor = 0;  // of the compute capability
  uint32_t driver_version = 0;    // as cuDriverGetVersion has it: 13000; 0: unknown
  Code code = Code::kBest;
};

struct CudaImage {
  std::vector<unsigned char> code;  // PTX ends with a zero byte
  bool is_cubin = false;            // else PTX
  std::vector<CudaKernel> kernels;  // none for CUDA C++
  std::vector<CudaGlobal> globals;
  std::string log;
  Digest key = {};  // the same key is the same code; zeros: not known
};

// An argument as rtKernelGetArgInfo has it. With hidden offsets an RT_ARG_POINTER is two arguments of the driver's kernel: the
// root, then the offset as a ulong.
struct OpenClArgument {
  uint32_t size = 0;
  int32_t kind = 0;  // RT_ARG_*
  std::string name;
  std::string type_name;
  bool is_record = false;  // a struct or union
  ArgumentUse use = {};
};

struct OpenClKernel {
  std::string name;
  std::string symbol;  // what the driver knows it by
  std::vector<OpenClArgument> arguments;
  uint32_t required_group[3] = {0, 0, 0};  // zeros: any
  uint64_t local_bytes = 0;                // of its __local variables
};

struct OpenClImage {
  std::string text;     // for clCreateProgramWithSource
  std::string options;  // for clBuildProgram
  std::vector<OpenClKernel> kernels;
  bool hidden_offsets = false;
  bool optimized = true;          // without -cl-opt-disable
  bool follows_addresses = true;  // may: kernels reach memory that no argument names
  std::string log;
  std::vector<unsigned char> binary;  // CL_PROGRAM_BINARIES
};

}  // namespace manyrt::compiler
