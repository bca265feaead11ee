// Memory of an interpreted run. An address has the number of an object in its upper half and a byte in its lower half. So a
// pointer that leaves its object reaches nothing. Numbers of objects that are gone are used again late.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "compiler/ir/type.h"

namespace manyrt::compiler::ir {

class InterpreterMemory {
 public:
  // Zeros of a size; the address of its first byte. A slot begins as 0xcb in each byte: nothing may count on zeros.
  uint64_t make(uint64_t size, bool is_slot);
  void end(uint64_t address);
  std::vector<uint8_t>& bytesOf(uint64_t address) { return objects_[address >> kShift].bytes; }
  // The host's address of `size` bytes; null: they are not inside of one object that is alive.
  uint8_t* at(uint64_t address, uint64_t size);

  static constexpr uint64_t kMaxObject = uint64_t{1} << 31;

 private:
  struct Storage {
    std::vector<uint8_t> bytes;
    bool alive = false;
  };
  static constexpr uint32_t kShift = 32;
  static constexpr uint8_t kUnset = 0xcb;
  static constexpr size_t kRest = 4096;  // how many numbers lie unused before the first is used again

  std::vector<Storage> objects_ = std::vector<Storage>(1);  // number 0 is the null pointer's
  std::deque<uint64_t> ended_;
};

}  // namespace manyrt::compiler::ir
