// Pipelines: a kernel made ready for a device. A launch leases one of its clones, without a lock, while it sets arguments and
// enqueues. A clone remembers its arguments, so that only those that changed are set. A node of a replay has a clone of its
// own.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/memory/heap.h"
#include "backends/opencl/program/library.h"

namespace manyrt::opencl {

class AddressWindow;
class CommandEvents;

class Pipeline final : public backend::Kernel {
 public:
  static Status create(Ref<backend::Kernel>* kernel, Ref<Library> library, const compiler::OpenClKernel& described);
  ~Pipeline() override;

  uint32_t maxActiveGroups(uint32_t group_items, uint64_t local_bytes) const override;
  uint32_t preferredGroupMultiple() const override { return multiple_; }
  Status checkArguments(const void* const* arguments) const override;
  void describeCode(rtKernelInfo_t* info) const override;

  // Enqueues a launch; a failure says which argument it is about.
  // `events`, here and below: get the launch's event; may be null.
  Status enqueue(cl_command_queue queue, const backend::Launch& launch, CommandEvents* events);

  // The same in three steps, with a clone of the caller's own, which one thread uses at a time.
  struct Clone;
  struct Range {
    explicit Range(const backend::Launch& launch);
    size_t group[3], items[3], offset[3];
    bool has_offset;
  };
  Status newClone(std::unique_ptr<Clone>* clone);
  Status bind(Clone& clone, const void* const* arguments);  // sets what is not what the clone has
  // Enqueues a clone whose arguments are all set. Where the kernel follows addresses, Device::keepAddresses stands meanwhile.
  Status enqueueBound(cl_command_queue queue, Clone& clone, const Range& range, CommandEvents* events);
  bool followsAddresses() const;

 private:
  void noteHostWrites(cl_command_queue queue, const Clone& clone) const;
  class Leased;
  explicit Pipeline(Ref<Library> library) : library_(std::move(library)) {}
  Status createKernel(cl_kernel* kernel);
  bool needsFreshKernel(const Clone& clone, const void* const* arguments) const;
  Status renew(Clone& clone);
  Status ask();
  bool isBound(const AddressWindow& window, const Clone& clone, uint32_t index, const void* value) const;
  void forgetFreed(Clone& clone) const;
  bool arePointersBound(const Clone& clone, const void* const* arguments) const;
  void forgetParts(Clone& clone) const;
  bool areBound(Clone& clone, const void* const* arguments) const;
  Status bindChanged(Clone& clone, const void* const* arguments);
  Status bindPointer(Clone& clone, uint32_t index, const void* const* arguments);
  Status bindRoot(Clone& clone, uint32_t index, Location location);
  Location locationOfArgument(const void* address) const;
  Status bindPart(Clone& clone, uint32_t index, Location location, const void* const* arguments);
  Status bindAddresses(Clone& clone);
  Status refuseAddressesInside(uint32_t index, const void* value) const;
  bool mayRefuseArguments() const;
  Status checkPointer(uint32_t index, const void* address, Location location) const;
  Status refuseHostMemory(uint32_t index, const void* address) const;
  Status refuseArgument(uint32_t index, Error error) const;

  static constexpr size_t kClones = 16;  // more launches at one moment make clones that go with them
  const Ref<Library> library_;
  std::vector<uint32_t> native_index_;    // of each argument
  std::vector<bool> may_hold_addresses_;  // of each argument: a struct, in a program that makes addresses of numbers
  std::array<std::atomic<Clone*>, kClones> clones_{};  // each in a place of its own, which is empty while it is leased
  std::atomic<uint32_t> clone_count_{0};               // places that belong to a clone, or will
  uint32_t multiple_ = 1;
  std::string symbol_;              // the driver's name of the kernel
  bool fewer_dimensions_ = false;   // launches are enqueued with as few as they have
  bool notes_host_writes_ = false;  // a copy may come too early after a launch that writes memory of the host
  LaunchOrder* order_ = nullptr;    // of the library, where launches of the kernel wait for each other
};

// A cl_kernel, and what its arguments are.
struct Pipeline::Clone {
  Clone() = default;
  Clone(const Clone&) = delete;
  Clone& operator=(const Clone&) = delete;
  ~Clone();
  void giveBackParts();

  cl_kernel kernel = nullptr;         // owned
  uint32_t slot = kClones;            // in the pipeline's list
  bool complete = false;              // every argument is set
  std::vector<unsigned char> values;  // as they were set last, at the arguments' offsets
  std::vector<uint64_t> roots;        // whose cl_mem was set: Root::id; 0: none
  std::vector<uint64_t> offsets;      // that were set with them, where has_offset
  std::vector<uint8_t> set, has_offset;
  std::vector<uint8_t> had_address;  // was told an address of svm or usm, ever
  std::vector<Part*> parts;          // of roots, for programs that came compiled; taken
  uint64_t addresses = 0;            // generation of the addresses that the kernel was told of
  uint64_t bound = 0;                // and of those when its arguments were set
  uint64_t window = 0;               // generation of the window, likewise
};

}  // namespace manyrt::opencl
