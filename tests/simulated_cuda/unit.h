// A compiled unit of kernels, loaded into the process once for each module, so that every module has variables of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "elf_image.h"
#include "interface.h"
#include "kernel/abi.h"

namespace manyrt::simulated {

class Unit {
 public:
  // Null with a reason: the system would not load it.
  static std::shared_ptr<Unit> load(const std::vector<unsigned char>& object, std::string* log);
  ~Unit();
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  struct Kernel {
    std::string name;  // as the linker has it
    const simulated_cuda::Kernel* code;
    size_t shared_bytes;  // its own, of fixed size
  };
  struct Variable {
    std::string name;
    uintptr_t address;
    size_t size;
  };
  // The memory that the calling thread has of this unit.
  struct ThreadMemory {
    simulated_cuda::Item* item;
    unsigned char *begin, *end, *poisoned;  // `poisoned`: from here on there are no initial values
    unsigned char* dynamic;                 // shared memory of the launch's size; null: the unit uses none
  };
  ThreadMemory threadMemory() const;
  const std::string* nameOf(const void* address) const;
  const void* listed(size_t expression) const;  // the address of what an expression of the source named

  std::vector<Kernel> kernels;
  std::vector<Variable> variables;
  uintptr_t begin = 0, end = 0;  // of code and variables
  std::atomic<int> pending{0};   // launches not yet completed

 private:
  Unit() = default;
  bool read(std::string* log);

  void* handle_ = nullptr;
  ElfImage image_;
  uint64_t item_offset_ = 0;  // of the thread's item in its variables
};

inline constexpr size_t kGuardedSharedBytes = 64;  // after dynamic shared memory, looked at when a block has ended

}  // namespace manyrt::simulated
