// Pipelines: a kernel made ready for a device. A launch takes one of its clones for the time of setting arguments and
// enqueueing, without a lock; a clone remembers what its arguments are and sets those alone that changed.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/heap_manager.h"
#include "backends/opencl/library_manager.h"

namespace manyrt::opencl {

class AddressWindow;

class Pipeline final : public backend::Kernel {
 public:
  static Status create(Ref<backend::Kernel>* kernel, Ref<Library> library, const kernels::OpenClKernel& described);
  ~Pipeline() override;

  uint32_t maxActiveGroups(uint32_t group_items, uint64_t local_bytes) const override;
  uint32_t preferredGroupMultiple() const override { return multiple_; }

  // Enqueues a launch; a failure says which argument it is about.
  Status enqueue(cl_command_queue queue, const backend::Launch& launch);

 private:
  struct Clone;
  class Leased;
  explicit Pipeline(Ref<Library> library) : library_(std::move(library)) {}
  Status newClone(std::unique_ptr<Clone>* clone);
  Status createKernel(cl_kernel* kernel);
  bool needsFreshKernel(const Clone& clone, const void* const* arguments) const;
  Status renew(Clone& clone);
  Status ask();
  Status bind(Clone& clone, const void* const* arguments);
  bool isBound(const AddressWindow& window, const Clone& clone, uint32_t index, const void* value) const;
  bool areBound(const Clone& clone, const void* const* arguments) const;
  Status bindChanged(Clone& clone, const void* const* arguments);
  Status bindPointer(Clone& clone, uint32_t index, const void* const* arguments);
  Status bindRoot(Clone& clone, uint32_t index, Place place);
  Status bindPart(Clone& clone, uint32_t index, Place place, const void* const* arguments);
  Status bindAddresses(Clone& clone);
  Status refuseAddressesInside(uint32_t index, const void* value) const;
  Status refuseHostMemory(uint32_t index, const void* address) const;
  Status refuseArgument(uint32_t index, Error error) const;

  static constexpr size_t kClones = 16;  // more launches at one moment make clones that go with them
  const Ref<Library> library_;
  std::vector<uint32_t> native_index_;  // of each argument
  std::vector<bool> is_record_;
  std::array<std::atomic<Clone*>, kClones> clones_{};  // each in a place of its own, which is empty while it is leased
  std::atomic<uint32_t> clone_count_{0};               // places that belong to a clone, or will
  uint32_t multiple_ = 1;
  bool fewer_dimensions_ = false;  // launches are enqueued with as few as they have
};

}  // namespace manyrt::opencl
