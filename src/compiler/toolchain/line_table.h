// The lines of a loaded object, for the report of a crash. They are read from its debug information (DWARF 4 and 5) when it is
// loaded, as a handler of a signal cannot read files. Objects without debug information have an empty table, which costs
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::compiler {

class LineTable {
 public:
  struct Place {
    const char* file = nullptr;  // as the compiler was told it; null: not known
    uint32_t line = 0;
    bool is_near = false;  // the instruction is of the generated text, and this is the line of a source beside it
  };
  // `data`: an ELF file that was checked (elf.h). Damaged parts are left out.
  void read(const void* data, size_t size);
  bool empty() const { return rows_.empty(); }
  // The place of the instruction at an offset from where the object was loaded. Safe in a handler.
  Place at(uint64_t offset) const;

  struct Row {
    uint64_t offset;
    uint32_t line;  // 0: the end of a sequence
    uint32_t file;
  };

 private:
  std::vector<Row> rows_;  // by offset
  std::vector<std::string> files_;
  std::vector<bool> generated_;  // of each file: whether it is a text that was made of sources
};

}  // namespace manyrt::compiler
