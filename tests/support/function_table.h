// The interface as data: every function of rt.h with its arguments, its documented errors and a caller that takes 64-bit
// words. The contents are generated from bindings/rt.json (generate_function_table.py); the tests walk over them, so that no
// function can be forgotten. Knows nothing of the library but rt.h.
#ifndef MANYRT_TESTS_SUPPORT_FUNCTION_TABLE_H_
#define MANYRT_TESTS_SUPPORT_FUNCTION_TABLE_H_

#include <rt.h>

#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::calls {

enum class Direction { in, out, inout };

struct Argument {
  std::string name;
  std::string type;  // as rt.json spells it: "const char *", "rtStream_t"
  Direction direction;
  bool nullable;           // NULL is legal always
  std::string nullableIf;  // NULL is legal under this condition; empty: see nullable
  uint32_t pointeeBytes;   // bytes behind a pointer, whole arrays counted; 0 if unknown
  bool versioned;          // points to a struct that begins with struct_size

  bool isPointer() const { return type.ends_with("*"); }
  bool isOutput() const { return direction != Direction::in; }
};

struct Function {
  std::string name;
  std::vector<Argument> arguments;
  std::vector<rtStatus_t> errors;  // documented, without those that every function may return
  rtStatus_t (*call)(const uint64_t* words);
};

struct Field {
  std::string name;
  uint32_t offset;
  uint32_t size;
};

struct Struct {
  std::string name;
  uint32_t size;
  std::vector<Field> fields;
};

const std::vector<Function>& functions();
const std::vector<rtStatus_t>& generalErrors();  // what every function may return, from the head of rt.h
const std::vector<Struct>& structs();

}  // namespace manyrt::calls

#endif  // MANYRT_TESTS_SUPPORT_FUNCTION_TABLE_H_
