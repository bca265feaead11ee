// Facts that are read from a compiled unit before it is loaded: symbols, and how much memory of each thread it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::simulated {

struct ElfSymbol {
  std::string name;
  uint64_t value;
  uint64_t size;
  bool is_function, is_variable, is_thread_variable;
};

struct ElfImage {
  std::vector<ElfSymbol> symbols;   // defined ones, local ones included
  uint64_t end = 0;                 // of the addresses that it occupies, from its base
  uint64_t thread_bytes = 0;        // of thread_local variables,
  uint64_t thread_initialized = 0;  // of which so many at the front have values
};

bool readElf(const unsigned char* bytes, size_t size, ElfImage* image);  // false: not a whole shared object of this machine

}  // namespace manyrt::simulated
