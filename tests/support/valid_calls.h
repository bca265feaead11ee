// One valid object of every kind on one device, and from them a valid value for every argument of every function. The misuse
// tests spoil such a call in one place at a time, and the races of functions make it. An argument whose type and name no table
// here knows is reported. So a new function has to be given a value before its tests pass.
#ifndef MANYRT_TESTS_SUPPORT_VALID_CALLS_H_
#define MANYRT_TESTS_SUPPORT_VALID_CALLS_H_

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/function_table.h"

namespace manyrt::calls {

inline constexpr size_t kMaxArguments = 16;
inline constexpr size_t kScratchBytes = 4096;
inline constexpr size_t kAllocationBytes = 4096;
inline constexpr unsigned char kUnwritten = 0xA5;

// The words of a call and the memory that its pointer arguments name.
struct Call {
  std::array<uint64_t, kMaxArguments> words{};
  alignas(64) std::array<std::array<unsigned char, kScratchBytes>, kMaxArguments> scratch;
};

class Environment {
 public:
  // Without stale handles it is made sooner.
  explicit Environment(const std::string& deviceName, bool withStale = true);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Fills `call` with arguments that the function accepts. Returns the argument that no table knows, if there is one.
  std::optional<std::string> prepare(const Function& function, Call& call);

  // Gives back what a successful call has put into its outputs, and undoes what it has set.
  void release(const Function& function, const Call& call);

  const std::map<std::string, uint64_t>& handles() const { return handles_; }
  const std::map<std::string, uint64_t>& stale() const { return stale_; }
  uint64_t deviceMemory() const { return word(deviceMemory_); }
  bool ready() const { return ready_; }

 private:
  template <typename T>
  static uint64_t word(T* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
  }

  void unregister(void* memory) const;
  void makeStale();
  bool makeObjects();
  bool makeKernel(rtContext_t owner);
  bool makeModule(rtContext_t owner);
  bool makeGraph();
  bool makeExecOfOtherNodes();
  bool addNodeWithValue();
  void fillGraphParams(const Argument& argument, unsigned char* scratch) const;
  bool fillPointer(const Function& function, const Argument& argument, unsigned char* scratch, uint64_t& value);
  bool fillHandle(const Function& function, const Argument& argument, uint64_t& value) const;
  bool fillInteger(const Argument& argument, uint64_t& value) const;

  bool ready_ = false;
  rtDevice_t device_ = nullptr;
  int32_t backend_ = 0;
  rtContext_t context_ = nullptr;
  rtStream_t stream_ = nullptr, otherStream_ = nullptr;
  rtEvent_t event_ = nullptr, start_ = nullptr, end_ = nullptr;
  rtFence_t fence_ = nullptr;
  rtMemPool_t pool_ = nullptr;
  rtKernel_t kernel_ = nullptr;
  bool ownKernel_ = false;  // of context_
  rtModule_t module_ = nullptr;
  rtModule_t kernelModule_ = nullptr;  // of kernel_, where the device runs no functions of the program
  rtGraph_t graph_ = nullptr;          // two nodes, the second of which waits for the first, and a buffer
  rtGraphNode_t first_ = nullptr, second_ = nullptr;
  rtGraphBuffer_t graphBuffer_ = nullptr;
  rtGraphValue_t graphValue_ = nullptr;  // of otherGraph_
  rtCapturePlan_t plan_ = nullptr;
  rtGraphExec_t exec_ = nullptr;
  rtGraph_t otherGraph_ = nullptr;  // a copy, a copy of rows and, where the device runs it, the kernel
  rtGraphNode_t copyNode_ = nullptr, rowsNode_ = nullptr, kernelNode_ = nullptr;
  rtGraphExec_t otherExec_ = nullptr;
  rtGraph_t fileGraph_ = nullptr;  // names no address: a file can hold it; also the child of others
  rtGraphBuffer_t fileBuffer_ = nullptr;
  void *deviceMemory_ = nullptr, *otherMemory_ = nullptr, *pinned_ = nullptr, *toFree_ = nullptr;
  void *registered_ = nullptr, *toRegister_ = nullptr, *ordinary_ = nullptr;
  uint32_t argument_ = 1;
  void* argumentPointers_[1] = {&argument_};
  std::map<std::string, uint64_t> handles_, stale_;
};

// The outputs that a failed call should have zeroed and did not.
std::vector<std::string> outputsNotZeroed(const Function& function, const Call& call);

// The value that every fence of an environment has reached.
inline constexpr uint64_t kFenceValue = 5;

}  // namespace manyrt::calls

#endif  // MANYRT_TESTS_SUPPORT_VALID_CALLS_H_
