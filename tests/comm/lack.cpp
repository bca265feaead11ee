// The operators new and delete of the whole process, but for those of large alignments. The return address of a plain `new`
// says which library made it; what the C++ library allocates for the communicator library, such as long texts, does not count.
#include "comm/lack.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<uint64_t> left{0};  // allocations until the one that fails; 0: none does
std::atomic<bool> failed{false};

bool isOfComm(const void* caller) {
  Dl_info info = {};
  return dladdr(caller, &info) != 0 && info.dli_fname != nullptr && std::strstr(info.dli_fname, "libmanyrt-comm.so") != nullptr;
}

bool fails(const void* caller) {
  uint64_t now = left.load(std::memory_order_relaxed);
  if (now == 0 || !isOfComm(caller)) return false;
  while (now != 0 && !left.compare_exchange_weak(now, now - 1)) {
  }
  if (now != 1) return false;
  failed = true;
  return true;
}

void* allocate(size_t size, const void* caller) {
  void* const memory = fails(caller) ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace commtest {

Lack::Lack(uint64_t k) {
  failed = false;
  left = k;
}
Lack::~Lack() { left = 0; }
bool Lack::happened() { return failed; }

}  // namespace commtest

void* operator new(size_t size) { return allocate(size, __builtin_return_address(0)); }
void* operator new[](size_t size) { return allocate(size, __builtin_return_address(0)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
