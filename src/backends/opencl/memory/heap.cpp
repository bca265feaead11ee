// Making roots over new and borrowed buffers, giving them addresses, and finding them again by one.
#include "backends/opencl/memory/heap.h"

#include <memory>
#include <new>

#include "backends/opencl/error.h"
#include "backends/opencl/memory/address_window.h"

namespace manyrt::opencl {

Root::~Root() { (void)RT_CL_PLAIN(clReleaseMemObject, memory); }

uint64_t Root::nextId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // only distinct: it orders nothing
}

Location locationOf(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  // Null for any address outside of the window, so the caller need not ask first.
  Root* root = AddressWindow::instance().find(wanted);
  return root == nullptr ? Location() : Location{root, wanted - root->address};
}

namespace {

Status makeRoot(std::unique_ptr<Root>* root, cl_mem memory, uint64_t size) try {  // takes the cl_mem
  *root = std::make_unique<Root>(memory, size);
  return Status();
} catch (const std::bad_alloc&) {  // the cl_mem has to go back
  (void)RT_CL_PLAIN(clReleaseMemObject, memory);
  return Status::bare(RT_ERROR_OUT_OF_MEMORY);
}

Status putIntoWindow(std::unique_ptr<Root> root, uint64_t alignment, Root** out) {
  root->address = AddressWindow::instance().reserve(root.get(), root->size, alignment);
  if (root->address == 0) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no addresses left for a buffer of %llu bytes.",
                         static_cast<unsigned long long>(root->size));
  }
  *out = root.release();
  return Status();
}

}  // namespace

Status createRoot(Root** out, cl_context context, uint64_t size, uint64_t alignment, void* host) {
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (host != nullptr ? CL_MEM_USE_HOST_PTR : 0);
  Error error = CL_SUCCESS;
  cl_mem memory = RT_CL_MAKE(&error, clCreateBuffer, context, flags, size, host);
  if (error != CL_SUCCESS) return failure("clCreateBuffer", error);
  std::unique_ptr<Root> root;
  RT_TRY(makeRoot(&root, memory, size));
  // Memory of the host has its own addresses, which kernels and the program share. A buffer of the device has no address of its
  // own, and gets one that no memory is at.
  if (host == nullptr) return putIntoWindow(std::move(root), alignment, out);
  root->address = reinterpret_cast<uintptr_t>(host);
  *out = root.release();
  return Status();
}

Status borrowRoot(Root** out, cl_mem memory, uint64_t size) {
  // The program may release its cl_mem while the root is used.
  RT_CL_TRY(clRetainMemObject, memory);
  std::unique_ptr<Root> root;
  RT_TRY(makeRoot(&root, memory, size));
  // Whatever the alignment: the cl_mem has no address of its own, and kernels see offsets.
  return putIntoWindow(std::move(root), 1, out);
}

void destroyRoot(Root* root) {
  // First the addresses: after that no look-up finds the root.
  AddressWindow::instance().release(root->address);
  delete root;
}

// The change is counted under the mutex, after the change itself: a reader with the new count finds it.
Status HostRoots::add(Root* root) {
  std::lock_guard lock(mutex_);
  roots_[root->address] = root;
  AddressWindow::instance().noteChange();
  return Status();
}

Root* HostRoots::remove(uintptr_t address) {
  std::lock_guard lock(mutex_);
  const auto found = roots_.find(address);
  if (found == roots_.end()) return nullptr;
  Root* root = found->second;
  roots_.erase(found);
  AddressWindow::instance().noteChange();
  return root;
}

Location HostRoots::find(const void* address) const {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(mutex_);
  auto next = roots_.upper_bound(wanted);
  if (next == roots_.begin()) return Location();
  Root* root = std::prev(next)->second;
  return wanted - root->address < root->size ? Location{root, wanted - root->address} : Location();
}

}  // namespace manyrt::opencl
