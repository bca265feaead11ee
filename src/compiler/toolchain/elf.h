// Checks ELF files before the linker or loader maps them, because neither checks its input. A file from a compiler or a user
// may be truncated, for another machine, or no ELF file at all.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::compiler {

// Empty: a shared object of this machine, all of whose headers and tables lie inside of it. Else what is wrong, the rest of
// a sentence: "is no ELF file".
std::string checkSharedObject(const void* data, size_t size);

// The part of the addresses of a checked shared object that has code. Nothing: 0 bytes.
void codeOf(uint64_t* first, uint64_t* bytes, const void* data, size_t size);

// The newest version of the GNU C library that a symbol of a checked shared object asks for, as 231 for GLIBC_2.31, and that
// symbol. 0: none asks for a version, or the tables are damaged.
uint32_t newestGlibc(std::string* symbol, const void* data, size_t size);

// As checkSharedObject, for what an assembler writes; fills in the names that the object expects from elsewhere.
std::string checkRelocatable(std::vector<std::string>* undefined, const void* data, size_t size);

// The head of a file of this machine, without type and tables.
Elf64_Ehdr nativeHeader();

}  // namespace manyrt::compiler
