// Objects of an interpreted run: how they get numbers, and which bytes of the host an address means.
#include "compiler/ir/interpreter_memory.h"

namespace manyrt::compiler::ir {

uint64_t InterpreterMemory::make(uint64_t size, bool is_slot) {
  uint64_t number;
  if (ended_.size() > kRest) {
    number = ended_.front();
    ended_.pop_front();
  } else {
    number = objects_.size();
    objects_.emplace_back();
  }
  Storage& storage = objects_[number];
  storage.bytes.assign(size, is_slot ? kUnset : 0);
  storage.alive = true;
  return number << kShift;
}

void InterpreterMemory::end(uint64_t address) {
  Storage& storage = objects_[address >> kShift];
  storage.alive = false;
  ended_.push_back(address >> kShift);
}

uint8_t* InterpreterMemory::at(uint64_t address, uint64_t size) {
  const uint64_t number = address >> kShift, offset = address & ((uint64_t{1} << kShift) - 1);
  if (number >= objects_.size() || !objects_[number].alive) return nullptr;
  std::vector<uint8_t>& bytes = objects_[number].bytes;
  if (size > bytes.size() || offset > bytes.size() - size) return nullptr;
  return bytes.data() + offset;
}

}  // namespace manyrt::compiler::ir
