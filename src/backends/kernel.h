// Kernels as backends prepare them, and what a launch of one is.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/argument_use.h"
#include "base/ref.h"
#include "base/status.h"
#include "rt.h"

namespace manyrt::trace {
struct KernelForm;
struct Row;
}  // namespace manyrt::trace

namespace manyrt::backend {

// One argument of a kernel. Values are stored back to back, each aligned to `alignment`, at `offset`.
struct Argument {
  uint32_t size;  // bytes of the value; RT_ARG_LOCAL: 8, the byte count
  int32_t kind;   // RT_ARG_*
  uint32_t offset;
};

struct Launch;

// Limits that every backend can serve; the API refuses more.
constexpr uint32_t kMaxArguments = 256;
constexpr uint32_t kMaxArgumentBytes = 4096;  // bytes of a value

// Rules of a module's kernel for launches, beside the device's limits. The defaults ask for nothing.
struct LaunchRules {
  uint32_t group[3] = {0, 0, 0};      // the only work-group; zeros: any
  uint64_t most_items = UINT64_MAX;   // work-items of the grid in a direction
  uint64_t most_groups = UINT64_MAX;  // work-groups of the grid
  bool no_local_bytes = false;        // of the launch: the kernel has all it needs
};

// A kernel prepared for one context. Launches keep a Ref until they are done.
class Kernel : public RefCounted {
 public:
  struct ArgumentText {
    std::string name;
    std::string type_name;
    ArgumentUse use = {};
  };

  const std::vector<Argument>& arguments() const { return arguments_; }
  uint32_t argumentBytes() const { return argument_bytes_; }  // a multiple of 16
  const char* name() const { return name_; }
  const std::string& moduleName() const { return module_name_; }        // "": of no module
  void setModuleName(const std::string& name) { module_name_ = name; }  // before a second thread sees the kernel
  // Both names for the trace: they stay when the kernel is gone.
  const char* tracedName() const { return kept(traced_name_, name_); }
  const char* tracedModule() const { return kept(traced_module_, module_name_.c_str()); }
  // Which code of the kernel a launch runs, a literal; most backends have one.
  virtual const char* tier() const { return "optimized"; }
  // How such a launch runs, for a profile. Kept; null: the device does not tell.
  virtual const trace::KernelForm* form(const Launch&) const { return nullptr; }
  // The same with its name and device, where launches may be counted without a time (trace::counts). Kept.
  virtual const trace::Row* row() const { return nullptr; }
  // Acquire pairs with the store of limitGroup(): what else was found out is there.
  uint32_t maxGroupItems() const { return max_group_items_.load(std::memory_order_acquire); }  // 0: not prepared
  // Writes tier, barriers, lanes, registers and groups of a compute unit, of the code that a launch would run now. As it is
  // here: the program brought the code, and nothing else is known. The kernel is prepared. May throw bad_alloc.
  virtual void describeCode(rtKernelInfo_t* info) const;
  // Finds out what the kernel needs, where that was put off: before limits are asked for, and before the first launch.
  // cuModuleGetFunction, which loads the code · nothing.
  virtual Status prepare() { return Status(); }
  // Whether there are arguments that only the backend can refuse. Then ops ask checkArguments in the call, before anything is
  // submitted. So a held stream and one that is not held give the same answer. Ops have checked all else.
  bool checksArguments() const { return checks_arguments_; }
  virtual Status checkArguments(const void* const*) const { return Status(); }
  bool hasPointers() const { return has_pointers_; }
  bool hasLocals() const { return has_locals_; }
  // Local memory and memory of each work-item that the kernel itself has, for rtKernelGetInfo and the limits of a group.
  uint64_t ownLocalBytes() const { return local_bytes_; }
  uint64_t privateBytes() const { return private_bytes_; }
  // Global ids of a launch with an offset end before this; 0: the kernel takes no offset.
  uint64_t offsetEnd() const { return offset_end_; }
  const LaunchRules* rules() const { return has_rules_ ? &rules_ : nullptr; }  // null: a launch need only fit the device
  // Null where names are not known.
  const ArgumentText* argumentText(uint32_t index) const {
    return index < argument_texts_.size() ? &argument_texts_[index] : nullptr;
  }
  // cudaOccupancyMaxActiveBlocksPerMultiprocessor times the device's units; CL_KERNEL_WORK_GROUP_SIZE.
  virtual uint32_t maxActiveGroups(uint32_t group_items, uint64_t local_bytes) const = 0;
  virtual uint32_t preferredGroupMultiple() const = 0;

 protected:
  // Lays the arguments out; false without memory.
  bool describe(const rtHostKernel_t& host, uint32_t device_max_group_items);
  void addArgument(uint32_t size, int32_t kind);  // values are laid out back to back
  void limitGroup(uint32_t max_group_items, uint32_t device_max_group_items);
  void setRules(const LaunchRules& rules) {
    rules_ = rules;
    has_rules_ = true;
  }

  std::vector<Argument> arguments_;
  char name_[256] = "";
  std::string module_name_;
  uint32_t argument_bytes_ = 0;
  std::atomic<uint32_t> max_group_items_{0};
  bool has_pointers_ = false;
  bool has_locals_ = false;
  bool checks_arguments_ = false;
  uint64_t local_bytes_ = 0;
  uint64_t private_bytes_ = 0;
  uint64_t offset_end_ = 0;
  std::vector<ArgumentText> argument_texts_;

 private:
  static const char* kept(std::atomic<const char*>& place, const char* text);

  bool has_rules_ = false;
  LaunchRules rules_;
  mutable std::atomic<const char*> traced_name_{nullptr}, traced_module_{nullptr};
};

struct Launch {
  uint32_t grid[3];   // work-groups; none is zero when a backend gets the launch
  uint32_t group[3];  // work-items in each, the same
  uint32_t local_bytes = 0;
  bool cooperative = false;        // every group runs at the same time as all others
  const void* const* arguments;    // borrowed for the call: values are copied before it returns
  uint64_t offset[3] = {0, 0, 0};  // added to the global ids; zeros unless the kernel takes one

  bool hasOffset() const { return (offset[0] | offset[1] | offset[2]) != 0; }
};

}  // namespace manyrt::backend
